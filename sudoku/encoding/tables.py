"""Tables of a layout, which all its grids share when they become problems: items, candidates, and the parts of sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudoku.encoding.totals import Entry, Item, added
from sudoku.layout import Candidate, Cell, Layout, Region

Numbers = npt.NDArray[np.int32]

LAYOUTS = 64  # tables kept: those of 9 rows take half a megabyte each


class Rows(NamedTuple):
    """Options as compressed rows."""

    names: tuple[Item, ...]
    indptr: Numbers
    indices: Numbers
    colours: Numbers


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a layout; candidates are numbered by row, then column, then digit."""

    items: tuple[Item, ...]  # the cells, then (kind, name, digit) of each region, secondary ones last
    n_primary: int
    cells: npt.NDArray[np.intp] | None  # where the cells are in the shape, if some are missing
    candidates: tuple[Candidate, ...]  # (row, column, digit)
    entries: Numbers  # shape (cells n, 4 k): the numbers of each candidate's items, then len(items)
    colours: Numbers | None  # of the same shape: the colours of these, if there are any
    lengths: Numbers  # shape (cells n,): how many items each candidate has
    indptr: Numbers | None  # 0, 4, 8, ... where every candidate has four items
    digits: npt.NDArray[np.int64]  # shape (cells n,): the digit of each candidate
    sums: Rows  # options that are no candidates
    n_colours: int


@lru_cache(LAYOUTS)
def tables_of(layout: Layout) -> Tables:
    """Makes the tables of a layout."""
    n, cells, extra = layout.size, layout.cells(), added(layout)
    place, digit = np.divmod(np.arange(len(cells) * n), n)
    regions = layout.distinct_regions()
    full = [region for region in regions if len(region.cells) == n]
    partial = [region for region in regions if len(region.cells) < n]
    clashes = list(layout.all_clashes())
    primary = [*cell_items(tuple(cells)), *_region_items(full, n), *extra.primary]
    items = [*primary, *_region_items(partial, n), *(clash[:3] for clash in clashes), *extra.secondary]
    number = {item: k for k, item in enumerate(items)}
    rows = _of_regions(cells, n, (*full, *partial), number)
    further = [(one, number[clash[:3]], 0) for clash in clashes for one in clash.candidates]
    further += [(one, number[item], _colour(shade)) for one, (item, shade) in extra.candidates]
    entries, colours = _with_further(rows, further, {cell: k for k, cell in enumerate(cells)}, n, len(items))
    lengths = np.count_nonzero(entries < len(items), axis=1)
    row, column = np.array(cells)[place].T
    return Tables(
        tuple(items),
        len(primary),
        None if layout.is_square else np.flatnonzero(layout.mask()),
        tuple(zip(row.tolist(), column.tolist(), (digit + 1).tolist(), strict=True)),
        entries.astype(np.int32),
        colours.astype(np.int32) if colours.any() else None,
        lengths.astype(np.int32),
        np.arange(0, 4 * len(entries) + 1, 4, dtype=np.int32) if (lengths == 4).all() else None,
        digit + 1,
        sums := _sum_rows(extra.options, number),
        int(max(colours.max(), sums.colours.max(initial=0))),
    )


@lru_cache(LAYOUTS)
def cell_items(cells: tuple[Cell, ...]) -> tuple[Item, ...]:
    """The items of some cells, the same objects each time: to compare these takes no time."""
    return tuple(("cell", *cell) for cell in cells)


def _region_items(regions: Iterable[Region], n: int) -> list[Item]:
    return [(kind, name, d) for kind, name, _ in regions for d in range(1, n + 1)]


def _colour(shade: int | None) -> int:
    """The number of a colour, which is a digit or a state from 0 on; 0 for none."""
    return 0 if shade is None else shade + 1


def _of_regions(
    cells: list[Cell], n: int, regions: tuple[Region, ...], number: Mapping[Item, int]
) -> npt.NDArray[np.int64]:
    """For each candidate the numbers of its cell and of its digit in its regions, then how many items there are."""
    of: dict[Cell, list[int]] = {cell: [] for cell in cells}
    for region in regions:
        for cell in region.cells:
            of[cell].append(number[region.kind, region.name, 1])
    width = max(map(len, of.values()))
    first = np.array([firsts + [-1] * (width - len(firsts)) for firsts in of.values()])
    entries = np.repeat(first, n, axis=0)
    entries[entries >= 0] += np.broadcast_to(np.tile(np.arange(n), len(cells))[:, None], entries.shape)[entries >= 0]
    return np.column_stack([np.repeat(np.arange(len(cells)), n), np.where(entries < 0, len(number), entries)])


def _with_further(
    rows: npt.NDArray[np.int64],
    further: Iterable[tuple[Candidate, int, int]],
    place: Mapping[Cell, int],
    n: int,
    none: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The items of candidates with further ones, and their colours, as many for each as a multiple of four."""
    lists: dict[int, list[tuple[int, int]]] = {}
    for (r, c, digit), item, colour in further:
        lists.setdefault(place[r, c] * n + digit - 1, []).append((item, colour))
    used = np.count_nonzero(rows < none, axis=1)
    most = max([int(used.max()), *(int(used[k]) + len(some) for k, some in lists.items())])
    entries = np.full((len(rows), -(-most // 4) * 4), none)
    entries[:, : rows.shape[1]] = rows
    colours = np.zeros_like(entries)
    for k, some in lists.items():
        entries[k, used[k] : used[k] + len(some)], colours[k, used[k] : used[k] + len(some)] = np.array(some).T
    return entries, colours


def _sum_rows(options: Mapping[Item, list[Entry]], number: Mapping[Item, int]) -> Rows:
    """The options that sums add."""
    listed = [(number[item], _colour(shade)) for entries in options.values() for item, shade in entries]
    indices, colours = np.array(listed, dtype=np.int32).reshape(-1, 2).T
    indptr = np.cumsum([0, *map(len, options.values())], dtype=np.int32)
    return Rows(tuple(options), indptr, indices, colours)
