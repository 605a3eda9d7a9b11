"""What a `Problem` accepts, what it makes of it, and that it is a value which nobody can change."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from types import FrameType
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from oracle import as_sets

from dlx import Coloured, Problem, count, covers
from dlx.problem.checks import MAX_SCORE
from dlx.problem.roles import max_level

TOY = ["cef", "adg", "bcf", "ad", "bg", "deg"]
MATRIX = np.array([[item in option for item in "abcdefg"] for option in TOY])


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
    """A problem whose items have colours is made with at most four function calls for each item of its options."""
    options = [[k % 100, *(Coloured(100 + (7 * k + 31 * j) % 333, j) for j in range(4))] for k in range(1000)]
    calls = 0

    def count_calls(_frame: FrameType, event: str, _of: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count_calls)
    try:
        Problem.from_options(options, secondary=range(100, 433))
    finally:
        sys.setprofile(None)
    assert 0 < calls <= 4 * sum(map(len, options))


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
    for problem in (asked, FULL, Problem.from_options([])):
        assert problem.rows() is problem.rows()
        assert problem.max_level == max_level(problem.rows())


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
