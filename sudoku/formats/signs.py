"""The signs that all forms share, and how a message quotes a text."""

BLANKS = "0.*-_xX?"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVW"  # 10 to 32, in the line form; the next one, X, is a blank
DIGITS = "123456789" + LETTERS


def clip(text: str) -> str:
    """The beginning of a text that may be very long.

    >>> clip("1" * 50)
    '1111111111111111111111111111111111111111...'
    """
    return text if len(text) <= 40 else text[:40] + "..."
