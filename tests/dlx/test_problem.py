"""The input of a `Problem`, its fields and copies; multiplicities; tests/data/refused.txt has the refused input."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import FrozenInstanceError, fields, replace
from functools import partial
from itertools import combinations, product
from typing import Any, cast

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import KINDS, as_sets, is_cover, random_problem
from seeds import for_seeds

import dlx
from dlx import Coloured, Problem, ProblemError, best, count, covers, diagram, estimate, first, reference
from dlx.problem.problem import as_cover
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


def test_a_problem_does_not_share_its_arrays() -> None:
    """Changes to the arrays given do not reach the problem, whose own cannot be written."""
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


def arrays(problem: Problem) -> list[np.ndarray]:
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
    """Copies and pickles are equal, however they are made, and nobody can write to their arrays or their memory."""
    other = again(FULL)
    assert other == FULL
    assert len(arrays(other)) == 10
    for array in arrays(other):
        assert not array.flags.writeable
        assert array.flags.owndata


def test_what_is_made_once_is_no_part_of_the_value() -> None:
    """Rows that have been made change no equality, hash, repr or pickle; other problems make their own."""
    used, fresh = (Problem.from_options(["ab", "cd", "ac", "bd", "a"]) for _ in range(2))
    rows, level = used.rows(), used.max_level
    assert (used, hash(used), repr(used)) == (fresh, hash(fresh), repr(fresh))
    assert pickle.dumps(used) == pickle.dumps(fresh)
    for other in (copy.copy(used), copy.deepcopy(used), pickle.loads(pickle.dumps(used)), replace(used)):
        assert other.rows() is not rows
        assert str(other.rows()) == str(rows)
    assert used.with_chosen([2]).rows().indices.tolist() == [0, 2, 1, 3]
    assert used.without([0, 4]).rows().indices.tolist() == [2, 3, 0, 2, 1, 3]
    assert (level, used.without([1, 2, 3, 4]).max_level) == (4, 1)
    assert rows.indices is used.indices
    assert used.rows() is rows
    for problem in (used, FULL, Problem.from_options([])):
        assert problem.rows() is problem.rows()
        assert problem.max_level == max_level(problem.rows())


# Problems made of others by choosing options or leaving them out


def problem_of(seed: int) -> tuple[np.random.Generator, Problem]:
    """A small random problem with weights; by turns with colours, with multiplicities, with both."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, KINDS[seed % 4])
    return rng, replace(problem, weights=rng.integers(-9, 10, size=problem.n_options))


def some(rng: np.random.Generator, problem: Problem, most: int) -> set[int]:
    """Returns up to `most` different options."""
    return set(rng.permutation(problem.n_options)[: rng.integers(0, most + 1)].tolist())


@for_seeds(400)
def test_only_covers_pass_for_covers(seed: int) -> None:
    """Options are taken for a cover just if they are one; else the error says why not."""
    rng, problem = problem_of(seed)
    cover = next(reference.covers(problem), ())
    for options in (cover, cover[1:], cover + cover[:1], [*cover, *some(rng, problem, 1)], some(rng, problem, 5)):
        if is_cover(problem, options):
            assert as_cover(problem, reversed([*options]), "start") == tuple(sorted(options))
        else:
            with pytest.raises(ProblemError, match=r"no cover|twice|have|no primary|the colours"):
                as_cover(problem, options, "start")


@for_seeds(600)
def test_covers_of_derived_problems(seed: int) -> None:
    """The covers are those of the whole problem that pass the filter, by the same numbers, from every search."""
    rng, problem = problem_of(seed)
    every = as_sets(covers(problem))
    chosen, out = some(rng, problem, 2), some(rng, problem, 3)
    kept = set(rng.permutation(problem.n_options)[: problem.n_options * 3 // 4].tolist())
    if every and rng.integers(0, 3):
        chosen = set(every[int(rng.integers(len(every)))][:2])
    wanted = [c for c in every if chosen <= set(c) and set(c) <= (kept | chosen) - (out - chosen)]
    try:
        derived = problem.with_chosen(chosen)
    except ProblemError:
        assert not any(chosen <= set(c) for c in every)
        return
    derived = derived.without(out - chosen).without(set(range(problem.n_options)) - kept - chosen)
    assert as_sets(covers(derived)) == wanted
    assert as_sets(covers(derived, kernel="links")) == wanted
    assert as_sets(covers(derived, kernel="bits", seed=seed)) == wanted
    assert as_sets(row[row >= 0] for block in covers(derived).blocks() for row in block) == wanted
    assert count(derived).covers == len(wanted)
    assert (first(derived).cover is not None) == bool(wanted)
    assert max((len(c) for c in wanted), default=0) <= derived.max_level


# Matrices, arrays and limits


def test_items_of_a_set_have_one_order() -> None:
    """Items of a set are numbered as they occur, so that a checkpoint of another process is of the same problem."""
    assert [*{8, 1}] == [8, 1]
    problem = Problem.from_options([["a", 1], ["b", 8]], items=["a", "b", 16, 1], secondary={8, 1, 16})
    assert problem.items == ("a", "b", 1, 8, 16)
    assert Problem.from_options([[1], [8]], items={8, 1}).items == (1, 8)
    assert Problem.from_csr([0, 2, 4], [0, 1, 0, 2], items=["a", 1, 8], secondary={8, 1}).items == ("a", 1, 8)


PAIR = Problem.from_options(["ax", "b"], secondary="x")


ARRAYS = hnp.arrays(
    hnp.scalar_dtypes() | hnp.integer_dtypes() | hnp.nested_dtypes(),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
) | hnp.arrays(hnp.integer_dtypes(), st.integers(0, 6), elements=st.integers(0, 5))


@given(ARRAYS, ARRAYS, st.integers(-1, 6))
def test_any_arrays(one: np.ndarray, other: np.ndarray, n_items: int) -> None:
    """Arrays of any types, shapes and values are a problem or a ProblemError, or too large."""
    parts: list[dict[str, Any]] = [{name: one} for name in ("weights", "multiplicities", "roles")]
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


class Labelled:
    """Values with an index, as a Series of pandas has them."""

    def __init__(self, *values: tuple[Any, Any]) -> None:
        self.index, self._values = [label for label, _ in values], [value for _, value in values]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def reindex(self) -> None:
        """Does nothing: the name is what a Series is known by."""

    def to_list(self) -> list[Any]:
        """The values in their own order."""
        return self._values


class Table:
    """A table with names of columns and rows, as a DataFrame of pandas is one."""

    def __init__(self, rows: dict[Any, list[int]], columns: str) -> None:
        self.index, self.columns, self._rows = list(rows), list(columns), list(rows.values())

    def to_numpy(self) -> np.ndarray:
        """The values."""
        return np.array(self._rows)


class Graph:
    """A graph with nodes and edges, as of networkx, over whose nodes a loop goes."""

    nodes = edges = ("ab", "bc")

    def __iter__(self) -> Iterator[str]:
        return iter(self.nodes)


def test_weights_with_labels_go_by_label() -> None:
    """A mapping, or what looks like a Series, has weights by names or numbers; one number is for all options."""
    options = {"w": "ab", "x": "b", "y": "a"}
    for by_label in ({"x": 1, "y": 2, "w": 5}, Labelled(("y", 2), ("w", 5), ("x", 1))):
        weights: Any = by_label
        assert Problem.from_options(options, weights=weights).weights.tolist() == [5, 1, 2]  # type: ignore[union-attr]
    assert Problem.from_options(["a", "b"], weights={1: 0.5, 0: 2}).weights.tolist() == [2, 0.5]  # type: ignore[union-attr]
    fewest = Problem.from_options(options, weights=1)
    assert dlx.best(fewest, "min").covers[0].labels == ("w",)
    in_order = r"; weights\.to_numpy\(\) are weights in the order of the options"
    with pytest.raises(ProblemError, match=f"the weights are a Labelled with a label twice{in_order}"):
        Problem.from_options({"x": "a"}, weights=cast("Any", Labelled(("x", 1), ("x", 2))))
    with pytest.raises(ProblemError, match=f"a Labelled with labels, but the options have no names{in_order}"):
        Problem.from_options(["a", "b"], weights=cast("Any", Labelled((1, 1), (0, 2))))


def test_columns_of_a_table_in_another_order() -> None:
    """Options and costs with the same index belong together by their labels; costs alone are refused."""
    items, costs = Labelled((1, "b"), (3, "b"), (2, "a"), (0, "a")), Labelled((1, 1), (3, 2), (2, 20), (0, 30))
    problem = Problem.from_options(cast("Any", items), weights=cast("Any", costs))
    assert (problem.names, problem.weights.tolist()) == ((1, 3, 2, 0), [1, 2, 20, 30])  # type: ignore[union-attr]
    assert Problem.from_options(cast("Any", Labelled((0, "b"), (1, "a")))).names is None
    with pytest.raises(ProblemError, match=r"weights\.to_numpy\(\)"):
        Problem.from_matrix([[0, 1], [0, 1], [1, 0], [1, 0]], weights=cast("Any", costs))
    with pytest.raises(ProblemError, match="the weights are a Table; give one of its columns"):
        Problem.from_options(["a"], weights=cast("Any", Table({0: [1]}, "c")))


def test_tables_and_graphs() -> None:
    """Tables are matrices with names, and no lists of options; nor is a graph, whose edges are."""
    table: Any = Table({"x": [1, 0, 1], "y": [0, 1, 0]}, "abc")
    made = Problem.from_matrix(table, weights={"y": 3, "x": 2})
    assert (made.items, made.names, made.option(0)) == (("a", "b", "c"), ("x", "y"), ("a", "c"))
    assert made.weights is not None
    assert made.weights.tolist() == [2, 3]
    assert Problem.from_matrix(cast("Any", Table({0: [1], 1: [1]}, "a"))).names is None
    with pytest.raises(TypeError, match=r"the options are a Table instead of .*; Problem\.from_matrix takes"):
        Problem.from_options(table)
    with pytest.raises(TypeError, match=r"the options are a Graph; for its edges write graph\.edges"):
        Problem.from_options(Graph())
    assert Problem.from_options(Graph().edges).n_options == 2


def test_rows_of_zeros_keep_their_numbers() -> None:
    """A row of zeros is in no cover, and rows that are equal are different options, as counted by hand."""
    rows = [3, 4, 0, 3, 4, 7, 1, 6, 1, 0, 4, 3]
    matrix = np.array([[row >> k & 1 for k in range(3)] for row in rows], dtype=bool)
    for one in (matrix, scipy.sparse.csr_array(matrix.astype(int))):
        with pytest.warns(UserWarning, match=r"options\[2\] and 1 other have no items, and will be in no cover"):
            problem = Problem.from_matrix(one, secondary=[2])
        with pytest.warns(UserWarning, match=r"options\[2\] and 1 other"):
            exact = Problem.from_matrix(one)
        by_hand = [
            some
            for size in range(1, 4)
            for some in combinations(range(12), size)
            if all(rows[o] for o in some)
            and sum(rows[o] for o in some) == 7
            and len({k for o in some for k in range(3) if rows[o] >> k & 1}) == sum(rows[o].bit_count() for o in some)
        ]
        assert sorted(tuple(sorted(cover)) for cover in dlx.covers(exact)) == sorted(by_hand)
        assert dlx.count(exact, merge="same").covers == len(by_hand)
        assert problem.n_options == 12
        assert pickle.loads(pickle.dumps(exact)) == exact


def test_options_without_a_primary_item_keep_their_numbers() -> None:
    """One warning tells of all of them."""
    with pytest.warns(UserWarning, match=r"options\[0\] and 1 other have no primary item, and will be in no cover"):
        problem = Problem.from_options(["x", "a", "xy"], secondary="xy")
    assert list(dlx.covers(problem)) == [(1,)]


def test_rows_of_a_matrix_given_as_options() -> None:
    """Rows of two zeros and ones pass for options, with a warning, but not those in the order of the items."""
    with pytest.warns(UserWarning, match=r"every option has both items, 0 and 1; Problem\.from_matrix takes a matrix"):
        assert Problem.from_options([[1, 0], [0, 1]]).n_options == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for options, items in (([[0, 1], [0, 1]], None), ([[1, 0], [0]], None), ([[1, 0], [0, 1]], [0, 1])):
            Problem.from_options(options, items=items)


# Multiplicities


Bound = int | tuple[int, int]


# Closed forms


def graphs(n: int, degree: Bound) -> Problem:
    """The graphs on n labelled vertices that all have such a degree: an option is an edge."""
    return Problem.from_options(
        combinations(range(n), 2), items=range(n), multiplicities=dict.fromkeys(range(n), degree)
    )


def matrices(row_sums: Sequence[Bound], column_sums: Sequence[Bound]) -> Problem:
    """The matrices of zeros and ones with such sums: an option is a place for a one."""
    places = product(range(len(row_sums)), range(len(column_sums)))
    items = [("row", r) for r in range(len(row_sums))] + [("column", c) for c in range(len(column_sums))]
    bounds = dict(zip(items, [*row_sums, *column_sums], strict=True))
    return Problem.from_options(
        {(r, c): [("row", r), ("column", c)] for r, c in places}, items=items, multiplicities=bounds
    )


def triples(n: int, times: int) -> Problem:
    """Triples of n points, each pair in so many of them."""
    pairs = list(combinations(range(n), 2))
    options = [list(combinations(triple, 2)) for triple in combinations(range(n), 3)]
    return Problem.from_options(options, items=pairs, multiplicities=dict.fromkeys(pairs, times))


def closed_forms() -> Iterator[tuple[Problem, int]]:
    """Problems with the numbers of their covers."""
    bounds: list[Bound] = [1, 2, 5, 13, (0, 1), (0, 3), (1, 2), (2, 4), (3, 99), (0, 2**31 - 1), (12, 12)]
    for n, bound in product((0, 1, 5, 12, 60), bounds):  # from lo to hi of n options
        least, most = bound if isinstance(bound, tuple) else (bound, bound)
        subsets = sum(math.comb(n, k) for k in range(least, min(n, most) + 1))
        yield Problem.from_options(["a"] * n, items="a", multiplicities={"a": bound}), subsets
    loose: dict[str, Bound] = {"a": 2, "b": (0, 1), "c": (1, 3), "d": (0, 4), "e": 1}  # items that share no option
    independent = math.comb(4, 2) * (1 + 3) * (4 + 6 + 4) * 2**4 * 1
    yield Problem.from_options([*"aaaabbbccccdddde"], multiplicities=loose), independent
    regular = {  # labelled, OEIS A001147, A001205, A002829, A005815; as many as their complements
        1: {2: 1, 3: 0, 4: 3, 5: 0, 6: 15, 8: 105},
        2: {3: 1, 4: 3, 5: 12, 6: 70, 7: 465, 8: 3507},
        3: {4: 1, 5: 0, 6: 70, 7: 0, 8: 19355},
        4: {5: 1, 6: 15, 7: 465, 8: 19355},
        5: {6: 1, 7: 0, 8: 3507},
    }
    yield from ((graphs(n, degree), number) for degree in regular for n, number in regular[degree].items())
    for n in range(2, 7):  # any graph; matchings (involutions, A000085); no vertex alone (A006129)
        yield graphs(n, (0, n)), 2 ** math.comb(n, 2)
        yield graphs(n, (0, 1)), sum(math.comb(n, 2 * k) * math.prod(range(1, 2 * k, 2)) for k in range(n // 2 + 1))
        yield graphs(n, (1, n)), sum((-1) ** (n - k) * math.comb(n, k) * 2 ** math.comb(k, 2) for k in range(n + 1))
    square = {  # n!, OEIS A001499, A001501
        1: {1: 1, 2: 2, 3: 6, 4: 24, 5: 120, 6: 720},
        2: {1: 0, 2: 1, 3: 6, 4: 90, 5: 2040, 6: 67950},
        3: {3: 1, 4: 24, 5: 2040, 6: 297200},
    }
    yield from ((matrices([ones] * n, [ones] * n), number) for ones in square for n, number in square[ones].items())
    for m, n in ((1, 1), (2, 3), (3, 4), (4, 4)):  # rows are independent where the columns may have any sum
        yield matrices([2] * m, [(0, m)] * n), math.comb(n, 2) ** m
        yield matrices([(1, n)] * m, [(0, m)] * n), (2**n - 1) ** m
        surjective = sum((-1) ** k * math.comb(n, k) * (2 ** (n - k) - 1) ** m for k in range(n + 1))
        yield matrices([(1, n)] * m, [(1, m)] * n), surjective
    # 6!/60, 7!/168 and 9!/432 labelled triple systems, and complements
    yield from ((triples(6, 2), 12), (triples(7, 1), 30), (triples(7, 5), 1), (triples(7, 4), 30), (triples(9, 1), 840))


@pytest.mark.parametrize(("problem", "expected"), list(closed_forms()))
def test_closed_forms(problem: Problem, expected: int) -> None:
    """Subsets, graphs, matrices by sums and triple systems are as many as closed forms say, by each method."""
    assert count(problem).covers == count(problem, merge="same").covers == expected


# Sizes


def test_an_item_covered_too_often_for_layers() -> None:
    """Layers refuse it by its name with what to do instead; visits count it, and so do the choice and the estimate."""
    few = Problem.from_options(["ab", "a", "b", *["a"] * 67], multiplicities={"a": (68, 70)})
    advice = r"'a' can be covered 69 times; a search in layers counts up to 64: use merge='never'"
    with pytest.raises(ProblemError, match=advice):
        count(few, merge="same")
    many = Problem.from_options([*["a"] * 70, *"bc"], multiplicities={"a": (35, 70)})
    with pytest.raises(ProblemError, match=advice.replace("69", "70")):
        diagram(many, memory=1_000)
    assert diagram(few).covers == count(few).covers == count(few, merge="never").covers == 68 + 1 + 1
    guess = estimate(few)
    assert (guess.covers, guess.kernel) == (70, "multi")


@pytest.mark.parametrize("search", [count, best])
def test_one_item_with_many_options_is_linear_work(search: Callable[..., Any]) -> None:
    """Options that each complete a cover do not look at one another: twice as many take about twice the updates."""

    def work(n: int) -> int:
        options = [["a", "bcd"[k % 3]] for k in range(n)]
        problem = Problem.from_options(options, multiplicities={"a": 1, **dict.fromkeys("bcd", (0, 1))})
        result = search(problem)
        assert result.exhausted
        assert result.nodes == n or (search is best and result.nodes < n)
        return int(result.updates)

    assert 0 < work(4000) < 2.5 * work(2000) < 100 * 2000


def test_words_in_a_text() -> None:
    """The items of a text are its characters; a warning says so if the text has a blank, since words may be meant."""
    with pytest.warns(UserWarning, match=r"^the option 'Mo Di' is a text.* for words write \['Mo', 'Di'\]$"):
        problem = Problem.from_options(["ab", "Mo Di"])
    assert problem.option(1) == ("M", "o", " ", "D", "i")
