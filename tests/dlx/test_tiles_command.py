"""The command `dlx tile`: its answers are those of the engine, drawn; tests/transcripts/dlx.txt has what it prints."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import dlx
from dlx import tiles
from dlx.command.cli import main

HEART = ".##.##.\n#######\n.#####.\n..###..\n...#...\n"


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    """What the command prints."""
    assert main(["tile", *arguments]) == status
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("board", "pieces", "more"),
    [
        ("4x5", "tetrominoes", ["--each", "any"]),
        ("2x2x3", "tricubes", ["--each", "any"]),
        ("4x4", "trihexes", ["--empty", "all"]),
        ("triangle 3", "triamond,diamond", ["--empty", "all"]),
        ("parallelogram 2x3", "trihexes", ["--each", "any"]),
    ],
)
def test_all_tilings_are_printed(capsys: pytest.CaptureFixture[str], board: str, pieces: str, more: list[str]) -> None:
    """With --all each tiling is drawn, in the order of `covers`, and in JSON its placements; --count says how many."""
    each, empty = ("any", False) if "any" in more else (1, True)
    problem = tiles.problem(board, pieces, each=each, empty=empty)
    found = [sorted(cover) for cover in dlx.covers(problem)]
    printed = told(capsys, board, pieces, *more, "--all")
    blocks = [f"{tiles.drawn(problem, cover)}\n" for cover in found]
    assert printed == "\n".join(blocks)
    assert told(capsys, board, pieces, *more, "--count") == f"{len(found)}\n"
    *lines, last = map(json.loads, told(capsys, board, pieces, *more, "--all", "--json").splitlines())
    placed = [[{"piece": p.piece, "cells": [*map(list, p.cells)]} for p in problem.labels(cover)] for cover in found]
    assert lines == [{"tiling": k, "pieces": pieces} for k, pieces in enumerate(placed, 1)]
    assert (last["covers"], last["exhausted"]) == (len(found), True)


def test_pieces_are_names_a_drawing_or_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A drawn piece tiles a board of a file as it tiles a size; a file in place of words is refused with --pieces."""
    board, pieces = tmp_path / "board.txt", tmp_path / "pieces.txt"
    board.write_text("####\n####\n")
    pieces.write_text("L: ###/#..\n")
    for place in (str(board), "2x4"):
        assert told(capsys, place, "##/##", "--each", "2", "--count") == "1\n"
        assert main(["tile", place, str(pieces), "--each", "2"]) == 2
        assert capsys.readouterr().err.endswith("; --pieces FILE reads pieces from a file\n")
        assert told(capsys, place, "--pieces", str(pieces), "--each", "2", "--count") == "2\n"


def test_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--svg writes the picture of the tiling that is printed, or of several in one."""
    file, heart = str(tmp_path / "a.svg"), tmp_path / "heart.txt"
    heart.write_text(HEART)
    printed = told(capsys, str(heart), "dominoes,tromino:L", "--each", "0..9", "--svg", file)
    problem = tiles.problem(HEART, "dominoes,tromino:L", each=(0, 9))
    cover = dlx.first(problem).cover
    assert cover is not None
    assert printed == f"{tiles.drawn(problem, cover)}\n"
    assert (tmp_path / "a.svg").read_text() == tiles.picture(problem, sorted(cover))
    for more in (["--sample", "3"], ["--all", "--limit", "3"]):
        told(capsys, "4x4", "dominoes", "--each", "any", "--svg", file, *more)
        assert re.findall(r"tiling \d", (tmp_path / "a.svg").read_text()) == ["tiling 1", "tiling 2", "tiling 3"]


def test_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--watch writes a page with the board and the names of pieces."""
    page = tmp_path / "page.html"
    told(capsys, "2x4", "dominoes", "--each", "any", "--watch", "-o", str(page))
    text = page.read_text(encoding="utf-8")
    assert "All covers of 2x4" in text
    assert "I 0,0 0,1" in text
    assert main(["tile", "2x2x2", "dominoes", "--each", "any", "--watch"]) == 2
    assert "--watch draws no cubes; --svg draws" in capsys.readouterr().err


def test_limits(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the time is over, while pieces are placed or later, the status is 3, and what is unknown is said."""
    for board, pieces, mode in (
        ("8x8", "tetrominoes", "--kinds"),
        ("8x8", "tetrominoes", "--count"),
        ("100x100", "6-ominoes,monomino", "--count"),
        ("20x20", "tetrominoes", "--all"),
    ):
        assert main(["tile", board, pieces, "--each", "any", mode, "--timeout", "0.1" if mode == "--all" else "0"]) == 3
        said = (
            r"dlx: stopped by --timeout; (the pieces had not been placed after .* seconds|there may be more tilings)\n"
        )
        assert re.fullmatch(said, capsys.readouterr().err)
