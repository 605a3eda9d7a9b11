"""The common part of text formats: decoding, and checks before writing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from dlx.formats.errors import refusal
from dlx.problem.problem import Problem
from dlx.problem.roles import FREE, LEFT_OUT


def decoded(data: str | bytes) -> str:
    """Returns a text with spaces instead of byte-order marks, which are invisible; invalid UTF-8 is preserved."""
    text = data if isinstance(data, str) else data.decode("utf-8", "surrogateescape")
    return text.replace("\ufeff", " ")


def words_of(text: str) -> list[tuple[int, list[str]]]:
    """Returns the number, from 1, and the words of each line that is not blank."""
    return [(number, words) for number, line in enumerate(text.splitlines(), 1) if (words := line.split())]


def check_written(
    form: str, kind: str, names: Sequence[object], words: Sequence[str], fits: Callable[[str], bool], fault: str
) -> None:
    """Raises FormatError for a name that would not be read back, and for two names with the same word."""
    for name, word in zip(names, words, strict=True):
        try:
            same = decoded(word.encode("utf-8", "surrogateescape")) == word
        except UnicodeEncodeError:
            same = False
        if not same or not fits(word):
            raise refusal(f"the {kind} {name!r} {fault}", form)
    if len(set(words)) < len(words):
        raise refusal(f"two {kind}s would be written {Counter(words).most_common(1)[0][0]!r}", form)


def check_plain(form: str, problem: Problem, exact: bool = True, empty: bool = False) -> None:
    """Raises FormatError if options are chosen or omitted; with `exact`, also if an item is not covered exactly once.

    With `empty`, options without items, which are omitted, are allowed.
    """
    if exact and (problem.n_primary < problem.n_items or problem.multiplicities is not None):
        raise refusal("not every item is to be covered exactly once", form)
    is_empty = np.diff(problem.indptr) == 0
    roles = np.where(is_empty, LEFT_OUT, FREE) if empty else np.full(problem.n_options, FREE)
    if problem.roles is not None and (problem.roles != roles).any():
        raise refusal("options are chosen or left out", form)


def legend(words: Sequence[str], names: Sequence[object]) -> list[str]:
    """Returns a comment for each word that replaces a name; line ends in names are escaped."""
    return [f"{word} is {name!a}" for word, name in zip(words, names, strict=True) if word != name]
