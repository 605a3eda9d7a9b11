"""Forms as people write them: a corpus of texts, each with its grids or its errors.

`first_tries.txt` has lists, mail, tables, programs and pages of forums, `forms.txt` the forms of grids one by one.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from sudoku import GridError, Puzzle, read, to_line

CORPORA = {name: Path(__file__).with_name(name).read_text() for name in ("first_tries.txt", "forms.txt")}
CASES = [case for corpus in CORPORA.values() for case in ("\n" + corpus).split("\n=== ")[1:]]
ESCAPES = {rb"\t": b"\t", rb"\r": b"\r"}


def parts(case: str) -> tuple[bytes, dict[str, Any], list[str]]:
    """Returns the file of a case, the options of `read`, and the expected results."""
    name, *lines = case.partition("\n*** ")[0].rstrip("\n").split("\n")
    wanted = [line.removeprefix("--- ") for line in lines if line.startswith("--- ")]
    text = "".join(f"{line}\n" for line in lines if not line.startswith("--- ")).encode()
    for sign, byte in ESCAPES.items():
        text = text.replace(sign, byte)
    text = re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), text)
    asked: dict[str, Any] = dict(option.split("=") for option in name.partition(" | ")[2].split())
    if "layout" in asked:
        asked["layout"] = tuple(map(int, asked["layout"].split("x")))
    return text, asked, wanted


def told(found: Puzzle | GridError) -> str:
    """Returns a result as the corpus has it."""
    if isinstance(found, GridError):
        return f"! {found.line}: {found.reason}".replace("\\", r"\x5c")
    marks = "" if found.candidates is None else f" with {found.candidates.sum()} candidates"
    return f"{found.form} {found.line}: {to_line(found.grid, found.layout)}{marks}"


@pytest.mark.parametrize("case", CASES, ids=[case.split("\n")[0] for case in CASES])
def test_corpus(case: str, tmp_path: Path) -> None:
    """A text of each kind has the grids and errors that it should have, read in blocks and line by line."""
    text, asked, wanted = parts(case)
    path = tmp_path / "grids.txt"
    path.write_bytes(text)
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as lines:
        found = list(map(told, read(lines, **asked)))
    assert list(map(told, read(path, **asked))) == found
    assert found == wanted
