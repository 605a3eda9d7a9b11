"""Ctrl-C: every search stops, in pieces, too; what it has found is not lost, and no interrupt is forgotten."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import pytest
from families import build
from oracle import rows
from seeds import nightly

from dlx import Best, First, Progress, best, count, count_reaching, covers, first
from dlx.engine import limits
from dlx.parallel import cutting

# tests/test_loops.py interrupts every function after each of its calls; tests/test_commands.py real processes.
ENDLESS, LARGE, NONE = build("matchings", 40), build("matchings", 20), build("langford", 21)
WORKERS = [{"jobs": 2}, *nightly({"executor": ProcessPoolExecutor})]


def ctrl_c(nodes: int) -> Callable[[Progress], None]:
    """A `progress` that sends Ctrl-C once, after a number of nodes."""
    left = [signal.SIGINT]

    def progress(seen: Progress) -> None:
        if left and seen.nodes > nodes:
            signal.raise_signal(left.pop())

    return progress


@pytest.fixture(params=WORKERS, ids=str)
def workers(request: pytest.FixtureRequest, few_pieces: None) -> Iterator[dict[str, Any]]:
    """Parameters of a search in pieces, which are cut in no time."""
    if "jobs" in request.param:
        yield request.param
    else:
        with request.param["executor"](2) as pool:
            yield {"executor": pool}


def test_an_interrupt_in_pieces(workers: dict[str, Any]) -> None:
    """A count and a search for one cover return what they have."""
    counted = count(LARGE, merge="never", progress=ctrl_c(10_000), **workers)
    assert (counted.stopped, counted.nodes > 10_000) == ("interrupt", True)
    looked = first(NONE, progress=ctrl_c(0), **workers)
    assert (looked.stopped, looked.cover) == ("interrupt", None)


@pytest.mark.parametrize("is_alone", [True, False])
def test_covers_go_on(is_alone: bool, workers: dict[str, Any]) -> None:
    """The iterator raises KeyboardInterrupt as any loop does, and then goes on where it was, in the same order."""
    pieces = {} if is_alone else {"ordered": True, **workers}
    search = covers(LARGE, progress=ctrl_c(10_000), **pieces)
    found: list[tuple[int, ...]] = []
    with pytest.raises(KeyboardInterrupt):
        found.extend(cover for block in search.blocks(50) for cover in rows(block))
    found.extend(cover for block in islice(search.blocks(50), 20) for cover in rows(block))
    assert len(found) >= 1000
    assert found == list(islice(covers(LARGE), len(found)))


def test_an_interrupt_while_a_search_is_cut(workers: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Cutting, which would take years, ends at once."""
    split = cutting.split

    def interrupted(*given: Any, over: Callable[[], bool], **more: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return split(*given, over=over, **more)

    for name in ("PIECES", "MOST"):
        monkeypatch.setattr(cutting, name, 10**12)
    monkeypatch.setattr(cutting, "split", interrupted)
    result = count(LARGE, merge="never", **workers)
    assert (result.covers, result.nodes, result.stopped) == (0, 0, "interrupt")


def test_an_interrupt_ends_the_search_of_the_main_thread_alone() -> None:
    """A search in another thread goes on to its end."""
    with ThreadPoolExecutor(1) as thread:
        beside = thread.submit(count, build("queens", 11))
        assert count(ENDLESS, progress=ctrl_c(0)).stopped == "interrupt"
        assert (beside.result().covers, beside.result().exhausted) == (2680, True)


def test_an_interrupt_in_a_search_that_progress_runs() -> None:
    """It ends both searches."""
    inner: list[Any] = []
    outer = count(LARGE, merge="never", progress=lambda seen: inner.append(count(ENDLESS, progress=ctrl_c(0))))
    assert [result.stopped for result in (outer, *inner)] == ["interrupt", "interrupt"]


# At random looks of a search, many times

TILES = build("pentominoes", 3, 20)  # with these seeds the first cover comes after some ten thousand nodes
WEIGHTED = replace(build("queens", 11), weights=np.random.default_rng(1).integers(1, 1000, 121))
BOUNDS = np.tile(np.array([[0, 2]], dtype=np.int32), (12, 1))
MULTIPLE = replace(build("rooks", 6), weights=np.arange(36), multiplicities=BOUNDS)
SEARCHES: dict[str, list[partial[Any]]] = {
    "best": [partial(best, problem, k=k) for problem, k in ((WEIGHTED, 1), (WEIGHTED, 2680), (MULTIPLE, 1500))] * 10,
    "first": [partial(first, TILES, kernel="links", seed=way) for way in (1, 2, 3, 7, 1, 2, 3, 7, 12)] * 6,
    "count": [partial(count, problem) for problem in (WEIGHTED, MULTIPLE)] * 10,
    "count_reaching": [partial(count_reaching, *given) for given in ((WEIGHTED, 7500), (MULTIPLE, 150))] * 10,
}


def outcome(result: Any) -> object:
    """Returns the covers that a search has found, or their scores or number."""
    if isinstance(result, First):
        return result.cover
    return [cover.score for cover in result.covers] if isinstance(result, Best) else result.covers


@pytest.mark.parametrize("seed", [0, *nightly(1)])
@pytest.mark.parametrize("name", SEARCHES)
def test_interrupts_at_random_moments(name: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result is complete, or has all that a search of as many nodes finds and says that it was interrupted."""
    monkeypatch.setattr(limits, "SLICE", 0.0)  # a search looks up whenever some nodes have been tried
    dice, stopped = random.Random(seed), 0
    for search in SEARCHES[name]:
        looks = iter(range(int(2 ** dice.uniform(0, 8))))

        def progress(_: Progress, looks: Iterator[int] = looks) -> None:
            if next(looks, None) is None:
                signal.raise_signal(signal.SIGINT)

        result = search(progress=progress)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if result.stopped is None:
            assert getattr(result, "proven", True)
            continue
        assert result.stopped == "interrupt"
        stopped += 1
        # A cover may be complete before the next option is tried, or after that.
        assert outcome(result) in [outcome(search(max_nodes=result.nodes + more)) for more in (0, 1)], result.nodes
        assert not getattr(result, "proven", False)
    assert stopped > 3


# Interrupts at certain moments


def test_an_interrupt_after_the_last_check() -> None:
    """An interrupt in the last report is answered by that search, though its count is complete, and by no later one."""
    seen: list[float] = []

    def at_the_end(progress: Progress) -> None:
        seen.append(progress.fraction)
        if progress.fraction == 1:
            signal.raise_signal(signal.SIGINT)

    result = count(build("latin", 5), progress=at_the_end, kernel="links")
    assert (result.covers, result.stopped, len(seen) > 1) == (161_280, "interrupt", True)
    assert count(build("latin", 5)).stopped is None


def test_a_handler_of_the_program() -> None:
    """A search goes on if the program has a handler of its own, which is called and stays."""
    calls: list[int] = []
    handler = lambda *_: calls.append(1)  # noqa: E731
    before = signal.signal(signal.SIGINT, handler)
    try:
        result = count(build("latin", 5), progress=lambda _: None if calls else signal.raise_signal(signal.SIGINT))
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert (result.covers, calls) == (161_280, [1])
