"""`sudoku convert` and `sudoku draw`, and `--format` and `--alphabet` of every command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from sudoku_command import CLUE17, SOLVED, Feed

from sudoku import as_puzzle, candidates, parse, read, to_boxed, to_line, to_png, to_svg, write
from sudoku.command.cli import main
from sudoku.formats.writing import WRITERS
from sudoku.grid import Puzzle

GRIDS = [CLUE17, SOLVED, CLUE17, CLUE17]
DOTS = CLUE17.replace("0", ".")


def marked() -> str:
    """A blank grid without one candidate, as pencil marks."""
    marks = np.ones((9, 9, 9), dtype=bool)
    marks[0, 0, 0] = False
    return "".join(write([as_puzzle(81 * ".", None, marks)], "marks"))


@pytest.mark.parametrize("form", sorted(set(WRITERS) - {"candidates"}))
def test_convert(feed_sudoku: Feed, form: str) -> None:
    """Grids of several forms come out in one, in their order, and are read back from it."""
    text = f"{CLUE17}\n{to_boxed(parse(SOLVED))}\n\npuzzle,id\n{CLUE17},1\n\n{json.dumps(parse(CLUE17).tolist())}\n"
    status, out, err = feed_sudoku(text, "convert", "--to", form)
    assert (status, err) == (0, "")
    found = [to_line(one) for one in read(out.splitlines()) if isinstance(one, Puzzle) and one.candidates is None]
    assert form == "marks" or found == [DOTS, SOLVED, DOTS, DOTS]
    grids = [as_puzzle(grid, None, candidates(grid, surviving="rules") if form == "marks" else None) for grid in GRIDS]
    assert out == "".join(write(grids, form))


def test_what_convert_leaves_out(feed_sudoku: Feed) -> None:
    """Malformed grids, and those that the form cannot represent, are left out and told; the others are written."""
    status, out, err = feed_sudoku(f"{CLUE17}\n{CLUE17[1:]}\n\n{marked()}\n{CLUE17}\n", "convert")
    assert (status, out) == (2, f"{DOTS}\n{DOTS}\n")
    assert err.splitlines() == [
        f"sudoku: <stdin>:2: the line has 80 characters instead of 81: '{CLUE17[1:41]}...'",
        "sudoku: <stdin>:4: the form cannot represent which candidates blanks have: "
        "leave them out (as_grid, or --drop-candidates)",
    ]
    status, out, err = feed_sudoku(marked(), "convert", "--drop-candidates")
    assert (status, out, err) == (0, "." * 81 + "\n", "")


@pytest.mark.posix("/dev/full")
def test_a_device_that_is_full(feed_sudoku: Feed) -> None:
    """A full device is named with its fault, and the status is 2."""
    status, _, err = feed_sudoku(CLUE17, "convert", "-o", "/dev/full")
    assert (status, err) == (2, "sudoku: /dev/full: No space left on device\n")


def test_draw_pictures(feed_sudoku: Feed, tmp_path: Path) -> None:
    """Pictures are those of to_svg and to_png, each with the number of its grid among all; candidates are drawn."""
    pytest.importorskip("resvg_py")
    for suffix in ("svg", "png"):
        path = tmp_path / f"grid.{suffix}"
        assert feed_sudoku(f"{CLUE17}\n{CLUE17[1:]}\n\n{marked()}", "draw", "-o", str(path))[0] == 2
        assert not path.with_name(f"grid-2.{suffix}").exists()
        second = path.with_name(f"grid-3.{suffix}")
        if suffix == "svg":
            assert path.read_text() == to_svg(CLUE17) + "\n"
            assert second.read_text().count("fill-opacity") == 728
        else:
            assert path.read_bytes() == to_png(to_svg(CLUE17))
            assert second.read_bytes().startswith(b"\x89PNG")


def test_a_large_grid_comes_back_in_its_alphabet(feed_sudoku: Feed, tmp_path: Path) -> None:
    """Hexadecimal digits are one sign each in boxes, lines and pictures, and blanks have a sign that is no digit."""
    signs = "0123456789ABCDEF"
    arguments = ("--box", "4x4", "--alphabet", signs)
    row = "0123456789ABCD.."
    status, out, err = feed_sudoku(f"{row}{'.' * 240}", "solve", *arguments)
    assert (status, len(out), err) == (0, 257, "")
    assert out.startswith("0123456789ABCD")
    assert set(out.strip()) == set(signs)
    boxes = feed_sudoku("\n".join([row, *15 * ["." * 16]]), "solve", *arguments)[1]
    assert boxes.startswith("0 1 2 3 | 4 5 6 7 | 8 9 A B | C D ")
    assert feed_sudoku(boxes, "solve", *arguments)[1] == boxes
    drawn = feed_sudoku(f"{row}{'.' * 240}", "draw", *arguments)[1]
    assert "┃ 0 1 2 3 ┃ 4 5 6 7 ┃ 8 9 A B ┃ C D . . ┃" in drawn
    path = tmp_path / "grid.svg"
    assert feed_sudoku("&.#"[:2] * 2 + "." * 12, "draw", "-o", str(path), "--box", "2x2", "--alphabet", "&ABC")[0] == 0
    assert path.read_text().count(">&amp;</text>") == 2


@pytest.mark.posix
def test_a_file_stays_where_nothing_can_be_written(tmp_path: Path) -> None:
    """A file keeps its text where no grid can be read; of no grids at all, an empty one is made."""
    path, bad, empty = tmp_path / "grids.sdm", tmp_path / "bad.txt", tmp_path / "empty.txt"
    path.write_text("what was there")
    bad.write_text("astray\n")
    empty.touch()
    for name in (bad, tmp_path / "nothing"):
        assert main(["convert", str(name), "-o", str(path)]) == 2
        assert path.read_text() == "what was there"
    assert main(["convert", str(empty), "-o", str(path)]) == 0
    assert path.read_text() == ""
    assert len(list(tmp_path.iterdir())) == 3


def test_rules_are_not_dropped(feed_sudoku: Feed) -> None:
    """Rules of the command line that a form cannot represent are named; forms with rules or their marks take them."""
    message = "sudoku: <stdin>:1: the form cannot represent the rule diagonal; fpuzzles can represent most rules\n"
    for form in ("line", "csv", "candidates"):
        assert feed_sudoku(16 * ".", "convert", "--box", "2x2", "--variant", "x", "--to", form)[0::2] == (2, message)
    for form in ("fpuzzles", "marks"):
        assert feed_sudoku(16 * ".", "convert", "--box", "2x2", "--variant", "x", "--to", form)[0::2] == (0, "")


def test_the_suffix_names_the_form(feed_sudoku: Feed, tmp_path: Path) -> None:
    """A suffix that names no form is refused before anything is written, unless --to names one."""
    file = tmp_path / "out.foo"
    message = f"sudoku: {file}: the suffix names no form; use one of .txt, .sdm, .csv, .json, or --to\n"
    assert feed_sudoku(CLUE17, "convert", "-o", str(file)) == (2, "", message)
    assert not file.exists()
    assert feed_sudoku(CLUE17, "convert", "--to", "line", "-o", str(file)) == (0, "", "")
    assert file.read_text() == f"{DOTS}\n"


def test_sheet(feed_sudoku: Feed, tmp_path: Path) -> None:
    """A sheet has all puzzles and then their solutions; a message names each puzzle without a single solution."""
    path = tmp_path / "sheet.html"
    grids = [f"1{15 * '.'}", f"11{14 * '.'}", "1234341221434321"]
    task = ("draw", "--box", "2x2", "--title", "A & B", "-o", str(path))
    said = "".join(
        f"sudoku: <stdin>:{k}: solution {k} of the sheet: {fault}\n"
        for k, fault in ((1, "one of several completions"), (2, "no completion"))
    )
    assert feed_sudoku("\n".join(grids), *task) == (0, "", said)
    page = path.read_text()
    assert feed_sudoku("\n".join(grids), *task[:-2], "--sheet") == (0, page, said)
    assert page.count("<h1>A &amp; B</h1>") == 1
    puzzles, solutions = page.split("Solutions")
    assert (puzzles.count("<svg"), solutions.count("<svg")) == (3, 2)
    assert re.findall("<figcaption>(.*?)<", solutions) == ["1: one of several completions", "2: no completion", "3"]
    assert to_svg(grids[0], (2, 2)) in puzzles


def test_nothing_takes_the_place_of_grids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written to a file that grids come from; a picture with a wrong suffix is refused, too."""
    path = tmp_path / "grids.svg"
    page = tmp_path / "grids.html"
    page.symlink_to(path)
    path.write_text(f"{CLUE17}\n")
    convert = ["convert", "--to", "line", "-o", str(path)]
    draw, shares, watch = ["draw", "-o", str(path)], ["shares", "--svg", str(path)], ["watch", "-o", str(page)]
    for arguments in (convert, draw, shares, watch):
        assert main([*arguments, str(path)]) == 2
        assert "the command reads this file" in capsys.readouterr().err
        assert path.read_text() == f"{CLUE17}\n"
    with pytest.raises(SystemExit):
        main(["shares", "--svg", "grids.png", str(path)])
