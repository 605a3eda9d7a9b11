"""The canonical form of a grid, which is the same for all isomorphic grids."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

import dlx
from dlx.extending import compiled_module
from sudoku.formats.conversion import GridLike, as_grids
from sudoku.grid import Grid, GridError, frozen
from sudoku.layout import Box, Layout, as_layout
from sudoku.setting.searches import givens_of

Grids = npt.NDArray[np.uint8]
Symmetries = npt.NDArray[np.intp]

MOST_SYMMETRIES = 100_000  # symmetries tried one by one, without a kernel


def canonical(grid: GridLike, layout: Box | Layout | None = None) -> Grid:
    """Returns the canonical form of a grid: two grids are isomorphic if and only if their forms are equal.

    The form is the least of all isomorphic grids, compared row by row, with 0 for a blank. With boxes of 3 x 3 there
    are 3,359,232 permutations of cells, each with 9! permutations of digits (E. Russell and F. Jarvis, Mathematics of
    sudoku II, 2006); a kernel prunes them row by row. For other layouts, all permutations of cells that map regions to
    regions (by nauty) are tried.

    Parameters:
        grid: a puzzle or a complete grid in any form that `as_grid` takes; it may break the rules.
        layout: as for `solve`.

    Returns:
        A read-only uint8 array of the shape of the grid.

    Raises:
        ValueError: the grid or the layout is wrong; or the layout is not 3 x 3, and has more than 100,000 symmetries,
            or rules that are not regions.
        ImportError: the layout is not 3 x 3, and pynauty is not installed.

    >>> from sudoku import to_line
    >>> to_line(canonical("7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"))
    '......123...145.....6..2.7...4.5163..6.8...9.71.3.6..5.7..8.3..6..5.....8....39..'
    >>> to_line(canonical("4...............", layout=(2, 2)), layout=(2, 2))
    '...............1'
    """
    givens, layout = givens_of(grid, layout)
    return frozen(_canonical(givens[None], layout)[0])


def canonical_many(grids: Iterable[GridLike | GridError] | npt.ArrayLike, layout: Box | Layout | None = None) -> Grids:
    """Returns the canonical forms of many grids.

    `numpy.unique(canonical_many(grids), axis=0)` has one grid of each isomorphism class.

    Parameters:
        grids: an array of shape (m, n, n) or (m, n^2) with 0 for blanks, or any sequence of grids in the forms that
            `as_grid` takes.
        layout: the rows and columns of a box, or a `Layout`, of all grids; default: 3 x 3.

    Returns:
        A uint8 array of shape (m, n, n).

    Raises: as `canonical`. The message names a wrong grid by its index, as grids[0]. Ctrl-C raises KeyboardInterrupt.

    >>> canonical_many(["1.....2.........", "....3.......4..."], (2, 2))[:, 2:].tolist()
    [[[0, 0, 0, 1], [0, 2, 0, 0]], [[0, 0, 0, 0], [0, 1, 0, 2]]]
    """
    layout = as_layout(layout)
    return _canonical(as_grids(grids, layout), layout)


def is_isomorphic(grid: GridLike, other: GridLike, layout: Box | Layout | None = None) -> bool:
    """Returns whether two grids are the same up to permutations of digits, and of cells that map regions to regions.

    Parameters and errors: as for `canonical`. If the layouts differ, a ValueError names both.

    >>> grid = "12.............."
    >>> is_isomorphic(grid, "...........4...3", (2, 2)), is_isomorphic(grid, "1.2.............", (2, 2))
    (True, False)
    """
    one, own = givens_of(grid, layout)
    two, same = givens_of(other, layout)
    if own != same:
        both = f"both are {own!r}, with other cells" if repr(own) == repr(same) else f"{own!r} and {same!r}"
        raise ValueError(f"the layouts differ: {both}")
    return np.count_nonzero(one) == np.count_nonzero(two) and np.array_equal(*_canonical(np.stack([one, two]), own))


def _canonical(grids: Grids, layout: Layout) -> Grids:
    """Returns the canonical forms of grids of a layout."""
    if not layout.is_plain:
        symmetries, there, found = _symmetries(layout), layout.mask(), np.zeros_like(grids)
        for k, grid in enumerate(grids):
            found[k][there] = _least(grid[there], symmetries)
        return found
    least = np.zeros((len(grids), 81), dtype=np.uint8)
    kernel = compiled_module("sudoku.kernels.images").Images(grids.reshape(-1, 81), least)
    for k in range(len(grids)):
        kernel.find(k)  # one by one, for Ctrl-C: a grid filled with one digit takes 0.25 s
    return least.reshape(-1, 9, 9)


@lru_cache(16)
def _symmetries(layout: Layout) -> Symmetries:
    """Returns all permutations of the cells of a layout that map regions to regions, shape (permutations, cells)."""
    if layout.constraints:
        raise ValueError("the layout has rules that are not regions; they may forbid some permutations of digits")
    cells = layout.cells()
    regions = layout.distinct_regions()
    options = {cell: [(kind, name) for kind, name, members in regions if cell in members] for cell in cells}
    group = dlx.symmetries(dlx.Problem.from_options(options))
    if group.order > MOST_SYMMETRIES:
        raise ValueError(f"the layout has {group.order} symmetries; at most {MOST_SYMMETRIES} are tried")
    generators = [each.options.astype(np.intp) for each in group.generators]
    newest = [np.arange(len(cells))]
    found = {newest[0].tobytes(): newest[0]}
    while newest:
        products = {each.tobytes(): each for one in newest for each in (one[generator] for generator in generators)}
        newest = [each for key, each in products.items() if key not in found]
        found.update(products)
    return np.array([*found.values()])


def _least(cells: Grid, symmetries: Symmetries) -> Grid:
    """Returns the least image of a grid, with digits renamed in the order in which they appear."""
    images = cells[symmetries]
    names = np.zeros((len(images), int(cells.max()) + 1), dtype=np.uint8)
    least = np.zeros_like(cells)
    for k in range(len(cells)):
        digits = images[:, k]
        every = np.arange(len(images))
        new = (names[every, digits] == 0) & (digits > 0)
        names[every[new], digits[new]] = names.max(axis=1)[new] + 1
        least[k] = names[every, digits].min()
        keep = names[every, digits] == least[k]
        images, names = images[keep], names[keep]
    return least
