"""Tilings as exact-cover problems: options are the places of pieces on a board, items are cells and pieces."""

from __future__ import annotations

import gc
import math
import time
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, compress
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from dlx.problem.checks import WEIGHTS
from dlx.problem.placement import Placement
from dlx.problem.problem import Problem
from dlx.problem.words import counted
from dlx.tiles.boards import Board, sides_of
from dlx.tiles.pieces import Kind, Piece, check_names, listed, usual_kind
from dlx.tiles.places import BoardCells, Numbers, agreed
from dlx.tiles.shapes import PLAIN
from dlx.tiles.symmetric import Group, Permutation, Symmetry, check_symmetry, firsts
from dlx.tiles.uses import Range, uses_of, why_none, why_unbalanced

MOST_PLACES = 4_000_000


@dataclass(frozen=True, eq=False, repr=False)
class TilingProblem(Problem):
    """A problem with its board and its pieces; it is equal to the same problem without them.

    Attributes:
        board: the board.
        uses: how often each piece is used, by its name.
    """

    board: Board = field(default_factory=lambda: Board({}))
    uses: Mapping[str, Range] = field(default_factory=dict)


def problem(
    board: Any,
    pieces: Any,
    *,
    lattice: str | None = None,
    each: Any = 1,
    orientations: Kind | Mapping[str, Kind] | None = None,
    empty: Any = (),
    frame: str | int | None = None,
    symmetry: Symmetry = "none",
    weights: Mapping[Any, float] | Callable[[Placement], float] | None = None,
    where: Callable[[Placement], object] | None = None,
    timeout: float | None = None,
) -> TilingProblem:
    """Makes the problem of tiling a board with pieces.

    The items are the names of the pieces, and the cells, which are tuples of whole numbers. The name of an option is a
    `Placement`. If pieces have labels on their sides, a side between two cells is a secondary item, named by the pair
    of cells, and its colour is the label (Knuth, The Art of Computer Programming 4B, 7.2.2.1).

    Parameters:
        board: a drawing in text, in which all characters except "." and spaces are cells; a size such as "6x10"; for
            triangles and hexagons also "triangle 6", "hexagon 3" and "parallelogram 4x9"; a mask; cells; a `Board`.
        pieces: words separated by commas, such as "pentominoes", "one-sided tetrominoes", "tetromino:LT", "5-cubes",
            "soma" and "3-colour squares"; or drawings, masks, lists of cells and `Piece` objects, in a list or in a
            mapping from names.
        lattice: "square", "cube", "triangle" or "hexagon"; default: the lattice of the board or the pieces.
        each: how often each piece is used: a number, a range as (1, 3) or "1..3", "any", or a mapping from names to
            such values; pieces without a name there are used once.
        orientations: the orientations of all pieces whose `kind` is None: "free", "one-sided" (no reflections) or
            "fixed"; or a mapping from names to these. Default: "one-sided" for pieces of cubes and for pieces with
            labels, "free" for others.
        empty: the cells that may stay empty: True for all, a text of marks of the board, or cells.
        frame: the label that sides of pieces must have at the edge of the board; default: any label.
        symmetry: "none" for all tilings; "rotations" for one tiling of each orbit under the rotations of the board;
            "all" for one tiling of each orbit under rotations and reflections. One piece is restricted to some of its
            places. A reflection is a symmetry only if the mirror image of each piece is a piece with the same uses.
        weights: a mapping from cells and pieces to numbers (default 0), or a function that returns the weight of a
            placement.
        where: a function that returns whether a placement is allowed.
        timeout: the maximum time in seconds to place the pieces; it is checked before each piece.

    If areas or chessboard colours prove that there is no cover, a warning says so, and the problem has no options.

    Raises:
        ValueError: a name, lattice, range or mark is unknown or invalid; there are more than four million places; or no
            piece can be restricted for `symmetry`: use `count(up_to=symmetries(problem))` instead.
        TypeError: the board or a piece has a wrong type.
        TimeoutError: the timeout was reached.

    >>> import dlx
    >>> tilings = problem("3x20", "pentominoes", symmetry="all")
    >>> tilings.items[0], tilings.items[-1], tilings.labels([0])
    ('F', (2, 19), (Placement(piece='F', cells=((0, 0), (0, 1), (1, 1), (1, 2), (2, 1)), lattice='square', sides=()),))
    >>> dlx.count(tilings).covers
    2
    """
    check_symmetry(symmetry)
    deadline = time.monotonic() + (math.inf if timeout is None else timeout)
    pieces = list(pieces) if isinstance(pieces, Iterator) else pieces
    region = region_of(board, pieces, lattice, empty=empty, frame=frame)
    tiles = [_on(region, piece) for piece in listed(pieces, region.lattice)]
    ranges = uses_of(each, [piece.name for piece in tiles])
    shapes = [piece.orientations(kind) for piece, kind in zip(tiles, _kinds(tiles, orientations), strict=True)]
    _check(region, tiles, sum(map(len, shapes)))
    board_cells = BoardCells(region)
    cells, sizes = len(region.marks), {piece.name: len(piece.cells) for piece in tiles}
    why = why_none(sizes, ranges, cells - len(region.empty), cells)
    places: list[Placement] = []
    rows: dict[str, Numbers] = {}  # name of a piece -> the cells of its places
    colours = np.array([1 - 2 * (sum(cell) % 2) for cell in board_cells.cells])  # 1 or -1, as on a chessboard
    differences: dict[str, set[int]] = {}  # the possible numbers of black minus white cells of each piece
    with _without_collection():
        for piece, turned in () if why else zip(tiles, shapes, strict=True):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the pieces had not been placed after {timeout:g} seconds")
            if ranges[piece.name].most == 0:
                continue
            found, numbers = board_cells.placed(piece, turned)
            if where is not None:
                allowed = [k for k, place in enumerate(found) if where(place)]
                found, numbers = [found[k] for k in allowed], numbers[allowed]
            places += found
            rows[piece.name] = numbers
            sums = colours[numbers[:1] if region.empty else numbers].sum(axis=1)  # unused if cells may stay empty
            differences[piece.name] = set(sums.tolist())
    why = why or _why_none(region, ranges, differences, int(colours.sum()))
    values = None if weights is None else _weights(weights, places, {*sizes, *region.marks})
    if symmetry != "none":
        group = Group(region, ranges, places, values or [None] * len(places), symmetry)
        kept = firsts(group, places, [piece for piece in sizes if ranges[piece] == Range(1, 1)])
        places = [*compress(places, kept)]
        values = None if values is None else [*compress(values, kept)]
        parts = np.split(kept, np.cumsum([len(some) for some in rows.values()]))
        rows = {name: some[part] for (name, some), part in zip(rows.items(), parts, strict=False)}
    made = _assembled(board_cells, places, rows, values, ranges, any(piece.sides for piece in tiles))
    if why:
        warnings.warn(f"there is no cover: {why}", stacklevel=2)
    return cast("TilingProblem", made.without(range(made.n_options))) if why else made


@contextmanager
def _without_collection() -> Iterator[None]:
    """Pauses the garbage collector, which takes a third of the time if there are many tuples."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def symmetries(problem: Problem, symmetry: Symmetry = "all") -> list[Permutation]:
    """Returns generators of the symmetries of a tiling problem, for `count(up_to=)` and `classify(group=)`.

    The symmetries are the motions that preserve the board, its holes, its marks and the set of pieces. Pieces of the
    same shape are interchangeable. (`dlx.symmetries` finds all symmetries of the items and options, which may be more.)

    Parameters:
        problem: a problem of `problem`.
        symmetry: "all", "rotations" (no reflections), or "none" (only exchanges of equal pieces).

    Each generator is a permutation of the options. Raises TypeError for a problem without a board, and ValueError for
    an unknown symmetry.

    >>> import dlx
    >>> soma = problem("3x3x3", "soma")
    >>> [dlx.count(soma, up_to=symmetries(soma, which)).covers for which in ("all", "rotations", "none")]
    [240, 480, 11520]
    """
    check_symmetry(symmetry)
    if not isinstance(problem, TilingProblem):
        raise TypeError(f"this {type(problem).__name__} has no board; tiles.problem makes a problem with a board")
    facts = zip(*(array.tolist() for array in (problem.weights, problem.roles) if array is not None), strict=True)
    places = problem.names or ()
    group = Group(problem.board, problem.uses, places, [*facts] or [None] * len(places), symmetry)
    return [*group.motions, *group.swaps]


def _assembled(
    board_cells: BoardCells,
    places: list[Placement],
    rows: dict[str, Numbers],
    values: list[float] | None,
    uses: dict[str, Range],
    sided: bool,
) -> TilingProblem:
    """Returns the problem with an option for each place: its piece (if that is an item), cells and inner sides."""
    region = board_cells.board
    # Only options with a primary item are chosen, so a piece that can be on cells that may stay empty is a primary item
    may = np.array([cell in region.empty for cell in board_cells.cells])
    optional = {name for name, some in rows.items() if may[some].all(axis=1).any()}
    primary: dict[Hashable, tuple[int, int]] = {}
    second: list[Hashable] = [cell for cell in region.marks if cell in region.empty]
    for piece, (least, most) in uses.items():
        if piece in optional or least > 0 or (most or 0) > 1:
            primary[piece] = (least, len(region.marks) if most is None else most)
        elif most == 1:
            second.append(piece)
    primary |= {cell: (1, 1) for cell in region.marks if cell not in region.empty}
    labels = [agreed(region, place) or {} if place.sides else {} for place in places] if sided else []
    second += dict.fromkeys(chain.from_iterable(labels))
    number: dict[Any, int] = {item: k for k, item in enumerate([*primary, *second])}
    of_cells = np.array([number[cell] for cell in board_cells.cells], dtype=np.int32)
    parts, lengths = list[npt.NDArray[np.int32]](), list[int]()
    for name, some in rows.items():
        heads = np.full((len(some), int(name in number)), number.get(name, 0), dtype=np.int32)
        parts.append(np.concatenate([heads, of_cells[some]], axis=1).ravel())
        lengths += [heads.shape[1] + some.shape[1]] * len(some)
    indptr = np.cumsum([0, *lengths])
    indices = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
    names = dict.fromkeys(label for some in labels for label in some.values())
    colours = None
    if names:
        shades = {label: k for k, label in enumerate(names, 1)}
        ends = np.repeat(indptr[1:], [*map(len, labels)])
        shown = [shades[label] for some in labels for label in some.values()]
        colours = np.insert(np.zeros(len(indices), dtype=np.int32), ends, shown)
        indices = np.insert(indices, ends, [number[side] for some in labels for side in some])
        indptr += np.cumsum([0, *map(len, labels)])
    limits = np.array([*primary.values()], dtype=np.int32).reshape(-1, 2)
    return TilingProblem(
        tuple(number),
        len(primary),
        indptr,
        indices,
        values,  # type: ignore[arg-type]
        tuple(places),
        colours,
        tuple(names),
        None if (limits == 1).all() else limits,
        board=region,
        uses=uses,
    )


def region_of(board: Any, pieces: Any, lattice: str | None = None, **options: Any) -> Board:
    """Returns the board. The default lattice is cubes for three sizes, otherwise the lattice of the first piece."""
    if isinstance(board, str):
        board = sides_of(board) or board
    elif isinstance(board, Iterator):
        board = list(board)
    if lattice is not None or isinstance(board, Board):
        return Board.of(board, lattice or board.lattice, **options)
    if isinstance(board, np.ndarray):
        solid = board.ndim == 3
    else:
        first = next(iter(board), None) if isinstance(board, Iterable) else None
        solid = isinstance(first, tuple | int) and len(first if isinstance(first, tuple) else board) == 3
    return Board.of(board, "cube" if solid else listed(pieces, None)[0].lattice, **options)


def _on(region: Board, piece: Piece) -> Piece:
    """Returns a piece on the lattice of the board; squares without labels can become a layer of cubes."""
    if piece.lattice == "square" and region.lattice == "cube" and not piece.sides:
        return replace(piece, lattice="cube", cells=tuple((0, *cell) for cell in piece.cells))
    if piece.lattice != region.lattice:
        raise ValueError(f"piece {piece.name} has {piece.lattice}s, and the board has {region.lattice}s")
    if other := {*piece.marks}.difference(region.marks.values(), PLAIN):
        raise ValueError(
            f"piece {piece.name} has the mark {min(other)!r}, and no cell of the board has it; # is no mark"
        )
    return piece


def _kinds(tiles: list[Piece], orientations: Any) -> list[Kind]:
    each, rest = (orientations, None) if isinstance(orientations, Mapping) else ({}, orientations)
    check_names("orientations", each, [piece.name for piece in tiles])
    return [each.get(piece.name) or piece.kind or rest or usual_kind(piece.lattice, piece.sides) for piece in tiles]


def _check(region: Board, tiles: list[Piece], turned: int) -> None:
    """Refuses more than four million places, which are too many for the memory, and a frame that no piece can have."""
    if turned * len(region.marks) > MOST_PLACES:
        many = f"{counted(turned, 'orientation')} of pieces on {counted(len(region.marks), 'cell')}"
        raise ValueError(f"{many} can be more than {MOST_PLACES:,} places, too many to hold in memory")
    labels = sorted({label for piece in tiles for label in piece.sides})
    if region.frame and region.frame not in labels:
        known = ", ".join(map(repr, labels)) or "none"
        raise ValueError(f"the label of the frame is {region.frame!r}; the labels of sides are {known}")


def _weights(given: Any, places: list[Placement], known: set[Any]) -> list[float]:
    if callable(given):
        return [given(place) for place in places]
    if not isinstance(given, Mapping):
        raise TypeError(f"weights are {given!r:.60}; they must be a mapping from cells and pieces, or a function")
    if (other := next((key for key in given if key not in known), None)) is not None:
        raise ValueError(f"weights has {other!r}, which is neither a piece nor a cell of the board")
    for key, weight in given.items():
        if not isinstance(weight, WEIGHTS):
            raise ValueError(f"the weight of {key!r} is {weight!r:.40}, which is no number")
    return [sum(given.get(key, 0) for key in (place.piece, *place.cells)) for place in places]


def _why_none(region: Board, ranges: dict[str, Range], differences: dict[str, set[int]], board: int) -> str:
    """Returns why there is no cover: a piece without a place, or the colours of a chessboard; else ""."""
    for name, found in differences.items():
        if ranges[name].least and not found:
            return f"piece {name} has no place"
    return "" if region.empty else why_unbalanced(differences, ranges, board)
