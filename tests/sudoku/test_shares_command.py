"""`sudoku shares`: the chances in the blanks of grids as text, as JSON and as pictures; streams, and limits."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from sudoku_command import CLASH, EXAMPLES, MANY, Feed

import sudoku

FOUR = "1.....2........."  # twelve completions


def table(text: str) -> dict[str, list[str]]:
    """The lines of a table, by the cell."""
    head, *lines = [line.split() for line in text.splitlines()]
    assert head == ["%", *map(str, range(1, len(head)))]
    return {cell: shares for cell, *shares in lines}


def test_table(feed_sudoku: Feed) -> None:
    """A line for each blank, not for givens, with the part of each digit in per cent, as `sudoku.shares` has it."""
    status, out, err = feed_sudoku(FOUR, "shares", "--box", "2x2")
    lines = table(out)
    assert (status, len(lines), err) == (0, 14, "")
    assert (lines["r1c2"], lines["r4c4"]) == ([".", "100", ".", "."], [".", "50.0", "25.0", "25.0"])
    assert len({len(line) for line in out.splitlines()}) == 1
    shares = sudoku.shares(MANY)
    numbers = {"<0.1": 0.0005, ">99.9": 0.9995, "100": 1.0, ".": 0.0}
    for cell, texts in table(feed_sudoku(MANY, "shares")[1]).items():
        r, c = int(cell[1]) - 1, int(cell[3]) - 1
        shown = [numbers[text] if text in numbers else float(text) / 100 for text in texts]
        assert np.abs(shares[r, c] - shown).max() <= 0.00051
        assert [text == "." for text in texts] == [share == 0 for share in shares[r, c]]


def test_json(feed_sudoku: Feed) -> None:
    """The same numbers as `sudoku.shares`, in full; without completions null."""
    grid = Path(EXAMPLES[0]).read_text()
    status, out, err = feed_sudoku(f"{grid}\n{CLASH}", "shares", "--json")
    one, none = map(json.loads, out.splitlines())
    chances = np.zeros((9, 9, 9))
    for blank in one["shares"]:
        for digit, share in blank["digits"].items():
            chances[blank["row"] - 1, blank["column"] - 1, int(digit) - 1] = share
    blanks = sudoku.as_grid(grid) == 0
    assert (status, err, len(one["shares"])) == (0, "", int(blanks.sum()))
    assert np.array_equal(chances[blanks], sudoku.shares(grid)[blanks])
    assert (none["line"], none["shares"], none["stopped"]) == (11, None, None)


def test_pictures(feed_sudoku: Feed, tmp_path: Path) -> None:
    """The first grid is drawn in the file, the K-th with -K in the name, and none that has no completion."""
    status, _, err = feed_sudoku(
        f"{FOUR}\n11{'.' * 14}\n{FOUR}", "shares", "--box", "2x2", "--svg", str(tmp_path / "a.b.svg")
    )
    assert (status, err) == (0, f"sudoku: 2 files are written, {tmp_path / 'a.b.svg'} to {tmp_path / 'a.b-3.svg'}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.b-3.svg", "a.b.svg"]
    picture = (tmp_path / "a.b.svg").read_text()
    assert picture == (tmp_path / "a.b-3.svg").read_text()
    assert picture == sudoku.to_svg(FOUR, (2, 2), shares=sudoku.shares(FOUR, (2, 2))) + "\n"
    texts = [node.text for node in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]
    assert len(texts) == 32 + 4  # twelve blanks with two or three digits; two givens, and two blanks with one digit
