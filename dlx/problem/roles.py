"""The roles of options (chosen, free or omitted), and the rows for kernels."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.problem.checks import ProblemError, first_true, frozen, shaped

LEFT_OUT, FREE, CHOSEN = 0, 1, 2  # the roles of options
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio, for hashes (TAOCP 3, 6.4)


class _Fields(NamedTuple):
    indptr: npt.NDArray[np.int32]
    indices: npt.NDArray[np.int32]
    n_items: int
    n_primary: int
    colours: npt.NDArray[np.int32] | None
    multiplicities: npt.NDArray[np.int32] | None


class ByItem(NamedTuple):
    """The entries of rows by item: item i has the places begin[i] to begin[i + 1] - 1 of the other arrays."""

    begin: npt.NDArray[np.int32]
    entry: npt.NDArray[np.int32]  # the entries of each item, in increasing order
    option: npt.NDArray[np.int32]  # the options of these entries


class Rows(_Fields):
    """A problem in the form for kernels; omitted options have no entries.

    Options keep their numbers. The fields are as in `Problem`. With multiplicities, each chosen option has a further
    primary item, which forces the option. All arrays are read-only.
    """

    @property
    def n_options(self) -> int:
        return len(self.indptr) - 1

    @cached_property
    def owner(self) -> npt.NDArray[np.int32]:
        """The option of each entry."""
        sizes = self.indptr[1:] - self.indptr[:-1]
        return frozen(np.arange(self.n_options, dtype=np.int32).repeat(sizes))

    @cached_property
    def takes_colours(self) -> npt.NDArray[np.bool_]:
        """For each item, whether any option gives it a colour."""
        takes_colours = np.zeros(self.n_items, dtype=np.bool_)
        if self.colours is not None:
            takes_colours[self.indices[self.colours > 0]] = True
        return frozen(takes_colours)

    def ranges(self) -> npt.NDArray[np.int32]:
        """Returns the least and the most times that each item is covered, in a new array of shape (n_items, 2)."""
        return ranges(self.n_items, self.n_primary, self.multiplicities)

    def rooms(self, most: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.integer[Any]]:
        """Returns the maximum number of times that each option could be chosen; `most` is the maximum of each item."""
        if self.colours is None and most.max(initial=1) == 1:
            return np.ones(self.n_options, dtype=most.dtype)
        first = np.flatnonzero(self.indptr[1:] > self.indptr[:-1])
        times = most[self.indices]
        if self.colours is not None:
            times[self.colours > 0] = self.n_options
        room = np.full(self.n_options, self.n_options, dtype=most.dtype)
        if len(first):
            room[first] = np.minimum.reduceat(times, self.indptr[first])
        return room

    def times(self, chosen: Sequence[int]) -> npt.NDArray[np.int64]:
        """Returns the number of times that each option is chosen."""
        return np.bincount(np.array(chosen, dtype=np.int64), minlength=self.n_options)

    @cached_property
    def alike(self) -> tuple[tuple[int, ...], ...]:
        """The groups of at least two options with the same items in the same colours.

        >>> from dlx import Problem
        >>> Problem.from_options(["ab", "ab", "b", "ba"]).rows().alike
        ((0, 1, 3),)
        """
        _, which, times = np.unique(self._keys(), return_inverse=True, return_counts=True)
        groups: dict[frozenset[Any], list[int]] = {}
        for o in np.flatnonzero((times[which] > 1) & (self.indptr[1:] > self.indptr[:-1])).tolist():
            entries = slice(self.indptr[o], self.indptr[o + 1])
            items = self.indices[entries].tolist()
            option = frozenset(items if self.colours is None else zip(items, self.colours[entries], strict=True))
            groups.setdefault(option, []).append(o)
        return tuple(tuple(group) for group in groups.values() if len(group) > 1)

    def _keys(self) -> npt.NDArray[np.uint64]:
        """Returns a hash of the items and colours of each option."""
        key = (np.arange(1, self.n_items + 1, dtype=np.uint64) * GOLDEN) >> np.uint64(7)
        of_entries = (key * key)[self.indices]
        if self.colours is not None:
            of_entries *= (2 * self.colours + 1).astype(np.uint64)
        total = np.zeros(len(of_entries) + 1, dtype=np.uint64)
        np.cumsum(of_entries, out=total[1:])
        return total[self.indptr[1:]] - total[self.indptr[:-1]]

    @cached_property
    def by_item(self) -> ByItem:
        begin = np.zeros(self.n_items + 1, dtype=np.int32)
        np.bincount(self.indices, minlength=self.n_items).cumsum(out=begin[1:])
        small = self.indices.astype(np.uint16) if self.n_items <= 1 << 16 else self.indices
        entry = small.argsort(kind="stable").astype(np.int32)  # numpy sorts 16-bit numbers by radix, ten times as fast
        return ByItem(frozen(begin), frozen(entry), frozen(self.owner[entry]))


def owners(indptr: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """Returns the option of each entry."""
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def rows_for_kernels(given: Rows, roles: npt.NDArray[np.int8] | None) -> Rows:
    """Returns the rows without omitted options, and with further items for chosen options if necessary."""
    if roles is None:
        return given
    keep = np.repeat(roles != LEFT_OUT, np.diff(given.indptr))
    left = given._replace(
        indptr=np.append(0, np.cumsum(keep))[given.indptr].astype(np.int32),
        indices=given.indices[keep],
        colours=None if given.colours is None else given.colours[keep],
    )
    left = with_items_of_their_own(left, np.flatnonzero(roles == CHOSEN))
    return Rows(*(frozen(part) if isinstance(part, np.ndarray) else part for part in left))  # type: ignore[arg-type]


def with_items_of_their_own(rows: Rows, chosen: npt.NDArray[np.int64]) -> Rows:
    """Returns rows with multiplicities in which each chosen option has a primary item of its own."""
    n = len(chosen)
    if rows.multiplicities is None or not n:
        return rows
    shifted = rows.indices + n * (rows.indices >= rows.n_primary)
    own = rows.n_primary + np.arange(n)
    return Rows(
        (rows.indptr + np.searchsorted(chosen, np.arange(len(rows.indptr)))).astype(np.int32),
        np.insert(shifted, rows.indptr[chosen], own).astype(np.int32),
        rows.n_items + n,
        rows.n_primary + n,
        None if rows.colours is None else np.insert(rows.colours, rows.indptr[chosen], 0).astype(np.int32),
        np.append(rows.multiplicities, np.ones((n, 2), dtype=np.int32), axis=0),
    )


def ranges(n_items: int, n_primary: int, multiplicities: npt.NDArray[np.int32] | None) -> npt.NDArray[np.int32]:
    """Returns the least and the most times that each item is covered, in a new int32 array of shape (n_items, 2)."""
    array = np.ones((n_items, 2), dtype=np.int32)
    array[n_primary:, 0] = 0
    if multiplicities is not None:
        array[:n_primary] = multiplicities
    return array


def max_level(rows: Rows) -> int:
    """Returns the maximum number of options in a cover (`Problem.max_level`)."""
    before = rows.indptr  # the number of entries with a primary item before each option
    if rows.n_primary < rows.n_items:
        before = np.append(0, np.cumsum(rows.indices < rows.n_primary))[before]
    primaries = before[1:] - before[:-1]
    usable = primaries[primaries > 0]
    if not len(usable):
        return 0
    most = rows.n_primary if rows.multiplicities is None else int(rows.multiplicities[:, 1].sum(dtype=np.int64))
    return min(most // int(usable.min()), len(usable))


def checked_roles(roles: Any, n_options: int) -> npt.NDArray[np.int8]:
    """Returns checked roles of options in a new array."""
    array = shaped(roles, "roles", (n_options,))
    if (o := first_true((array < LEFT_OUT) | (array > CHOSEN))) is not None:
        raise ProblemError(f"the role of options[{o}] is {array[o]}")
    return array.astype(np.int8)


def leaving_out_clashes(
    roles: npt.NDArray[np.int8], given: Rows, names: Sequence[Hashable], colour_names: Sequence[Hashable]
) -> npt.NDArray[np.int8]:
    """Omits, in place, the options that clash with chosen options; raises ProblemError if chosen options clash."""
    if not (roles == CHOSEN).any():
        return roles
    owner = owners(given.indptr)
    mine = roles[owner] == CHOSEN
    items = given.indices[mine]
    times = np.bincount(items, minlength=given.n_items)
    most = ranges(given.n_items, given.n_primary, given.multiplicities)[:, 1]
    colours = np.zeros(len(given.indices), dtype=np.int32) if given.colours is None else given.colours
    shade = np.zeros(given.n_items, dtype=np.int32)
    shade[items] = colours[mine]
    idle = np.setdiff1d(owner[mine], owner[mine][items < given.n_primary])
    if len(idle):
        raise ProblemError(f"options[{idle[0]}] has no primary item, so it is in no cover")
    k = first_true((times > most)[items] & (shade[items] == 0) | (colours[mine] != shade[items]))
    if k is not None:
        same = items == items[k]
        uses = list(zip(owner[mine][same].tolist(), colours[mine][same].tolist(), strict=True))
        raise ProblemError(_clash(colours[mine][k], uses, int(most[items[k]]), repr(names[items[k]]), colour_names))
    taken = (times >= most) & (shade == 0)
    clash = taken[given.indices] | (shade[given.indices] > 0) & (shade[given.indices] != colours)
    roles[owner[clash & ~mine]] = LEFT_OUT
    return roles


def _clash(colour: int, uses: Sequence[tuple[int, int]], most: int, name: str, colour_names: Sequence[Hashable]) -> str:
    """Describes the clash of options on an item; `uses` are the options with this item and their colours."""
    first = next(option for option, own in uses if own == colour)
    unlike = [use for use in uses if use[1] != colour]
    if unlike:
        other, shade = unlike[-1]
        if not (colour and shade):
            return f"options[{first}] and options[{other}] both have {name}"
        shades = " and ".join(repr(colour_names[c - 1]) for c in (colour, shade))
        return f"options[{first}] and options[{other}] give {name} the colours {shades}"
    *clashing, last = [f"options[{option}]" for option, _ in uses[: most + 1]]
    clash = f"{', '.join(clashing)} and {last}"
    return f"{clash} both have {name}" if most == 1 else f"{clash} have {name}, which is covered at most {most} times"
