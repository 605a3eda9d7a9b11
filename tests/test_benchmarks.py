"""The benchmarks: problems are the same in every run, wrong answers are seen, reports are those of their records."""

from __future__ import annotations

import doctest
import importlib
import json
import signal
from importlib.util import find_spec
from math import isclose
from pathlib import Path
from typing import Any

import bench_best
import bench_counting
import bench_sudoku
import front
import many_workers
import numpy as np
import pytest
import report
import sudoku_sets
import weighted_families
from apart import Stopwatch, measure, missing, plain, started
from bench_counting import CASES, Case
from bench_sudoku import as_lines, expected_of, keeps_the_rules, million, solved, wrong
from closed_forms import CLOSED_FORMS
from families import build
from oracle import is_cover
from peers import COUNTING
from seeds import for_seeds, nightly
from sudoku_sides import OneByOne, choices, late

import dlx
import sudoku
from dlx import reference

plotted = pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib comes with the extra bench")


@pytest.mark.parametrize("way", ["release", "debug", "profile", "sanitize", None])
def test_only_a_release_is_measured(way: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other builds than a release, or none, are refused before a suite is run, with the command that mends it."""
    monkeypatch.setattr(report, "BUILT", tmp_path / "built.json")
    if way:
        report.BUILT.write_text(json.dumps({"way": way, "flags": "-O3 -g0"}))
    if way == "release":
        told = report.build()
        assert (told["way"], told["flags"]) == ("release", "-O3 -g0")
        assert told["commit"] == "unknown" or len(told["commit"].removesuffix(", dirty")) == 40
    else:
        with pytest.raises(SystemExit, match=f"{f'a {way} build.*' if way else ''}make build"):
            report.measure("strategies")


@pytest.mark.parametrize("name", report.SUITES)
def test_pages_are_those_of_their_records(name: str) -> None:
    """A page in docs/benchmarks is the table of the records beside it, and its chart can be drawn of them."""
    suite = importlib.import_module(f"bench_{name}")
    records = json.loads((report.DOCS / f"{name}.json").read_text(encoding="utf-8"))["records"]
    assert (report.DOCS / f"{name}.md").read_text(encoding="utf-8").startswith(f"{suite.table(records)}\n")
    if find_spec("matplotlib"):
        assert suite.chart(records).axes


# Counting


@pytest.mark.parametrize("case", [case for case in CASES if case.family in CLOSED_FORMS], ids=lambda case: case.name)
def test_known_numbers_agree_with_closed_forms(case: Case) -> None:
    """Known numbers of covers are the values of formulas, for families that have one."""
    assert isclose(case.covers, CLOSED_FORMS[case.family](*case.sizes), rel_tol=1e-12)


PEERS = nightly(*((side, "dominoes", 4, 36) for side in COUNTING if not side.startswith(("dlx", "visi", "dd"))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("side", "family", "n", "covers"),
    [("visiting", "dominoes", 4, 36), ("visiting", "queens", 5, 10), ("dd", "queens", 5, 10), *PEERS],
)
def test_sides_count(side: str, family: str, n: int, covers: int) -> None:
    """Each side that is installed counts 36 tilings of a small board, or ten ways for five queens, in its time."""
    if reason := missing(side):
        pytest.skip(reason)
    clock = Stopwatch()
    sizes = (n, n) if family == "dominoes" else (n,)
    record = measure(side, 30.0, [plain(build(family, *sizes))], plain(build("dominoes", 2, 2)), clock, True)
    assert (record["tasks"]["count"]["covers"], record["stopped"]) == ([covers], None)
    assert clock.seconds == record["tasks"]["count"]["seconds"] > 0


@pytest.mark.slow
def test_the_limit() -> None:
    """A side that takes longer is stopped, and counts as its limit."""
    clock = Stopwatch()
    problems = [plain(build("matchings", 11))]
    record = measure("visiting", 0.2, problems, plain(build("dominoes", 2, 2)), clock, True)
    assert (record["tasks"], record["stopped"], clock.seconds) == ({}, "time", 0.2)


@plotted
@pytest.mark.slow
def test_the_report_of_counting() -> None:
    """A right count has its time, a wrong one is told without it, a late one has the limit."""
    case = {"instance": "dominoes 4x4", "family": "dominoes", "covers": 36, "limit": 5.0, "found": None, "tasks": {}}
    done = {"seconds": 0.0123, "nodes": 132, "merged": True, "hits": 5, "states": 7, "megabytes": 1.5}
    records = [
        case | {"side": "auto", "found": 36, "stopped": None, "tasks": {"count": done}},
        case | {"side": "xcover, memo", "found": 35, "stopped": None, "tasks": {"count": done | {"seconds": 0.987}}},
        case | {"side": "dd", "stopped": "time"},
        case | {"side": "pyxcc", "stopped": "memory"},
    ]
    table = bench_counting.table(records)
    for text in ("| **12 ms** |", "| wrong: 35 |", "| > 5 s |", "| > 8 GB |", "OEIS A004003"):
        assert text in table
    assert "990 ms" not in table
    assert len(bench_counting.chart(records).axes) > 0


# Sudokus

GIVENS = {"17 givens": (17, 17), "hard": (21, 23), "minimal": (17, 40), "24-30 givens": (24, 30), "easy": (32, 40)}
SETS = [*GIVENS, "open"]


def test_examples_of_the_sets() -> None:
    """Examples of the module print the lines below them; all its sets are tested here."""
    outcome = doctest.testmod(sudoku_sets)
    assert (outcome.attempted >= 4, outcome.failed, sorted(SETS)) == (True, 0, sorted(sudoku_sets.SETS))


@pytest.mark.parametrize("name", SETS)
def test_sets(name: str) -> None:
    """A set is the same every time, and says how it was made; each grid has its givens, and one completion or more."""
    puzzles = sudoku_sets.build(name, 30)
    sudoku_sets.build.cache_clear()
    assert np.array_equal(puzzles.grids, sudoku_sets.build(name, 30).grids)
    assert not np.array_equal(puzzles.grids, sudoku_sets.build(name, 30, seed=3).grids)
    assert min(len(puzzles.source), len(puzzles.bias)) > 20
    least, most = GIVENS.get(name, (11, 34))
    for grid in puzzles.grids:
        assert least <= np.count_nonzero(grid) <= most
        assert dlx.count(sudoku.encode(grid.reshape(9, 9)), max_covers=2).covers == 1 + (name == "open")


def test_isomorphs() -> None:
    """Published puzzles are no two of them isomorphic; an isomorph has the canonical form of its puzzle."""
    sources = sudoku_sets.as_grids([*sudoku_sets.SEVENTEEN, *(digits for digits, _ in sudoku_sets.NAMED.values())])
    forms = [bytes(sudoku.canonical(grid)) for grid in sources]
    made = sudoku_sets.isomorphs(sources, np.random.default_rng(1))
    assert [bytes(sudoku.canonical(grid)) for grid in made] == forms
    assert len(set(forms)) == len(forms)
    assert not (made == sources).all(axis=1).any()


def test_wrong_answers_are_counted() -> None:
    """A digit twice, a lost given, no completion, another one, and more than one are wrong."""
    puzzles, completions, _ = solved("minimal", 20)
    twice, renamed, none = completions.copy(), completions % 9 + 1, np.zeros_like(completions)
    twice[:, 0] = twice[:, 80]
    assert keeps_the_rules(completions, puzzles.grids).all()
    assert keeps_the_rules(renamed, none).all()
    assert not keeps_the_rules(twice, none).all()
    assert not keeps_the_rules(renamed, puzzles.grids).any()
    first, second, third, *_ = completions.tolist()
    assert wrong([[first], [second], [third]], completions) == 0
    assert wrong([[first], [], [first]], completions) == 2
    assert wrong([[first, first], [second]], completions) == 1


@pytest.mark.slow
@pytest.mark.parametrize("side", ["count_many", "count_many, a grid a call", "exact cover", "cells", "CaDiCaL"])
def test_sides_answer(side: str) -> None:
    """Sides find the completion of each puzzle, and count as many completions of open grids."""
    if reason := missing(side):
        pytest.skip(reason)
    puzzles, completions, _ = solved("minimal", 20)
    tasks = [(puzzles.grids, 0), (sudoku_sets.build("open", 3).grids, 50)]
    for grids, limit in tasks[: 1 if side.endswith("a call") else 2]:  # which counts none of open grids
        task = {"example": sudoku_sets.build("easy", 1).grids[0], "grids": grids, "limit": limit}
        process = started("sudoku_sides.py", side, 0.2, task)
        assert not process.returncode, process.stderr.decode()
        answer = json.loads(process.stdout)
        if not limit:
            assert (len(answer["found"]), wrong(answer["found"], completions)) == (20, 0)
        else:
            assert answer["counts"] == [50] * 3


def endless(given: list[list[int]]) -> Any:
    """Solves a grid, but never ends in a second one, and catches any `Exception`."""
    while given[0][0]:
        try:
            given[0][1] += 1
        except Exception:
            continue
    return given


def test_a_grid_without_end_is_left() -> None:
    """A side that hangs in a grid is stopped, and what it has done before counts."""
    before = signal.signal(signal.SIGPROF, late)  # as in the processes that sides run in
    try:
        result = OneByOne(endless).run(np.array([[0] * 81, [1] * 81], dtype=np.uint8), 0.02)
    finally:
        signal.signal(signal.SIGPROF, before)
    assert (result["done"], result["found"]) == (1, [[[0] * 81]])
    assert result["seconds"] >= 0.02


def test_what_solvers_are_asked_and_commands_are_to_print() -> None:
    """A completion has one true variable in each of 324 sets; commands are compared with the functions' answers."""
    _, completions, _ = solved("minimal", 20)
    true = np.zeros(730, dtype=int)
    true[9 * np.arange(81) + completions[0]] = 1
    assert true[np.array(choices())].sum(axis=1).tolist() == [1] * 324
    grids = million(40)
    lines = as_lines(grids).decode().split()
    assert len(set(lines)) == 40
    assert expected_of("solve", grids).decode().split()[7] == sudoku.to_line(sudoku.solve(lines[7]).completion)  # type: ignore[arg-type]
    assert expected_of("target", grids).decode().split()[:5] == [str(sudoku.best(line).score) for line in lines[:5]]
    assert expected_of("count --limit 2", grids) == b"1\n" * 40


@plotted
def test_the_report_of_sudokus() -> None:
    """The report has rates, wrong answers, unsolved sets, and ratios to sides that find one completion only."""
    kind = {"what": "set", "size": 9, "givens": 25.0, "source": "our own", "bias": "none"}
    records: list[dict[str, Any]] = [
        kind | {"set": "minimal", "guesses": 0.5},
        kind | {"set": "open", "guesses": None},
        {"what": "command", "command": "solve", "lines": 1000, "spent": 0.5, "megabytes": 36.4},
    ]
    solves = [("count_many", 800_000, 0), ("solve_many", 1_000_000, 0), ("count_many, a grid a call", 30_000, 0)]
    for side, done, bad in [*solves, ("exact cover", 10_000, 0), ("dokusan", 500, 3), ("sudoku-py", 0, 0)]:
        record = {"what": "solve", "set": "minimal", "side": side, "proves": side != "dokusan", "version": "1.0"}
        records.append(record | {"done": done, "spent": 2.0, "checked": done, "wrong": bad})
    for side, number in (("count_many", 6_000_000), ("exact cover", 2_000_000), ("CP-SAT", 30_000)):
        records.append(
            {"what": "open", "set": "open", "side": side, "completions": number, "spent": 2.0, "version": ""}
        )
    text = bench_sudoku.table(records)
    for line in (
        *("| **`sudoku.count_many`** | 400 k | 3 M |", "| dokusan * | 250 |  |", "| dokusan * | 1.0 | 500 (3) |  |"),
        *("| sudoku-py | < 0.5 |  |", "| minimal | dokusan * | 2e+03 | 60 | 80 |", "0.5 guesses a puzzle"),
        *("| open | CP-SAT, by ortools | 200 |  | 3 |", "| `sudoku solve` | 1,000 | 0.50 s | 2 k | 36 MB |"),
    ):
        assert line in text
    assert len(bench_sudoku.chart(records).axes) == 1


# The best cover, and many workers

LARGE = {"partitioning 60 x 20,000", "components, 500 blocks"}  # others of their families are smaller


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.nightly] * (name in LARGE)) for name in weighted_families.INSTANCES]
)
def test_weighted_problems_are_the_same_every_time(name: str) -> None:
    """The weights are whole, and building a problem again gives the same one."""
    problem, sense = weighted_families.build(name)
    assert problem.weights is not None
    assert problem.weights.dtype == np.int64
    assert sense in ("max", "min")
    assert weighted_families.build(name).problem == problem


@for_seeds(100)
def test_weighted_problems_have_covers(seed: int) -> None:
    """The first columns of random set partitioning are a cover; the other families that draw their own have one."""
    rng = np.random.default_rng(seed)
    least, most = sorted(rng.integers(2, 9, 2).tolist())
    rows = int(rng.integers(3 * most, 60))
    problem, _ = weighted_families.partitioning(rows, 80, least, most, seed)
    sizes = np.diff(problem.indptr)
    assert is_cover(problem, range(int(np.searchsorted(np.cumsum(sizes), rows)) + 1))
    assert (sizes.max() <= most, problem.n_options) == (True, 80)
    edges = [(a, b) for a in range(5) for b in range(a)]
    for problem, sense in (
        weighted_families.subgraph(edges, seed),
        weighted_families.transport(4, 3, seed),
        weighted_families.deliveries(4, 5, seed),
        weighted_families.sparse(4, 12, seed=seed),
        weighted_families.factor(6, 2, seed),
        weighted_families.odd_cycles(3, 7, 3, seed),
        weighted_families.packing(6, 20, 60, seed),
        weighted_families.ring(12, 4, 3, 2, 5, seed),
        weighted_families.cutting(3, 15, 60, seed),
        weighted_families.facilities(3, 5, 2, seed),
    ):
        assert dlx.best(problem, sense).score is not None


@for_seeds(30)
@pytest.mark.parametrize("side", bench_best.SOLVERS)
def test_sides_find_the_best_covers(side: str, seed: int) -> None:
    """Each side proves the best score of enumeration, with colours, multiplicities and secondary items, too."""
    for family, sizes in (("facilities", (3, 5, 2)), ("deliveries", (4, 3)), ("ring", (12, 4, 3, 2, 5))):
        problem, sense = getattr(weighted_families, family)(*sizes, seed)
        scores = [problem.weights[[*cover]].sum() for cover in reference.covers(problem)]
        answer = bench_best.SOLVERS[side](problem, sense, 60.0)()
        assert (answer.score, answer.proven) == (max(scores) if sense == "max" else min(scores), True)


def test_efficiency_is_that_of_list_scheduling() -> None:
    """Each piece goes to the worker that is free first, and the last one to end decides."""
    for work, workers, share in (([5], 4, 1 / 4), ([3, 3, 2, 2, 2], 2, 12 / 14), ([1] * 64, 64, 1), ([], 3, 1)):
        assert many_workers.efficiency(work, workers) == pytest.approx(share)


@pytest.mark.parametrize(
    ("family", "n"), [("queens", (7,)), *nightly(("langford", (7,))), ("latin_below", (4,)), ("comb", (9, 4))]
)
@pytest.mark.slow
def test_pieces_have_all_covers(family: str, n: tuple[int, ...]) -> None:
    """A family that is cut has as many covers as in one search, each piece a node and an estimate."""
    problem = build(family, *n)
    parts = many_workers.cut(problem, 30)
    assert parts.covers == dlx.count(problem).covers
    assert len(parts.nodes) == len(parts.guesses) >= 10
    assert parts.nodes.min() >= 1
    assert (np.diff(parts.guesses) <= 0).all()
    assert len(many_workers.fills(parts)) == len(many_workers.FILLS)
    assert {len(row) for row in many_workers.planned(family, parts, 1e9)} == {1 + len(many_workers.PLANS)}


def test_a_plan_of_even_pieces_is_arithmetic() -> None:
    """Workers of even pieces are always busy, and slices fill the journal; with few pieces most workers are idle."""
    even = many_workers.Split(np.full(10, 7.0), np.full(10, 7.0), 1)
    way = many_workers.plan(even, nodes=many_workers.RATE * 36_000, pieces=100, workers=10, slice_=1.0)
    assert [way.hours, way.piece, way.efficiency] == pytest.approx([1, 360, 1])
    assert way.journal == pytest.approx(many_workers.LINE * (100 + 36_000), rel=0.01)
    assert way.load == pytest.approx(10 * many_workers.TASK, rel=0.01)
    assert many_workers.plan(even, 1e12, 100, 1_000, 1.0).efficiency == pytest.approx(0.1)


@plotted
def test_the_chart_of_the_readme_is_that_of_the_records() -> None:
    """Each task of the chart has a time of ours and one of another program, in the records of the suites."""
    rows = front.rows()
    assert len(rows) == len(front.COUNTED) + len(front.PROVEN) + len(front.SETS)
    assert all(0 < ours < other < float("inf") for _, ours, other, _ in rows)
    assert len(front.chart().axes[0].texts) == 2 * len(rows) + 1
