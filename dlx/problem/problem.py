"""Exact-cover problems as values: items, options and weights in numpy arrays.

The terms are Knuth's (The Art of Computer Programming 4B, section 7.2.2.1). An *option* is a set of *items*. A *cover*
is a set of options that contains every *primary* item exactly once and every *secondary* item at most once.
"""

from __future__ import annotations

import warnings
from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import chain, count
from typing import Any, NamedTuple, TypeAlias, final

import numpy as np
import numpy.typing as npt

from dlx.problem import checks
from dlx.problem.checks import ProblemError, frozen
from dlx.problem.roles import (
    CHOSEN,
    FREE,
    LEFT_OUT,
    Rows,
    checked_roles,
    leaving_out_clashes,
    max_level,
    owners,
    ranges,
    rows_for_kernels,
)
from dlx.problem.shown import Shown
from dlx.problem.words import counted, nearest, plural

Item = Hashable
Weights: TypeAlias = "float | Iterable[float] | Mapping[Any, float]"  # a single number is the weight of every option
Label = Any  # the name of an option


@final
class Coloured(NamedTuple):
    """A secondary item with the colour that an option gives it.

    >>> Coloured("x", "red")
    Coloured(item='x', colour='red')
    """

    item: Item
    colour: Hashable


@dataclass(frozen=True, eq=False, repr=False)
class Problem(Shown):
    """An immutable exact-cover problem; made and checked by a `from_` method.

    Attributes:
        items: the names of the items, primary items first.
        n_primary: the number of primary items.
        indptr: int32, shape (n_options + 1,); option o has the entries indptr[o] to indptr[o + 1] - 1 of `indices`.
        indices: int32; the positions in `items` of the items of each option, in the caller's order.
        weights: int64 or float64, shape (n_options,), or None; the score of a cover is the sum of its options' weights.
        names: the names of the options, or None.
        colours: int32, one for each entry of `indices`, or None: 0 for no colour, c for colour_names[c - 1]. Options
            can share a secondary item if they give it the same colour.
        colour_names: the names of the colours.
        multiplicities: int32, shape (n_primary, 2), or None: the least and the most options of a cover that have each
            primary item; None: exactly one.
        roles: int8, one for each option, or None: 0 for an omitted option, 1 for a free option, 2 for a chosen option,
            which is in every cover. Options that clash with a chosen option are omitted.

    An option without a primary item keeps its number, but is in no cover. A primary item without options means that
    there is no cover.
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

    def __post_init__(self) -> None:
        items = checks.unique(self.items)
        n_primary = checks.checked_n_primary(self.n_primary, len(items))
        indptr, indices = checks.checked_csr(self.indptr, self.indices, items, self._may_be_empty())
        self._set(items=items, n_primary=n_primary, indptr=indptr, indices=indices)
        self._check_rest()

    @classmethod
    def _of_matrix(cls, **values: object) -> Problem:
        """Builds a problem from fields; the matrix, the items and `n_primary` must have been checked."""
        made = cls.__new__(cls)
        made._set(**values)
        made._check_rest()
        return made

    def _check_rest(self) -> None:
        """Checks the fields other than the matrix, the items and `n_primary`."""
        items, n_primary, n_options = self.items, self.n_primary, self.n_options
        self._set(colour_names=checks.unique(self.colour_names, "colour"))
        most = n_primary if self.multiplicities is None else n_options  # options in a cover
        entries = self.indptr, self.indices, items, n_primary
        self._check("names", checks.checked_names, n_options)
        self._check("weights", checks.in_order, self.names, n_options)
        self._check("weights", checks.checked_weights, n_options, most)
        self._check("colours", checks.checked_colours, len(self.colour_names), *entries)
        self._check("multiplicities", checks.checked_multiplicities, items[:n_primary])
        self._check("roles", lambda roles: frozen(self._settled(checked_roles(roles, n_options))))

    def _may_be_empty(self) -> npt.NDArray[np.bool_] | None:
        """Returns which options are omitted according to unchecked roles; None if the roles are not numbers."""
        if self.roles is None:
            return None
        roles = np.asarray(self.roles)
        return roles == LEFT_OUT if roles.ndim and roles.dtype.kind in "iu" else None

    def _check(self, name: str, check: Callable[..., object], *facts: object) -> None:
        """Replaces a field by its checked value, unless it is None."""
        if (given := getattr(self, name)) is not None:
            self._set(**{name: check(given, *facts)})

    def _set(self, **values: object) -> None:
        self.__dict__.update(values)

    def __getstate__(self) -> list[object]:
        """Returns the fields, without cached values."""
        return [getattr(self, field.name) for field in fields(self)]

    def __setstate__(self, state: Sequence[object]) -> None:
        """Sets the fields of a checked problem, with read-only arrays."""
        for field, value in zip(fields(self), state, strict=True):
            self._set(**{field.name: frozen(value) if isinstance(value, np.ndarray) else value})

    @classmethod
    def from_options(
        cls,
        options: Iterable[Iterable[Item]] | Mapping[Any, Iterable[Item]],
        *,
        items: Iterable[Item] | None = None,
        secondary: Iterable[Item] = (),
        weights: Weights | None = None,
        multiplicities: Mapping[Any, int | tuple[int, int]] | None = None,
    ) -> Problem:
        """Builds a problem from the items of each option.

        Parameters:
            options: the items of each option, as hashable values; the items of a text are its characters. The keys of a
                mapping are the names of the options; so is the index of a pandas Series unless it is 0, 1, 2, ... A
                secondary item with a colour is `Coloured(item, colour)`.
            items: all items; default: the items of the options, in the order of first occurrence.
            secondary: the items to cover at most once; each must be in an option or in `items`. A set, here and in
                `items`, is sorted by first occurrence.
            weights: a whole or real number for each option, in order; or a mapping or pandas Series from names (or
                numbers, without names) of options to weights; or one number for all options: with 1, a score is the
                number of options.
            multiplicities: a mapping from primary items to the number of times that they are covered, or to (least,
                most); default: exactly once.

        Raises:
            ProblemError: an option is empty, repeats an item, or has an item that is not in `items`; a secondary item
                is in no option and not in `items`; a primary item has a colour; the weights do not match the options or
                are not finite; a multiplicity is impossible.
            OverflowError: there are more entries, or larger scores, than the engine can hold.
            TypeError: an item is not hashable, or a text, a matrix, a table or a graph is given instead of a list of
                options.

        Options without a primary item keep their numbers, but are in no cover; a warning names them. There are also
        warnings for a two-column matrix such as [[1, 0], [0, 1]], since its rows are not options, and for a text with a
        blank.

        >>> toy = Problem.from_options(["ce", "adg", "bcf", "adf", "bg", "deg"], items="abcdefg")
        >>> toy
        Problem(7 items, 6 options, 16 entries)
        >>> Problem.from_options([["a", Coloured("x", 1)], ["b", "x"]], secondary="x", multiplicities={"b": (0, 1)})
        Problem(2 + 1 secondary items, 2 options, 4 entries, coloured, with multiplicities)
        """
        names: tuple[Label, ...] | None = None
        if isinstance(options, Mapping) and not isinstance(options, Set):  # edges of networkx are a Set, too
            names, options = tuple(options), options.values()
        checks.refuse_tables(options)
        if checks.is_series(options):
            names = checks.names_of_index(options)
        if not isinstance(options, Iterable) or isinstance(options, (str, bytes)):
            raise TypeError(f"there is {options!r:.40} instead of a list of options")
        for name, given in (("items", () if items is None else items), ("secondary", secondary)):
            if not isinstance(given, Iterable):
                raise TypeError(f"{name} is {given!r:.40} instead of a list of items")
        entries, ends = _entries_of(list(options))
        try:
            plain, colours, colour_names = _split_colours(entries)
            listed = None if items is None else checks.unique(checks.ordered(items, plain))
            secondaries = tuple(dict.fromkeys(checks.ordered(secondary, chain(plain, listed or ()))))
            known = dict.fromkeys(chain(secondaries, listed or ()))
            number = defaultdict(count(len(known)).__next__, zip(known, count()))  # numbers new items
            indices = np.fromiter(map(number.__getitem__, plain), dtype=np.int32, count=len(plain))
        except TypeError as error:
            raise TypeError(checks.unhashable(entries, ends) or str(error)) from None
        if secondaries:
            _check_secondary(secondary, secondaries, listed, plain, indices)
        if listed is not None and len(number) > len(known):
            k = int(np.argmax(indices == len(known)))
            raise ProblemError(f"options[{checks.option_at(k, ends)}] has the unknown item {plain[k]!r}")
        if secondaries:  # they come last
            indices = (indices - len(secondaries)) % len(number)
        checks.check_size(len(number), len(plain), len(ends) - 1)
        indptr = np.fromiter(ends, dtype=np.int32, count=len(ends))
        primary = tuple(number)[len(secondaries) :]
        checks.check_sizes(indptr)
        checks.check_repeats(indptr, indices, primary + secondaries)
        if listed is None and primary in {(0, 1), (1, 0)} and (np.diff(indptr) == 2).all() and 1 in plain[::2]:
            warnings.warn(f"every option has both items, 0 and 1; {checks.MATRIX}", stacklevel=2)
        made = cls._of_matrix(
            items=primary + secondaries,
            n_primary=len(primary),
            indptr=frozen(indptr),
            indices=frozen(indices),
            weights=weights,
            names=names,
            colours=colours,
            colour_names=colour_names,
            multiplicities=None if multiplicities is None else checks.multiplicity_pairs(multiplicities, primary),
        )
        if secondaries and made.n_options:
            _warn_of(np.minimum.reduceat(made.indices, made.indptr[:-1]) >= made.n_primary, "no primary item")
        return made

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        *,
        items: Iterable[Item] | None = None,
        secondary: Iterable[Item] = (),
        weights: Weights | None = None,
    ) -> Problem:
        """Builds a problem from a matrix of zeros and ones, a row for each option and a column for each item.

        Parameters:
            matrix: shape (options, items): an array or nested lists of booleans or numbers; a scipy.sparse matrix; or a
                pandas DataFrame, whose columns name the items, and whose index names the options unless it is
                0, 1, 2, ...
            items: the names of the columns; default: the names in a DataFrame, otherwise numbers from 0.
            secondary: the names of the columns to cover at most once.
            weights: a whole or real number for each row, as for `from_options`.

        A row of zeros keeps its number, but is in no cover; a warning names such rows.

        Raises: as `from_options`; and ProblemError if the matrix is not two-dimensional, a value is neither 0 nor 1, or
            names do not match.

        >>> Problem.from_matrix([[1, 0, 1], [0, 1, 0]])
        Problem(3 items, 2 options, 3 entries)
        """
        rows: tuple[Label, ...] | None = None
        if checks.is_frame(matrix):
            rows = checks.names_of_index(matrix)
            items = tuple(matrix.columns) if items is None else items
            matrix = matrix.to_numpy()
        csr = checks.csr_of_sparse if hasattr(matrix, "tocsr") else checks.csr_of_dense
        indptr, indices, width = csr(matrix)
        columns = None if items is None else tuple(items)
        if columns is not None and len(columns) != width:
            raise ProblemError(f"{len(columns)} names for {width} columns")
        checks.check_size(width, len(indices), len(indptr) - 1)
        zeros = indptr[1:] == indptr[:-1]
        _warn_of(zeros, "no items")
        roles = np.where(zeros, LEFT_OUT, FREE).astype(np.int8) if zeros.any() else None
        known = range(width) if columns is None else columns
        return cls._of_rows(indptr, indices, known, secondary, weights=weights, names=rows, roles=roles)

    @classmethod
    def from_csr(
        cls,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        items: int | Iterable[Item],
        *,
        secondary: Iterable[Item] = (),
        weights: Weights | None = None,
    ) -> Problem:
        """Builds a problem from compressed rows: option o has the items indices[indptr[o]:indptr[o + 1]].

        Parameters:
            indptr: whole numbers, shape (options + 1,), non-decreasing, beginning with 0.
            indices: whole numbers, shape (indptr[-1],): positions in `items`.
            items: the names of the items, or the number of items; then the names are 0, 1, 2, ...
            secondary: the names of the items to cover at most once.
            weights: a whole or real number for each option.

        Raises: as `from_options`; and ProblemError if the arrays do not match.

        >>> Problem.from_csr([0, 2, 3], [0, 2, 1], 3).option(0)
        (0, 2)
        """
        if isinstance(items, (int, np.integer)):
            checks.check_size(int(items), 0, 0)
            items = range(int(items))
        return cls._of_rows(indptr, indices, items, secondary, weights=weights)

    @classmethod
    def _of_rows(
        cls,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        items: Iterable[Item],
        secondary: Iterable[Item],
        roles: npt.NDArray[np.int8] | None = None,
        **rest: Any,
    ) -> Problem:
        """Builds a problem from compressed rows and further fields."""
        listed = checks.unique(items)
        secondaries = tuple(dict.fromkeys(checks.ordered(secondary, listed)))
        number = {item: k for k, item in enumerate(listed)}
        for item in secondaries:
            if item not in number:
                raise ProblemError(f"the secondary item {item!r} is not among the items")
        begins, entries = checks.checked_csr(indptr, indices, listed, None if roles is None else roles == LEFT_OUT)
        if secondaries:  # they come last
            second = set(secondaries)
            listed = tuple(item for item in listed if item not in second) + secondaries
            place = np.empty(len(listed), dtype=np.int32)
            place[[number[item] for item in listed]] = np.arange(len(listed), dtype=np.int32)
            entries = frozen(place[entries])
        n_primary = len(listed) - len(secondaries)
        return cls._of_matrix(items=listed, n_primary=n_primary, indptr=begins, indices=entries, roles=roles, **rest)

    def with_chosen(self, options: Iterable[int]) -> Problem:
        """Returns the problem whose covers are the covers of this problem with all given options.

        Options keep their numbers. Options that clash with the chosen options are omitted.

        Parameters:
            options: the numbers of the options.

        Raises:
            ProblemError: two chosen options clash (the message names the item); or an option is in no cover, since it
                has no primary item or is omitted.
            IndexError: there is no such option.
            TypeError: an option is not a whole number.

        >>> problem = Problem.from_options(["ab", "cd", "ac", "bd"], items="abcd")
        >>> problem.with_chosen([2])
        Problem(4 items, 4 options, 8 entries, 2 left out, 1 chosen)
        >>> problem.with_chosen([0, 3])
        Traceback (most recent call last):
        dlx.ProblemError: options[0] and options[3] both have 'b'
        """
        numbers = checks.option_numbers(options, self.n_options)
        roles = self._roles()
        left_out = numbers[roles[numbers] == LEFT_OUT]
        roles[numbers] = CHOSEN
        settled = self._settled(roles)
        if len(left_out):
            raise ProblemError(f"options[{left_out[0]}] has been left out, so it is in no cover")
        return self._derived(settled)

    def without(self, options: Iterable[int]) -> Problem:
        """Returns the problem whose covers are the covers of this problem without any given option.

        Parameters and errors: as for `with_chosen`; and ProblemError if an option is chosen.
        Options keep their numbers.

        >>> Problem.from_options(["ab", "cd", "ac", "bd"]).without([0, 3])
        Problem(4 items, 4 options, 8 entries, 2 left out)
        """
        gone = checks.option_numbers(options, self.n_options)
        roles = self._roles()
        if (k := checks.first_true(roles[gone] == CHOSEN)) is not None:
            raise ProblemError(f"options[{gone[k]}] has been chosen, so it cannot be left out")
        roles[gone] = LEFT_OUT
        return self._derived(roles)

    def _roles(self) -> npt.NDArray[np.int8]:
        return np.full(self.n_options, FREE, dtype=np.int8) if self.roles is None else self.roles.copy()

    def _settled(self, roles: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        return leaving_out_clashes(roles, self._given(), self.items, self.colour_names)

    def _derived(self, roles: npt.NDArray[np.int8]) -> Problem:
        """Returns the problem with other roles, without checks or copies."""
        derived = copy(self)
        derived._set(roles=frozen(roles))
        return derived

    def _given(self) -> Rows:
        """Returns all options and items, regardless of roles."""
        return Rows(self.indptr, self.indices, self.n_items, self.n_primary, self.colours, self.multiplicities)

    def rows(self) -> Rows:
        """Returns the problem in the form for kernels, which is made once.

        >>> problem = Problem.from_options(["ab", "cd", "ac", "bd"], items="abcd").with_chosen([2])
        >>> rows = problem.rows()
        >>> rows.indptr.tolist(), rows.indices.tolist()
        ([0, 0, 0, 2, 4], [0, 2, 1, 3])
        >>> problem.rows() is rows
        True
        """
        return self._rows

    @cached_property
    def _rows(self) -> Rows:
        return rows_for_kernels(self._given(), self.roles)

    @property
    def n_items(self) -> int:
        """The number of items, primary and secondary."""
        return len(self.items)

    @property
    def n_options(self) -> int:
        """The number of options."""
        return len(self.indptr) - 1

    @cached_property
    def max_level(self) -> int:
        """The maximum number of options in a cover, primary items divided by the fewest primary items of an option.

        >>> Problem.from_options([[1, 2], [3, 4], [1, 2, 3, 4]]).max_level
        2
        """
        return max_level(self.rows())

    def option(self, number: int) -> tuple[Item, ...]:
        """Returns the names of the items of an option, with their colours.

        >>> Problem.from_options({"left": "ab", "right": "c"}).option(1)
        ('c',)

        Raises:
            IndexError: there is no such option; a negative number is no option.
            TypeError: the number is not whole.
        """
        begin = checks.option_number(number, self.n_options)
        return tuple(self._named(slice(*self.indptr[begin : begin + 2].tolist())))

    def _named(self, entries: slice) -> list[Item]:
        """Returns the names of the items of some entries, with their colours."""
        names = [self.items[i] for i in self.indices[entries].tolist()]
        if self.colours is None:
            return names
        shades = self.colours[entries].tolist()
        return [Coloured(i, self.colour_names[c - 1]) if c else i for i, c in zip(names, shades, strict=True)]

    def labels(self, cover: Iterable[int]) -> tuple[Label, ...]:
        """Returns the names of the options of a cover; without names, their items.

        The cover may be a row of a block; -1 is skipped.

        >>> Problem.from_options({"left": "ab", "right": "c"}).labels([1, 0])
        ('right', 'left')
        >>> Problem.from_options(["ab", "c"]).labels([1, 0])
        (('c',), ('a', 'b'))
        """
        numbers = self._numbers(cover)
        if self.names is not None:
            return tuple(self.names[o] for o in numbers)
        begins, ends = self.indptr[:-1][numbers].tolist(), self.indptr[1:][numbers].tolist()
        return tuple(tuple(self._named(slice(*entries))) for entries in zip(begins, ends, strict=True))

    def score(self, cover: Sequence[int]) -> int | float:
        """Returns the sum of the weights of a cover, or of a row of a block; 0 if the problem has no weights.

        >>> Problem.from_options(["ab", "c", "d"], weights=[5, 7, 9]).score([0, 1])
        12
        """
        if self.weights is None:
            return 0
        chosen = self.weights[self._numbers(cover)]
        score: int | float = sum(chosen.tolist()) if chosen.dtype.kind == "i" else chosen.sum().item()
        return score

    def _numbers(self, cover: Iterable[int]) -> list[int]:
        """Returns the options of a cover without -1."""
        if not isinstance(cover, Iterable):
            checks.option_numbers(cover, self.n_options)  # raises the error
        numbers = [o for o in cover if o != -1]
        try:
            there = not numbers or 0 <= min(numbers) <= max(numbers) < self.n_options
        except TypeError:
            there = False
        if not there:
            checks.option_numbers(numbers, self.n_options)  # raises the error
        return numbers

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        values = (getattr(self, field.name) for field in fields(Problem))
        return tuple((v.dtype.kind, v.tobytes()) if isinstance(v, np.ndarray) else v for v in values)

    def __repr__(self) -> str:
        second = self.n_items - self.n_primary
        kinds = f"{self.n_primary} + {second} secondary" if second else f"{self.n_primary}"
        extras = {"weighted": self.weights, "coloured": self.colours, "with multiplicities": self.multiplicities}
        more = "".join(f", {name}" for name, array in extras.items() if array is not None)
        if self.roles is not None:
            left_out, chosen = (int(np.count_nonzero(self.roles == role)) for role in (LEFT_OUT, CHOSEN))
            more += f", {left_out} left out" + (f", {chosen} chosen" if chosen else "")
        sizes = [f"{kinds} {plural(kinds, 'item')}", counted(self.n_options, "option")]
        sizes.append(counted(len(self.indices), "entry", "entries"))
        return f"Problem({', '.join(sizes)}{more})"


def _warn_of(idle: npt.NDArray[np.bool_], lack: str) -> None:
    """Warns about options that are in no cover."""
    options = idle.nonzero()[0].tolist()
    if options:
        more = f" and {counted(len(options) - 1, 'other')}" if len(options) > 1 else ""
        have = "have" if more else "has"
        warnings.warn(f"options[{options[0]}]{more} {have} {lack}, and will be in no cover", stacklevel=3)


def as_problem(given: object) -> Problem:
    """Returns a problem unchanged; raises TypeError for any other value."""
    if not isinstance(given, Problem):
        raise TypeError(f"this is a {type(given).__name__} and no Problem: Problem.from_options makes one of items")
    return given


def _entries_of(options: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """Returns the items of all options in one list, and the list `indptr`: 0 and the end of each option."""
    entries: list[Any] = []
    ends = [0]
    try:
        for option in options:
            entries.extend(option)
            ends.append(len(entries))
    except TypeError:
        if isinstance(option, Iterable):
            raise
        raise TypeError(f"options[{len(ends) - 1}] is {option!r:.40} instead of a set of items") from None
    kinds = set(map(type, options))
    if str in kinds and (text := next((text for text in options if isinstance(text, str) and " " in text), None)):
        message = f"the option {text!r:.40} is a text, so its items are its letters and blanks; for words write"
        warnings.warn(f"{message} {text.split()!r:.80}", stacklevel=3)
    if Coloured in kinds:  # a `Coloured` is a tuple, so it was read as an option with two items
        o = next(o for o, option in enumerate(options) if isinstance(option, Coloured))
        raise ProblemError(f"options[{o}] is {options[o]!r} instead of a set of items")
    return entries, ends


def _check_secondary(
    secondary: Iterable[Item],
    secondaries: Sequence[Item],
    listed: Sequence[Item] | None,
    entries: Sequence[Item],
    indices: npt.NDArray[np.int32],
) -> None:
    """Checks that each secondary item is in an option or in `items`, and that `secondary` itself is not an item."""
    if isinstance(secondary, str):
        universe = set(entries if listed is None else listed)
        if secondary in universe and not universe.issuperset(secondaries):
            raise TypeError(f"secondary is the item {secondary!r:.40} instead of a list of items")
    times = np.bincount(indices, minlength=len(secondaries))
    idle = [secondaries[k] for k in (times[: len(secondaries)] == 0).nonzero()[0].tolist()]
    known = set(listed or ()) if idle else ()
    if lost := [item for item in idle if item not in known]:
        hint = nearest(lost[0], dict.fromkeys(entries)) or "; an item without options has to be listed in items"
        raise ProblemError(f"no option has the secondary item {lost[0]!r:.40}{hint}")


def _split_colours(
    entries: list[Item],
) -> tuple[list[Item], npt.NDArray[np.int32] | None, tuple[Hashable, ...]]:
    """Returns the items of entries, their colours as numbers, and the names of the colours."""
    if Coloured not in set(map(type, entries)):
        return entries, None, ()
    # One plain loop: several passes in C took 1.7 times as long for 4 million coloured entries.
    items, colours = entries.copy(), array("i", bytes(4 * len(entries)))
    number: dict[Hashable, int] = {}
    for k, entry in enumerate(entries):
        if isinstance(entry, Coloured):
            items[k], colour = entry
            colours[k] = number.setdefault(colour, len(number) + 1)
    return items, np.frombuffer(colours, dtype=np.int32), tuple(number)


def fault(problem: Problem, options: Sequence[int]) -> str:
    """Returns the reason why options are no cover; "" if they are a cover."""
    try:
        roles = problem.with_chosen(checks.unique(options, "option")).roles
    except ProblemError as error:
        return str(error)
    lost = np.setdiff1d(np.flatnonzero(roles == CHOSEN), options)
    if len(lost):
        return f"options[{lost[0]}], which has been chosen, is not in it"
    owner = owners(problem.indptr)
    times = np.bincount(problem.indices[np.isin(owner, options)], minlength=problem.n_items)
    bare = checks.first_true(times < ranges(problem.n_items, problem.n_primary, problem.multiplicities)[:, 0])
    if bare is None:
        return ""
    number = int(times[bare])
    coverage = ("not covered", "covered once only")[number] if number < 2 else f"covered {number} times only"
    return f"the item {problem.items[bare]!r} is {coverage}"


def as_cover(problem: Problem, options: Iterable[int], name: str) -> tuple[int, ...]:
    """Returns the options of a cover in increasing order; raises ProblemError, IndexError or TypeError."""
    try:
        cover = sorted(checks.option_numbers(options, problem.n_options).tolist())
    except (IndexError, TypeError) as error:
        raise type(error)(f"{name}: {error}") from None
    if reason := fault(problem, cover):
        raise ProblemError(f"{name} is no cover: {reason}")
    return tuple(cover)
