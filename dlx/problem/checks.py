"""The checks of all input, and their error.

A check takes input of the caller, and returns it in the form that the rest of the program expects: arrays are new,
plain, contiguous, read-only and of one type. This module does not use `Problem`.
"""

from __future__ import annotations

import math
import os
import sys
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Scalar = TypeVar("Scalar", bound=np.generic)
Name = TypeVar("Name", bound=Hashable)

# Links are int32; a node has four of them, and every item, entry and option has a node.
MAX_NODES = (2**31 - 1) // 4 - 2
MAX_SCORE = 2**62
MAX_MULTIPLICITY = 2**31 - 1
UNLIMITED = 1 << 62
MOST_JOBS = 64
MEMORY = 1 << 30  # default bytes for the states of a search
MATRIX = "Problem.from_matrix takes a matrix of zeros and ones, or a DataFrame"  # the end of a message


class ProblemError(ValueError):
    """Raised if an input is no exact-cover problem; the message says where and why."""

    __module__ = "dlx"  # the public name of its module


# Limits of searches


def is_whole(value: object) -> bool:
    """Returns whether a value is a whole number and not a bool."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _number(
    value: Any, name: str, kind: str, rule: str, least: float = 0, most: float = math.inf, real: bool = False
) -> Any:
    """Returns a number of a type and range; raises TypeError with the kind, or ValueError with the rule."""
    if not (is_whole(value) or (real and isinstance(value, (float, np.floating)))):
        raise TypeError(f"{name} is {value!r}; it must be {kind}")
    if not least <= value <= most:
        raise ValueError(f"{name} is {value}; it {rule}")
    return value


def whole_number(value: int, name: str, least: int = 0, most: float = math.inf) -> int:
    """Returns a whole number from `least` to `most`, at most UNLIMITED, or raises TypeError or ValueError."""
    rule = f"must be at least {least}" if most == math.inf else f"must be from {least} to {most}"
    return min(int(_number(value, name, "a whole number", rule, least, most)), UNLIMITED)


def non_negative(value: int | None, name: str) -> int:
    """Returns a whole number from 0 to UNLIMITED (also for None); raises TypeError or ValueError."""
    if value is None:
        return UNLIMITED
    return min(int(_number(value, name, "a whole number or None", "cannot be negative")), UNLIMITED)


def memory_bytes(value: int | None) -> int:
    """Returns the memory of a search in bytes, 1 GB for None; raises TypeError or ValueError."""
    return MEMORY if value is None else non_negative(value, "memory")


def jobs_here(value: int) -> int:
    """Checks a number of threads or processes on this machine: 1 to 64, or to 8 for each processor if that is more.

    More would not be faster, and thousands of processes could make the machine unusable.
    """
    jobs = whole_number(value, "jobs", 1)
    processors = os.cpu_count() or 1
    if jobs > (most := max(MOST_JOBS, 8 * processors)):
        raise ValueError(f"jobs is {value}; it must be at most {most} on a machine with {processors} processors")
    return jobs


def seconds(value: float | None, name: str = "timeout") -> float:
    """Returns a time in seconds (infinity for None); raises TypeError or ValueError."""
    if value is None:
        return math.inf
    return float(_number(value, name, "a number of seconds or None", "must be 0 or more", real=True))


def part(value: float, name: str) -> float:
    """Returns a non-negative real number, or raises TypeError or ValueError."""
    rule = "must be 0 or more, and finite"
    return float(_number(value, name, "a number", rule, most=sys.float_info.max, real=True))


# Arrays of any kind


def unmasked(given: Any, name: str) -> npt.NDArray[Any]:
    """Returns the input as an array; raises ProblemError if a masked array hides a value."""
    if type(given) is np.ndarray:
        return given
    kinds = set(map(type, given)) if isinstance(given, (list, tuple)) else {type(given)}
    if any(issubclass(kind, np.ndarray) and kind is not np.ndarray for kind in kinds):  # numpy.ma is loaded then
        hidden = np.argwhere(np.ma.getmaskarray(np.ma.array(given)))
        if len(hidden):
            raise ProblemError(f"{name}{hidden[0].tolist()} is masked")
    return np.asarray(given)


def shaped(given: Any, name: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Returns the input as an array of whole numbers with this shape; raises ProblemError otherwise."""
    array = unmasked(given, name)
    if array.shape != shape or array.dtype.kind not in "iu":
        subject = f"the {name} have" if name[-1] == "s" else f"{name} has"
        raise ProblemError(f"{subject} the shape {array.shape} and the type {array.dtype}")
    return array


def frozen(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Makes an array read-only and returns it; returns a copy if the array does not own its memory."""
    kept = array if array.flags.owndata else array.copy()
    kept.setflags(write=False)
    return kept


def first_true(mask: npt.NDArray[np.bool_]) -> int | None:
    """Returns the first position where a mask is true, or None."""
    places = mask.nonzero()[0]
    return int(places[0]) if len(places) else None


def _own(array: npt.NDArray[Any], dtype: type[Scalar]) -> npt.NDArray[Scalar]:
    return frozen(array.astype(dtype, order="C"))


def option_at(entry: int, indptr: npt.ArrayLike) -> int:
    """Returns the option of an entry."""
    return int(np.searchsorted(indptr, entry, side="right")) - 1


# Items and options


def unique(names: Iterable[Name], kind: str = "item") -> tuple[Name, ...]:
    """Returns the names in their order; raises ProblemError for a repeated name."""
    listed = tuple(names)
    if len(set(listed)) < len(listed):
        twice = next(name for name, times in Counter(listed).items() if times > 1)
        raise ProblemError(f"the {kind} {twice!r} is listed twice")
    return listed


def ordered(items: Iterable[Any], occurrences: Iterable[Any]) -> Iterable[Any]:
    """Returns items in their order; the items of a set are sorted by first occurrence, then by text.

    The order of a set differs between processes, but a checkpoint needs the same order in each process.

    >>> ordered("ba", "ab"), [*ordered({"d", "c", "b", "a"}, "xba")]
    ('ba', ['b', 'a', 'c', 'd'])
    """
    if not isinstance(items, (set, frozenset)):
        return items
    return dict.fromkeys([*(item for item in occurrences if item in items), *sorted(items, key=repr)])


def check_size(n_items: int, n_entries: int, n_options: int) -> None:
    """Raises OverflowError, before anything is built, if int32 cannot number all nodes."""
    if n_items < 0:
        raise ProblemError(f"the number of items is {n_items}")
    total = n_items + n_entries + n_options
    if total > MAX_NODES:
        raise OverflowError(
            f"{n_items} items, {n_entries} entries and {n_options} options make {total}; the limit is {MAX_NODES}"
        )


def checked_n_primary(n_primary: int, n_items: int) -> int:
    if not is_whole(n_primary):
        raise ProblemError(f"the number of primary items is {n_primary!r} instead of a whole number")
    if not 0 <= n_primary <= n_items:
        raise ProblemError(f"{n_primary} primary items of {n_items}")
    return int(n_primary)


def checked_csr(
    indptr: Any, indices: Any, items: Sequence[Hashable], may_be_empty: npt.NDArray[np.bool_] | None = None
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Returns compressed rows after a check: option o has the items indices[indptr[o]:indptr[o + 1]]."""
    indptr, indices = unmasked(indptr, "indptr"), unmasked(indices, "indices")
    for name, array in (("indptr", indptr), ("indices", indices)):
        if array.ndim != 1:
            raise ProblemError(f"{name} has {array.ndim} dimensions instead of 1")
        if array.dtype.kind not in ("iu" if array.size else "iuf"):  # numpy makes an empty list an array of floats
            raise ProblemError(f"{name} has the type {array.dtype} instead of whole numbers")
    if len(indptr) == 0 or indptr[0] != 0:
        raise ProblemError("indptr must begin with 0")
    check_size(len(items), len(indices), len(indptr) - 1)
    if indptr[-1] != len(indices):
        raise ProblemError(f"indptr ends with {indptr[-1]}, but there are {len(indices)} indices")
    check_sizes(indptr, may_be_empty)
    if (k := first_true((indices < 0) | (indices >= len(items)))) is not None:
        unknown = f"the unknown item number {indices[k]}; there are {len(items)} items"
        raise ProblemError(f"options[{option_at(k, indptr)}] has {unknown}")
    checked = _own(indptr, np.int32), _own(indices, np.int32)
    check_repeats(*checked, items)
    return checked


def check_sizes(indptr: npt.NDArray[Any], may_be_empty: npt.NDArray[np.bool_] | None = None) -> None:
    """Raises ProblemError if an option is empty without permission, or ends before it begins."""
    wrong = indptr[1:] <= indptr[:-1]
    if may_be_empty is not None and may_be_empty.shape == wrong.shape:
        wrong &= ~may_be_empty | (indptr[1:] < indptr[:-1])
    if (o := first_true(wrong)) is not None:
        fault = "is empty" if indptr[o] == indptr[o + 1] else f"ends at {indptr[o + 1]} before it begins at {indptr[o]}"
        raise ProblemError(f"options[{o}] {fault}")


def check_repeats(indptr: npt.NDArray[np.int32], indices: npt.NDArray[np.int32], items: Sequence[Hashable]) -> None:
    """Raises ProblemError if an option has an item twice."""
    ascends = np.ones(len(indices) + 1, dtype=np.bool_)
    np.greater(indices[1:], indices[:-1], out=ascends[1:-1])
    ascends[indptr] = True  # an option may begin with any item
    if ascends.all():  # items in order need no sorting
        return
    n_options, n_items = len(indptr) - 1, len(items)
    options: npt.NDArray[Any] = np.arange(n_options, dtype=np.int32 if n_options * n_items < 2**31 else np.int64)
    key = (n_items * options).repeat(indptr[1:] - indptr[:-1]) + indices
    key.sort()
    if (k := first_true(key[1:] == key[:-1])) is not None:
        o, i = divmod(int(key[k]), n_items)
        hint = f"; {MATRIX}" if {*items} <= {0, 1} else ""
        raise ProblemError(f"options[{o}] has the item {items[i]!r} twice{hint}")


def checked_colours(
    colours: Any,
    n_colours: int,
    indptr: npt.NDArray[np.int32],
    indices: npt.NDArray[np.int32],
    items: Sequence[Hashable],
    n_primary: int,
) -> npt.NDArray[np.int32]:
    """Returns checked colours, one for each entry: 0 for none; primary items have no colours."""
    array = shaped(colours, "colours", indices.shape)
    k = first_true((array < 0) | (array > n_colours) | ((array > 0) & (indices < n_primary)))
    if k is not None:
        o, item = option_at(k, indptr), items[indices[k]]
        if not 0 <= array[k] <= n_colours:
            raise ProblemError(
                f"options[{o}] gives {item!r} the colour number {array[k]}; there are {n_colours} colours"
            )
        raise ProblemError(f"options[{o}] gives a colour to {item!r}, which is no secondary item")
    return _own(array, np.int32)


def checked_names(names: Iterable[Any], n_options: int) -> tuple[Any, ...]:
    listed = tuple(names)
    if len(listed) != n_options:
        raise ProblemError(f"{len(listed)} names for {n_options} options")
    return listed


def option_number(number: int, n_options: int) -> int:
    """Returns the number of an option; raises IndexError (also for a negative number) or TypeError."""
    if not is_whole(number):
        hint = f"; problem.names.index({number!r}) is the number of this name" if isinstance(number, str) else ""
        raise TypeError(f"{number!r} is not the number of an option{hint}")
    if not 0 <= number < n_options:
        raise IndexError(f"there is no options[{number}]; there are {n_options} options")
    return int(number)


def option_numbers(options: Iterable[int], n_options: int) -> npt.NDArray[np.int64]:
    """Returns numbers of options as int64; raises the errors of `option_number`, and TypeError for a single number."""
    given = options.tolist() if isinstance(options, np.ndarray) else options
    if not isinstance(given, Iterable):
        raise TypeError(f"there is one {type(options).__name__} instead of numbers of options, such as [0, 2]")
    given = list(given)
    for number in given:
        if type(number) is not int or not 0 <= number < n_options:
            option_number(number, n_options)  # raises the right error
    return np.array(given, dtype=np.int64)


# Multiplicities


def multiplicity_pairs(
    multiplicities: Mapping[Any, int | tuple[int, int]], primary: Sequence[Hashable]
) -> npt.NDArray[np.int64] | None:
    """Returns the least and the most options for each primary item; None if every item is covered exactly once."""
    known = set(primary)
    unknown = [item for item in multiplicities if item not in known]
    if unknown:
        raise ProblemError(f"{unknown[0]!r}, which has a multiplicity, is no primary item")
    pairs = [_pair(item, multiplicities.get(item, 1)) for item in primary]
    return None if all(pair == (1, 1) for pair in pairs) else np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _pair(item: Hashable, given: Any) -> tuple[int, int]:
    pair = given if isinstance(given, tuple) else (given, given)
    if len(pair) != 2 or not all(map(is_whole, pair)):
        raise ProblemError(
            f"the multiplicity of {item!r} is {given!r} instead of a whole number or a tuple (least, most)"
        )
    low, high = pair
    if not 0 <= low <= high <= MAX_MULTIPLICITY or high == 0:
        raise ProblemError(_multiplicity(item, low, high))
    return low, high


def _multiplicity(item: Hashable, low: int, high: int) -> str:
    rule = f"the least is 0 or more, the most from 1 to {MAX_MULTIPLICITY} and no less than the least"
    return f"the multiplicity of {item!r} is {low} to {high}: {rule}"


def checked_multiplicities(multiplicities: Any, primary: Sequence[Hashable]) -> npt.NDArray[np.int32]:
    """Returns the checked least and most options for each primary item, as an array of pairs."""
    array = shaped(multiplicities, "multiplicities", (len(primary), 2))
    k = first_true((array[:, 0] < 0) | (array[:, 0] > array[:, 1]) | (array[:, 1] < 1))
    if k is not None:
        raise ProblemError(_multiplicity(primary[k], *array[k].tolist()))
    if array.size and int(array.max()) > MAX_MULTIPLICITY:
        raise OverflowError(f"a multiplicity is {int(array.max())}; the limit is {MAX_MULTIPLICITY}")
    return _own(array, np.int32)


# Weights

WEIGHTS = (int, float, np.integer, np.floating, np.bool_)  # the types of weights


def in_order(weights: Any, names: Iterable[Any] | None, n_options: int) -> Any:
    """Returns weights in the order of the options, from one number for all options or from weights with labels.

    Labels are the keys of a mapping or the index of a pandas Series; they are names of options. Without names, the keys
    of a mapping are numbers of options, and a Series must have the index 0, 1, 2, ..., since otherwise its order could
    be meant. Raises ProblemError for an unknown, repeated or missing label. Other values are returned unchanged.
    """
    if isinstance(weights, WEIGHTS):
        return [weights] * n_options
    if isinstance(weights, Mapping):
        labels, values = list(weights), list(weights.values())
    elif is_series(weights):
        labels, values = list(weights.index), weights.to_list()
        if len(set(labels)) < len(labels) or (names is None and labels != list(range(len(labels)))):
            kind = "with a label twice" if names is not None else "with labels, but the options have no names"
            in_order = "weights.to_numpy() are weights in the order of the options"
            raise ProblemError(f"the weights are a {type(weights).__name__} {kind}; {in_order}")
    else:
        return weights
    options: list[Any] = list(range(n_options)) if names is None else list(names)
    given = dict(zip(unique(labels, "label of the weights"), values, strict=True))
    if unknown := [label for label in given if label not in set(options)]:
        kind = "number" if names is None else "name"
        raise ProblemError(f"the weights have the label {unknown[0]!r:.40}, which is no {kind} of an option")
    if missing := [option for option in options if option not in given]:
        option = f"options[{missing[0]}]" if names is None else f"the option {missing[0]!r:.40}"
        raise ProblemError(f"{option} has no weight; the weights have other labels")
    return [given[option] for option in options]


def as_weights(weights: Iterable[float]) -> npt.NDArray[Any]:
    """Returns weights as an array: whole numbers exactly, other numbers as numpy converts them."""
    if is_frame(weights):
        raise ProblemError(f"the weights are a {type(weights).__name__}; give one of its columns")
    if isinstance(weights, (Mapping, Set)):
        raise ProblemError(f"the weights are a {type(weights).__name__}; they come in the order of the options")
    if isinstance(weights, np.ndarray) and weights.dtype.kind != "O":
        return unmasked(weights, "weights")
    values = list(weights)
    if not all(issubclass(kind, (int, np.integer)) for kind in set(map(type, values))):
        return unmasked(values, "weights")
    whole = list(map(int, values))
    for o, weight in enumerate(whole):
        if abs(weight) >= MAX_SCORE:
            raise OverflowError(f"the weight of options[{o}] is beyond the limit, {MAX_SCORE - 1}")
    return np.array(whole, dtype=np.int64)


def checked_weights(weights: Any, n_options: int, most: int) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
    """Returns weights as int64, or as float64 unless all are whole; no sum of up to `most` weights overflows."""
    array = as_weights(weights)
    if array.shape != (n_options,):
        raise ProblemError(f"the weights have the shape {array.shape} instead of ({n_options},)")
    if array.dtype.kind == "f":
        return _real_weights(array, most)
    if array.dtype.kind not in "biu":
        raise ProblemError(_no_number(weights, array))
    largest = max(int(array.max(initial=0)), -int(array.min(initial=0)))
    if largest * max(1, most) >= MAX_SCORE:  # rarely true, so the weights are rarely sorted
        worst = _worst(array, most)
        if sum(worst) >= MAX_SCORE:
            raise OverflowError(
                f"a score could reach {sum(worst)}, by weights up to {worst[0]}; the limit is {MAX_SCORE - 1}"
            )
    return _own(array, np.int64)


def _no_number(weights: Any, array: npt.NDArray[Any]) -> str:
    for o, weight in enumerate(weights):
        if not isinstance(weight, WEIGHTS):
            return f"the weight of options[{o}] is {weight!r:.40} instead of a whole or real number"
    return f"the weights have the type {array.dtype} instead of whole or real numbers"


def _real_weights(weights: npt.NDArray[Any], most: int) -> npt.NDArray[np.float64]:
    with np.errstate(over="ignore"):
        real = _own(weights, np.float64)
    if (o := first_true(~np.isfinite(real))) is not None:
        raise ProblemError(f"the weight of options[{o}] is {real[o]}")
    worst = _worst(real, most)
    if not math.isfinite(sum(worst)):
        raise OverflowError(f"a score could pass the largest real number: {most} weights up to {worst[0]}")
    return real


def _worst(weights: npt.NDArray[Any], most: int) -> list[Any]:
    """Returns the absolute values of the `most` largest weights of either sign."""
    return sorted(map(abs, weights.tolist()), reverse=True)[: max(1, most)]


# Matrices


def is_frame(given: Any) -> bool:
    """Returns whether a value is a pandas DataFrame or similar."""
    return hasattr(given, "columns") and hasattr(given, "index") and hasattr(given, "to_numpy")


def is_series(given: Any) -> bool:
    """Returns whether a value is a pandas Series or similar."""
    return hasattr(given, "index") and hasattr(given, "reindex") and not is_frame(given)


def names_of_index(given: Any) -> tuple[Any, ...] | None:
    """Returns the labels of a Series or table as names of options; None if they are 0, 1, 2, ..."""
    labels = tuple(given.index)
    return None if labels == tuple(range(len(labels))) else labels


def refuse_tables(options: object) -> None:
    """Raises TypeError for a table, an array or a graph, since iterating over it would yield only names or rows."""
    if is_frame(options) or hasattr(options, "tocsr") or (isinstance(options, np.ndarray) and options.ndim != 1):
        what = (
            f"an array of {options.ndim} dimensions"
            if isinstance(options, np.ndarray)
            else f"a {type(options).__name__}"
        )
        raise TypeError(f"the options are {what} instead of a list of sets of items; {MATRIX}")
    if hasattr(options, "nodes") and hasattr(options, "edges"):
        raise TypeError(f"the options are a {type(options).__name__}; for its edges write graph.edges")


def csr_of_dense(matrix: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any], int]:
    """Returns a matrix of zeros and ones as compressed rows, and its width."""
    try:
        array = unmasked(matrix, "matrix")
    except ProblemError:
        raise
    except ValueError as error:
        raise ProblemError(f"the matrix has rows of different lengths: {error}") from None
    _check_matrix(array)
    for row, column in np.argwhere((array != 0) & (array != 1))[:1].tolist():
        raise _neither(row, column, array[row, column])
    rows, columns = np.nonzero(array)
    return np.searchsorted(rows, np.arange(array.shape[0] + 1)), columns, array.shape[1]


def csr_of_sparse(matrix: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any], int]:
    """Returns a scipy.sparse matrix as compressed rows, and its width; values at the same position are added first."""
    _check_matrix(matrix)
    triples = matrix.tocoo(copy=True)
    height, width = map(int, matrix.shape)
    check_size(width, triples.nnz, height)
    kind = triples.dtype.kind
    if kind in "iu" and (k := first_true((triples.data < -(2**31)) | (triples.data > 2**31))) is not None:
        raise _neither(int(triples.row[k]), int(triples.col[k]), triples.data[k])
    if kind != "b":  # scipy adds in the type of the matrix, which may overflow; booleans have no overflow
        triples = triples.astype(np.int64 if kind in "iu" else np.float64)
    csr = triples.tocsr()
    csr.sum_duplicates()
    csr.eliminate_zeros()
    if (k := first_true(csr.data != 1)) is not None:
        raise _neither(option_at(k, csr.indptr), int(csr.indices[k]), csr.data[k])
    return csr.indptr, csr.indices, width


def _check_matrix(matrix: Any) -> None:
    if len(matrix.shape) != 2:
        raise ProblemError(f"the matrix has {len(matrix.shape)} dimensions instead of 2")
    if matrix.dtype.kind not in "biuf":
        raise ProblemError(f"the matrix has the type {matrix.dtype} instead of numbers or booleans")


def _neither(row: int, column: int, value: object) -> ProblemError:
    return ProblemError(f"matrix[{row}, {column}] is {value}, neither 0 nor 1")


def unhashable(entries: Sequence[Any], indptr: Sequence[int]) -> str:
    """Describes the first unhashable item; "" if all are hashable."""
    for k, item in enumerate(entries):
        try:
            hash(item)
        except TypeError:
            return f"options[{option_at(k, indptr)}] has the item {item!r:.40}, which is not hashable"
    return ""
