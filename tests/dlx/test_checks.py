"""What is refused, with its value and its place: options, matrices, rows, weights and names; and limits of searches."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dlx import Coloured, Problem, ProblemError, best, count, count_reaching, covers, estimate, first, reduce
from dlx.formats import write
from dlx.problem.checks import MAX_NODES, UNLIMITED, non_negative, seconds

# What is no problem


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


PAIR = Problem.from_options(["ax", "b"], secondary="x")


def test_a_mask_that_hides_nothing_is_no_harm() -> None:
    """Such an array is one like any other, and the problem keeps a plain one."""
    problem = Problem.from_csr(np.ma.array([0, 2]), np.ma.array([0, 1], mask=[False, False]), 2)
    assert problem == Problem.from_csr([0, 2], [0, 1], 2)
    assert type(problem.indices) is np.ndarray


def test_an_unknown_secondary_item_is_refused() -> None:
    """Where the items are listed by number, a secondary one has to be among them."""
    with pytest.raises(ProblemError, match="the secondary item 'z' is not among the items"):
        Problem.from_csr([0, 1], [0], "ab", secondary="z")


def test_unhashable_items_are_refused() -> None:
    """What is no set, no list or no name of an item is a TypeError that says what it is, and where."""
    for text in ("ab", b"ab"):
        with pytest.raises(TypeError, match=rf"^there is {text!r} instead of a list of options$"):
            Problem.from_options(text)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^secondary is the item 'xy' instead of a list of items$"):
        Problem.from_options([["a", "xy"]], secondary="xy")
    for arguments in ({}, {"items": "ab"}):
        with pytest.raises(TypeError, match=r"^option 1 has the item \[2\], which is not hashable$"):
            Problem.from_options([["a"], ["b", [2]]], **arguments)  # type: ignore[list-item, arg-type]
        with pytest.raises(TypeError, match=r"^option 1 is 3 instead of a set of items$"):
            Problem.from_options([["a"], 3], **arguments)  # type: ignore[list-item, arg-type]
        with pytest.raises(TypeError, match=r"^there is None instead of a list of options$"):
            Problem.from_options(None, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "search",
    [covers, count, first, best, lambda p: count_reaching(p, 1), reduce, estimate, lambda p: write(p, "x.npz")],
)
def test_a_problem_is_asked_for(search: Callable[[Any], object]) -> None:
    """Lists of items in the place of a problem are a TypeError that says what makes a problem of them."""
    with pytest.raises(TypeError, match=r"^this is a list and no Problem: Problem\.from_options makes one of items$"):
        search(["ab"])


@pytest.mark.parametrize("cover", [[-2], [0, 5], [1, -3, -1]])
def test_options_of_covers_are_checked(cover: list[int]) -> None:
    """Only -1 fills up the row of a block; another number that stands for no option is an IndexError that names it."""
    for problem in (
        Problem.from_options(["ab", "c"], weights=[1, 2]),
        Problem.from_options({"x": "ab", "y": "c"}, weights=[1, 2]),
    ):
        for ask in (problem.labels, problem.score):
            with pytest.raises(IndexError, match=r"^option (-2|5|-3) of 2$"):
                ask(cover)
        assert problem.score([1, -1]) == 2
    with pytest.raises(TypeError, match=r"1\.0 is no number of an option"):
        problem.option(1.0)  # type: ignore[arg-type]
    for single in (1, problem):  # what might be taken for a cover
        with pytest.raises(TypeError, match=rf"^there is one {type(single).__name__} instead of numbers of options"):
            problem.labels(single)  # type: ignore[arg-type]


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
@pytest.mark.slow
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
        assert not any(array.flags.writeable for array in problem.rows() if isinstance(array, np.ndarray))


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


# What is no limit


@pytest.mark.parametrize(
    ("value", "limit"), [(0, 0), (7, 7), (np.int32(7), 7), (np.uint64(2**63), UNLIMITED), (10**30, UNLIMITED)]
)
def test_whole_numbers_are_limits(value: Any, limit: int) -> None:
    """Whole numbers of any kind are taken, as Python's own; what no search reaches is no limit, like None."""
    assert non_negative(value, "k") == limit
    assert type(non_negative(value, "k")) is int
    assert non_negative(None, "k") == UNLIMITED


@pytest.mark.parametrize("value", [True, 1.0, "1", np.float64(1), np.bool_(True), math.nan])
def test_other_types_are_no_limits(value: Any) -> None:
    """Anything else than a whole number is a TypeError with its name and value."""
    with pytest.raises(TypeError, match=r"^max_nodes is .*; it must be a whole number or None$"):
        non_negative(value, "max_nodes")


def test_negative_limits_are_refused() -> None:
    """A limit below 0 is a ValueError with its name and value."""
    with pytest.raises(ValueError, match=r"^max_nodes is -1; it cannot be negative$"):
        non_negative(-1, "max_nodes")


@pytest.mark.parametrize(
    ("value", "time"), [(0, 0.0), (2, 2.0), (0.5, 0.5), (np.float32(0.5), 0.5), (math.inf, math.inf)]
)
def test_numbers_are_seconds(value: Any, time: float) -> None:
    """Any number from 0 is a time, infinity and None among them."""
    assert seconds(value) == time
    assert type(seconds(value)) is float
    assert seconds(None) == math.inf


@pytest.mark.parametrize("value", [-1, -0.001, math.nan, np.float64("nan"), -math.inf])
def test_times_before_zero_are_refused(value: Any) -> None:
    """A negative time and one that is no number are a ValueError with the name and the value."""
    with pytest.raises(ValueError, match=rf"^timeout is {value}; it must be 0 or more$"):
        seconds(value)


@pytest.mark.parametrize("value", [True, "1", 1j, [1]])
def test_other_types_are_no_seconds(value: Any) -> None:
    """Anything else than a number is a TypeError."""
    with pytest.raises(TypeError, match=r"^patience is .*; it must be a number of seconds or None$"):
        seconds(value, "patience")
