"""The text around grids that is no part of them: marks of quoted mail, tags, labels of rows, titles.

A title is a line with a word in it, and no row, not even a bad one; or one without any letter, digit or blank. Beside
grids titles are passed over. Lines of programs are such lines, too: `import numpy as np`, `};`.
"""

from __future__ import annotations

import re

from sudoku.formats.signs import BLANKS

_QUOTED = re.compile(r"\s*(?:>\s?)+")
_TAG = r"(?:\[/?(?:code|pre|quote|spoiler|tt)\]|</?(?:code|pre|tt)>|```\w*|(?:\w+\s*=\s*)?(?:\'\'\'|\"\"\")\\?)"
_TAGS = re.compile(rf"^[ \t]*{_TAG}|{_TAG}[ \t]*(?=[\r\n]*$)", re.IGNORECASE)
_LABEL = re.compile(r"(?:(?:r|row)\s?)?(\d{1,2}|[a-z])(?:[:.)]\s*|\s*\|\s*|\s+)(?=\S)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_MARKS = re.compile(r"\{([0-9 ,]*)\}")


def undecorated(line: str) -> str:
    """Returns a line without marks of quoted mail before it and tags around it."""
    bare = line
    if line.lstrip().startswith(">"):
        bare = _QUOTED.sub("", bare, count=1)
    if any(sign in bare for sign in ("[", "<", "```", '"""', "'''")):
        bare = _TAGS.sub("", bare)
    return bare


def unlabelled(text: str, place: int, bare: bool = False) -> str:
    """Returns a line without its label as row `place`, from 1; where `bare`, a number before white space is one."""
    found = _LABEL.match(text)
    if not found or (found[0].strip() == found[1] and found[1].isdigit() and not bare):
        return text
    number = int(found[1]) if found[1].isdigit() else ord(found[1].lower()) - ord("a") + 1
    return text[found.end() :] if number == place else text


def is_title(text: str, n: int) -> bool:
    """Tells whether a line that is no row of n cells is a title."""
    signs = sum(char.isdigit() or char in BLANKS for char in re.sub(r"[^\W\d_]+", "", text))
    words = [word for word in _WORD.findall(text) if not set(word) <= set(BLANKS)]
    if not text.isprintable():
        return False
    if not any(char.isalnum() or char in BLANKS for char in text):
        return True
    pure = any(not any(char.isdigit() for char in part) and _WORD.search(part) for part in text.split())
    return pure and signs < n + sum(map(len, words))


def marks_in_braces(text: str, n: int) -> str | None:
    """Returns a row of pencil marks in braces without these, a single one with a `+`; None if it is something else."""
    groups = [re.sub("[ ,]", "", group) for group in _MARKS.findall(text)]
    rest = _MARKS.sub(" { ", text).replace(",", " ").split()
    if not groups or len(rest) != n or any(len(word) > 1 for word in rest) or all(len(group) == n for group in groups):
        return None
    marks = iter(f"+{group}" if len(group) == 1 else group or "?" for group in groups)
    return " ".join(next(marks) if word == "{" else word for word in rest)
