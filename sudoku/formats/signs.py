"""The signs that all forms share, when a 0 may be no blank, and how a message quotes a text."""

from __future__ import annotations

import re
from collections.abc import Sequence

BLANKS = "0.*-_xX?"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVW"  # 10 to 32, in the line form; the next one, X, is a blank
DIGITS = "123456789" + LETTERS


def zero_may_be_digit(cells: Sequence[str], n: int, last: str) -> bool:
    """Whether the cells of a grid of n rows may be written 0 to n - 1: as far as 0 and the last digit show.

    >>> zero_may_be_digit("0.12", 2, "2"), zero_may_be_digit("0.1.", 2, "2"), zero_may_be_digit("0001", 2, "2")
    (False, True, False)
    """
    return 0 < cells.count("0") <= n and last not in cells


def has_other_blanks(cells: Sequence[str]) -> bool:
    """Whether a sign other than 0 stands for a blank.

    >>> has_other_blanks("012"), has_other_blanks(["0", ".", "12"])
    (False, True)
    """
    return any(blank in cells for blank in BLANKS[1:])


def zero_doubt(last: str) -> str:
    """What is wrong where nobody knows what 0 is."""
    return f"0 may be a blank or, where {last} is not used, a digit; write blanks as . and digits as 1 to {last}"


def clip(text: str) -> str:
    """The beginning of a text that may be very long.

    >>> clip("1" * 50)
    '1111111111111111111111111111111111111111...'
    """
    return text if len(text) <= 40 else text[:40] + "..."


def quoted(text: str) -> str:
    r"""The beginning of a text between quotes, as a message shows it; bytes that are no UTF-8 by their codes.

    >>> print(quoted(b"7\xff\\udcff\0".decode("utf-8", "surrogateescape")))
    '7\xff\\udcff\x00'
    """
    return re.sub(r"\\\\|\\udc([89a-f].)", lambda found: rf"\x{found[1]}" if found[1] else found[0], repr(clip(text)))
