"""Checks of matrices, arrays and limits; tests/data/refused.txt has most of the input that is refused."""

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

from dlx import Problem, ProblemError
from dlx.problem.checks import UNLIMITED, non_negative, seconds

# What is no problem


@pytest.mark.parametrize("value", [2, -1, 0.5, float("nan"), float("inf")])
@pytest.mark.parametrize("form", ["csr_matrix", "csc_array", "coo_array", "lil_matrix", "dok_array"])
def test_bad_sparse_matrices_are_refused(form: str, value: float) -> None:
    """A sparse matrix is held to the same rule, whatever its form."""
    matrix = getattr(scipy.sparse, form)(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, value]]))
    with pytest.raises(ProblemError, match=rf"row 1, column 2 of the matrix is {value:g}(\.0)?, neither 0 nor 1"):
        Problem.from_matrix(matrix)


def test_duplicate_sparse_entries_are_summed_first() -> None:
    """Two ones in one place make a two, as they do in scipy; and that is refused."""
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


def test_sparse_entries_are_added_up() -> None:
    """Two and minus one in one place are one, and booleans in one place are one, as in scipy."""
    for values in (np.array([2, -1], dtype=np.int8), np.array([True, True])):
        twice = scipy.sparse.coo_array((values, ([0, 0], [0, 0])), shape=(1, 1))
        assert Problem.from_matrix(twice) == Problem.from_matrix([[1]])


PAIR = Problem.from_options(["ax", "b"], secondary="x")


def test_a_mask_that_hides_nothing_is_no_harm() -> None:
    """Such an array is one like any other, and the problem keeps a plain one."""
    problem = Problem.from_csr(np.ma.array([0, 2]), np.ma.array([0, 1], mask=[False, False]), 2)
    assert problem == Problem.from_csr([0, 2], [0, 1], 2)
    assert type(problem.indices) is np.ndarray


def test_plain_numbers() -> None:
    """The number of primary items is a plain one, which every format can say; weights past float64 are infinite."""
    one: Any = np.int64(1)
    assert type(replace(Problem.from_options(["a"]), n_primary=one).n_primary) is int
    if np.finfo(np.longdouble).max > np.finfo(np.float64).max:
        with pytest.raises(ProblemError, match="the weight of option 0 is inf"):
            Problem.from_options(["a"], weights=np.array([1e308], dtype=np.longdouble) * 10)


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


# What is no limit


@pytest.mark.parametrize(
    ("value", "limit"), [(0, 0), (7, 7), (np.int32(7), 7), (np.uint64(2**63), UNLIMITED), (10**30, UNLIMITED)]
)
def test_whole_numbers_are_limits(value: Any, limit: int) -> None:
    """Whole numbers of any kind are taken, as Python's own; what no search reaches is no limit, like None."""
    assert non_negative(value, "k") == limit
    assert type(non_negative(value, "k")) is int
    assert non_negative(None, "k") == UNLIMITED


@pytest.mark.parametrize(
    ("value", "time"), [(0, 0.0), (2, 2.0), (0.5, 0.5), (np.float32(0.5), 0.5), (math.inf, math.inf)]
)
def test_numbers_are_seconds(value: Any, time: float) -> None:
    """Any number from 0 is a time, infinity and None among them."""
    assert seconds(value) == time
    assert type(seconds(value)) is float
    assert seconds(None) == math.inf
