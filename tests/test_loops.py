"""Every function with a loop around a kernel: Ctrl-C after any of its calls, and in any report, ends in an answer."""

from __future__ import annotations

import dis
import json
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count as numbers
from itertools import islice
from types import FrameType
from typing import Any

import numpy as np
import pytest
from commands import DANCE
from executors import cut_into
from families import build
from gates import in_slices
from oracle import rows

import dlx
import dlx.command.cli
import sudoku
import sudoku.command.cli
from dlx import Problem
from dlx.engine import limits
from dlx.engine.limits import Limits, Loop
from dlx.optimum.root import Root
from dlx.optimum.sharing import NodeTask, WorkerContext
from dlx.optimum.sharing import work as search_nodes
from dlx.optimum.units import Incumbents, Units
from dlx.parallel.slices import Search, Slice, do_slice
from sudoku.command.answers import OnProgress
from sudoku.strategies import STRATEGIES

Answer = tuple[str | None, object]  # why a search has stopped, and what it has found
Call = Callable[[OnProgress | None], Answer]

ROOKS = build("rooks", 4)
APART = Problem.from_options(["ab", "a", "b", "cd", "c", "d"], weights=[1, 2, 3, 4, 5, 6])
FINER = Problem.from_options(["a"] * 4, weights=[0.5, 1.25, 2.5, 1000.0])
HARD = "800000000003600000070090200050007000000045700000100030001000068008500010090000400"
EASY = "000000000000000000005963874932651487568247391741398625319475268856129743274836159"


def call_of(search: Callable[..., Any], *given: Any, attribute: str, **named: Any) -> Call:
    """Returns a call with an attribute of a search's result, and the reason why it has stopped, as its answer."""

    def call(progress: OnProgress | None) -> Answer:
        result = search(*given, progress=progress, **named)
        return result.stopped, getattr(result, attribute)

    return call


def covers(progress: OnProgress | None) -> Answer:
    """All covers, one by one."""
    search = dlx.covers(ROOKS, progress=progress)
    return None, list(search)


def a_slice(progress: OnProgress | None) -> Answer:
    """Does a slice, as a worker does."""
    piece = replace(cut_into(3, ROOKS).pieces[0], seconds=9.0)
    done, _ = do_slice(Search.of(ROOKS, "links"), Slice(piece), bool)
    return (None, done.covers) if done.mark is None else ("interrupt", None)


def a_task(progress: OnProgress | None) -> Answer:
    """Searches the nodes of a task, as a worker does; they are those of the root."""
    units, loop = Units(ROOKS, 1), Loop(Limits.of())
    root = Root(ROOKS, Incumbents(64, units), loop, 0)
    root.kernel.target = 0
    ground = WorkerContext(root.matrix, root.kernel, units, 24)
    done = search_nodes(ground, NodeTask([root.open_node()], 9.0, 0, 1 << 60), bool)
    return ("interrupt", None) if done.rest else (None, done.covers)


def many(progress: OnProgress | None) -> Answer:
    """Many grids, one after the other."""
    found = sudoku.solve_many([HARD], progress=progress).counts
    return "interrupt" if found.min() < 0 else None, found.tolist()


# What has each function with a loop run.
CALLS: dict[str, Call] = {
    "dlx/optimum/components.py ComponentSearch._search": call_of(dlx.best, APART, attribute="score"),
    "dlx/counting/count.py _count": call_of(dlx.count, ROOKS, attribute="covers"),
    "dlx/counting/diagram.py _drawn": lambda p: (None, dlx.diagram(ROOKS, progress=p).covers),
    "dlx/counting/estimate.py estimate": call_of(dlx.estimate, ROOKS, samples=3, attribute="nodes"),
    "dlx/counting/estimate.py _Trial.__init__": call_of(dlx.estimate, APART, samples=3, attribute="nodes"),
    "dlx/search/explain.py explain": call_of(
        dlx.explain, Problem.from_options(["ab", "bc", "cd"], items="abcde"), attribute="items"
    ),
    "dlx/optimum/best.py _searched": call_of(dlx.best, FINER, "min", k=3, attribute="score"),
    "dlx/optimum/best.py best": call_of(dlx.best, APART, certificate=True, attribute="proven"),
    "dlx/optimum/reaching.py count_reaching": call_of(dlx.count_reaching, APART, 12, attribute="covers"),
    "dlx/parallel/slices.py _go_on": a_slice,
    "dlx/optimum/sharing.py work": a_task,
    "dlx/search/covers.py Covers._advance": covers,
    "dlx/search/deduce.py Deduction._advance": lambda p: (None, list(dlx.deduce(ROOKS.with_chosen([0]), progress=p))),
    "dlx/search/first.py first": call_of(dlx.first, ROOKS, attribute="cover"),
    "dlx/counting/burnside.py count_orbits": call_of(partial(dlx.count, up_to=[range(16)]), ROOKS, attribute="covers"),
    "dlx/symmetry/classification.py classify": call_of(dlx.classify, ROOKS, attribute="covers"),
    "dlx/symmetry/groups.py symmetries": lambda _: (None, dlx.symmetries(ROOKS).order),
    "dlx/search/trace.py trace": call_of(dlx.trace, ROOKS, attribute="events"),
    "sudoku/setting/minimising.py remove": lambda progress: (None, sudoku.redundant(EASY, progress=progress).tolist()),
    "sudoku/solve.py complete": many,
    "sudoku/strategies.py backtracking": call_of(
        STRATEGIES["static"], EASY, np.ones((9, 9), dtype=int), attribute="score"
    ),
}


INTERRUPTIBLE = ("CALL", "JUMP_BACKWARD", "RESUME")  # the instructions after which Python looks for signals


class Interrupting:
    """A trace function that sends Ctrl-C at an event: when a function has called something, looped, or begun.

    Each such instruction is an event the first two times.
    """

    def __init__(self, name: str, event: int) -> None:
        self._file, self._function = name.split()
        self._event = event
        self._last = ""
        self._seen = Counter[int]()
        self.events = 0

    def __call__(self, frame: FrameType, event: str, given: object) -> Any:
        """Follows the instructions of the function alone."""
        code = frame.f_code
        if code.co_qualname != self._function or not code.co_filename.endswith(self._file):
            return None
        frame.f_trace_opcodes = True
        return self._opcode

    def _opcode(self, frame: FrameType, event: str, given: object) -> Any:
        if event == "opcode":
            place, last = frame.f_lasti, self._last
            self._last = dis.opname[frame.f_code.co_code[place]]
            self._seen[place] += last.startswith(INTERRUPTIBLE)
            if last.startswith(INTERRUPTIBLE) and self._seen[place] <= 2:
                self.events += 1
                if self.events == self._event:
                    signal.raise_signal(signal.SIGINT)
        return self._opcode


@pytest.fixture(autouse=True)
def stepwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels come back after each node, and no part of a problem is small."""
    in_slices(monkeypatch, 1)
    monkeypatch.setattr("dlx.optimum.components.WIDEST", 0)
    monkeypatch.setattr("dlx.optimum.components.PATIENCE", 1)


def is_right(call: Callable[[], Answer], whole: Answer) -> bool:
    """Checks for the whole answer, a reason to stop, or Ctrl-C, and that Ctrl-C is Python's again."""
    try:
        answer = call()
    except KeyboardInterrupt:
        answer = whole
    return (answer[0] is not None or answer == whole) and signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("name", CALLS)
def test_interrupted_after_any_call(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search interrupted after any call in its function ends in Ctrl-C or an answer, and Ctrl-C is Python's again."""
    monkeypatch.setattr(limits, "SLICE", 1e6)  # so that it is raised at once, and not noted
    whole, before = CALLS[name](None), sys.gettrace()
    for event in numbers(1):
        trace = Interrupting(name, event)

        def call(trace: Interrupting = trace) -> Answer:
            sys.settrace(trace)
            try:
                return CALLS[name](None)
            finally:
                sys.settrace(before)

        assert is_right(call, whole), f"event {event}"
        if trace.events < event:
            break
    assert event > 2


@pytest.mark.parametrize("name", CALLS)
def test_called_off_in_any_report(name: str) -> None:
    """A search that a report ends, by Ctrl-C or by returning False, says so or raises Ctrl-C; else it has all."""
    whole = CALLS[name](None)
    for last in (0, 1, 2, 3, 10):
        left = iter(range(last))

        def progress(seen: limits.Progress, left: Iterator[int] = left, last: int = last) -> bool:
            if next(left, None) is not None:
                return True
            if last % 2:
                raise KeyboardInterrupt
            return False

        assert is_right(partial(CALLS[name], progress), whole), f"report {last}"


@pytest.mark.parametrize("name", ["__next__", "blocks", "_block", "_from_pending", "_search", "_advance"])
def test_covers_interrupted_after_any_call(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Covers taken one by one and in threes come in order, and at most three are lost by Ctrl-C after any call."""
    monkeypatch.setattr(limits, "SLICE", 1e6)
    whole, before = list(dlx.covers(ROOKS)), sys.gettrace()
    for event in numbers(1):
        search, trace = dlx.covers(ROOKS), Interrupting(f"dlx/search/covers.py Covers.{name}", event)
        found: list[tuple[int, ...]] = []
        sys.settrace(trace)
        some: list[Any] = [None]
        while some:
            with suppress(KeyboardInterrupt):
                found += (some := list(islice(search, 1)))
                for block in islice(search.blocks(3), 1):
                    found += (some := rows(block))
        sys.settrace(before)
        assert found == [cover for cover in whole if cover in found]
        assert len(found) >= len(whole) - 3, event
        if trace.events < event:
            break
    assert event > 2


LISTS: dict[str, tuple[Callable[[Sequence[str]], int], list[str], str]] = {
    "dlx": (dlx.command.cli.main, ["deduce", "--json", DANCE], "steps"),
    "sudoku": (sudoku.command.cli.main, ["solve", "--limit", "12", "--json", 81 * "0"], "completions"),
}
PRINTING = {
    "dlx": ["dlx/command/about.py deduce", "dlx/command/console.py Console.print"],
    "sudoku": [
        "sudoku/command/answers.py _completions",
        "sudoku/command/stream.py Stream.run",
        "sudoku/command/stream.py Stream._print",
        "dlx/command/console.py Console.print",
    ],
}


@pytest.mark.parametrize(("command", "function"), [(name, one) for name in PRINTING for one in PRINTING[name]])
def test_what_is_printed_is_counted(command: str, function: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A list that Ctrl-C ends after any call in a function that prints it says how much has been printed."""
    (main, arguments, field), before = LISTS[command], sys.gettrace()
    ends = set()
    for event in numbers(1):
        trace = Interrupting(function, event)
        sys.settrace(trace)
        try:
            status = main(arguments)
        finally:
            sys.settrace(before)
        facts = [*map(json.loads, capsys.readouterr().out.splitlines())]
        assert status in (0, 130)
        if facts and field in facts[-1]:
            assert facts[-1][field] == len(facts) - 1, event
            ends.add(facts[-1]["stopped"])
        else:
            assert status == 130, event
        if trace.events < event:
            break
    assert "interrupt" in ends
