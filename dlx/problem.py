"""Exact-cover problems as values: items, options and weights in numpy arrays, with every check of the input made here.

The words are Knuth's (The Art of Computer Programming 4B, section 7.2.2.1). An *option* is a set of *items*; a
*cover* is a set of options that contains every *primary* item exactly once and every *secondary* item at most once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Item = Hashable
Label = Hashable

# Links are int32, four of them to a node, and there is a node for every item, every entry and every option.
MAX_NODES = (2**31 - 1) // 4 - 2
MAX_SCORE = 2**62


class ProblemError(ValueError):
    """What was given does not describe an exact-cover problem; the message says where and why."""


class Coloured(NamedTuple):
    """A secondary item with the colour that an option gives it.

    >>> Coloured("x", "red")
    Coloured(item='x', colour='red')
    """

    item: Item
    colour: Hashable


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
        bounds: int32, shape (n_primary, 2), or None: how many options of a cover may have each primary item, at least
            and at most. Without it, exactly one.

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
    bounds: npt.NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        _check_items(self.items, self.n_primary)
        indptr, indices = _check_csr(self.indptr, self.indices, self.items)
        weights = None if self.weights is None else _check_weights(self.weights, len(indptr) - 1, self.n_primary)
        if self.names is not None and len(self.names) != len(indptr) - 1:
            raise ProblemError(f"{len(self.names)} names for {len(indptr) - 1} options")
        colours = None if self.colours is None else _check_colours(self, indptr, indices)
        bounds = None if self.bounds is None else _check_bounds(self.bounds, self.items[: self.n_primary])
        kept = (indptr, indices, weights, colours, bounds)
        for name, array in zip(("indptr", "indices", "weights", "colours", "bounds"), kept, strict=True):
            if array is not None:
                array.setflags(write=False)
            object.__setattr__(self, name, array)

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
            bounds = _as_bounds(multiplicities, ordered[: len(ordered) - len(late)])
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
        if not self.n_options:
            return 0
        primaries = np.add.reduceat(self.indices < self.n_primary, self.indptr[:-1], dtype=np.int32)
        usable = primaries[primaries > 0]
        if not len(usable):
            return 0
        most = self.n_primary if self.bounds is None else int(self.bounds[:, 1].sum(dtype=np.int64))
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
        bounds = None if self.bounds is None else self.bounds.tobytes()
        csr = self.indptr.tobytes(), self.indices.tobytes()
        return self.items, self.n_primary, self.names, *csr, weights, colours, bounds

    def __repr__(self) -> str:
        second = self.n_items - self.n_primary
        kinds = f"{self.n_primary} + {second} secondary" if second else f"{self.n_primary}"
        extras = {"weighted": self.weights, "coloured": self.colours, "with multiplicities": self.bounds}
        more = "".join(f", {name}" for name, array in extras.items() if array is not None)
        return f"Problem({kinds} items, {self.n_options} options, {len(self.indices)} entries{more})"


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


def _as_bounds(
    multiplicities: Mapping[Any, int | tuple[int, int]], primary: tuple[Item, ...]
) -> npt.NDArray[np.int64] | None:
    """The least and the most for each primary item; None where every item is to be covered exactly once."""
    unknown = [item for item in multiplicities if item not in set(primary)]
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


def _check_bounds(bounds: npt.NDArray[Any], primary: tuple[Item, ...]) -> npt.NDArray[np.int32]:
    if bounds.shape != (len(primary), 2) or bounds.dtype.kind not in "iu":
        raise ProblemError(f"the bounds have the shape {bounds.shape} and the type {bounds.dtype}")
    wrong = np.flatnonzero((bounds[:, 0] < 0) | (bounds[:, 0] > bounds[:, 1]) | (bounds[:, 1] < 1))
    if len(wrong):
        low, high = bounds[wrong[0]].tolist()
        raise ProblemError(f"the multiplicity of {primary[wrong[0]]!r} is {low} to {high}")
    if bounds.size and int(bounds.max()) >= 2**31:
        raise OverflowError(f"a multiplicity is {int(bounds.max())}; the limit is {2**31 - 1}")
    return bounds.astype(np.int32)


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
