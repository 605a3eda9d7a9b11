"""Journals: whatever happens to a count that is written down, the same call goes on rightly, or refuses."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from commands import process
from executors import AtOnce, InAnyOrder, cluster
from families import build
from killing import MATCHINGS
from oracle import KINDS, random_problem
from processes import children, environment, is_alive
from seeds import few, for_seeds, nightly
from waiting import until

from dlx import Problem, count
from dlx.engine.limits import Limiting, Limits, Loop
from dlx.parallel import cutting, journal, pieces
from dlx.parallel.crew import Workers
from dlx.parallel.cutting import KernelPool, fingerprint, split
from dlx.parallel.errors import JournalError
from dlx.parallel.exclusive import Exclusive
from dlx.parallel.journal import Journal, tell
from dlx.parallel.pieces import Pieces

ROOKS = build("rooks", 5)  # 120 covers
LARGE = build("matchings", 8)  # 2027025 covers


def said(problem: Problem) -> dict[str, Any]:
    return {"problem": fingerprint(problem), "kernel": "auto", "preferences": None}


def opened(path: Path, problem: Problem = ROOKS, number: int = 6) -> Journal:
    """A journal of a count in so many pieces."""
    return Journal(str(path), said(problem), lambda: split(problem, number, 0))


def written(path: Path, problem: Problem = ROOKS, number: int = 6, some: int | None = None) -> bytes:
    """A journal of a count that is done, or of its first slices only, each as short as can be."""
    notes = opened(path, problem, number)
    for part in notes.pieces:
        part.seconds = 0.0
    with (
        Loop(Limits()) as loop,
        closing(Pieces(KernelPool(problem, "auto", None, 0), notes, Workers(AtOnce(), 1))) as run,
    ):
        for k, _ in enumerate(loop.slices(run), start=1):
            if k == some:
                break
    return path.read_bytes()


def resumed(path: Path, problem: Problem = ROOKS) -> int:
    result = count(problem, merge="never", checkpoint=path)
    assert result.exhausted
    return result.covers


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.journal"


@pytest.mark.parametrize("limits", [{}, {"timeout": 0}, {"max_nodes": 1}, {"max_covers": 120}, {"max_covers": 7}])
def test_what_is_done_is_not_done_again(limits: Limiting, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same call reads the number from its journal, without a slice of work, whatever limits it has."""
    whole = count(ROOKS, merge="never", checkpoint=path)
    monkeypatch.setattr(pieces, "work", None)
    again = count(ROOKS, merge="never", checkpoint=str(path), **limits)
    most = limits.get("max_covers") or 120
    assert (again.covers, again.nodes, again.stopped) == (most, whole.nodes, None if most == 120 else "max_covers")


def test_limits_of_what_is_gone_on_with(path: Path) -> None:
    """Covers of the journal count once: in the limit of covers, and in what is reported."""
    before, seen = count(LARGE, merge="never", checkpoint=path, max_nodes=1_000_000).covers, list[int]()
    result = count(LARGE, merge="never", checkpoint=path, max_covers=before + 100_000)
    assert (result.covers, result.stopped) == (before + 100_000, "max_covers")
    assert (
        count(LARGE, merge="never", checkpoint=path, progress=lambda now: seen.append(now.covers)).covers
        == 2027025
        == max(seen)
    )


@pytest.mark.usefixtures("short_slices")
@for_seeds(200)
def test_random_problems_go_on(seed: int, tmp_path: Path) -> None:
    """Counts of random problems that stop after some slices, twice, come to the right number."""
    rng = np.random.default_rng([seed, 51])
    problem = random_problem(rng, KINDS[seed % 4])
    path = tmp_path / f"{seed}.journal"
    for some in rng.integers(1, 9, 2).tolist():
        written(path, problem, 9, some)
    with InAnyOrder(seed) as pool:
        result = count(problem, merge="never", checkpoint=path, executor=pool, jobs=2)
    single = count(problem, merge="never")
    assert result.covers == single.covers
    assert result.nodes == single.nodes or problem.multiplicities is not None


@pytest.mark.slow
@pytest.mark.usefixtures("short_slices")
@pytest.mark.parametrize("some", [None, 40], ids=["done", "under way"])
def test_a_file_cut_anywhere(some: int | None, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal that a crash has torn is gone on with, unless its few bytes could be those of any file."""
    monkeypatch.setattr(os, "fsync", lambda number: None)  # 5 ms each
    whole = written(path, number=3, some=some)
    for size in few(range(len(whole) + 1)):
        path.write_bytes(whole[:size])
        if 0 < size < 20:
            with pytest.raises(JournalError, match=r"run\.journal:1: this is no journal"):
                resumed(path)
            assert path.read_bytes() == whole[:size]
        else:
            assert resumed(path) == 120, size


@pytest.mark.parametrize("text", [b"a", b"a b\n", b"a b\na b\n", b"| a comment\na b\nc\n", b"\n", b"\0" * 100])
def test_other_files_are_left_alone(text: bytes, tmp_path: Path) -> None:
    """A file that is no journal is refused, and not a byte of it is lost."""
    path = tmp_path / "toy.dlx"
    path.write_bytes(text)
    with pytest.raises(JournalError, match=r"toy.dlx:1: this is no journal"):
        count(ROOKS, merge="never", checkpoint=path)
    assert path.read_bytes() == text
    with pytest.raises(JournalError):
        tell(str(path))


@for_seeds(400)
def test_flipped_bits(seed: int, path: Path) -> None:
    """A journal with bits that have changed is refused with the line, or comes to the right number."""
    rng = np.random.default_rng([seed, 52])
    data = np.frombuffer(written(path, some=int(rng.integers(1, 8))), dtype=np.uint8).copy()
    path.unlink()
    for _ in range(rng.integers(1, 4)):
        data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    path.write_bytes(data.tobytes())
    refused: list[JournalError] = []
    try:
        covers = resumed(path)
    except JournalError as error:
        refused.append(error)
    if refused:
        assert (refused[0].file, refused[0].line is None, path.read_bytes()) == (str(path), False, data.tobytes())
    else:
        assert covers == 120
    path.unlink()


def line(value: Any) -> bytes:
    """A line of a journal, as it is to be."""
    text = json.dumps(value, separators=(",", ":")).encode()
    return b"%08x %b\n" % (zlib.crc32(text), text)


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (0, [], "this is no journal"),
        (0, {"journal": 1}, "this is no journal"),
        (0, {"journal": 1, "pieces": "2", "nodes": 0}, "this is no journal"),
        (0, {"journal": 1, "pieces": 2, "nodes": -1}, "this is no journal"),
        (0, {"journal": 2, "pieces": 2, "nodes": 1}, "this is version 2 of the format, and 1 can be read"),
        (1, [], "this is no piece"),
        (1, [1, []], "this is no piece"),
        (1, [1, [[["x"], [], None, 0]]], "this is no piece"),
        (1, [1, [[[0], [], None]]], "this is no piece"),
        (1, ["many", [[[0], [], None, 0]]], "this is no piece"),
        (-2, [99, 0, 0, 0, 1, None], "this tells of no piece"),
        (-2, [-1, 0, 0, 0, 1, None], "this tells of no piece"),
        (-2, ["0", 0, 0, 0, 1, None], "this tells of no piece"),
        (-2, [0, None, 0, 0, 1, None], "this tells of no piece"),
        (-2, [0, 0, 0, 0, 9, None], "this tells of no piece"),
        (-2, [0, 0, 0, 0, -1, None], "this tells of no piece"),
        (-2, [0, 0, 0, 0, 0, 7], "this tells of no piece"),
        (-2, {}, "this tells of no piece"),
        (-2, b"00000000 [0,0,0,0,1,null]\n", "this line is damaged"),
    ],
)
def test_lines_that_say_nothing(place: int, value: Any, reason: str, path: Path) -> None:
    """A line that is damaged, or is none that is ever written though its sum is right, is refused and named."""
    lines = written(path).splitlines(keepends=True)
    lines[place] = value if isinstance(value, bytes) else line(value)
    path.write_bytes(b"".join(lines))
    for read in (lambda path: tell(str(path)), resumed):
        with pytest.raises(JournalError, match=f"run.journal:{place % len(lines) + 1}: {reason}"):
            read(path)


def test_a_last_line_that_is_torn(path: Path) -> None:
    """A torn last line is dropped, and its slice is done again."""
    lines = written(path).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:8]) + lines[8].replace(b"[", b"("))
    assert resumed(path) == 120


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"kernel": "links"}, "of another kernel: auto, not links"),
        ({"seed": 1}, "of another problem"),
        ({"prefer": ROOKS.items[:1]}, "of another preferences: None"),
    ],
)
def test_journals_of_other_searches_are_refused(more: dict[str, Any], reason: str, path: Path) -> None:
    """The error names another problem, another kernel, or other preferences."""
    written(path)
    with pytest.raises(JournalError, match=reason):
        count(ROOKS, merge="never", checkpoint=path, **more)
    with pytest.raises(JournalError, match="of another problem"):
        count(ROOKS.without([0]), merge="never", checkpoint=path, **more)
    assert resumed(path) == 120


def test_journals_of_other_versions_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names another version, or other ways to cut."""
    first, rest = written(path).split(b"\n", 1)
    header = json.loads(first[9:])
    path.write_bytes(line({**header, "version": "0.0"}) + rest)
    with pytest.raises(JournalError, match=rf"of another version: 0\.0, not {header['version']}"):
        resumed(path)
    monkeypatch.setattr(journal, "SPLIT", [*cutting.SPLIT[:-1], 99])
    path.write_bytes(first + b"\n" + rest)
    with pytest.raises(JournalError, match="of another split"):
        resumed(path)


@pytest.mark.parametrize(
    ("place", "error", "reason"),
    [
        (".", IsADirectoryError, "Is a directory"),
        ("none/run.journal", FileNotFoundError, "none"),
        ("/dev/zero", JournalError, "this is no regular file"),
        ("/dev/full", JournalError, "this is no regular file"),
    ],
)
def test_places_that_are_no_files(place: str, error: type[Exception], reason: str, tmp_path: Path) -> None:
    """A folder, or a file in none, is an error of the system, with its name; a device is refused before it is read."""
    if place.startswith("/") and not Path(place).exists():
        pytest.skip(f"there is no {place}")
    for use in (lambda path: tell(str(path)), resumed):
        with pytest.raises(error, match=reason):
            use(tmp_path / place)


# One writer


@pytest.mark.slow
def test_one_journal_at_a_time_in_a_process(path: Path) -> None:
    """A second count with the same journal is refused, here as in another process, until the first has ended."""
    refused: list[str] = []

    def meanwhile(_: object) -> None:
        if not refused:
            with pytest.raises(JournalError, match="being written by this process") as caught:
                count(LARGE, merge="never", checkpoint=path)
            tell(str(path))
            other = subprocess.run(program(path), capture_output=True, text=True, env=environment(), check=False)
            refused.extend([str(caught.value), other.stderr])

    assert count(LARGE, merge="never", checkpoint=path, progress=meanwhile).covers == 2027025
    assert "being written by another process" in refused[1]
    assert resumed(path, LARGE) == 2027025


@pytest.mark.parametrize("there", [None, b""])
def test_an_empty_file_is_removed_if_it_was_made_here(there: bytes | None, path: Path) -> None:
    """A call that keeps nothing leaves no file; an empty one from before stays, and is begun by the next call."""
    if there is not None:
        path.write_bytes(there)
    Exclusive(str(path)).release()
    assert path.exists() == (there is not None)
    assert (resumed(path), path.exists()) == (120, True)


@pytest.mark.posix
@pytest.mark.parametrize("again", [False, True])
def test_a_file_removed_while_another_call_opens_it(again: bool, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second opener of a file in the moment of its removal is refused, and removes no newer file."""

    def lock(*given: Any) -> None:
        path.unlink()
        if again:
            path.write_bytes(b"")

    monkeypatch.setattr("dlx.parallel.exclusive._lock", lock)
    with pytest.raises(JournalError, match="being written by another process"):
        Exclusive(str(path))
    assert path.exists() == again


# Processes that die

COUNTING = """
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from dlx import count
from dlx.parallel import cutting, journal
from families import build

try:
    from distributed import Client
except ImportError:
    pass

def progress(seen):
    if not told and seen.nodes:
        told.append(print(seen.nodes, flush=True))

told = []
if __name__ == "__main__":
    who = {
        "threads": lambda: {"jobs": 2},
        "often": lambda: {"jobs": setattr(journal, "NOTED", 0.1) or 2},
        "fork": lambda: {"executor": ProcessPoolExecutor(2, get_context("fork"))},
        "spawn": lambda: {"executor": ProcessPoolExecutor(2, get_context("spawn"))},
        "dask": lambda: {"executor": Client(sys.argv[4]).get_executor(), "jobs": 2},
    }[sys.argv[2]]()
    cutting.MOST = 500
    problem = build("matchings", int(sys.argv[3]))
    print(count(problem, merge="never", checkpoint=sys.argv[1], progress=progress, **who).covers)
"""


def program(path: Path, who: str = "threads", size: int = 8, address: str = "") -> list[str]:
    """A count in a process of its own, which tells at first from how many nodes it goes on."""
    return [sys.executable, "-c", COUNTING, str(path), who, str(size), address]


def counting_in(path: Path, who: str, size: int, address: str = "") -> AbstractContextManager[subprocess.Popen[str]]:
    """The process of a count, which is gone afterwards."""
    return process(*program(path, who, size, address), PYTHONPATH=environment()["PYTHONPATH"])


@pytest.mark.slow
@pytest.mark.parametrize(("who", "times"), [("fork", 2), *nightly(("threads", 8), ("fork", 8), ("dask", 4))])
@pytest.mark.posix("/proc/self/task")
def test_the_main_program_is_killed(who: str, times: int, path: Path) -> None:
    """A count that is killed at random moments goes on, and in the end has the covers and nodes of one search."""
    covers, nodes = MATCHINGS[9]
    moments, orphans, done = random.Random(who), set[int](), 0
    with cluster() if who == "dask" else nullcontext() as client:
        address = client.scheduler.address if client else ""
        for _ in range(times):
            with counting_in(path, who, 9, address) as counting:
                assert counting.stdout is not None
                first = int(counting.stdout.readline())
                if first == covers:
                    break  # nothing was left to be done on a fast machine: this is the end
                assert first >= done
                more = path.stat().st_size + moments.randrange(5000)  # of some 40,000
                until(lambda: path.stat().st_size >= more or counting.poll() is not None)  # noqa: B023
                orphans |= set(children(counting.pid))
                counting.kill()
                counting.wait()
            done = sum(part.nodes for part in tell(str(path))[1])
    result = count(build("matchings", 9), merge="never", checkpoint=path, jobs=2)
    assert (result.covers, result.nodes) == (covers, nodes)
    until(lambda: not any(map(is_alive, orphans)))


@pytest.mark.slow
@pytest.mark.parametrize("who", ["fork", *nightly("spawn")])
@pytest.mark.posix("/proc/self/task")
def test_workers_that_outlive_their_program(who: str, path: Path) -> None:
    """Workers whose program has died do not keep the journal, and end by themselves, with work for years."""
    with counting_in(path, who, 20) as counting:
        assert counting.stdout is not None
        counting.stdout.readline()
        workers = [
            pid
            for pid in children(counting.pid)
            if b"resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]
        assert len(workers) == 2
        for pid in workers:
            os.kill(pid, signal.SIGSTOP)
        counting.kill()
        counting.wait()
        try:
            opened(path, build("matchings", 20)).close()
        finally:
            for pid in workers:
                os.kill(pid, signal.SIGCONT)
    until(lambda: not any(map(is_alive, workers)))


@pytest.mark.slow
def test_little_of_a_long_piece_is_lost(tmp_path: Path) -> None:
    """A single piece without an end writes down where it stands, again and again."""
    path, problem = tmp_path / "run.journal", build("matchings", 20)
    opened(path, problem, 1).close()
    lines = path.read_bytes().count(b"\n")
    with counting_in(path, "often", 20) as counting:
        until(lambda: path.read_bytes().count(b"\n") >= lines + 3)
        counting.kill()
        counting.wait()
    (part,) = tell(str(path))[1]
    assert part.mark is not None
    again = count(problem, merge="never", checkpoint=path, max_nodes=part.nodes + 1000)
    assert (again.nodes, again.stopped) == (part.nodes + 1000, "max_nodes")
    assert again.covers == count(problem, merge="never", max_nodes=part.nodes + 1000).covers


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of journals, which a test sets."""
    now = [0.0]
    monkeypatch.setattr(journal, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_a_journal_is_on_the_disk_within_a_second(
    path: Path, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines are handed to the disk when a second has gone by, at the beginning, and at the end."""
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    with closing(opened(path)) as run:
        run.pieces[0].at = 1
        assert len(synced) == 1
        for now[0] in (0.3, 0.6, 1.1, 1.2):
            run.note(0)
        assert len(synced) == 2
    assert len(synced) == 3


def test_a_piece_that_goes_on_is_written_down_now_and_then(path: Path, now: list[float]) -> None:
    """Lines about a piece come at first, then every few seconds, at its end, and at the end of the run."""

    def lines() -> int:
        return path.read_bytes().count(b"\n")

    with closing(opened(path)) as notes:
        empty, part = lines(), notes.pieces[0]
        counts = []
        for now[0], part.nodes in ((0.0, 1), (1.0, 2), (journal.NOTED, 3), (journal.NOTED + 1.0, 4)):
            notes.note(0)
            counts.append(lines() - empty)
        assert counts == [1, 1, 2, 2]
    assert lines() - empty == 3
    assert tell(str(path))[1][0].nodes == 4
    with closing(opened(path)) as notes:
        notes.pieces[0].at = len(notes.pieces[0].places)
        notes.note(0)
        assert lines() - empty == 4


# Long ones


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every journal is long."""
    monkeypatch.setattr(journal, "LONG", 0)


def long(path: Path) -> bytes:
    """A journal of many lines about pieces that go on, and of some that are done; it is not shortened."""
    whole = written(path, number=3, some=20)
    lines = whole.splitlines(keepends=True)
    path.write_bytes(whole + b"".join(lines[1 + len(tell(str(path))[1]) :]) * 50)
    return path.read_bytes()


@pytest.mark.usefixtures("short_slices", "small")
def test_long_journals_are_shortened(path: Path, tmp_path: Path) -> None:
    """A journal that is gone on with becomes as short as it can be, and tells the same; a short one stays."""
    whole = long(path)
    before = tell(str(path))
    opened(path).close()
    assert path.stat().st_size < len(whole) / 5
    assert tell(str(path)) == before
    file = path.stat().st_ino
    opened(path).close()
    assert path.stat().st_ino == file
    assert resumed(path) == 120
    assert [name.name for name in tmp_path.iterdir()] == ["run.journal"]


@pytest.mark.slow
@pytest.mark.usefixtures("short_slices", "small")
def test_a_shortened_journal_is_still_in_use(path: Path) -> None:
    """Nobody else writes the file that has been put in its place."""
    long(path)
    with closing(opened(path)):
        with pytest.raises(JournalError, match="being written by this process"):
            resumed(path)
        other = subprocess.run(program(path, size=5), capture_output=True, text=True, env=environment(), check=False)
        assert "being written by another process" in other.stderr


@pytest.mark.usefixtures("short_slices", "small")
@pytest.mark.parametrize("is_done", [False, True])
def test_an_error_while_a_short_journal_takes_its_place(
    is_done: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next lines are in the file, if the system has put it in its place nevertheless or not."""
    path, true = tmp_path / "run.journal", os.replace
    long(path)

    def replace(*names: str) -> None:
        if is_done:
            true(*names)
        raise OSError("input/output error")

    monkeypatch.setattr(os, "replace", replace)
    with closing(opened(path)) as notes:
        notes.pieces[0].nodes += 1000
    assert [part.nodes for part in tell(str(path))[1]] == [part.nodes for part in notes.pieces]
    assert [name.name for name in tmp_path.iterdir()] == ["run.journal"]


SHORTENING = """
import os
import signal
import sys
import threading
from dlx import count
from dlx.parallel import journal
from families import build

journal.LONG = 0
moment = sys.argv[2]

def deadly(name, before):
    true = getattr(os, name)
    def call(*given):
        if before:
            os.kill(os.getpid(), signal.SIGKILL)
        true(*given)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(os, name, call)

def torn(number, mode):
    os.write(number, open(sys.argv[1], "rb").read(int(moment)))
    os.kill(os.getpid(), signal.SIGKILL)

if moment.isdigit():
    os.fdopen = torn
else:
    deadly(moment.split()[1], moment.startswith("before"))
count(build("rooks", 5), merge="never", checkpoint=sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.usefixtures("short_slices", "small")
@pytest.mark.parametrize("moment", ["0", "300", "before fsync", "behind fsync", "before replace", "behind replace"])
@pytest.mark.posix
def test_killed_while_a_journal_is_shortened(moment: str, path: Path) -> None:
    """The long file is there, or the short one, and either is gone on with; what is left of a new one does no harm."""
    whole = long(path)
    before = tell(str(path))
    command = [sys.executable, "-c", SHORTENING, str(path), moment]
    killed = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    assert (killed.returncode, killed.stderr) == (-signal.SIGKILL, "")
    assert (path.read_bytes() == whole) == (moment != "behind replace")
    assert tell(str(path)) == before
    opened(path).close()
    assert tell(str(path)) == before
    assert path.stat().st_size < len(whole) / 5
    assert resumed(path) == 120


def test_the_fingerprint_is_that_of_the_problem_alone(path: Path) -> None:
    """Names do not matter, so that a count goes on when they are spelt anew."""
    count(Problem.from_options(["ab", "c"]), merge="never", checkpoint=path)
    assert count(Problem.from_options([(1, 2), (3,)]), merge="never", checkpoint=path).covers == 1


@pytest.mark.slow
def test_threads_that_write_one_journal(tmp_path: Path) -> None:
    """One of four threads that begin at the same moment counts, or one after the other; the journal stays right."""
    for k in range(20):
        path, start = tmp_path / f"{k}.journal", threading.Barrier(4)

        def counted(path: Path = path, start: threading.Barrier = start) -> int:
            start.wait()
            try:
                return resumed(path)
            except JournalError as error:
                return 120 if error.reason == "it is being written by this process" else -1

        with ThreadPoolExecutor(4) as pool:
            assert [future.result() for future in [pool.submit(counted) for _ in range(4)]] == [120] * 4
        assert resumed(path) == 120
