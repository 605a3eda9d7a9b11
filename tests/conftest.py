"""The settings of all tests: nightly tests, the examples of Hypothesis, Ctrl-C, and common fixtures."""

import itertools
import os
import signal
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from browser import browser
from commands import Feed
from hypothesis import settings
from seeds import Nightly, tries

import dlx.command.cli
import dlx.engine.limits
import sudoku.command.cli
from dlx.parallel import checkpoint, cutting

FORKS = {"fork", "forked", "forkserver"}  # what ways to start processes are called in the parameters of tests


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--nightly`."""
    parser.addoption(
        "--nightly", action="store_true", help="tests that are marked nightly, and all tries of all others"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Sets the number of tries of random tests."""
    Nightly.on = config.getoption("nightly")
    # New examples in every run, but for continuous integration, where a failure must come again.
    again = bool(os.environ.get("CI"))
    settings.register_profile("dancing-cover", deadline=None, derandomize=again, max_examples=tries(100))
    settings.load_profile("dancing-cover")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out, by day, the tests marked nightly, and outside continuous integration those with a browser."""
    if Nightly.on:
        return
    kept, left_out = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        with_browser = item.get_closest_marker("browser") or "chromium" in getattr(item, "fixturenames", ())
        is_nightly = item.get_closest_marker("nightly") or (with_browser and not os.environ.get("CI"))
        (left_out if is_nightly else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips tests beyond this system, with the reason."""
    parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
    forks = any(isinstance(value, str) and value in FORKS for value in parameters)
    mark = item.get_closest_marker("posix")
    if (mark or forks) and not hasattr(os, "fork"):
        pytest.skip("this system is none of POSIX")
    for path in mark.args if mark else ():
        if not os.path.exists(path):
            pytest.skip(f"there is no {path}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """Skips a test that needs symmetries if nauty, which is under the GPL, is not installed."""
    try:
        return (yield)
    except ImportError as error:
        if error.name == "pynauty" and find_spec("pynauty") is None:
            pytest.skip("pynauty is not installed")
        raise


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> Iterator[None]:
    """Ctrl-C works here and in every process that a test starts, as if all were started in the foreground.

    Shells, and some services that run tests, start what is to run in the background with SIGINT ignored. Python leaves
    it so, and children inherit that: a test that interrupts one would wait for its end in vain.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser."""
    with browser() as opened:
        yield opened


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even searches of some milliseconds are cut into pieces."""
    monkeypatch.setattr(cutting, "LEAST", 0)
    monkeypatch.setattr(cutting, "EACH", 0)


@pytest.fixture
def eager_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint is written after every slice instead of after some seconds."""
    monkeypatch.setattr(checkpoint, "LEAST", 0.0)
    monkeypatch.setattr(checkpoint, "SHARE", 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file for a checkpoint."""
    return tmp_path / "run.checkpoint"


@pytest.fixture
def few_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Endless searches are cut into few pieces, which takes no time."""
    monkeypatch.setattr(cutting, "PIECES", 20)
    monkeypatch.setattr(cutting, "MOST", 20)


@pytest.fixture
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices are as short as possible, so a search in pieces changes its worker every few nodes."""
    monkeypatch.setattr(dlx.engine.limits, "FIRST_STEP", 3)


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of searches advances by a 32nd of a second when it is read, so all machines are equally fast."""
    clock = itertools.count()
    monkeypatch.setattr(dlx.engine.limits, "time", SimpleNamespace(perf_counter=lambda: next(clock) / 32))


@pytest.fixture
def feed_dlx(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Feed:
    """Runs the command `dlx` in this process with a text as its standard input."""
    return Feed(dlx.command.cli.main, monkeypatch, capsys)


@pytest.fixture
def feed_sudoku(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Feed:
    """Runs the command `sudoku` in this process with a text as its standard input."""
    return Feed(sudoku.command.cli.main, monkeypatch, capsys)
