"""Plain sudoku from Python: completions, counts, and the limits that `dlx` takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from waiting import WAIT

import dlx
import sudoku
import sudoku.listing
from sudoku.listing import Budget, Listing

EMPTY = 81 * "."
IMPOSSIBLE = "000005080000601043000000000010500000000106000300000005530000061000000004000000000"  # P. Norvig's


def test_solve_tells_none_from_unknown() -> None:
    """A grid without completions is exhausted; a search that was stopped says by what."""
    none = sudoku.solve("5...5" + "." * 76)
    assert (none.completion, none.exhausted, none.stopped) == (None, True, None)
    stopped = sudoku.solve("." * 81, max_nodes=5)
    assert (stopped.completion, stopped.exhausted, stopped.stopped) == (None, False, "max_nodes")
    late = sudoku.solve("." * 81, timeout=0)
    assert (late.completion, late.stopped) == (None, "timeout")


def test_a_grid_without_completion_that_is_hard_for_bands() -> None:
    """Exact cover takes over where bands find no completion: they alone take 993,429 nodes for this grid."""
    grid = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4........."
    solution, number = sudoku.solve(grid), sudoku.count(grid)
    assert (solution.completion, solution.exhausted, number.covers, number.exhausted) == (None, True, 0, True)
    many = sudoku.count_many([grid, SOLVED, grid], 2)
    assert many.counts.tolist() == [0, 1, 0]
    assert not sudoku.is_unique(grid, max_nodes=50_000)
    assert max(solution.nodes, number.nodes, many.nodes / 2) < 50_000
    limited = sudoku.solve(grid, max_nodes=5_000)
    assert (limited.stopped, limited.nodes) == ("max_nodes", 5_000)


def test_a_search_begins_again_with_another_seed() -> None:
    """A completion of this layout takes 59 million nodes without another seed; max_nodes limits all seeds together."""
    layout = sudoku.Layout.named("x, anti-knight")
    found = sudoku.solve(EMPTY, layout, max_nodes=20_000_000)
    assert found.completion is not None
    assert sudoku.count(found.completion, layout).covers == 1
    most = sudoku.listing.LONG + 1000
    stopped = sudoku.solve(EMPTY, layout, max_nodes=most)
    assert (stopped.completion, stopped.stopped, stopped.nodes) == (None, "max_nodes", most)


@pytest.mark.usefixtures("ticking")
def test_count_stops_at_its_limits() -> None:
    """Every limit of `dlx.count` is passed through, and so is progress."""
    assert sudoku.count("." * 81, max_covers=7).covers == 7
    assert sudoku.count("." * 81, max_nodes=1000).stopped == "max_nodes"
    seen: list[object] = []
    assert sudoku.count("." * 81, timeout=1, progress=seen.append).stopped == "timeout"
    assert seen


SOLVED = "693784512487512936125963874932651487568247391741398625319475268856129743274836159"


def test_a_count_merges_where_that_pays() -> None:
    """Five rows left: merged, while it stops at a limit exactly and then visits."""
    grid = SOLVED[:36] + "." * 45
    whole = sudoku.count(grid)
    assert (whole.covers, whole.merged, whole.exhausted) == (615600, True, True)
    some = sudoku.count(grid, max_covers=100_000)
    assert (some.covers, some.merged, some.stopped) == (100_000, False, "max_covers")


def test_a_grid_that_is_given_up_keeps_its_limits_and_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact cover takes a grid over with what is left of the timeout, and the result has the work of both searches."""
    limits: list[float] = []
    work: list[int] = []

    def noted(search: Callable[..., Any]) -> Callable[..., Any]:
        def searched(problem: dlx.Problem, **given: Any) -> Any:
            limits.append(given["timeout"])
            found = search(problem, **given)
            work.append(found.nodes)
            return found

        return searched

    monkeypatch.setattr(dlx, "first", noted(dlx.first))
    monkeypatch.setattr(dlx, "count", noted(dlx.count))
    for found in (sudoku.solve(IMPOSSIBLE, timeout=50), sudoku.count(IMPOSSIBLE, timeout=50)):
        assert found.exhausted
        assert found.nodes >= work[-1] + 500  # guesses
    assert len(limits) == 2
    assert all(0 < timeout < 50 for timeout in limits)


def test_several_completions_take_one_search() -> None:
    """A grid with several completions is searched once, with as many nodes as its covers take."""
    grid, layout = "1" + 35 * ".", sudoku.Layout.named("x", (2, 3))
    search = dlx.covers(sudoku.encode(grid, layout), max_covers=7)
    found = [*search]
    some = sudoku.count_many([grid], 7, layout)
    assert (some.counts.tolist(), some.nodes) == ([7], search.nodes)
    assert np.array_equal(some.completions[0], sudoku.decode(search.problem, found[0]))


def test_grids_that_take_many_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search that takes over from Algorithm X finds the same counts, and each completion once."""
    layout = sudoku.Layout.named("x", (2, 3))
    grids = np.zeros((3, 6, 6), dtype=int)
    grids[1, 0, :2], grids[2, 0, :4] = 5, (1, 2, 3, 4)
    problem = sudoku.encode(grids[2], layout)
    number = dlx.count(problem).covers
    monkeypatch.setattr(sudoku.listing, "PATIENCE", 5)
    late = sudoku.count_many(grids, 7, layout)
    assert late.counts.tolist() == [7, 0, 7]
    assert late.completions[2].all()
    stopped = sudoku.count_many(grids, 7, layout, max_nodes=30)
    assert (stopped.counts.tolist(), stopped.stopped) == ([-1, -1, -1], "max_nodes")
    assert sudoku.count_many(grids[2:], 10**6, layout).counts.tolist() == [number]
    assert sudoku.count(grids[2], layout, max_covers=number - 1).stopped == "max_covers"
    blocks = Listing(problem, Budget()).blocks()
    listed = np.concatenate([sudoku.decode(problem, block) for block in blocks])
    assert len(np.unique(listed, axis=0)) == len(listed) == number


@pytest.mark.parametrize("kind", ["V", "X", "whisper", "black-dot"])
def test_two_completions_of_a_nearly_empty_grid(kind: str) -> None:
    """A rule about two cells in the middle of an empty grid: Algorithm X alone finds no completion for `V`."""
    layout = sudoku.Layout.boxes(3, 3).with_lines(kind, [(5, 0), (5, 1)])
    limits: Any = {"timeout": WAIT}  # seconds; each takes some hundredths
    assert sudoku.count(EMPTY, layout, max_covers=2, **limits).stopped == "max_covers"
    assert sudoku.count_many([EMPTY], 2, layout, **limits).counts.tolist() == [2]
    assert not sudoku.is_unique(EMPTY, layout, **limits)
    assert sudoku.explain(EMPTY, layout, **limits).completions == 2


@pytest.mark.parametrize(
    "search",
    [
        sudoku.solve,
        sudoku.count,
        sudoku.best,
    ],
    ids=["solve", "count", "best"],
)
def test_the_making_of_the_problem_is_counted(search: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A problem that takes seven seconds leaves nothing of a timeout of five, and the result says it."""
    clock = iter(range(0, 70, 7))
    monkeypatch.setattr("sudoku.listing.time", SimpleNamespace(perf_counter=lambda: next(clock)))
    found = search("." * 16, layout=(2, 2), timeout=5)
    assert found.stopped == "timeout"
    assert found.seconds % 7 == 0
    assert found.seconds > 0


def test_limits_of_several_searches_hold_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit on covers or nodes is that of all searches of a call, and a stopped search is not exhausted."""
    grid, layout = 16 * ".", sudoku.Layout.named("x", (2, 2))  # 48 completions
    with pytest.raises(TimeoutError, match="max_covers"):
        sudoku.is_unique(grid, layout, max_covers=1)
    for limit, most in ((10, 11), (1, 1), (2, 3), (48, 49)):
        found = sudoku.count_many([grid] * 3, limit, layout, max_covers=most)
        assert (found.counts.tolist(), found.stopped) == ([limit, -1, -1], "max_covers")
    assert sudoku.count(grid, layout, max_covers=1).stopped == "max_covers"
    monkeypatch.setattr(sudoku.listing, "PATIENCE", 1)
    for nodes in range(1, 60):
        stopped = sudoku.count(grid, layout, max_covers=30, max_nodes=nodes)
        assert stopped.nodes <= nodes
        assert stopped.stopped in ("max_nodes", "max_covers")


RESULTS: dict[str, Callable[[], Any]] = {
    "solve": lambda: sudoku.solve(SOLVED[:80] + "."),
    "count": lambda: sudoku.count(16 * ".", (2, 2)),
    "count_many": lambda: sudoku.count_many([SOLVED], 2),
    "best": lambda: sudoku.best(SOLVED),
    "best_many": lambda: sudoku.best_many([SOLVED]),
    "rate": lambda: sudoku.rate(SOLVED[:80] + "."),
    "explain": lambda: sudoku.explain("11" + 79 * "."),
    "single": lambda: next(sudoku.steps(SOLVED[:80] + ".")),
    "combination": lambda: next(
        sudoku.steps(16 * ".", sudoku.Layout.boxes(2, 2).with_sums("cage", (4, [(0, 0), (0, 1)])))
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_as_json(name: str) -> None:
    """`to_dict` of each result has what `json` writes and reads."""
    facts = RESULTS[name]().to_dict()
    assert json.loads(json.dumps(facts)) == facts
