"""Tilings up to the symmetries of the board, against brute force over the point group of the lattice."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from points import some_cells
from seeds import tries

import dlx
from dlx import tiles
from dlx.tiles import LATTICES, Board, Lattice, Piece
from dlx.tiles.lattice import Cell, Matrix, Vector, added, times
from dlx.tiles.pieces import Kind
from dlx.tiles.symmetric import SYMMETRIES

Shape = frozenset[tuple[Vector, str]]


class Stocked(NamedTuple):
    """What a piece is but for its name: its shapes, and the least and the most of its uses."""

    shapes: frozenset[Shape]
    uses: object


def moved(shape: Iterable[tuple[Vector, str]], matrix: Matrix, lattice: Lattice) -> Shape:
    """The image of a shape under a matrix, in the same place for all translates of the shape."""
    turned = [(times(matrix, at), mark) for at, mark in shape]
    least = [min(at[k] for at, _ in turned) // lattice.period * lattice.period for k in range(lattice.dimension)]
    return frozenset((added(at, tuple(-x for x in least)), mark) for at, mark in turned)


def group(lattice: Lattice, kind: str) -> tuple[Matrix, ...]:
    """The matrices of a kind of turning, or of a symmetry."""
    some = {"free": lattice.matrices, "all": lattice.matrices}
    few = {"fixed": lattice.matrices[:1], "none": lattice.matrices[:1]}
    return {**some, **few}.get(kind, lattice.rotations)


def stocked(piece: Piece, kind: Kind, uses: object) -> Stocked:
    """All shapes of a piece, and its uses."""
    lattice = LATTICES[piece.lattice]
    shape = [(lattice.position(cell), mark) for cell, mark in zip(piece.cells, piece.marks, strict=True)]
    return Stocked(frozenset(moved(shape, matrix, lattice) for matrix in group(lattice, kind)), uses)


def motions(board: Board, symmetry: str) -> Iterator[tuple[Matrix, dict[Cell, Cell]]]:
    """The motions of the lattice under which the board, its marks and the cells that may stay empty are the same."""
    lattice = LATTICES[board.lattice]
    if symmetry == "none":
        yield lattice.matrices[0], {cell: cell for cell in board.marks}
        return
    first = next(iter(board.marks))
    for matrix, target in product(group(lattice, symmetry), board.marks):
        turned = times(matrix, lattice.position(first))
        shift = added(lattice.position(target), tuple(-x for x in turned))
        if any(x % lattice.period for x in shift):
            continue
        move = {cell: lattice.cell(added(times(matrix, lattice.position(cell)), shift)) for cell in board.marks}
        same = all(board.marks.get(move[cell]) == mark for cell, mark in board.marks.items())
        if same and {move[cell] for cell in board.empty} == board.empty:
            yield matrix, move


def kinds(problem: dlx.Problem, board: Board, stock: Mapping[str, Stocked], symmetry: str) -> int:
    """The number of orbits of tilings: names are forgotten, and all motions that keep the stock are applied."""
    lattice = LATTICES[board.lattice]
    allowed = []
    for matrix, move in motions(board, symmetry):
        to = {
            one: Stocked(frozenset(moved(shape, matrix, lattice) for shape in one.shapes), one.uses)
            for one in stock.values()
        }
        if Counter(to[one] for one in stock.values()) == Counter(stock.values()):
            allowed.append((to, move))
    patterns = set()
    for cover in dlx.covers(problem):
        uses: dict[str, list[tuple[Cell, ...]]] = {}
        for place in problem.labels(cover):
            uses.setdefault(place.piece, []).append(place.cells)
        images = []
        for to, move in allowed:
            parts = Counter(
                (to[stock[name]], frozenset(frozenset(move[cell] for cell in cells) for cells in some))
                for name, some in uses.items()
            )
            images.append(frozenset(parts.items()))
        patterns.add(frozenset(images))
    return len(patterns)


def some_tilings(lattice: str, rng: np.random.Generator) -> tuple[dlx.Problem, Board, dict[str, Stocked]]:
    """A small problem with random pieces, some of them alike, its board, and its stock."""
    whole = some_cells(lattice, 3, 4)
    cells = [cell for cell in whole if rng.random() < 0.8] or whole
    marks = {cell: "x" if rng.random() < 0.1 else "#" for cell in cells}
    symmetric = rng.random() < 0.5
    empty = cells if symmetric else [cell for cell in cells if rng.random() < 0.4]
    board = Board.of(marks, lattice, empty)
    pieces: list[Piece] = []
    stock, each, turned = {}, {}, {}
    kind: Kind = rng.choice(["free", "one-sided", "fixed"])
    for name in "ABC"[: rng.integers(1, 4)]:
        if pieces and rng.random() < 0.4:
            piece = replace(pieces[-1], name=name)
        else:
            shapes = tiles.polyforms(int(rng.integers(1, 4)), lattice, "fixed")
            shape = shapes[rng.integers(len(shapes))]
            marked = "x" in marks.values() and rng.random() < 0.2
            piece = Piece.of(
                name, {cell: "x" if marked and cell == shape.cells[0] else "#" for cell in shape.cells}, lattice
            )
        pieces.append(piece)
        each[name] = ["1", "0..1", "1..2"][rng.integers(3)] if rng.random() < 0.4 else "1"
        turned[name] = kind if rng.random() < 0.8 else "one-sided"
        stock[name] = stocked(piece, turned[name], each[name])
    return tiles.problem(board, pieces, lattice=lattice, each=each, orientations=turned), board, stock


@pytest.mark.filterwarnings("ignore:there is no cover")
@pytest.mark.parametrize("lattice", LATTICES)
def test_kinds_are_orbits_of_the_motions_of_the_board(lattice: str) -> None:
    """Kinds are what brute force counts, with pieces that are alike and without, in each sense of symmetry."""
    rng = np.random.default_rng(len(lattice))
    done = 0
    while done < tries(60):
        problem, board, stock = some_tilings(lattice, rng)
        if not 0 < dlx.count(problem, max_covers=200).covers < 200:
            continue
        done += 1
        for symmetry in SYMMETRIES:
            found = tiles.symmetries(problem, symmetry)
            assert dlx.count(problem, up_to=found).covers == kinds(problem, board, stock, symmetry)
        if done < 5:
            found = tiles.symmetries(problem)
            assert len(dlx.classify(problem, group=found)) == kinds(problem, board, stock, "all")


FIXED = Piece.of("A", "##", kind="fixed")
SMALL: list[tuple[str, Any, dict[str, Any], int]] = [
    ("1x3", {"M": "#"}, {"empty": True}, 2),
    ("###/.#.", {"I": "##"}, {"empty": True}, 2),
    ("2x2", {"M": "#", "N": "#"}, {"empty": True}, 2),
    ("2x3", {"L": "##/#."}, {"empty": True}, 2),
    ("3x3", {"M": "#"}, {"empty": True}, 3),
    ("1x4", {"A": "##", "B": "##"}, {}, 1),
    ("1x3", {"M": "#"}, {"empty": True, "weights": {(0, 0): 1}}, 3),
    ("2x3", "one-sided tetromino:LJ", {"empty": True, "each": "0..1"}, 2),
    ("2x2", {"A": FIXED, "B": Piece.of("B", "#/#", kind="fixed")}, {"empty": True, "each": "0..1"}, 2),
    ("xo/ox", "monomino", {"empty": "x", "each": 2}, 1),
]


@pytest.mark.parametrize(("board", "pieces", "others", "number"), SMALL, ids=range(len(SMALL)))
def test_kinds_of_small_boards(board: str, pieces: Any, others: dict[str, Any], number: int) -> None:
    """Kinds are up to the symmetries of the board and the weights, fewer than those of the items and options."""
    problem = tiles.problem(board, pieces, **others)
    assert dlx.count(problem, up_to=tiles.symmetries(problem)).covers == number


def test_a_problem_keeps_its_board() -> None:
    """Derived and pickled problems know the board; a problem equals one that does not, which has no such symmetries."""
    problem = tiles.problem("2x3", "dominoes", each="any")
    plain = dlx.Problem(problem.items, problem.n_primary, problem.indptr, problem.indices, names=problem.names)
    assert (plain == problem, hash(plain) == hash(problem)) == (True, True)
    for one in (problem, pickle.loads(pickle.dumps(problem)), problem.without([])):
        assert dlx.count(one, up_to=tiles.symmetries(one)).covers == 2
    chosen = problem.with_chosen([0])
    assert dlx.count(chosen, up_to=tiles.symmetries(chosen)).covers == dlx.count(chosen).covers
    with pytest.raises(TypeError, match=r"this Problem does not know its board; tiles.problem makes one that does"):
        tiles.symmetries(plain)
