"""Problems made of others by choosing options or leaving them out: their covers, numbers, errors, and their rows."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from oracle import as_sets, is_cover
from seeds import for_seeds

from dlx import Coloured, Problem, ProblemError, best, count, count_reaching, covers, first, reference
from dlx.problem.problem import as_cover
from dlx.problem.roles import LEFT_OUT

PAIRS = Problem.from_options(["ab", "cd", "ac", "bd", "abcd", "a"], items="abcd", weights=[1, 2, 4, 8, 16, 32])


def problem_of(seed: int) -> tuple[np.random.Generator, Problem]:
    """A small random problem; by turns with colours, with weights, and with multiplicities."""
    rng = np.random.default_rng(seed)
    n_primary, n_secondary = int(rng.integers(1, 7)), int(rng.integers(0, 4))
    n_items, n_options = n_primary + n_secondary, int(rng.integers(1, 12))
    coloured, many = seed % 2 == 0, seed % 3 == 0
    options: list[list[Any]] = []
    for _ in range(n_options):
        row = rng.choice(n_items, size=min(n_items, 1 + int(rng.geometric(0.5))), replace=False).tolist()
        colour = [coloured and i >= n_primary and bool(rng.integers(0, 3)) for i in row]
        options.append([Coloured(i, int(rng.integers(0, 2))) if c else i for i, c in zip(row, colour, strict=True)])
    limits = {i: tuple(sorted(rng.integers(1, 4, size=2).tolist())) for i in range(n_primary) if rng.integers(0, 2)}
    problem = Problem.from_options(
        options,
        items=range(n_items),
        secondary=range(n_primary, n_items),
        weights=rng.integers(-9, 10, size=n_options),
        multiplicities={i: (lo - 1, hi) for i, (lo, hi) in limits.items()} if many else None,
    )
    return rng, problem


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


def some(rng: np.random.Generator, problem: Problem, most: int) -> set[int]:
    """Up to so many different options."""
    return set(rng.integers(0, problem.n_options, size=int(rng.integers(0, most + 1))).tolist())


@for_seeds(600)
def test_covers_of_derived_problems(seed: int) -> None:
    """The covers are those of the whole problem that pass the filter, by the same numbers, from every search."""
    rng, problem = problem_of(seed)
    every = as_sets(covers(problem))
    chosen, out, kept = (
        some(rng, problem, 2),
        some(rng, problem, 3),
        set(rng.permutation(problem.n_options)[:8].tolist()),
    )
    if every and rng.integers(0, 3):
        chosen = set(every[int(rng.integers(len(every)))][:2])
    wanted = [c for c in every if chosen <= set(c) and set(c) <= (kept | chosen) - (out - chosen)]
    try:
        derived = problem.with_chosen(chosen)
    except ProblemError:
        assert not any(chosen <= set(c) for c in every)
        return
    derived = derived.without(out - chosen).restricted_to(kept | chosen)
    assert as_sets(covers(derived)) == wanted
    assert as_sets(covers(derived, kernel="links")) == wanted
    assert as_sets(covers(derived, kernel="bits", seed=seed)) == wanted
    assert as_sets(row[row >= 0] for block in covers(derived).blocks() for row in block) == wanted
    assert count(derived).covers == len(wanted)
    assert (first(derived).cover is not None) == bool(wanted)
    assert max((len(c) for c in wanted), default=0) <= derived.max_level


@for_seeds(200)
def test_best_covers_of_derived_problems(seed: int) -> None:
    """`best` and `count_reaching` see the covers of the derived problem only, with their scores."""
    rng, problem = problem_of(seed)
    derived = problem.without(some(rng, problem, 2))
    every = [derived.score(c) for c in covers(derived)]
    if every:
        derived = derived.with_chosen(next(covers(derived))[:1])
        every = [derived.score(c) for c in covers(derived)]
    assert best(derived).score == max(every, default=None)
    assert best(derived, "min").score == min(every, default=None)
    if every:
        assert count_reaching(derived, max(every)).covers == every.count(max(every))


def test_the_order_of_derivations_does_not_matter() -> None:
    """Choosing and leaving out in any order, at once or one by one, makes equal problems."""
    problem = PAIRS.with_chosen([0]).without([4])
    assert problem == PAIRS.without([4]).with_chosen([0]) == PAIRS.without([4, 5]).with_chosen([0]).with_chosen([])
    assert hash(problem) == hash(PAIRS.without([4]).with_chosen([0]))
    assert problem != PAIRS.with_chosen([1]).without([4])
    assert PAIRS.without([0, 1]) == PAIRS.restricted_to([2, 3, 4, 5])


def test_a_derived_problem_is_a_value_of_its_own() -> None:
    """It survives copying and pickling; the problem it was made of is as before; nobody can change its roles."""
    before = deepcopy(PAIRS)
    problem = PAIRS.with_chosen([2]).without([4])
    assert before == PAIRS != problem
    assert deepcopy(problem) == problem == pickle.loads(pickle.dumps(problem))
    assert problem.roles is not None
    with pytest.raises(ValueError, match="read-only"):
        problem.roles[0] = 1


def test_what_stays_as_it_was() -> None:
    """Options, labels, weights and scores are still looked up by the old numbers, those of left-out options too."""
    problem = PAIRS.with_chosen([2])
    assert (problem.n_options, problem.option(0), problem.score([2, 3])) == (6, ("a", "b"), 12)
    assert problem.labels(next(covers(problem))) == (("a", "c"), ("b", "d"))


def test_repr_says_how_many() -> None:
    """`repr` tells how many options have been left out and chosen."""
    assert repr(PAIRS.without([5])) == "Problem(4 items, 6 options, 13 entries, weighted, 1 left out)"
    assert repr(PAIRS.with_chosen([0, 1])) == "Problem(4 items, 6 options, 13 entries, weighted, 4 left out, 2 chosen)"


COLOURED = Problem.from_options(
    [["a", Coloured("x", "red")], ["b", Coloured("x", "red")], ["c", Coloured("x", "blue")], ["d", "x"], ["x"]],
    items="abcdx",
    secondary="x",
)
MANY = Problem.from_options(
    ["a", "ab", "ac", "b", "bc"], items="abc", multiplicities={"a": 2, "b": (0, 2), "c": (0, 1)}
)


@pytest.mark.parametrize(
    ("problem", "chosen", "message"),
    [
        (PAIRS, [0, 5], "options 0 and 5 both have 'a'"),
        (PAIRS, [1, 3], "options 1 and 3 both have 'd'"),
        (COLOURED, [0, 1, 2], "options 0 and 2 give 'x' the colours 'red' and 'blue'|options 1 and 2 give .*"),
        (COLOURED, [0, 3], "options 0 and 3 both have 'x'|options 3 and 0 both have 'x'"),
        (COLOURED, [0, 1, 3], "options [013] and [013] both have 'x'"),
        (COLOURED, [4], "option 4 has no primary item, so it is in no cover"),
        (MANY, [0, 1, 2], "options 0, 1 and 2 have 'a', which is covered at most 2 times"),
        (MANY, [2, 4], "options 2 and 4 both have 'c'"),
        (PAIRS.without([3]), [3], "option 3 has been left out, so it is in no cover"),
        (PAIRS.with_chosen([0]), [3], "options 0 and 3 both have 'b'"),
    ],
)
def test_a_clash_is_named(problem: Problem, chosen: list[int], message: str) -> None:
    """The error says which chosen options clash, and on which item; options chosen before count as well."""
    with pytest.raises(ProblemError, match=f"^({message})$"):
        problem.with_chosen(chosen)


def test_compatible_choices_are_no_clash() -> None:
    """One colour from two options, an item as often as it may be covered, and an option twice are all allowed."""
    assert COLOURED.with_chosen([0, 1]).roles.tolist() == [2, 2, 0, 0, 0]  # type: ignore[union-attr]
    assert MANY.with_chosen([0, 1]).roles.tolist() == [2, 2, 0, 1, 1]  # type: ignore[union-attr]
    assert PAIRS.with_chosen([0, 0]) == PAIRS.with_chosen(np.array([0])) == PAIRS.with_chosen({0})


def test_a_chosen_option_cannot_be_left_out() -> None:
    """Leaving out a chosen option is refused, by either way of doing it; what clashes may be left out again."""
    problem = PAIRS.with_chosen([2])
    with pytest.raises(ProblemError, match="option 2 has been chosen, so it cannot be left out"):
        problem.without([0, 2])
    with pytest.raises(ProblemError, match="option 2 has been chosen, so it cannot be left out"):
        problem.restricted_to([3])
    assert problem.without([0, 1]) == problem


def test_roles_given_directly_are_checked() -> None:
    """A problem built with roles leaves out what clashes, and refuses roles that make no sense."""
    shape = PAIRS.items, PAIRS.n_primary, PAIRS.indptr, PAIRS.indices, PAIRS.weights
    assert Problem(*shape, roles=np.array([1, 1, 2, 1, 1, 1])) == PAIRS.with_chosen([2])
    for roles, message in [
        ([1] * 5, r"the roles have the shape \(5,\)"),
        ([1, 1, 3, 1, 1, 1], "the role of option 2 is 3"),
        ([2, 2, 2, 1, 1, 1], "options 0 and 2 both have 'a'"),
        ([0.5] * 6, "the type float64"),
    ]:
        with pytest.raises(ProblemError, match=message):
            Problem(*shape, roles=np.array(roles))
    with pytest.raises(ProblemError, match="implied has the shape"):
        Problem(*shape, implied=np.ones(3, dtype=np.bool_))


def test_everything_may_be_left_out() -> None:
    """Without options there is no cover; unless nothing is to be covered, when the empty one is left."""
    nothing = PAIRS.restricted_to([])
    assert (list(covers(nothing)), nothing.max_level, best(nothing).proven) == ([], 0, True)
    assert list(covers(Problem.from_options([["x"]], secondary="x").restricted_to([]))) == [()]
    assert list(covers(Problem.from_options([]).with_chosen([]).without([]))) == [()]


def test_rows_of_a_problem_as_it_was_given_are_its_own() -> None:
    """Kernels share the arrays of a problem; derived problems have rows of their own."""
    assert PAIRS.rows().indices is PAIRS.indices
    problem = PAIRS.with_chosen([0])
    rows = problem.rows()
    assert problem.roles is not None
    assert (np.diff(rows.indptr) == np.where(problem.roles == LEFT_OUT, 0, np.diff(PAIRS.indptr))).all()


def test_rows_force_the_chosen_options_where_items_do_not() -> None:
    """With multiplicities each chosen option has a primary item of its own, to be covered once."""
    rows = MANY.with_chosen([0, 3]).rows()
    assert (rows.n_items, rows.n_primary) == (5, 5)
    assert rows.multiplicities is not None
    assert rows.multiplicities[3:].tolist() == [[1, 1], [1, 1]]
    assert rows.indices[rows.indptr[0] : rows.indptr[1]].tolist() == [3, 0]
    assert rows.indices[rows.indptr[3] : rows.indptr[4]].tolist() == [4, 1]


def test_rows_are_read_only() -> None:
    """The rows of a problem are made once and given to every kernel, so no one of them may write to them."""
    for problem in (PAIRS.with_chosen([0]), COLOURED.with_chosen([0]), MANY.with_chosen([0, 3])):
        for part in problem.rows():
            assert not isinstance(part, np.ndarray) or not part.flags.writeable
