"""What a `Problem` accepts, what it makes of it, and how it refuses the rest: with the value and its place."""

from __future__ import annotations

import copy
import pickle
import time
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import as_sets

from dlx import Coloured, Problem, ProblemError, count, covers
from dlx.checks import MAX_NODES, MAX_SCORE
from dlx.roles import max_level

TOY = ["cef", "adg", "bcf", "ad", "bg", "deg"]
MATRIX = np.array([[item in option for item in "abcdefg"] for option in TOY])


def many(value: int, length: int) -> np.ndarray:
    """An array of any length that takes a few bytes: all its entries are the same one."""
    return np.broadcast_to(np.int64(value), length)


# What is refused


@pytest.mark.parametrize(
    ("options", "arguments", "message"),
    [
        (["ab", ""], {}, "option 1 is empty"),
        (["ab", "abca"], {}, "option 1 has the item 'a' twice"),
        (["ab", "bz"], {"items": "abc"}, "option 1 has the unknown item 'z'"),
        (["ab"], {"items": "aba"}, "the item 'a' is listed twice"),
        (["ab", "b"], {"weights": [1]}, r"shape \(1,\) instead of \(2,\)"),
        (["ab", "b"], {"weights": [[1, 2]]}, r"shape \(1, 2\) instead of \(2,\)"),
        (["ab", "b"], {"weights": [1, float("nan")]}, "the weight of option 1 is nan"),
        (["ab", "b"], {"weights": [float("-inf"), 2]}, "the weight of option 0 is -inf"),
        (["ab", "b"], {"weights": ["1", "2"]}, "type <U1 instead of whole or real numbers"),
        (["ab", "b"], {"weights": [1j, 2]}, "type complex128 instead of whole or real numbers"),
        (["ab", "b"], {"weights": [None, 2]}, "type object instead of whole or real numbers"),
    ],
)
def test_bad_options_are_refused(options: Any, arguments: Any, message: str) -> None:
    """`from_options` names the option and the item or weight that is wrong."""
    with pytest.raises(ProblemError, match=message):
        Problem.from_options(options, **arguments)


@pytest.mark.parametrize(
    ("matrix", "arguments", "message"),
    [
        ([[1, 0], [0, 2]], {}, "row 1, column 1 of the matrix is 2, neither 0 nor 1"),
        ([[1, -1], [0, 1]], {}, "row 0, column 1 of the matrix is -1, neither 0 nor 1"),
        ([[1, 0], [0.5, 1]], {}, "row 1, column 0 of the matrix is 0.5, neither 0 nor 1"),
        ([[1, float("nan")]], {}, "row 0, column 1 of the matrix is nan, neither 0 nor 1"),
        ([[1, 0], [0, 0]], {}, "option 1 is empty"),
        ([1, 0, 1], {}, "1 dimensions instead of 2"),
        ([[[1]]], {}, "3 dimensions instead of 2"),
        ([[1, 0], [1]], {}, "rows of different lengths"),
        ([["1", "0"]], {}, "type <U1 instead of numbers or booleans"),
        ([[1j, 0]], {}, "type complex128 instead of numbers or booleans"),
        ([[1, 0]], {"items": "abc"}, "3 names for 2 columns"),
        ([[1, 0]], {"items": "aa"}, "the item 'a' is listed twice"),
        ([[1, 0]], {"secondary": [2]}, "the secondary item 2 is not among the items"),
        ([[1, 0]], {"weights": [1, 2]}, r"shape \(2,\) instead of \(1,\)"),
    ],
)
def test_bad_matrices_are_refused(matrix: Any, arguments: Any, message: str) -> None:
    """`from_matrix` names the row and the column of a value that is neither 0 nor 1, or says what does not fit."""
    with pytest.raises(ProblemError, match=message):
        Problem.from_matrix(matrix, **arguments)


@pytest.mark.parametrize("value", [2, -1, 0.5, float("nan"), float("inf")])
@pytest.mark.parametrize("form", ["csr_matrix", "csc_array", "coo_array", "lil_matrix", "dok_array"])
def test_bad_sparse_matrices_are_refused(form: str, value: float) -> None:
    """A sparse matrix is held to the same rule, whatever its form."""
    matrix = getattr(scipy.sparse, form)(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, value]]))
    with pytest.raises(ProblemError, match=rf"row 1, column 2 of the matrix is {value:g}(\.0)?, neither 0 nor 1"):
        Problem.from_matrix(matrix)


def test_sparse_vectors_are_refused() -> None:
    """A sparse array of one dimension is no matrix."""
    with pytest.raises(ProblemError, match="1 dimensions instead of 2"):
        Problem.from_matrix(scipy.sparse.coo_array(np.array([1, 0, 1])))


def test_duplicate_sparse_entries_are_summed_first() -> None:
    """Two ones in one place make a two, as they do in scipy; and that is refused."""
    twice = scipy.sparse.coo_array(([1, 1, 1], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    with pytest.raises(ProblemError, match="row 0, column 1 of the matrix is 2"):
        Problem.from_matrix(twice)
    unsummed = scipy.sparse.csr_array((np.array([1, 1]), np.array([1, 1]), np.array([0, 2])), shape=(1, 2))
    with pytest.raises(ProblemError, match="row 0, column 1 of the matrix is 2"):
        Problem.from_matrix(unsummed)
    assert unsummed.nnz == 2, "the caller's matrix stays as it was"


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint16, np.uint64])
@pytest.mark.parametrize("form", ["coo_array", "csr_array", "csc_matrix"])
def test_sums_of_sparse_entries_do_not_wrap_around(form: str, kind: type) -> None:
    """As many ones in one place as the type of the values counts to, and one more, are not taken for a single one."""
    times = 257 if np.iinfo(kind).bits == 8 else 65_537
    zeros = np.zeros(times, dtype=np.int32)
    ones: np.ndarray = np.ones(times, dtype=kind)
    triples = scipy.sparse.coo_array((ones, (zeros, zeros)), shape=(1, 1))
    compressed = ones, zeros, np.array([0, times])
    matrix = triples if form == "coo_array" else getattr(scipy.sparse, form)(compressed, shape=(1, 1))
    with pytest.raises(ProblemError, match=f"row 0, column 0 of the matrix is {times}, neither 0 nor 1"):
        Problem.from_matrix(matrix)


def test_huge_sparse_entries_do_not_cancel_out() -> None:
    """Whole numbers that no sum of others makes a one are refused before they are added up."""
    values = np.array([2**63, 2**63, 1], dtype=np.uint64)
    matrix = scipy.sparse.coo_array((values, ([0, 0, 0], [0, 0, 0])), shape=(1, 1))
    with pytest.raises(ProblemError, match=f"row 0, column 0 of the matrix is {2**63}"):
        Problem.from_matrix(matrix)
    signed = scipy.sparse.coo_array((np.array([2, -1], dtype=np.int8), ([0, 0], [0, 0])), shape=(1, 1))
    assert Problem.from_matrix(signed) == Problem.from_matrix([[1]]), "but two and minus one are one"


def test_sparse_matrices_have_the_types_of_dense_ones() -> None:
    """Complex numbers are refused in a sparse matrix as in an array; booleans in one place are one, as in scipy."""
    with pytest.raises(ProblemError, match="the matrix has the type complex128"):
        Problem.from_matrix(scipy.sparse.csr_array(np.array([[1j]])))
    twice = scipy.sparse.coo_array((np.array([True, True]), ([0, 0], [0, 0])), shape=(1, 1))
    assert Problem.from_matrix(twice) == Problem.from_matrix([[True]])


@pytest.mark.parametrize(
    "matrix",
    [
        scipy.sparse.coo_array(([1], ([0], [0])), shape=(1, 2**40)),
        scipy.sparse.coo_array(([1], ([0], [0])), shape=(2**40, 1)),
        np.zeros((0, 2**40), dtype=np.uint8),
    ],
    ids=["wide", "tall", "dense"],
)
def test_the_shape_of_a_matrix_fills_no_memory(matrix: Any) -> None:
    """A shape costs a matrix nothing, so it is held against the limit before a name is made for each column."""
    with pytest.raises(OverflowError, match=rf"{2**40} .* the limit is {MAX_NODES}"):
        Problem.from_matrix(matrix)


HIDDEN = np.ma.array([0, 1], mask=[False, True])
SQUARE = np.ma.array([[1, 1], [1, 1]], mask=[[False, False], [True, False]])
PAIR = Problem.from_options(["ax", "b"], secondary="x")


@pytest.mark.filterwarnings("ignore:Warning. converting a masked element to nan")
@pytest.mark.parametrize(
    ("build", "place"),
    [
        (lambda: Problem.from_matrix(SQUARE), "matrix[1, 0]"),
        (lambda: Problem.from_matrix([HIDDEN, [1, 0]]), "matrix[0, 1]"),
        (lambda: Problem.from_options(["a", "b"], weights=HIDDEN), "weights[1]"),
        (lambda: Problem.from_options(["a", "b"], weights=[1, HIDDEN[1]]), "weights[1]"),
        (lambda: Problem.from_csr(HIDDEN, [0], 2), "indptr[1]"),
        (lambda: Problem.from_csr([0, 2], HIDDEN, 2), "indices[1]"),
        (lambda: Problem.from_csr([0, 2], HIDDEN, 2, secondary=[1]), "indices[1]"),
        (lambda: replace(PAIR, multiplicities=SQUARE), "multiplicities[1, 0]"),
        (lambda: replace(PAIR, colours=HIDDEN, colour_names=("red",)), "colours[1]"),
        (lambda: replace(PAIR, roles=HIDDEN), "roles[1]"),
        (lambda: replace(PAIR, implied=HIDDEN.astype(bool)), "implied[1]"),
    ],
)
def test_masked_entries_are_refused(build: Callable[[], object], place: str) -> None:
    """A mask is not dropped: what it hides is named by its place."""
    with pytest.raises(ProblemError) as caught:
        build()
    assert str(caught.value) == f"{place} is masked"


def test_a_mask_that_hides_nothing_is_no_harm() -> None:
    """Such an array is one like any other, and the problem keeps a plain one."""
    problem = Problem.from_csr(np.ma.array([0, 2]), np.ma.array([0, 1], mask=[False, False]), 2)
    assert problem == Problem.from_csr([0, 2], [0, 1], 2)
    assert type(problem.indices) is np.ndarray


@pytest.mark.parametrize(
    ("indptr", "indices", "items", "message"),
    [
        ([], [], 2, "indptr must begin with 0"),
        ([1, 2], [0, 1], 2, "indptr must begin with 0"),
        ([0, 1], [0, 1], 2, "indptr ends with 1, but there are 2 indices"),
        ([0, 3], [0, 1], 2, "indptr ends with 3, but there are 2 indices"),
        ([0, 1, 1, 2], [0, 1], 2, "option 1 is empty"),
        ([0, 2, 1, 2], [0, 1], 2, "option 1 ends at 1 before it begins at 2"),
        ([0, 1, 2], [0, 2], 2, "option 1 has the unknown item number 2; there are 2 items"),
        ([0, 1, 2], [0, -1], 2, "option 1 has the unknown item number -1; there are 2 items"),
        ([0, 1, 3], [0, 1, 1], "ab", "option 1 has the item 'b' twice"),
        ([0, 1.5], [0], 2, "indptr has the type float64 instead of whole numbers"),
        ([0, 1], [0.5], 2, "indices has the type float64 instead of whole numbers"),
        ([0, 1], [True], 2, "indices has the type bool instead of whole numbers"),
        ([[0, 1]], [0], 2, "indptr has 2 dimensions instead of 1"),
        ([0, 1], [[0]], 2, "indices has 2 dimensions instead of 1"),
        ([0, 1], [0], -1, "the number of items is -1"),
        ([0, 1], [0], "abb", "the item 'b' is listed twice"),
    ],
)
def test_bad_rows_are_refused(indptr: Any, indices: Any, items: Any, message: str) -> None:
    """`from_csr` says which pointer, option or item is wrong, with and without secondary items."""
    with pytest.raises(ProblemError, match=message):
        Problem.from_csr(indptr, indices, items)
    if items == 2:
        with pytest.raises(ProblemError, match=message):
            Problem.from_csr(indptr, indices, items, secondary=[0])


def test_an_unknown_secondary_item_is_refused() -> None:
    """Where the items are listed by number, a secondary one has to be among them."""
    with pytest.raises(ProblemError, match="the secondary item 'z' is not among the items"):
        Problem.from_csr([0, 1], [0], "ab", secondary="z")


def test_unhashable_items_are_refused() -> None:
    """An item that cannot be a name is a TypeError, as in any dict."""
    with pytest.raises(TypeError, match="unhashable"):
        Problem.from_options([[[1], [2]]])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("indptr", "indices", "items"),
    [
        (np.array([0, 2**31]), many(0, 2**31), 3),
        (many(0, 2**31), many(0, 0), 3),
        (np.array([0, 1]), many(0, 1), 2**31),
        (np.array([0, MAX_NODES - 4]), many(0, MAX_NODES - 4), 4),
    ],
)
def test_sizes_past_the_index_type_are_refused(indptr: Any, indices: Any, items: int) -> None:
    """More nodes than an int32 can number is an OverflowError with the numbers in it, before anything is built."""
    with pytest.raises(OverflowError, match=rf"make \d+; the limit is {MAX_NODES}|^{items} items"):
        Problem.from_csr(indptr, indices, items)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([MAX_SCORE, 0, 0], f"a score could reach {MAX_SCORE}; the limit is {MAX_SCORE - 1}"),
        ([-MAX_SCORE, 0, 0], f"a score could reach {MAX_SCORE}"),
        ([2**61, 0, -(2**61)], f"a score could reach {2**62}"),
        (np.array([2**63, 0, 0], dtype=np.uint64), f"a score could reach {2**63}"),
        ([2**70, 1, 1], f"a score could reach {2**70 + 1}"),
        ([1e308, 1e308, 1e308], "a score could pass the largest real number"),
    ],
)
def test_scores_past_the_number_type_are_refused(weights: Any, message: str) -> None:
    """Weights whose sums could wrap are an OverflowError."""
    with pytest.raises(OverflowError, match=message):
        Problem.from_options(["a", "b", "ab"], weights=weights)


def test_weights_past_the_number_type_are_refused_without_primary_items() -> None:
    """A weight that no int64 holds is an OverflowError even where no cover could use it."""
    with pytest.raises(OverflowError, match=f"a score could reach {2**70}"):
        Problem.from_options(["a"], secondary="a", weights=[2**70])
    if np.finfo(np.longdouble).max > np.finfo(np.float64).max:
        with pytest.raises(ProblemError, match="the weight of option 0 is inf"):
            Problem.from_options(["a"], weights=np.array([1e308], dtype=np.longdouble) * 10)


@pytest.mark.parametrize("n_primary", [-1, 3])
def test_an_impossible_number_of_primary_items_is_refused(n_primary: int) -> None:
    """There are between none and all of the items primary."""
    with pytest.raises(ProblemError, match=f"{n_primary} primary items of 2"):
        Problem(("a", "b"), n_primary, np.array([0, 1]), np.array([0]))


ARRAYS = hnp.arrays(
    hnp.scalar_dtypes() | hnp.integer_dtypes() | hnp.nested_dtypes(),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
) | hnp.arrays(hnp.integer_dtypes(), st.integers(0, 6), elements=st.integers(0, 5))


@given(ARRAYS, ARRAYS, st.integers(-1, 6))
def test_any_arrays(one: np.ndarray, other: np.ndarray, n_items: int) -> None:
    """Whatever the types, shapes and values of the arrays, they are a problem or a ProblemError, or too large."""
    parts: list[dict[str, Any]] = [{name: one} for name in ("weights", "multiplicities", "roles", "implied")]
    parts.append({"colours": one, "colour_names": ("red",)})
    builds: list[Callable[[], Problem]] = [
        lambda: Problem.from_csr(one, other, n_items),
        lambda: Problem.from_matrix(one),
        *(partial(replace, PAIR, **part) for part in parts),
    ]
    for build in builds:
        try:
            problem = build()
        except (ProblemError, OverflowError):
            continue
        assert all(not array.flags.writeable for array in arrays(problem))


@pytest.mark.parametrize("n_primary", [1.0, True, "1", None])
def test_the_number_of_primary_items_is_whole(n_primary: Any) -> None:
    """Anything but a whole number is refused; numpy's are made plain ones, which every format can say."""
    with pytest.raises(ProblemError, match=f"the number of primary items is {n_primary!r} instead of a whole number"):
        Problem(("a",), n_primary, np.array([0, 1]), np.array([0]))
    one: Any = np.int64(1)
    assert type(replace(Problem.from_options(["a"]), n_primary=one).n_primary) is int


def test_repeated_colours_are_refused() -> None:
    """Two numbers for one colour would be two colours to a search."""
    shape = ("a", "x"), 1, np.array([0, 2]), np.array([0, 1])
    with pytest.raises(ProblemError, match="the colour 'red' is listed twice"):
        Problem(*shape, colours=np.array([0, 1]), colour_names=("red", "red"))


def test_a_lone_coloured_item_is_no_option() -> None:
    """It is a tuple of two, but it stands in an option and not for one."""
    with pytest.raises(ProblemError, match=r"option 1 is Coloured\(item='x', colour='red'\) instead of a set of items"):
        Problem.from_options(["a", Coloured("x", "red")])


@pytest.mark.parametrize("weights", [{0: 5, 1: 7}, {5, 7}])
def test_weights_without_an_order_are_refused(weights: Any) -> None:
    """The keys of a mapping are not taken for weights, nor is a set for a list."""
    with pytest.raises(ProblemError, match=f"the weights are a {type(weights).__name__}; they come in the order"):
        Problem.from_options({0: "a", 1: "b"}, weights=weights)


def test_the_wrong_number_of_option_names_is_refused() -> None:
    """Names for options come one for each."""
    with pytest.raises(ProblemError, match="2 names for 1 options"):
        Problem(("a", "b"), 2, np.array([0, 1]), np.array([0]), names=("x", "y"))


# What is accepted


def test_all_ways_to_build_agree() -> None:
    """Lists, a mapping, matrices of any number type, sparse matrices and raw rows make the same problem."""
    problem = Problem.from_options(TOY, items="abcdefg")
    assert Problem.from_options((iter(o) for o in TOY), items=iter("abcdefg")) == problem
    rows = scipy.sparse.csr_array(MATRIX.astype(int))
    sparse = [getattr(scipy.sparse, form)(MATRIX) for form in ("csr_array", "csc_matrix", "coo_matrix", "lil_array")]
    dense = [MATRIX.astype(kind) for kind in (bool, np.int8, np.uint8, int, np.uint64, np.float16, float)]
    in_order = Problem.from_options([sorted(option) for option in TOY], items="abcdefg")
    for matrix in [*sparse, *dense, MATRIX.tolist(), np.asfortranarray(MATRIX), rows.astype(float)]:
        assert Problem.from_matrix(matrix, items="abcdefg") == in_order
    for kind in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64):
        built = Problem.from_csr(rows.indptr.astype(kind), rows.indices.astype(kind), "abcdefg")
        assert built == in_order
        assert built.indptr.dtype == built.indices.dtype == np.int32
    assert Problem.from_csr(rows.indptr, rows.indices, 7) == Problem.from_matrix(MATRIX)


def test_lists_may_stand_for_tuples_and_arrays() -> None:
    """A problem built directly keeps what it is to keep, whatever was given."""
    problem = Problem(["a", "b"], 2, [0, 1, 2], [0, 1], names=["x", "y"], roles=[1, 1])  # type: ignore[arg-type]
    assert (problem.items, problem.names) == (("a", "b"), ("x", "y"))
    assert isinstance(hash(problem), int)
    assert problem.without([]) == problem


def test_the_order_of_memory_does_not_matter() -> None:
    """Multiplicities given column by column are searched like all others."""
    shape = ("a", "b"), 2, np.array([0, 1, 2]), np.array([0, 1])
    problem = Problem(*shape, multiplicities=np.asfortranarray([[1, 1], [0, 1]]))
    assert count(problem).covers == 2


def test_colours_cost_little() -> None:
    """A problem whose items have colours is not made in more than three times the time of one without."""
    plain = [[k % 100, *(100 + (7 * k + 31 * j) % 333 for j in range(4))] for k in range(100_000)]
    coloured = [[first, *(Coloured(item, item % 5) for item in rest)] for first, *rest in plain]

    def seconds(options: list[list[Any]]) -> float:
        start = time.process_time()
        Problem.from_options(options, secondary=range(100, 433))
        return time.process_time() - start

    assert min(seconds(coloured) for _ in range(3)) < 3 * min(seconds(plain) for _ in range(3))


def test_secondary_items_come_last_whatever_they_were() -> None:
    """Every way to build moves the secondary items behind the others and keeps each option's items."""
    by_name = Problem.from_options(["axb", "yb", "c"], items="axbyc", secondary="yx")
    matrix = [[1, 1, 1, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1]]
    by_matrix = Problem.from_matrix(matrix, items="axbyc", secondary="yx")
    assert by_name.items == by_matrix.items == ("a", "b", "c", "y", "x")
    assert (by_name.n_primary, by_matrix.n_primary) == (3, 3)
    assert [set(by_matrix.option(o)) for o in range(3)] == [set("axb"), set("yb"), {"c"}]
    assert Problem.from_options(["ab"], secondary="x").items == ("a", "b", "x"), "it need not be in an option"


def test_a_problem_does_not_share_its_arrays() -> None:
    """What the caller does later to the arrays given does not reach the problem, whose own cannot be written."""
    indptr, indices, weights = np.array([0, 1, 2], np.int32), np.array([0, 1], np.int32), np.array([1, 2])
    problem = Problem.from_csr(indptr, indices, 2, weights=weights)
    indices[0], weights[0] = 1, 9
    assert problem.indices.tolist() == [0, 1]
    assert problem.weights is not None
    assert problem.weights.tolist() == [1, 2]
    for array in (problem.indptr, problem.indices, problem.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(FrozenInstanceError):
        problem.n_primary = 1  # type: ignore[misc]


def test_problems_are_values() -> None:
    """Equal problems are equal, hash alike and survive copying; a change of anything makes another."""
    problem = Problem.from_options(TOY, items="abcdefg", weights=range(6))
    same = Problem.from_options(TOY, items="abcdefg", weights=np.arange(6))
    assert (problem, hash(problem)) == (same, hash(same))
    assert copy.deepcopy(problem) == problem == pickle.loads(pickle.dumps(problem))
    others = [
        Problem.from_options(TOY, items="abcdefg"),
        Problem.from_options(TOY, items="abcdefg", weights=[0.0, 1, 2, 3, 4, 5]),
        Problem.from_options(TOY, items="abcdefg", weights=[1] * 6),
        Problem.from_options(TOY, items="gfedcba", weights=range(6)),
        Problem.from_options(TOY[::-1], items="abcdefg", weights=range(6)),
        Problem.from_options(TOY, items="abcdefg", secondary="g", weights=range(6)),
        Problem.from_options(dict(enumerate(TOY)), items="abcdefg", weights=range(6)),
    ]
    assert all(other != problem for other in others)
    assert problem != "a problem"


FULL = Problem.from_options(
    {"left": ["a", Coloured("x", "red")], "right": ["b", "x"], "both": "ab"},
    secondary="x",
    weights=[1, 2, 3],
    multiplicities={"a": (0, 2)},
).with_chosen([0])
FULL = replace(FULL, implied=np.array([False, True, False]))


def arrays(problem: Problem) -> list[np.ndarray]:
    """The arrays of a problem and of its rows."""
    values = [getattr(problem, field.name) for field in fields(problem)]
    return [value for value in (*values, *problem.rows()) if isinstance(value, np.ndarray)]


def out_of_band(problem: Problem) -> Problem:
    """The problem after a pickle that leaves the memory of arrays to the caller."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(problem, 5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[bytearray(buffer.raw()) for buffer in buffers])  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "again",
    [
        copy.copy,
        copy.deepcopy,
        *(lambda p, version=version: pickle.loads(pickle.dumps(p, version)) for version in range(2, 6)),
        out_of_band,
        replace,
        lambda p: p.without([]),
    ],
)
def test_arrays_of_copies_are_read_only(again: Callable[[Problem], Problem]) -> None:
    """However a problem is copied or pickled, it is equal, and nobody can write to its arrays or their memory."""
    other = again(FULL)
    assert other == FULL
    assert len(arrays(other)) == 11
    for array in arrays(other):
        assert not array.flags.writeable
        assert array.flags.owndata


def test_rows_are_made_once() -> None:
    """One problem gives the same rows each time it is asked."""
    for problem in (Problem.from_options(TOY), FULL, Problem.from_options([])):
        assert problem.rows() is problem.rows()
        assert problem.max_level == problem.max_level == max_level(problem.rows())


def test_what_is_made_once_is_no_part_of_the_value() -> None:
    """Having been asked for rows changes no equality, hash, repr or pickle; other problems make their own."""
    asked, fresh = (Problem.from_options(["ab", "cd", "ac", "bd", "a"]) for _ in range(2))
    rows, level = asked.rows(), asked.max_level
    assert (asked, hash(asked), repr(asked)) == (fresh, hash(fresh), repr(fresh))
    assert pickle.dumps(asked) == pickle.dumps(fresh)
    for other in (copy.copy(asked), copy.deepcopy(asked), pickle.loads(pickle.dumps(asked)), replace(asked)):
        assert other.rows() is not rows
        assert str(other.rows()) == str(rows)
    assert asked.with_chosen([2]).rows().indices.tolist() == [0, 2, 1, 3]
    assert asked.without([0, 4]).rows().indices.tolist() == [2, 3, 0, 2, 1, 3]
    assert (level, asked.restricted_to([0]).max_level) == (4, 1)
    assert asked.rows() is rows


@pytest.mark.parametrize(
    ("weights", "kind"),
    [
        ([1, 2], np.int64),
        ([True, False], np.int64),
        ([MAX_SCORE - 1, 0], np.int64),
        (np.array([1, 2], dtype=np.uint8), np.int64),
        (np.array([np.int8(1), 2], dtype=object), np.int64),
        (range(2), np.int64),
        ([1, 2.5], np.float64),
        (np.array([1, 2], dtype=np.float32), np.float64),
    ],
)
def test_weights_keep_their_values(weights: Any, kind: type) -> None:
    """Whole weights become int64 without rounding, others float64."""
    problem = Problem.from_options(["a", "b"], weights=weights)
    assert problem.weights is not None
    assert problem.weights.dtype == kind
    assert problem.weights.tolist() == list(weights)


def test_labels_are_names_or_items() -> None:
    """A cover in the caller's terms: the options' names, or without names their items as given."""
    named = Problem.from_options({"left": "ba", ("right", 1): "c"})
    assert named.labels((1, 0)) == (("right", 1), "left")
    assert Problem.from_options(["ba", "c"]).labels((1, 0)) == (("c",), ("b", "a"))
    assert named.option(0) == ("b", "a")


def test_the_rows_of_blocks_can_be_labelled_and_scored() -> None:
    """The -1's behind the shorter covers of a block are no options: labels and scores pass over them."""
    problem = Problem.from_options({"ab": "ab", "a": "a", "b": "b"}, weights=[1, 10, 100])
    (block,) = covers(problem).blocks()
    assert sorted(row.tolist() for row in block) == [[0, -1], [1, 2]]
    assert sorted(problem.labels(row) for row in block) == [("a", "b"), ("ab",)]
    assert sorted(problem.score(row) for row in block) == [1, 110]


@pytest.mark.parametrize("number", [-1, 2, 100])
def test_an_option_that_is_not_there_is_an_index_error(number: int) -> None:
    """Options are numbered from 0; there is no counting from the end."""
    with pytest.raises(IndexError, match=f"option {number} of 2"):
        Problem.from_options(["ab", "c"]).option(number)


def test_a_score_is_a_sum_of_weights() -> None:
    """Scores are Python numbers: exact for whole weights, 0 without weights or options."""
    assert Problem.from_options(["a", "b"], weights=[2**60, 3]).score((0, 1)) == 2**60 + 3
    assert Problem.from_options(["a", "b"], weights=[0.5, 1]).score((0, 1)) == 1.5
    assert Problem.from_options(["a", "b"]).score((0, 1)) == 0
    assert Problem.from_options(["a", "b"], weights=[1, 2]).score(()) == 0
    assert Problem.from_options(["a"] * 6, weights=[2**61] * 6).score(range(6)) == 6 * 2**61, "no cover, but no wrap"


# Empty corners


def test_zero_items_have_one_empty_cover() -> None:
    """Nothing to cover is covered by nothing, in every form of input."""
    for problem in (
        Problem.from_options([]),
        Problem.from_matrix(np.zeros((0, 0))),
        Problem.from_matrix(scipy.sparse.csr_array((0, 0))),
        Problem.from_csr([0], [], 0),
        Problem.from_options([], secondary="ab"),
        Problem.from_options(["ab", "b"], secondary="ab"),
    ):
        assert list(covers(problem)) == [()]
        assert [block.shape for block in covers(problem).blocks()] == [(1, 0)]
        assert count(problem).covers == 1
        assert problem.max_level == 0


def test_items_without_options_have_no_cover() -> None:
    """A primary item that nothing covers leaves no cover, in every form of input; a secondary one does no harm."""
    for problem in (
        Problem.from_options([], items="a"),
        Problem.from_options(["a"], items="ab"),
        Problem.from_options(["ax"], items="ab", secondary="x"),
        Problem.from_options(["x"], items="a", secondary="x"),
        Problem.from_matrix(np.zeros((0, 3))),
        Problem.from_matrix([[1, 0]]),
        Problem.from_csr([0], [], 1),
    ):
        assert list(covers(problem)) == []
        assert count(problem).covers == 0
    assert list(covers(Problem.from_options(["a"], secondary="x"))) == [(0,)]


def test_an_option_with_secondary_items_only_is_never_chosen() -> None:
    """It keeps its number, and covers are found as if it were not there."""
    problem = Problem.from_options(["x", "ax", "a", "xy"], secondary="xy")
    assert as_sets(covers(problem)) == [(1,), (2,)]


def test_duplicate_options_count_separately() -> None:
    """Options are told apart by their numbers."""
    assert as_sets(covers(Problem.from_options(["a", "a", "b"]))) == [(0, 2), (1, 2)]


def test_max_level_bounds_every_cover() -> None:
    """No cover is longer than the primary items by the fewest in any option that has some."""
    problem = Problem.from_options(["abx", "cd", "xy"], secondary="xy")
    assert problem.max_level == 2
    assert Problem.from_options(["abc", "d"]).max_level == 2
