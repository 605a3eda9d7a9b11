"""Arrays as programs write them, in C, Java, Python and others, and as numpy prints them.

That is lists in brackets of any kind, `[5, 3, 0]`, `{5, 3, 0}` or `(5 3 0)`, with commas between all members of a list,
perhaps with one behind the last of them, or with white space only; semicolons divide a list into rows, as in Matlab.
Before them may be a declaration or an assignment, `int grid[9][9] =`, around them a call, `np.array(..., dtype=int)`,
and a semicolon behind them; `//` and `#` begin comments. A member is a number, perhaps with a point and zeros behind
it, a sign or a text, with quotes or without them, or None, null or nan, which are blanks.

A line with a single list of cells, `{5, 3, 0, 0, 7, 0, 0, 0, 0},`, is a row of plain text.
"""

from __future__ import annotations

import re
from typing import Any

from sudoku.formats.signs import quoted

DEEPEST = 8  # lists within lists
LONGEST_NUMBER = 20  # digits

_NAME = r"[$A-Za-z_][\w\s:;<>,.*&\[\]]{0,200}="
_TYPE = r"(?:new\s+)?(?:\w{1,40}\s*)?(?:\[[\s\w,]{0,20}\]\s*)+(?:\w{1,40}\s*)?(?=\{)"
_CALL = r"(?:new\s+)?[A-Za-z_][\w.]{0,80}(?=\()"
_FILLED = r"[A-Za-z_][\w\s:<>,]{0,200}(?=\{\s*\{)"  # as C++ has it, without =
_HEAD = re.compile(rf"\s*(?:{_NAME}\s*|{_FILLED})?(?:{_TYPE}|(?P<call>{_CALL}))?")
_BEGINS = re.compile(rf"{_FILLED}|(?:{_NAME}\s*)(?:{_TYPE}|{_CALL})?[\[{{(\"']|{_CALL}\(\s*[\[{{(]|\(\s*[\[{{(\"'\d]")
_CONTINUES = re.compile(r"=\s*(?:new\s[\w\s,\[\]]*)?$")
_LATER = re.compile(rf"{_NAME}\s*(?:new\s[\w\s,\[\]]{{0,80}})?$")
_TAIL = re.compile(r"(?:,\s*\w+\s*=\s*[\w.'\"<>|]+)*\s*(?:,\s*)?\)$")
_ROW = re.compile(r"(?:\[([^][]*)\]|\{([^{}]*)\}|\(([^()]*)\))\s*[,;]?\s*(?:(?://|#).*)?")
_TOKEN = re.compile(
    r"(?P<skip>\s+|(?://|#)[^\n]*)|(?P<text>\"[^\"\n]*\"|'[^'\n]*')|(?P<word>[^][{}(),;:=\s\"'#/]+)|(?P<sign>.)",
    re.DOTALL,
)
_NUMBER = re.compile(r"([0-9]+)(?:\.0*)?")
_PAIRS = {"[": "]", "{": "}", "(": ")"}
_NOTHING = frozenset({"none", "null", "nan", "nil", "undefined"})


def begins(text: str) -> bool:
    """Tells whether a line begins an array that could not be JSON."""
    return bool(_BEGINS.match(text) or _LATER.match(text))


def continues(line: str) -> bool:
    """Tells whether an array that has been declared in a line begins below it."""
    return bool(_CONTINUES.search(line[-200:].rstrip()))


def array(text: str) -> Any:
    """Returns the lists of an array of numbers, texts and None, or a text; a ValueError says why a text is none."""
    body = text.strip().rstrip(";, \t\r\n")
    head = _HEAD.match(body)
    assert head is not None
    if head["call"]:
        tail = _TAIL.search(body, max(head.end() + 1, len(body) - 200))
        if tail is None:
            raise ValueError("this is no array: the call does not end")
        body = body[head.end() + 1 : tail.start()]
    else:
        body = body[head.end() :]
    return _unwrapped(_members(body))


def _unwrapped(value: list[Any]) -> Any:
    """Returns a list without lists around it and its members that have one list each, as those of C++ have."""
    while len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    single = all(isinstance(member, list) and len(member) == 1 and isinstance(member[0], list) for member in value)
    return [member[0] for member in value] if single else value[0] if len(value) == 1 else value


def row(text: str, n: int) -> str | None:
    """Returns the cells of a line that is a single list, with commas between them; None if it is something else."""
    found = _ROW.fullmatch(text)
    if not found:
        return None
    try:
        cells = _members(found[found.lastindex or 0])
    except ValueError:
        return None
    words = ["." if cell is None or not str(cell).strip() else str(cell).strip() for cell in cells]
    texts = any(isinstance(cell, str) and (len(cell) >= n or set(cell.strip()) & set(",;|#\t ")) for cell in cells)
    return ",".join(words) if 2 <= len(cells) <= 2 * n and len(cells) != n * n and not texts else None


class _List:
    def __init__(self, end: str) -> None:
        self.end = end  # the bracket that ends it
        self.members: list[Any] = []  # behind the last semicolon
        self.rows: list[list[Any]] = []  # before semicolons
        self.commas = 0  # behind the last semicolon

    def check(self) -> None:
        n = len(self.members)
        if self.commas not in (0, n - 1, n):
            raise ValueError(f"this is no array: a list of {n} has {self.commas} commas")


def _members(text: str) -> list[Any]:
    lists = [_List("")]
    follows = False  # whether a comma may come
    for token in _TOKEN.finditer(text):
        kind, sign, last = token.lastgroup, token[0], lists[-1]
        if kind == "skip":
            continue
        if kind != "sign":
            last.members.append(sign[1:-1] if kind == "text" else _cell(sign))
        elif sign in _PAIRS and len(lists) <= DEEPEST:
            lists.append(_List(_PAIRS[sign]))
        elif sign == last.end:
            last.check()
            lists.pop()
            rows = [*last.rows, last.members] if last.members else last.rows
            lists[-1].members.append(rows if last.rows else last.members)
        elif sign == "," and follows:
            last.commas += 1
        elif sign == ";" and follows and len(lists) > 1:
            last.check()
            last.rows.append(last.members)
            last.members, last.commas = [], 0
        else:
            raise ValueError(f"this is no array: {quoted(sign)} stands where a member is expected")
        follows = not (kind == "sign" and (sign in ",;" or sign in _PAIRS))
    if len(lists) > 1:
        raise ValueError(f"this is no array: a bracket {quoted(lists[-1].end)} is missing")
    lists[0].check()
    return lists[0].members


def _cell(word: str) -> int | str | None:
    number = _NUMBER.fullmatch(word)
    if number:
        return int(number[1]) if len(number[1]) <= LONGEST_NUMBER else 10**LONGEST_NUMBER
    return None if word.lower() in _NOTHING else word
