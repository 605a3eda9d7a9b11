"""Searches as their users see them: iteration, blocks, and sizes that break peers."""

from __future__ import annotations

import dis
import sys
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pytest
from families import build
from oracle import as_sets, is_cover, rows

import dlx.engine.limits
import dlx.search.covers
from dlx import Problem, Progress, count, covers
from dlx.engine.dispatch import KernelName
from dlx.search.covers import Covers

# Iteration and blocks


def test_covers_are_found_lazily() -> None:
    """The first cover of a problem with (2*20-1)!! of them comes at once, behind a small part of the tree."""
    problem = build("matchings", 20)
    search = covers(problem)
    assert search.fraction == 0
    assert is_cover(problem, next(search))
    assert (search.covers, search.exhausted, search.stopped) == (1, False, None)
    assert 0 < search.fraction < 1e-9


@pytest.mark.parametrize("size", [1, 2, 7, 100, 1024, 10**9])
def test_blocks_have_the_size_asked_for(size: int) -> None:
    """All blocks but the last are full, no block passes 1024 covers, and together they are the iterator's covers."""
    problem = build("rooks", 7)
    blocks = list(covers(problem).blocks(size))
    assert {len(block) for block in blocks[:-1]} <= {min(size, 1024)}
    assert 0 < len(blocks[-1]) <= min(size, 1024)
    assert all(block.dtype == np.int32 and block.shape[1] == problem.max_level for block in blocks)
    assert [cover for block in blocks for cover in rows(block)] == list(covers(problem))


def test_a_block_is_the_callers_own() -> None:
    """A block handed out is not changed by the next covers, and writing to it does no harm."""
    search = covers(build("rooks", 5)).blocks(10)
    one = next(search)
    kept = one.copy()
    two = next(search)
    assert (one == kept).all()
    one[:] = -7
    assert (two >= 0).all()


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("who", [{}, {"jobs": 2}, {"jobs": 2, "ordered": True}, {"seed": 3}], ids=str)
@pytest.mark.parametrize("size", [0, 1, 2, 7, 60, 119, 120, 121, 5000])
def test_exhausted_is_true_when_nothing_is_left(size: int, who: dict[str, Any]) -> None:
    """A search is exhausted after its last cover at the earliest, one by one (size 0) or in blocks, and at its end."""
    search, found = covers(build("rooks", 5), **who), 0
    parts = (1 for _ in search) if size == 0 else map(len, search.blocks(size))
    for part in parts:
        found += part
        assert found == 120 or not search.exhausted
    assert (found, search.exhausted) == (120, True)


def test_an_exception_in_progress_loses_no_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search goes on where it was, in blocks no larger than asked for, after any exception out of its slices."""
    monkeypatch.setattr(dlx.engine.limits, "FIRST_STEP", 40)
    problem = build("rooks", 5)
    expected = list(covers(problem))
    calls = 0

    def progress(_: Progress) -> None:
        nonlocal calls
        calls += 1
        if calls % 2:
            raise KeyboardInterrupt

    search = covers(problem, progress=progress)
    found: list[tuple[int, ...]] = []
    interrupts = 0
    while not search.exhausted:
        try:
            for block in search.blocks(3):
                assert len(block) <= 3
                found += rows(block)
            found.extend(search)
        except KeyboardInterrupt:
            interrupts += 1
    found.extend(search)
    assert found == expected
    assert interrupts > 1


# Sizes


def test_a_hundred_thousand_options_wide() -> None:
    """100,000 options and 300,000 entries: more than an int16 numbers."""
    rng = np.random.default_rng(1)
    noise = np.sort(rng.integers(0, 3000, size=(100_000, 3)), axis=1)
    noise = noise[(np.diff(noise, axis=1) > 0).all(axis=1)]
    hidden = rng.permutation(3000).reshape(1000, 3)
    options = np.concatenate([noise, hidden])
    shut = Problem.from_csr(np.arange(0, options.size + 1, 3), options.ravel(), 3001)
    assert count(shut).covers == 0, "the last item is in no option"
    # An item of its own for each hidden option makes them the only cover.
    marked = [*map(tuple, noise.tolist()), *((*option, 3000 + k) for k, option in enumerate(hidden.tolist()))]
    problem = Problem.from_options(marked, items=range(4000))
    assert problem.n_options > 90_000
    assert as_sets(covers(problem)) == [tuple(range(len(noise), len(noise) + 1000))]


def test_a_cover_of_a_hundred_thousand_options() -> None:
    """The buffer for very wide covers stays small, and they still come whole."""
    problem = Problem.from_csr(np.arange(100_002), [*range(100_000), 0], 100_000)
    search = covers(problem)
    assert [len(cover) for cover in search] == [100_000, 100_000]
    assert search._room == dlx.search.covers.BUFFER // 100_000


@pytest.mark.parametrize("kernel", ["links", "bits"])
def test_a_seed_changes_the_order_and_nothing_else(kernel: KernelName) -> None:
    """Each seed gives the same covers, by the caller's numbers, in an order of its own, the same every time."""
    problem = build("queens", 6)
    plain = list(covers(problem, kernel=kernel))
    orders = [list(covers(problem, seed=seed, kernel=kernel)) for seed in range(5)]
    assert all(as_sets(order) == as_sets(plain) for order in orders)
    assert len({tuple(order) for order in orders}) > 1
    assert orders[3] == list(covers(problem, seed=3, kernel=kernel))
    blocks = np.concatenate(list(covers(problem, seed=3, kernel=kernel).blocks()))
    assert [tuple(row) for row in blocks.tolist()] == orders[3]
    (padded,) = covers(Problem.from_options(["abc", "a", "b", "c"]), seed=3, kernel=kernel).blocks()
    assert sorted(sorted(row) for row in padded.tolist()) == [[-1, -1, 0], [1, 2, 3]]


class AfterCall:
    """Raises KeyboardInterrupt once in a function: when the call with this number has returned there, from 1 on."""

    def __init__(self, code: CodeType, number: int) -> None:
        self._code, self._left, self._last = code, number, ""

    def __call__(self, frame: FrameType, event: str, _: object) -> AfterCall | None:
        if frame.f_code is not self._code:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self._left -= self._last == "CALL"
            self._last = dis.opname[self._code.co_code[frame.f_lasti]]
            if self._left == 0:
                self._left = -1
                raise KeyboardInterrupt
        return self

    @property
    def has_raised(self) -> bool:
        return self._left < 0


def test_an_interrupt_after_any_call_leaves_the_search_usable() -> None:
    """Ctrl-C comes between two instructions, after a call at the earliest: the search is never left as running."""
    before = sys.gettrace()
    for number in range(1, 100):
        search, found = covers(build("queens", 6)), list[tuple[int, ...]]()
        trace = AfterCall(Covers._search.__code__, number)
        sys.settrace(trace)
        try:
            found += search
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        found += search
        assert len(found) == 4
        if not trace.has_raised:
            break
    assert number > 3
