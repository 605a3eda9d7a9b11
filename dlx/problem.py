"""Exact-cover problems as values: items, options and weights in numpy arrays, with every check of the input made here.

The words are Knuth's (The Art of Computer Programming 4B, section 7.2.2.1). An *option* is a set of *items*; a
*cover* is a set of options that contains every *primary* item exactly once and every *secondary* item at most once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Item = Hashable
Label = Any  # hashable, but whoever asks for labels knows better what they are

# Links are int32, four of them to a node, and there is a node for every item, every entry and every option.
MAX_NODES = (2**31 - 1) // 4 - 2
MAX_SCORE = 2**62

LEFT_OUT, FREE, CHOSEN = 0, 1, 2  # the roles of options


class ProblemError(ValueError):
    """What was given does not describe an exact-cover problem; the message says where and why."""


class Coloured(NamedTuple):
    """A secondary item with the colour that an option gives it.

    >>> Coloured("x", "red")
    Coloured(item='x', colour='red')
    """

    item: Item
    colour: Hashable


class Rows(NamedTuple):
    """A problem as kernels are given it: options left out have no entries, and items implied by others are not there.

    Options keep their numbers. The fields are as in `Problem`, for the items that are still there, with one more
    primary item for each chosen option of a problem with multiplicities: nothing else would force it there.
    """

    indptr: npt.NDArray[np.int32]
    indices: npt.NDArray[np.int32]
    n_items: int
    n_primary: int
    colours: npt.NDArray[np.int32] | None
    multiplicities: npt.NDArray[np.int32] | None


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Problem:
    """An exact-cover problem, checked once and never changed; build one with a `from_` method.

    Attributes:
        items: the names of the items, the primary ones first.
        n_primary: how many of the items are primary.
        indptr: int32, shape (n_options + 1,); option o has the entries indptr[o] to indptr[o + 1] of `indices`.
        indices: int32; for each option the positions in `items` of its items, in the caller's order.
        weights: int64 or float64, shape (n_options,), or None; a cover's score is the sum of its options' weights.
        names: what the caller calls the options, or None.
        colours: int32, one for each entry of `indices`, or None: 0 for no colour, c for colour_names[c - 1]. Options
            that agree on the colour of a secondary item are compatible; without one an option has the item for itself.
        colour_names: the names of the colours.
        multiplicities: int32, shape (n_primary, 2), or None: how many options of a cover may have each primary item,
            at least and at most. Without it, exactly one.
        roles: int8, one for each option, or None: 0 for an option left out, which is in no cover; 1 for a free one;
            2 for a chosen one, which is in every cover. Options that clash with a chosen one are left out.
        implied: bool, one for each item, or None: whether a search can ignore the item, since others imply it.

    An option without a primary item is legal, keeps its number, and is in no cover: only options that cover a
    primary item are ever chosen. An item in no option is legal too, and a primary one means that there are no covers.
    """

    items: tuple[Item, ...]
    n_primary: int
    indptr: npt.NDArray[np.int32]
    indices: npt.NDArray[np.int32]
    weights: npt.NDArray[np.int64] | npt.NDArray[np.float64] | None = None
    names: tuple[Label, ...] | None = None
    colours: npt.NDArray[np.int32] | None = None
    colour_names: tuple[Hashable, ...] = ()
    multiplicities: npt.NDArray[np.int32] | None = None
    roles: npt.NDArray[np.int8] | None = None
    implied: npt.NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        _check_items(self.items, self.n_primary)
        indptr, indices = _check_csr(self.indptr, self.indices, self.items)
        most = self.n_primary if self.multiplicities is None else len(indptr) - 1  # options in a cover
        weights = None if self.weights is None else _check_weights(self.weights, len(indptr) - 1, most)
        if self.names is not None and len(self.names) != len(indptr) - 1:
            raise ProblemError(f"{len(self.names)} names for {len(indptr) - 1} options")
        colours = None if self.colours is None else _check_colours(self, indptr, indices)
        bounds = (
            None
            if self.multiplicities is None
            else _check_multiplicities(self.multiplicities, self.items[: self.n_primary])
        )
        kept = (indptr, indices, weights, colours, bounds)
        for name, array in zip(("indptr", "indices", "weights", "colours", "multiplicities"), kept, strict=True):
            if array is not None:
                array.setflags(write=False)
            object.__setattr__(self, name, array)
        if self.roles is not None:
            object.__setattr__(self, "roles", _settle(self, _check_roles(self.roles, self.n_options)))
        if self.implied is not None:
            object.__setattr__(self, "implied", _check_implied(self.implied, self.n_items))

    @classmethod
    def from_options(
        cls,
        options: Iterable[Iterable[Item]] | Mapping[Any, Iterable[Item]],
        *,
        items: Iterable[Item] | None = None,
        secondary: Iterable[Item] = (),
        weights: Iterable[float] | None = None,
        multiplicities: Mapping[Any, int | tuple[int, int]] | None = None,
    ) -> Problem:
        """Builds a problem from the items of each option.

        Parameters:
            options: for each option its items, any hashable values; a mapping gives the options names too. A secondary
                item with a colour is `Coloured(item, colour)`.
            items: every item there is; without it, those that occur, in order of first occurrence.
            secondary: the items to be covered at most once; they need not be listed in `items`.
            weights: a whole or real number for each option.
            multiplicities: for primary items that are not to be covered exactly once, how often: a number, or the least
                and the most.

        Raises:
            ProblemError: an option is empty, repeats an item, or has an item that is not in `items`; a primary item
                has a colour; the weights do not match the options or are not finite; a multiplicity makes no sense.
            OverflowError: there are more entries, or larger scores, than the engine can hold.
            TypeError: an item is not hashable.

        >>> toy = Problem.from_options(["ce", "adg", "bcf", "adf", "bg", "deg"], items="abcdefg")
        >>> toy
        Problem(7 items, 6 options, 16 entries)
        >>> Problem.from_options([["a", Coloured("x", 1)], ["b", "x"]], secondary="x", multiplicities={"b": (0, 1)})
        Problem(2 + 1 secondary items, 2 options, 4 entries, coloured, with multiplicities)
        """
        names: tuple[Label, ...] | None = None
        if isinstance(options, Mapping):
            names, options = tuple(options), options.values()
        rows, shades, palette = _split_colours([tuple(option) for option in options])
        late = tuple(dict.fromkeys(secondary))
        listed = (item for row in rows for item in row) if items is None else items
        universe = _unique(listed, repeats=items is None)
        second = set(late)
        ordered = tuple(item for item in universe if item not in second) + late
        number = {item: k for k, item in enumerate(ordered)}
        indptr = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=indptr[1:])
        try:
            indices = np.fromiter((number[item] for row in rows for item in row), dtype=np.int64, count=int(indptr[-1]))
        except KeyError:
            o, item = next((o, item) for o, row in enumerate(rows) for item in row if item not in number)
            raise ProblemError(f"option {o} has the unknown item {item!r}") from None
        bounds = None
        if multiplicities is not None:
            bounds = _as_multiplicities(multiplicities, ordered[: len(ordered) - len(late)])
        return cls(
            ordered,
            len(ordered) - len(late),
            indptr,  # type: ignore[arg-type]
            indices,  # type: ignore[arg-type]
            None if weights is None else _as_weights(weights),
            names,
            shades,
            palette,
            bounds,  # type: ignore[arg-type]
        )

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        *,
        items: Iterable[Item] | None = None,
        secondary: Iterable[Item] = (),
        weights: Iterable[float] | None = None,
    ) -> Problem:
        """Builds a problem from a matrix of zeros and ones, a row for each option and a column for each item.

        Parameters:
            matrix: shape (options, items): an array or nested lists of booleans or numbers, or any scipy.sparse matrix.
            items: the names of the columns; without it, their numbers from 0.
            secondary: the names of the columns to be covered at most once.
            weights: a whole or real number for each row.

        Raises:
            ProblemError: the matrix is not two-dimensional, a value is neither 0 nor 1, a row is all zeros, or names
                or weights do not match.
            OverflowError: there are more entries, or larger scores, than the engine can hold.

        >>> Problem.from_matrix([[1, 0, 1], [0, 1, 0]])
        Problem(3 items, 2 options, 3 entries)
        """
        indptr, indices, width = _sparse_to_csr(matrix) if hasattr(matrix, "tocsr") else _dense_to_csr(matrix)
        names = range(width) if items is None else tuple(items)
        if len(names) != width:
            raise ProblemError(f"{len(names)} names for {width} columns")
        return cls.from_csr(indptr, indices, names, secondary=secondary, weights=weights)

    @classmethod
    def from_csr(
        cls,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        items: int | Iterable[Item],
        *,
        secondary: Iterable[Item] = (),
        weights: Iterable[float] | None = None,
    ) -> Problem:
        """Builds a problem from compressed rows: option o has the items indices[indptr[o]:indptr[o + 1]].

        Parameters:
            indptr: whole numbers, shape (options + 1,), from 0, never falling.
            indices: whole numbers, shape (indptr[-1],): positions in `items`.
            items: the names of the items, or how many there are: then they are named 0, 1, 2, ...
            secondary: the names of the items to be covered at most once.
            weights: a whole or real number for each option.

        Raises:
            ProblemError: as for `from_options`, or the arrays do not fit one another.
            OverflowError: there are more entries, or larger scores, than the engine can hold.

        >>> Problem.from_csr([0, 2, 3], [0, 2, 1], 3).option(0)
        (0, 2)
        """
        if isinstance(items, (int, np.integer)):
            _check_size(int(items), 0, 0)
            items = range(int(items))
        names = _unique(items, repeats=False)
        late = tuple(dict.fromkeys(secondary))
        number = {item: k for k, item in enumerate(names)}
        unknown = [item for item in late if item not in number]
        if unknown:
            raise ProblemError(f"the secondary item {unknown[0]!r} is not among the items")
        kept = None if weights is None else _as_weights(weights)
        if not late:
            return cls(names, len(names), np.asarray(indptr), np.asarray(indices), kept)
        second = set(late)
        ordered = tuple(item for item in names if item not in second) + late
        _, old = _check_csr(np.asarray(indptr), np.asarray(indices), names)
        place = np.empty(len(names), dtype=np.int32)
        place[[number[item] for item in ordered]] = np.arange(len(names), dtype=np.int32)
        return cls(ordered, len(ordered) - len(late), np.asarray(indptr), place[old], kept)

    def with_chosen(self, options: Iterable[int]) -> Problem:
        """The problem whose covers are those of this one that contain all of some options.

        Options keep their numbers, so covers, weights and labels mean what they did. The options that clash with the
        chosen ones are left out.

        Parameters:
            options: numbers of options.

        Raises:
            ProblemError: two of the options, or of those chosen before, clash; the message says on which item. Or an
                option has no primary item or had been left out, so that it is in no cover.
            IndexError: there is no such option.
            TypeError: an option is not a whole number.

        >>> problem = Problem.from_options(["ab", "cd", "ac", "bd"], items="abcd")
        >>> problem.with_chosen([2])
        Problem(4 items, 4 options, 8 entries, 2 left out, 1 chosen)
        >>> problem.with_chosen([0, 3])
        Traceback (most recent call last):
        dlx.problem.ProblemError: options 0 and 3 both have 'b'
        """
        numbers = _as_numbers(options, self.n_options)
        roles = self._roles()
        left_out = numbers[roles[numbers] == LEFT_OUT]
        roles[numbers] = CHOSEN
        settled = _settle(self, roles)
        if len(left_out):
            raise ProblemError(f"option {left_out[0]} has been left out, so it is in no cover")
        return self._derived(settled)

    def without(self, options: Iterable[int]) -> Problem:
        """The problem whose covers are those of this one that contain none of some options; numbers stay as they are.

        Parameters:
            options: numbers of options.

        Raises:
            ProblemError: one of the options had been chosen.
            IndexError: there is no such option.
            TypeError: an option is not a whole number.

        >>> Problem.from_options(["ab", "cd", "ac", "bd"]).without([0, 3])
        Problem(4 items, 4 options, 8 entries, 2 left out)
        """
        gone = np.zeros(self.n_options, dtype=np.bool_)
        gone[_as_numbers(options, self.n_options)] = True
        return self._leaving_out(gone)

    def restricted_to(self, options: Iterable[int]) -> Problem:
        """The problem whose covers are those of this one that contain only some options; numbers stay as they are.

        Parameters:
            options: numbers of options.

        Raises: as `without`, where an option that had been chosen is not among the options.

        >>> Problem.from_options(["ab", "cd", "ac", "bd"]).restricted_to([2, 3])
        Problem(4 items, 4 options, 8 entries, 2 left out)
        """
        gone = np.ones(self.n_options, dtype=np.bool_)
        gone[_as_numbers(options, self.n_options)] = False
        return self._leaving_out(gone)

    def _leaving_out(self, gone: npt.NDArray[np.bool_]) -> Problem:
        roles = self._roles()
        wrong = np.flatnonzero(gone & (roles == CHOSEN))
        if len(wrong):
            raise ProblemError(f"option {wrong[0]} has been chosen, so it cannot be left out")
        roles[gone] = LEFT_OUT
        return self._derived(roles)

    def _roles(self) -> npt.NDArray[np.int8]:
        return np.full(self.n_options, FREE, dtype=np.int8) if self.roles is None else self.roles.copy()

    def _derived(self, roles: npt.NDArray[np.int8] | None, implied: npt.NDArray[np.bool_] | None = None) -> Problem:
        """The same problem with other roles, which the caller vouches for: nothing is checked or copied again."""
        derived = copy(self)
        for name, array in (("roles", roles), ("implied", self.implied if implied is None else implied)):
            if array is not None:
                array.setflags(write=False)
            object.__setattr__(derived, name, array)
        return derived

    def rows(self) -> Rows:
        """The problem as kernels are given it.

        >>> rows = Problem.from_options(["ab", "cd", "ac", "bd"], items="abcd").with_chosen([2]).rows()
        >>> rows.indptr.tolist(), rows.indices.tolist()
        ([0, 0, 0, 2, 4], [0, 2, 1, 3])
        """
        if self.roles is None and self.implied is None:
            return Rows(self.indptr, self.indices, self.n_items, self.n_primary, self.colours, self.multiplicities)
        keep = np.repeat(self._roles() != LEFT_OUT, np.diff(self.indptr))
        there = np.ones(self.n_items, dtype=np.bool_) if self.implied is None else ~self.implied
        keep &= there[self.indices]
        place = np.cumsum(there, dtype=np.int32) - 1
        rows = Rows(
            np.append(0, np.cumsum(keep))[self.indptr].astype(np.int32),
            place[self.indices[keep]].astype(np.int32),
            int(there.sum()),
            int(there[: self.n_primary].sum()),
            None if self.colours is None else self.colours[keep],
            None if self.multiplicities is None else self.multiplicities[there[: self.n_primary]],
        )
        return (
            rows
            if self.multiplicities is None or self.roles is None
            else _force(rows, np.flatnonzero(self.roles == CHOSEN))
        )

    @property
    def n_items(self) -> int:
        """The number of items, primary and secondary."""
        return len(self.items)

    @property
    def n_options(self) -> int:
        """The number of options."""
        return len(self.indptr) - 1

    @property
    def max_level(self) -> int:
        """No cover has more options than this: the primary items, by the fewest that any option covers.

        >>> Problem.from_options([[1, 2], [3, 4], [1, 2, 3, 4]]).max_level
        2
        """
        rows = self.rows()
        before = rows.indptr  # how many entries with a primary item there are before each option
        if rows.n_primary < rows.n_items:
            before = np.append(0, np.cumsum(rows.indices < rows.n_primary))[before]
        primaries = before[1:] - before[:-1]
        usable = primaries[primaries > 0]
        if not len(usable):
            return 0
        most = rows.n_primary if rows.multiplicities is None else int(rows.multiplicities[:, 1].sum(dtype=np.int64))
        return min(most // int(usable.min()), len(usable))

    def option(self, number: int) -> tuple[Item, ...]:
        """The names of the items of an option, with their colours.

        >>> Problem.from_options({"left": "ab", "right": "c"}).option(1)
        ('c',)

        Raises:
            IndexError: there is no such option; they are not counted from the end.
        """
        if not 0 <= number < self.n_options:
            raise IndexError(f"option {number} of {self.n_options}")
        begin, end = self.indptr[number : number + 2]
        names = tuple(self.items[i] for i in self.indices[begin:end])
        if self.colours is None:
            return names
        shades = self.colours[begin:end].tolist()
        return tuple(Coloured(i, self.colour_names[c - 1]) if c else i for i, c in zip(names, shades, strict=True))

    def labels(self, cover: Iterable[int]) -> tuple[Label, ...]:
        """The options of a cover as the caller knows them: by name, or without names by their items.

        The cover may be a row of a block: the -1's that fill it up are passed over.

        >>> Problem.from_options({"left": "ab", "right": "c"}).labels([1, 0])
        ('right', 'left')
        >>> Problem.from_options(["ab", "c"]).labels([1, 0])
        (('c',), ('a', 'b'))
        """
        names = self.names
        return tuple(self.option(o) if names is None else names[o] for o in cover if o >= 0)

    def score(self, cover: Sequence[int]) -> int | float:
        """The sum of the weights of the options of a cover, or of a row of a block; 0 if the problem has no weights.

        >>> Problem.from_options(["ab", "c", "d"], weights=[5, 7, 9]).score([0, 1])
        12
        """
        return 0 if self.weights is None else self.weights[[o for o in cover if o >= 0]].sum().item()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        weights = None if self.weights is None else (self.weights.dtype.kind, self.weights.tobytes())
        colours = None if self.colours is None else (self.colour_names, self.colours.tobytes())
        bounds = None if self.multiplicities is None else self.multiplicities.tobytes()
        roles = None if self.roles is None else self.roles.tobytes()
        implied = None if self.implied is None else self.implied.tobytes()
        csr = self.indptr.tobytes(), self.indices.tobytes()
        return self.items, self.n_primary, self.names, *csr, weights, colours, bounds, roles, implied

    def __repr__(self) -> str:
        second = self.n_items - self.n_primary
        kinds = f"{self.n_primary} + {second} secondary" if second else f"{self.n_primary}"
        extras = {"weighted": self.weights, "coloured": self.colours, "with multiplicities": self.multiplicities}
        more = "".join(f", {name}" for name, array in extras.items() if array is not None)
        if self.roles is not None:
            left_out, chosen = (int(np.count_nonzero(self.roles == role)) for role in (LEFT_OUT, CHOSEN))
            more += f", {left_out} left out" + (f", {chosen} chosen" if chosen else "")
        if self.implied is not None:
            more += f", {int(self.implied.sum())} items implied"
        return f"Problem({kinds} items, {self.n_options} options, {len(self.indices)} entries{more})"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from dlx.html import problem_html

        return problem_html(self)


def _unique(items: Iterable[Item], repeats: bool) -> tuple[Item, ...]:
    """The items in order of first occurrence; a second occurrence is an error unless repeats are expected."""
    listed = tuple(items)
    unique = tuple(dict.fromkeys(listed))
    if not repeats and len(unique) < len(listed):
        seen: set[Item] = set()
        twice = next(item for item in listed if item in seen or seen.add(item))  # type: ignore[func-returns-value]
        raise ProblemError(f"the item {twice!r} is listed twice")
    return unique


def _split_colours(
    rows: list[tuple[Item, ...]],
) -> tuple[list[tuple[Item, ...]], npt.NDArray[np.int32] | None, tuple[Hashable, ...]]:
    """The options without their colours, the colours as numbers, and the names of these."""
    if not any(isinstance(item, Coloured) for row in rows for item in row):
        return rows, None, ()
    entries = [item for row in rows for item in row]
    palette = tuple(dict.fromkeys(item.colour for item in entries if isinstance(item, Coloured)))
    number = {colour: c for c, colour in enumerate(palette, 1)}
    shades = [number[item.colour] if isinstance(item, Coloured) else 0 for item in entries]
    plain = [tuple(item.item if isinstance(item, Coloured) else item for item in row) for row in rows]
    return plain, np.array(shades, dtype=np.int32), palette


def _as_multiplicities(
    multiplicities: Mapping[Any, int | tuple[int, int]], primary: tuple[Item, ...]
) -> npt.NDArray[np.int64] | None:
    """The least and the most for each primary item; None where every item is to be covered exactly once."""
    known = set(primary)
    unknown = [item for item in multiplicities if item not in known]
    if unknown:
        raise ProblemError(f"{unknown[0]!r}, which has a multiplicity, is no primary item")
    given = [multiplicities.get(item, 1) for item in primary]
    pairs = [pair if isinstance(pair, tuple) else (pair, pair) for pair in given]
    for item, pair in zip(primary, pairs, strict=True):
        if len(pair) != 2 or not all(isinstance(m, (int, np.integer)) and not isinstance(m, bool) for m in pair):
            raise ProblemError(f"the multiplicity of {item!r} is {pair!r} instead of whole numbers")
        if not 0 <= pair[0] <= pair[1] < 2**31 or pair[1] == 0:
            raise ProblemError(f"the multiplicity of {item!r} is {pair[0]} to {pair[1]}")
    return None if all(pair == (1, 1) for pair in pairs) else np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _check_colours(
    problem: Problem, indptr: npt.NDArray[np.int32], indices: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    colours = np.asarray(problem.colours)
    if colours.shape != indices.shape or colours.dtype.kind not in "iu":
        raise ProblemError(f"the colours have the shape {colours.shape} and the type {colours.dtype}")
    most = len(problem.colour_names)
    wrong = np.flatnonzero((colours < 0) | (colours > most) | ((colours > 0) & (indices < problem.n_primary)))
    if len(wrong):
        k = int(wrong[0])
        o, item = int(np.searchsorted(indptr, k, side="right")) - 1, problem.items[indices[k]]
        if not 0 <= colours[k] <= most:
            raise ProblemError(f"option {o} gives {item!r} the colour number {colours[k]}; there are {most} colours")
        raise ProblemError(f"option {o} gives a colour to {item!r}, which is no secondary item")
    return colours.astype(np.int32)


def _check_multiplicities(bounds: npt.NDArray[Any], primary: tuple[Item, ...]) -> npt.NDArray[np.int32]:
    if bounds.shape != (len(primary), 2) or bounds.dtype.kind not in "iu":
        raise ProblemError(f"the multiplicities have the shape {bounds.shape} and the type {bounds.dtype}")
    wrong = np.flatnonzero((bounds[:, 0] < 0) | (bounds[:, 0] > bounds[:, 1]) | (bounds[:, 1] < 1))
    if len(wrong):
        low, high = bounds[wrong[0]].tolist()
        raise ProblemError(f"the multiplicity of {primary[wrong[0]]!r} is {low} to {high}")
    if bounds.size and int(bounds.max()) >= 2**31:
        raise OverflowError(f"a multiplicity is {int(bounds.max())}; the limit is {2**31 - 1}")
    return bounds.astype(np.int32)


def _check_roles(roles: npt.NDArray[Any], n_options: int) -> npt.NDArray[np.int8]:
    if roles.shape != (n_options,) or roles.dtype.kind not in "iu":
        raise ProblemError(f"the roles have the shape {roles.shape} and the type {roles.dtype}")
    wrong = np.flatnonzero((roles < LEFT_OUT) | (roles > CHOSEN))
    if len(wrong):
        raise ProblemError(f"the role of option {wrong[0]} is {roles[wrong[0]]}")
    return roles.astype(np.int8)


def _check_implied(implied: npt.NDArray[Any], n_items: int) -> npt.NDArray[np.bool_]:
    if implied.shape != (n_items,) or implied.dtype.kind != "b":
        raise ProblemError(f"implied has the shape {implied.shape} and the type {implied.dtype}")
    implied = implied.copy()
    implied.setflags(write=False)
    return implied


def _as_numbers(options: Iterable[int], n_options: int) -> npt.NDArray[np.int64]:
    """Some numbers of options, checked."""
    given = options.tolist() if isinstance(options, np.ndarray) else list(options)
    for number in given:
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise TypeError(f"{number!r} is no number of an option")
        if not 0 <= number < n_options:
            raise IndexError(f"option {number} of {n_options}")
    return np.array(given, dtype=np.int64)


def _settle(problem: Problem, roles: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Leaves out the options that clash with a chosen one, where those do not clash with one another."""
    owner = np.repeat(np.arange(problem.n_options), np.diff(problem.indptr))
    mine = roles[owner] == CHOSEN
    items = problem.indices[mine]
    times = np.bincount(items, minlength=problem.n_items)
    most = np.ones(problem.n_items, dtype=np.int64)
    if problem.multiplicities is not None:
        most[: problem.n_primary] = problem.multiplicities[:, 1]
    colours = np.zeros(len(problem.indices), dtype=np.int32) if problem.colours is None else problem.colours
    shade = np.zeros(problem.n_items, dtype=np.int32)
    shade[items] = colours[mine]
    _check_chosen(problem, owner[mine], items, colours[mine], (times > most) & (shade == 0), shade)
    taken = (times >= most) & (shade == 0)
    clash = taken[problem.indices] | (shade[problem.indices] > 0) & (shade[problem.indices] != colours)
    roles[np.unique(owner[clash & ~mine])] = LEFT_OUT
    roles.setflags(write=False)
    return roles


def _check_chosen(
    problem: Problem,
    owner: npt.NDArray[np.int64],
    items: npt.NDArray[np.int32],
    colours: npt.NDArray[np.int32],
    over: npt.NDArray[np.bool_],
    shade: npt.NDArray[np.int32],
) -> None:
    """Raises a ProblemError that names a clash of chosen options; their entries have these owners and items."""
    idle = np.setdiff1d(owner, owner[items < problem.n_primary])
    if len(idle):
        raise ProblemError(f"option {idle[0]} has no primary item, so it is in no cover")
    wrong = np.flatnonzero(over[items] | (colours != shade[items]))
    if not len(wrong):
        return
    k = int(wrong[0])
    same = np.flatnonzero(items == items[k])
    name = problem.items[items[k]]
    if colours[k] != shade[items[k]]:  # some other option has given the item this shade
        other = int(same[colours[same] == shade[items[k]]][0])
        if colours[k] and colours[other]:
            palette = problem.colour_names
            pair = f"{palette[colours[k] - 1]!r} and {palette[colours[other] - 1]!r}"
            raise ProblemError(f"options {owner[k]} and {owner[other]} give {name!r} the colours {pair}")
        same = np.array([k, other])
    elif (
        problem.multiplicities is not None
        and items[k] < problem.n_primary
        and (most := problem.multiplicities[items[k], 1]) > 1
    ):
        *some, last = owner[same][: most + 1].tolist()
        listed = ", ".join(map(str, some))
        raise ProblemError(f"options {listed} and {last} have {name!r}, which is covered at most {most} times")
    raise ProblemError(f"options {owner[same[0]]} and {owner[same[1]]} both have {name!r}")


def _force(rows: Rows, chosen: npt.NDArray[np.int64]) -> Rows:
    """Gives each chosen option a primary item that no other has, to be covered once."""
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


def _check_size(n_items: int, n_entries: int, n_options: int) -> None:
    if n_items < 0:
        raise ProblemError(f"the number of items is {n_items}")
    total = n_items + n_entries + n_options
    if total > MAX_NODES:
        raise OverflowError(
            f"{n_items} items, {n_entries} entries and {n_options} options make {total}; the limit is {MAX_NODES}"
        )


def _check_items(items: tuple[Item, ...], n_primary: int) -> None:
    if not 0 <= n_primary <= len(items):
        raise ProblemError(f"{n_primary} primary items of {len(items)}")
    _unique(items, repeats=False)


def _check_csr(
    indptr: npt.NDArray[Any], indices: npt.NDArray[Any], items: tuple[Item, ...]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Checks compressed rows and returns them as fresh int32 arrays."""
    for name, array in (("indptr", indptr), ("indices", indices)):
        if array.ndim != 1:
            raise ProblemError(f"{name} has {array.ndim} dimensions instead of 1")
        if array.size and array.dtype.kind not in "iu":
            raise ProblemError(f"{name} has the type {array.dtype} instead of whole numbers")
    if len(indptr) == 0 or indptr[0] != 0:
        raise ProblemError("indptr must begin with 0")
    _check_size(len(items), len(indices), len(indptr) - 1)
    if indptr[-1] != len(indices):
        raise ProblemError(f"indptr ends with {indptr[-1]}, but there are {len(indices)} indices")
    empty = np.flatnonzero(indptr[1:] <= indptr[:-1])
    if len(empty):
        o = int(empty[0])
        fault = "is empty" if indptr[o] == indptr[o + 1] else f"ends at {indptr[o + 1]} before it begins at {indptr[o]}"
        raise ProblemError(f"option {o} {fault}")
    outside = np.flatnonzero((indices < 0) | (indices >= len(items)))
    if len(outside):
        k = int(outside[0])
        o = int(np.searchsorted(indptr, k, side="right")) - 1
        raise ProblemError(f"option {o} has the unknown item number {indices[k]}; there are {len(items)} items")
    _check_repeats(indptr, indices, items)
    return indptr.astype(np.int32), indices.astype(np.int32)


def _check_repeats(indptr: npt.NDArray[Any], indices: npt.NDArray[Any], items: tuple[Item, ...]) -> None:
    rising = indices[1:] > indices[:-1]
    rising[indptr[1:-1].astype(np.int64) - 1] = True  # here another option begins
    if rising.all():  # mostly items are listed in order: no sorting
        return
    counts = indptr[1:].astype(np.int64) - indptr[:-1].astype(np.int64)
    owner = np.repeat(np.arange(len(indptr) - 1, dtype=np.int64), counts)
    key = np.sort(owner * len(items) + indices.astype(np.int64))
    twice = np.flatnonzero(key[1:] == key[:-1])
    if len(twice):
        o, i = divmod(int(key[twice[0]]), len(items))
        raise ProblemError(f"option {o} has the item {items[i]!r} twice")


def _dense_to_csr(matrix: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any], int]:
    try:
        array = np.asarray(matrix)
    except ValueError as error:
        raise ProblemError(f"the matrix has rows of different lengths: {error}") from None
    if array.ndim != 2:
        raise ProblemError(f"the matrix has {array.ndim} dimensions instead of 2")
    if array.dtype.kind not in "biuf":
        raise ProblemError(f"the matrix has the type {array.dtype} instead of numbers or booleans")
    wrong = np.argwhere((array != 0) & (array != 1))
    if len(wrong):
        row, column = wrong[0].tolist()
        raise ProblemError(f"row {row}, column {column} of the matrix is {array[row, column]}, neither 0 nor 1")
    rows, columns = np.nonzero(array)
    return np.searchsorted(rows, np.arange(array.shape[0] + 1)), columns, array.shape[1]


def _sparse_to_csr(matrix: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any], int]:
    if len(matrix.shape) != 2:
        raise ProblemError(f"the matrix has {len(matrix.shape)} dimensions instead of 2")
    csr = matrix.tocsr().copy()
    csr.sum_duplicates()
    csr.eliminate_zeros()
    wrong = np.flatnonzero(csr.data != 1)
    if len(wrong):
        k = int(wrong[0])
        row = int(np.searchsorted(csr.indptr, k, side="right")) - 1
        raise ProblemError(f"row {row}, column {csr.indices[k]} of the matrix is {csr.data[k]}, neither 0 nor 1")
    return csr.indptr, csr.indices, int(csr.shape[1])


def _as_weights(weights: Iterable[float]) -> npt.NDArray[Any]:
    """Whole numbers as an array that has not rounded them, anything else as float64."""
    if isinstance(weights, np.ndarray):
        return weights
    values = list(weights)
    if all(isinstance(w, (int, np.integer)) for w in values):
        return np.array([int(w) for w in values], dtype=object)
    return np.asarray(values)


def _largest(weights: npt.NDArray[Any]) -> int:
    return max(abs(int(weights.max(initial=0))), abs(int(weights.min(initial=0))))


def _check_weights(
    weights: npt.NDArray[Any], n_options: int, n_primary: int
) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
    """Checks weights and returns them as a fresh int64 array, or float64 where they are not whole numbers."""
    if weights.shape != (n_options,):
        raise ProblemError(f"the weights have the shape {weights.shape} instead of ({n_options},)")
    if weights.dtype.kind == "f":
        with np.errstate(over="ignore"):
            weights = weights.astype(np.float64)
        wrong = np.flatnonzero(~np.isfinite(weights))
        if len(wrong):
            raise ProblemError(f"the weight of option {wrong[0]} is {weights[wrong[0]]}")
    elif weights.dtype.kind not in "biuO" or (
        weights.dtype.kind == "O" and not all(isinstance(w, int) for w in weights.tolist())
    ):
        raise ProblemError(f"the weights have the type {weights.dtype} instead of whole or real numbers")
    elif weights.dtype.kind != "O" and _largest(weights) * max(1, n_primary) < MAX_SCORE:  # most problems: no sorting
        return weights.astype(np.int64)
    worst = sorted((abs(w) for w in weights.tolist()), reverse=True)[: max(1, n_primary)]
    if worst and (worst[0] >= MAX_SCORE or sum(worst) >= MAX_SCORE) and weights.dtype.kind != "f":
        raise OverflowError(f"a score could reach {sum(worst)}; the limit is {MAX_SCORE - 1}")
    if weights.dtype.kind == "f" and not np.isfinite(sum(worst)):
        raise OverflowError(f"a score could pass the largest real number: {n_primary} weights up to {worst[0]}")
    return weights if weights.dtype.kind == "f" else weights.astype(np.int64)
