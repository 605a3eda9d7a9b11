"""The benchmarks: examples print what they show, and numbers in documents are those of the records."""

from __future__ import annotations

import doctest
import importlib
import re
import time
from collections.abc import Iterator

import peers
import pytest
import report
from bench_peers import TASKS
from families import build
from processes import ROOT
from timing import apart, limit_processor_time

WITH_EXAMPLES = ("bench_rating", "families", "report", "sudoku_sets", "weighted_families")
RESULTS = report.load()
MARKED = re.compile(r"([\d.,]+)\s(ms|s|min)<!-- (\w+): (.+?) -->")
UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0}
SIDES = {"best": "dlx", "counting": "auto", "large": "isomorphic", "rating": "rate"}  # whose times documents have


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples(module: str) -> None:
    """Examples in docstrings print the lines below them."""
    outcome = doctest.testmod(importlib.import_module(module))
    assert (outcome.attempted > 0, outcome.failed) == (True, 0)


@pytest.mark.parametrize("name", RESULTS)
def test_pages_are_those_of_the_records(name: str) -> None:
    """The page of a suite has the tables that its records make."""
    assert (report.DOCS / f"{name}.md").read_text(encoding="utf-8") == report.page(name, RESULTS[name])


@pytest.mark.parametrize("document", ["README.md", "docs/counting.md", "docs/reasoning.md", "docs/target-sudoku.md"])
def test_times_are_those_of_the_records(document: str) -> None:
    """A time in a document with a comment behind it is the rounded time of the record that the comment names."""
    text = (ROOT / document).read_text(encoding="utf-8")
    marked = MARKED.findall(text)
    assert len(marked) == text.count("<!-- ") > 0
    for digits, unit, suite, problem in marked:
        seconds = report.grouped(RESULTS[suite]["records"])[problem][SIDES[suite]]["seconds"]
        half = UNITS[unit] * 10 ** -len(digits.partition(".")[2]) / 2
        assert abs(float(digits.replace(",", "")) * UNITS[unit] - seconds) <= half, (digits, unit, problem)


def endless() -> Iterator[int]:
    """Yields once, and then works without an end."""
    limit_processor_time(0.1)
    yield 1
    while time.process_time() >= 0:
        pass


@pytest.mark.posix
def test_processes_of_their_own() -> None:
    """A generator runs in a process of its own, and what it yields before its limit is kept."""
    toy = peers.plain(build("toy"))
    done, stopped = apart(peers.run, "dlx", TASKS, [toy, toy], toy, 60.0)
    assert ([(task, covers) for task, _, covers in done], stopped) == ([(task, 2) for task in TASKS], None)
    assert apart(endless) == ([1], "time")
