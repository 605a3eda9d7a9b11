"""Edge matching with `dlx.tiles`, against brute force by the midpoints of sides, and published numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from points import Point, Put, as_put, at, covers_by_hand, middle, midpoints, motions, puts, some_cells

import dlx
from dlx import tiles
from dlx.command.cli import main
from dlx.tiles import LATTICES, Board, Piece
from dlx.tiles.pieces import Kind
from dlx.tiles.symmetric import Symmetry

NAMES = st.sampled_from([*LATTICES])


@st.composite
def puzzles(draw: st.DrawFn, lattice: str) -> tuple[Board, list[Piece]]:
    """A small board, and as many pieces of one cell with labels on their sides."""
    alphabet = draw(st.sampled_from(["a", "aab"]))
    most = 3 if lattice == "cube" else 4  # four cubes that lie anyhow have millions of covers
    some = draw(st.lists(st.sampled_from(some_cells(lattice, 2, 4)), min_size=2, max_size=most, unique=True))
    board = Board.of(some, lattice, frame=draw(st.sampled_from([None, None, "a"])))
    sides = len(midpoints(lattice, some_cells(lattice, 2, 4)[0]))
    rows = [draw(st.text(alphabet, min_size=sides, max_size=sides)) for _ in board.marks]
    return board, labelled(lattice, rows)


def labelled(lattice: str, rows: list[str]) -> list[Piece]:
    """Pieces of one cell with labels on their sides."""
    return [replace(piece, name=f"P{piece.name}") for piece in tiles.sided("/".join(rows), lattice)]


@settings(deadline=None, max_examples=50)
@pytest.mark.filterwarnings("ignore:there is no cover")
@given(st.data(), NAMES, st.sampled_from(["free", "one-sided"]))
def test_covers_are_those_of_brute_force(data: st.DataObject, lattice: str, kind: Kind) -> None:
    """On any small board of any lattice labels agree in all covers, and brute force finds the same."""
    board, pieces = data.draw(puzzles(lattice))
    if board.frame and not any("a" in piece.sides for piece in pieces):
        return
    problem = tiles.problem(board, pieces, orientations=kind)
    if dlx.count(problem).covers > 5000:  # four cubes that do not touch have millions, which take minutes by hand
        return
    options = [puts(board, piece, kind) for piece in pieces]
    named = [as_put(board, place) for place in problem.labels(range(problem.n_options))]
    found = [frozenset(named[option] for option in cover) for cover in dlx.covers(problem)]
    assert len(found) == len(set(found))
    assert set(found) == set(covers_by_hand(board, options))


def symmetries_of(board: Board, kind: Kind) -> list[dict[Point, Point]]:
    """Returns the images of the middles of cells and sides under the motions that take a board to itself."""
    middles = [np.array(middle(board.lattice, cell)) for cell in board.marks]
    points = [*middles, *(np.array(p) for cell in board.marks for p in midpoints(board.lattice, cell))]
    there = {at(point) for point in middles}
    maps = [
        {at(point): at(turn @ (point - middles[0]) + other) for point in points}
        for turn, other in product(motions(board.lattice, kind), middles)
    ]
    return [one for one in maps if {one[point] for point in there} == there]


def moved(put: Put, to: dict[Point, Point]) -> Put:
    """A piece somewhere else."""
    labels = frozenset((to[point], label) for point, label in put.labels)
    return Put(put.piece, frozenset(to[point] for point in put.middles), labels)


FIRSTS: list[tuple[str, str, list[str], Kind]] = [
    ("square", "2x2", ["aabb", "abab", "aaab", "aaaa"], "one-sided"),
    ("square", "2x2", ["aabb", "abab", "abac", "aaaa"], "free"),
    ("square", "2x3", ["aabc", "cbab", "acab", "aaaa", "cccc", "ccbb"], "free"),
    ("triangle", "hexagon 1", ["abc", "abb", "bcc", "aac", "ddb", "dca"], "one-sided"),
    ("triangle", "triangle 2", ["aab", "abc", "aac", "aaa"], "free"),
    ("hexagon", "triangle 2", ["aaabbb", "aababb", "ababab"], "free"),
    ("cube", "1x1x3", ["abcabc", "aacabb", "aaaaaa"], "one-sided"),
]


@pytest.mark.parametrize(("lattice", "size", "rows", "kind"), FIRSTS)
def test_first_is_one_of_each_kind(lattice: str, size: str, rows: list[str], kind: Kind) -> None:
    """`symmetry` leaves one cover of each orbit, as turning all points finds them, with labels that turn along."""
    pieces, board = labelled(lattice, rows), Board.of(size, lattice)
    senses: tuple[Symmetry, ...] = ("none", "all" if kind == "free" else "rotations")
    every, first = (
        [
            frozenset(as_put(board, place) for place in problem.labels(cover))
            for problem in [tiles.problem(board, pieces, orientations=kind, symmetry=symmetry)]
            for cover in dlx.covers(problem)
        ]
        for symmetry in senses
    )
    maps = symmetries_of(board, kind)
    orbits = {frozenset(frozenset(moved(put, to) for put in cover) for to in maps) for cover in every}
    assert {cover for orbit in orbits for cover in orbit} == set(every)
    assert set(first) <= set(every)
    assert [len(orbit.intersection(first)) for orbit in orbits] == [1] * len(orbits) != []
    assert len(first) == len(orbits) < len(every)


# Colours from 2 on, as the On-Line Encyclopedia of Integer Sequences has them
NUMBERS = {
    "square": [6, 24, 70, 165],  # A006528
    "triangle": [4, 11, 24, 45],  # A006527
    "hexagon": [14, 130, 700, 2635],  # A006565
    "cube": [10, 57, 240, 800],  # A047780
}


@pytest.mark.parametrize("lattice", NUMBERS)
def test_numbers_of_coloured_cells(lattice: str) -> None:
    """There are as many cells with coloured sides as known, up to turning."""
    assert [len(tiles.named(f"{n}-colour {lattice}s")) for n in range(2, 6)] == NUMBERS[lattice]


def test_labels_from_texts() -> None:
    """Sections and rows of numbers give the same pieces, with the lattice of as many sides."""
    rows = "0 0 1 12/0 0 12 7/0 0 7 3/0 0 3 1"
    below = rows.replace("/", "\n\n")
    board, pieces, each = tiles.loads(f"board: 2x2\nframe: 0\nsides 0..1:\n{below}")
    assert (board and board.frame, each["4"]) == ("0", (0, 1))
    assert pieces == tiles.sided(rows) == tiles.sided(below)
    assert [tiles.sided(row)[0].lattice for row in ("aab", "aabb", "aabbcc")] == ["triangle", "square", "hexagon"]
    assert tiles.loads("board: triangle 2\nsides any: aab/abb").each == {"1": (0, None), "2": (0, None)}
    pair = tiles.sided("aaba/abaa")
    assert dlx.count(tiles.problem("1x2", pair)).covers == 2 * (3 * 3 + 1)
    assert dlx.count(tiles.problem("1x2", pair, orientations="fixed")).covers == 1


def test_labels_are_drawn() -> None:
    """In text they stand in the sides of squares, with names of pieces if there is room; pictures have triangles."""
    problem = tiles.problem("2x2", tiles.sided("0 0 1 12/0 0 12 7/0 0 7 3/0 0 3 1"), frame=0)
    assert tiles.drawn(problem, dlx.first(problem).cover or ()).split("\n") == [
        "┌─0─┬─0─┐",
        "0 2 121 0",
        "├─7─┼─1─┤",
        "0 3 3 4 0",
        "└─0─┴─0─┘",
    ]
    picture = tiles.picture(problem, dlx.first(problem).cover)
    assert picture.caption == "a tiling of 4 cells by 4 pieces"
    mixed = tiles.problem("2x2", [*tiles.sided("abca"), Piece.of("L", "##/#")])
    paths = tiles.picture(mixed, dlx.first(mixed).cover).count("<path")
    assert paths == 3 + 1  # three colours, the piece without labels


def test_the_command_matches_edges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pieces are rows of labels in a file, --frame is the label of the frame, and JSON has the labels."""
    (file := tmp_path / "four.txt").write_text("sides:\n0 0 1 12\n0 0 12 7\n0 0 7 3\n0 0 3 1\n")
    asked = ["tile", "2x2", "--pieces", str(file), "--frame", "0"]
    assert main([*asked, "--count"]) == 0
    assert capsys.readouterr().out == "4\n"
    assert main([*asked, "--json"]) == 0
    places = json.loads(capsys.readouterr().out.split("\n")[0])["pieces"]
    assert all(len(place["sides"]) == 4 for place in places)
