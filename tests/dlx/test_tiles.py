"""Tilings with `dlx.tiles` against brute force; published numbers are in tests/data/answers.txt."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from points import as_put, placements, puts, some_cells

import dlx
from dlx import show, tiles
from dlx.formats import read, write
from dlx.show.dance import page
from dlx.tiles import LATTICES, Board, Piece, Placement, polyforms
from dlx.tiles.pieces import Kind
from dlx.tiles.symmetric import Symmetry

NAMES = st.sampled_from([*LATTICES])
KINDS = st.sampled_from(["free", "one-sided", "fixed"])


@given(st.data(), NAMES, KINDS)
def test_placements(data: st.DataObject, lattice: str, kind: Kind) -> None:
    """A piece has the places that turning and moving its points finds, each once."""
    size = (2, 2, 3) if lattice == "cube" else (4, 4)
    whole = [cell for cell in product(*map(range, size)) if lattice != "hexagon" or sum(cell) % 2 == 0]
    holes = data.draw(st.sets(st.sampled_from(whole), max_size=6))
    corners = [min(whole), max(whole)] + ([(0, 0), (3, 3)] if lattice in ("square", "triangle") else [])
    marks = {cell: data.draw(st.sampled_from("#x")) for cell in whole if cell not in holes or cell in corners}
    shape = data.draw(st.sampled_from(polyforms(data.draw(st.integers(1, 4)), lattice, kind)))
    piece = Piece.of("P", {cell: data.draw(st.sampled_from("##x")) for cell in shape.cells}, lattice)
    board = Board.of(marks, lattice)
    assert board.size == size
    found = list(placements(board, piece, kind))
    assert len({place.cells for place in found}) == len(found)
    assert {as_put(board, place) for place in found} == puts(board, piece, kind)


def covers_by_hand(
    places: list[Placement], board: Board, ranges: dict[str, tuple[int, int]], begun: tuple[Placement, ...] = ()
) -> Iterator[tuple[Placement, ...]]:
    """All sets of places that do not overlap, leave only some cells empty, and use pieces as often as they may."""
    used = Counter(place.piece for place in begun)
    if all(used[name] <= most for name, (_, most) in ranges.items()):
        covered = {cell for place in begun for cell in place.cells}
        if covered | board.empty >= board.marks.keys() and all(
            used[name] >= least for name, (least, _) in ranges.items()
        ):
            yield begun
        for k, place in enumerate(places):
            if covered.isdisjoint(place.cells):
                yield from covers_by_hand(places[k + 1 :], board, ranges, (*begun, place))


RANGES: dict[Any, tuple[int, int]] = {1: (1, 1), 2: (2, 2), "any": (0, 9), "0..1": (0, 1), (1, 2): (1, 2), 0: (0, 0)}


@given(st.data(), st.sampled_from(["square", "triangle", "hexagon"]))
@pytest.mark.filterwarnings("ignore:there is no cover")
def test_covers_are_what_each_and_empty_say(data: st.DataObject, lattice: str) -> None:
    """With any ranges and any cells that may stay empty, the covers are those that brute force finds."""
    cells = data.draw(st.lists(st.sampled_from(some_cells(lattice, 3, 5)), min_size=1, max_size=7, unique=True))
    empty = data.draw(st.sets(st.sampled_from(cells)))
    pieces = [
        Piece.of(name, shape.cells, lattice) for name, shape in zip("AB", data.draw(two_pieces(lattice)), strict=True)
    ]
    each = {name: data.draw(st.sampled_from([*RANGES])) for name in "AB"}
    problem = tiles.problem(cells, pieces, lattice=lattice, each=each, empty=empty)
    board = Board.of(cells, lattice, empty)
    places = [place for piece in pieces for place in placements(board, piece, "free")]
    by_hand = {
        frozenset(one) for one in covers_by_hand(places, board, {name: RANGES[given] for name, given in each.items()})
    }
    found = [frozenset(problem.labels(cover)) for cover in dlx.covers(problem)]
    assert len(set(found)) == len(found)
    assert set(found) == by_hand


@st.composite
def two_pieces(draw: st.DrawFn, lattice: str) -> list[Piece]:
    """Two pieces of up to three cells."""
    return [draw(st.sampled_from(polyforms(draw(st.integers(1, 3)), lattice))) for _ in range(2)]


FIRSTS: list[tuple[str, dict[str, Any]]] = [
    ("##./###", {"pieces": "pentomino:P"}),
    ("##../####/####/..##", {"pieces": "tetromino:L, domino", "each": {"I": "any"}}),
    ("####/####/####", {"pieces": "tetromino:L, trominoes, domino"}),
    ("#####/#####/#####", {"pieces": "pentomino:PLV"}),
    ("#####/#####/#####", {"pieces": "pentomino:PLV, tromino:L", "each": {"L2": (0, 1), "V": (0, 1)}, "empty": "#"}),
    ("####/####/####/####", {"pieces": "tetromino:LO, domino", "each": {"I": "any", "O": (0, 1)}}),
    ("####/####/####", {"pieces": "tetromino:L, domino", "each": {"I": "any"}, "weights": {(0, 0): 1, (0, 3): 1}}),
    ("o##o/####/####/o##o", {"pieces": "tetromino:LO, domino", "each": {"I": "any"}, "empty": "o"}),
    ("o###/####/####/###o", {"pieces": {"L": "o##/#..", "I": "##"}, "each": {"I": "any"}}),
    ("x##/###/##x", {"pieces": {"L": "x##", "I": "##"}, "each": {"I": "any"}}),
    ("###/###/###", {"pieces": "tetromino:L, domino, monomino", "each": {"I": "any"}}),
]


def orbit(cover: frozenset[int], generators: list[npt.NDArray[np.int64]]) -> frozenset[frozenset[int]]:
    """The images of a cover under a group."""
    found = {cover}
    for one in (listed := [cover]):  # which grows
        new = {frozenset(each[[*one]].tolist()) for each in generators} - found
        found |= new
        listed += new
    return frozenset(found)


@pytest.mark.parametrize("symmetry", ["all", "rotations"])
@pytest.mark.parametrize(("board", "said"), FIRSTS, ids=[f"{board}-{k}" for k, (board, _) in enumerate(FIRSTS)])
def test_first_is_one_of_each_kind(board: str, said: dict[str, Any], symmetry: Symmetry) -> None:
    """`symmetry=` has one tiling of each orbit of `symmetries`, and no other."""
    every, first = (tiles.problem(board, symmetry=which, **said) for which in ("none", symmetry))
    number = {name: o for o, name in enumerate(every.names or ())}
    kept = {frozenset(number[name] for name in first.labels(cover)) for cover in dlx.covers(first)}
    generators = tiles.symmetries(every, symmetry)
    orbits = {orbit(frozenset(map(int, cover)), generators) for cover in dlx.covers(every)}
    assert [len(one & kept) for one in orbits] == [1] * len(kept) != []


def test_the_best_tiling() -> None:
    """The best tiling has the greatest sum of the numbers of its cells, as all tilings show."""
    weights = dict(zip(product(range(3), range(4)), (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8.5), strict=True))
    problem = tiles.problem("3x4", "tetrominoes", each=(0, 1), empty=True, weights=weights)
    scores = {sum(weights[cell] for p in problem.labels(cover) for cell in p.cells) for cover in dlx.covers(problem)}
    assert dlx.best(problem, "max").score == max(scores)
    assert dlx.best(problem, "min").score == min(scores)


@pytest.mark.parametrize(
    ("board", "pieces", "each", "message"),
    [
        (
            "5x5",
            "dominoes",
            "any",
            "25 cells to fill, and the pieces can fill at most 24; empty=True lets cells stay empty$",
        ),
        ("3x4", "tetrominoes", "1..2", "the pieces fill at least 20; each='0..1' lets pieces be left out$"),
        (
            "3x4",
            "pentomino:PL, tetromino:O",
            1,
            "the board has 12 cells to fill, and the pieces fill at least 14; each='any' lets",
        ),
        (
            ".#######/" + "########/" * 6 + "#######.",
            "dominoes",
            "any",
            "black minus white cells are -2 on the board, but 0 for the pieces",
        ),
        ("8x8", "domino", 1, "the pieces can fill at most 2; each='any' lets pieces repeat"),
        ("4x5", "tetrominoes", 1, "black minus white cells are 0 on the board, but -2, 2 for the pieces"),
    ],
)
def test_warnings_of_areas_and_colours(board: str, pieces: str, each: Any, message: str) -> None:
    """A board that areas or the colours of a chessboard forbid gives a warning with the numbers, and no covers."""
    with pytest.warns(UserWarning, match=message):
        problem = tiles.problem(board, pieces, each=each)
    assert dlx.first(problem).cover is None


@given(st.data())
def test_warnings_are_right(data: st.DataObject) -> None:
    """Where there is a warning there is no cover."""
    cells = data.draw(st.lists(st.sampled_from(some_cells("square", 3, 5)), min_size=1, max_size=9, unique=True))
    empty = data.draw(st.sets(st.sampled_from(cells), max_size=2))
    pieces = data.draw(
        st.lists(st.sampled_from([f"tetromino:{name}" for name in "ILOST"] + ["dominoes"]), min_size=1, max_size=3)
    )
    each = data.draw(st.sampled_from([1, "any", "1..2", "0..1", 2]))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        problem = tiles.problem(cells, pieces, each=each, empty=empty)
    assert not told or dlx.first(problem).cover is None


@pytest.mark.parametrize(
    "problem",
    [
        tiles.problem("4x4", "domino", each="any"),
        tiles.problem("2x2x2", "domino", each="any", weights=lambda place: min(place.cells)[0]),
        tiles.problem("2x3", "2-colour squares"),
        tiles.problem([(-1, 0), (-1, 1)], {"M": "#"}, empty=True),
    ],
)
@pytest.mark.parametrize("name", ["tilings.npz", "tilings.dlx"])
def test_tilings_are_saved_and_read_back(problem: dlx.Problem, name: str, tmp_path: Path) -> None:
    """Cells and placements come back as they were, so pages and pictures of tilings are the same."""
    write(problem, tmp_path / name)
    again = read(tmp_path / name)
    assert again == problem
    assert [str(place) for place in again.names or ()] == [str(place) for place in problem.names or ()]
    cover = dlx.first(again).cover
    assert cover is not None
    assert tiles.drawn(again, cover) == tiles.drawn(problem, cover)
    assert tiles.picture(again, cover) == tiles.picture(problem, cover)
    assert show.draw(again, cover) == show.draw(problem, cover)
    assert page(dlx.trace(again)) == page(dlx.trace(problem))
