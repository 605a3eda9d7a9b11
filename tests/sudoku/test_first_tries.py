"""Files as people have them: lists, mail, tables, programs and pages of forums, each with its grids or its errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from sudoku import GridError, Puzzle, read, to_line

CASES = Path(__file__).with_name("first_tries.txt").read_text().split("\n=== ")[1:]
BYTES = {r"\t": b"\t", r"\r": b"\r", r"\xff": b"\xff", r"\xfe": b"\xfe"}


def parts(case: str) -> tuple[bytes, list[str]]:
    """The file of a case, and what is read."""
    _, *lines = case.rstrip("\n").split("\n")
    wanted = [line.removeprefix("--- ") for line in lines if line.startswith("--- ")]
    text = "".join(f"{line}\n" for line in lines if not line.startswith("--- ")).encode()
    for name, byte in BYTES.items():
        text = text.replace(name.encode(), byte)
    return text, wanted


def told(found: Puzzle | GridError) -> str:
    if isinstance(found, GridError):
        return f"! {found.line}: {found.reason}"
    return to_line(found.grid) if found.candidates is None else "marks"


@pytest.mark.parametrize("case", CASES, ids=[case.split("\n")[0] for case in CASES])
def test_first_tries(case: str, tmp_path: Path) -> None:
    """A file of each kind has the grids and errors that it should have, read in blocks and line by line."""
    text, wanted = parts(case)
    path = tmp_path / "grids.txt"
    path.write_bytes(text)
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as lines:
        found = list(map(told, read(lines)))
    assert list(map(told, read(path))) == found
    assert len(found) == len(wanted), found
    for got, expected in zip(found, wanted, strict=True):
        assert got.startswith(expected) if expected.startswith("! ") else got == expected
