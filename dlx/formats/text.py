"""What text formats have in common."""

from __future__ import annotations

from collections.abc import Sequence


def decoded(data: str | bytes) -> str:
    """Returns a text with spaces for byte-order marks, which nobody sees in a name; bytes that are no UTF-8 survive."""
    text = data if isinstance(data, str) else data.decode("utf-8", "surrogateescape")
    return text.replace("\ufeff", " ")


def words_of(text: str) -> list[tuple[int, list[str]]]:
    """Returns the number, from 1, and the words of each line that is not blank."""
    return [(number, words) for number, line in enumerate(text.splitlines(), 1) if (words := line.split())]


def legend(words: Sequence[str], names: Sequence[object]) -> list[str]:
    """Returns comments on the words that stand for names; no line ends are in them, whatever the names are."""
    return [f"{word} is {name!a}" for word, name in zip(words, names, strict=True) if word != name]
