"""The shared parts of tests keep their promises: interrupts in the background, and blocks of seeds."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from processes import ROOT, interrupt
from seeds import Nightly, for_seeds, tries

WAITING = """
import threading
try:
    print("searching", flush=True)
    threading.Event().wait()
except KeyboardInterrupt:
    print("the program goes on")
"""


@pytest.mark.posix
def test_a_child_is_interrupted() -> None:
    """A program started by a test gets the interrupt that it is sent, and goes on from there."""
    result = interrupt(WAITING)
    assert (result.stdout, result.stderr, result.returncode) == ("the program goes on\n", "", 0)


@pytest.mark.posix
def test_a_child_that_dies_early_is_told_of() -> None:
    """A program that ends before it is under way fails with what it wrote, and is not waited for."""
    with pytest.raises(AssertionError, match="no such luck"):
        interrupt("raise SystemExit('no such luck')")


@pytest.mark.slow
@pytest.mark.posix
def test_in_the_background() -> None:
    """Tests started with SIGINT ignored, as by shells in the background, still interrupt their programs."""
    test = f"{__file__}::{test_a_child_is_interrupted.__name__}"
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=50,
        env={name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert "1 passed" in result.stdout, result.stdout + result.stderr


def failing(seed: int) -> None:
    assert seed not in (42, 77)


def test_blocks_of_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every seed is in one block at night, and all blocks but the first are slow; by day there is only the first."""
    monkeypatch.setattr(Nightly, "on", True)
    (mark,) = for_seeds(250)(failing).pytestmark  # type: ignore[attr-defined]
    blocks = [case.values[0] for case in mark.args[1]]
    assert [seed for block in blocks for seed in block] == list(range(250))
    assert [case.id for case in mark.args[1]] == ["0-11", "12-111", "112-211", "212-249"]
    assert [[each.name for each in case.marks] for case in mark.args[1]] == [[], ["slow"], ["slow"], ["slow"]]
    assert (tries(30), tries(800)) == (30, 800)
    monkeypatch.setattr(Nightly, "on", False)
    (mark,) = for_seeds(250)(failing).pytestmark  # type: ignore[attr-defined]
    assert [case.id for case in mark.args[1]] == ["0-11"]
    assert (tries(3), tries(30), tries(800)) == (3, 5, 100)


def test_a_failing_seed_is_named() -> None:
    """The error of a block says with which seed it came; the block ends there."""
    with pytest.raises(AssertionError) as caught:
        for_seeds(100)(failing)(seeds=range(100))
    assert caught.value.__notes__ == ["seed = 42"]


@for_seeds(3, block=4)
def test_fixtures_and_seeds(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A test with seeds may have fixtures and further parameters, too."""
    assert 0 <= seed < 3
    assert tmp_path_factory.getbasetemp().exists()
