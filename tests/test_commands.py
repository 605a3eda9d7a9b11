"""Both commands: transcripts; in real processes closed and full outputs, Ctrl-C at any moment, whole lines."""

from __future__ import annotations

import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import get_args

import pytest
import transcripts
from commands import ENDLESS, ROOT, Terminal, buffered, interrupted_on_a_terminal, module, process
from commands import matchings as perfect
from processes import call
from seeds import Nightly, nightly
from sudoku_command import CLUE17, EMPTY, SOLVED
from transcripts import Command, Transcript, run
from waiting import WAIT, until_full

import dlx.command.cli
import sudoku.command.cli
from dlx import command
from sudoku.formats.writing import WRITERS
from sudoku.grid import TextForm
from sudoku.setting.techniques import TECHNIQUES

PATHS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
SHOWN = [pytest.param(shown, id=f"{path.stem}: {shown.claim}") for path in PATHS for shown in transcripts.read(path)]


@pytest.mark.parametrize("shown", SHOWN)
def test_transcripts(shown: Transcript, tmp_path: Path) -> None:
    """Commands print the lines of their transcripts, and end with the status there."""
    with transcripts.folder(tmp_path):
        for command in shown.commands:
            printed = transcripts.run(command)
            assert transcripts.alike(command.printed, printed), f"$ {command.line}\n" + "\n".join(printed)


DANCE = "examples/toys/dance.dlx"
CONTEST = "examples/contest-1.txt"
TASKS = {"dlx": ("count", DANCE), "sudoku": ("target", CONTEST)}


@pytest.fixture(scope="module")
def matchings(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with the perfect matchings of 40 points: more covers than anybody will see."""
    path = tmp_path_factory.mktemp("matchings") / "40.dlx"
    path.write_text(ENDLESS)
    return str(path)


@pytest.fixture(scope="module")
def grids(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with more solved grids than a pipe and a reader hold scores, of 5 bytes each."""
    path = tmp_path_factory.mktemp("grids") / "solved.txt"
    path.write_text(f"{SOLVED}\n" * 40_000)
    return str(path)


PRINTING = ["sudoku generate", "dlx --version", f"sudoku target {CONTEST}", f"dlx count {DANCE}"]
LOST = {">&-": "Bad file descriptor", "> /dev/full": "No space left on device"}


def in_shell(line: str) -> subprocess.CompletedProcess[str]:
    """Runs one of our commands by a shell."""
    name, _, rest = line.partition(" ")
    return call("sh", "-c", f"{shlex.join(module(name))} {rest}", environ=buffered())


@pytest.mark.parametrize("where", [">&-", pytest.param("> /dev/full", marks=pytest.mark.posix("/dev/full"))])
@pytest.mark.parametrize("task", [PRINTING[0], PRINTING[-1], *nightly(*PRINTING[1:-1])])
@pytest.mark.posix
def test_lost_output(task: str, where: str) -> None:
    """A standard output that is closed, or on a full disk, is an error with a message and status 2."""
    ended = in_shell(f"{task} {where}")
    assert (ended.returncode, ended.stderr) == (2, f"{task.split()[0]}: <stdout>: {LOST[where]}\n")


@pytest.mark.parametrize("way", ["module", "script"])
@pytest.mark.parametrize("name", TASKS)
@pytest.mark.posix
def test_interrupt_while_loading(tmp_path: Path, name: str, way: str) -> None:
    """Ctrl-C from the first of our lines to the last leaves status 130 or the whole answer, and never a traceback."""
    script = tmp_path / name  # wherever it is installed
    script.write_text(f"import sys\nfrom {name}.command.cli import main\nsys.exit(main())\n")
    line = module(name) if way == "module" else (sys.executable, str(script))
    rng = random.Random(f"{name} {way}")
    statuses = []
    for modules in (0, *(rng.randrange(300) for _ in range(7 if Nightly.on else 1))):
        # Python names each module on stderr when it has been imported; before `start` there is none of ours. There is
        # room for 4096 bytes of them, and of all a hundred take more: at least the first interrupt comes in time.
        with process(*line, *TASKS[name], pipesize=4096, PYTHONPROFILEIMPORTTIME="1", PYTHONPATH=str(ROOT)) as running:
            before = iter(running.stderr.readline, "")
            assert any(" dlx.start\n" in text for text in before)
            for _ in islice(before, modules):
                pass
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=WAIT)
        assert all(text.startswith("import time:") for text in err.splitlines())
        # Python itself, which ends behind the last of our lines, leaves the signal to the system.
        assert running.returncode in (0, 130, -signal.SIGINT)
        assert running.returncode == 130 or out in ("1\n", "2829\n")
        statuses.append(running.returncode)
    assert 130 in statuses


@pytest.mark.parametrize("name", TASKS)
def test_nothing_is_loaded_before_ctrl_c_is_answered(name: str) -> None:
    """A command answers Ctrl-C as the first thing: of its own modules none comes before, and of Python's few."""
    times = call(*module(name), "--version", environ={**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}).stderr
    modules = [line.rpartition("|")[2].strip() for line in times.splitlines()]
    before = modules[modules.index("runpy") : modules.index("dlx.start")]
    assert not {"typing", "dlx.command", "numpy", "signal", "enum", "__future__"} & {*before}
    assert len(before) < 20


def test_other_programs_keep_their_interrupts(tmp_path: Path) -> None:
    """Importing the packages changes no signal, not even in another program of a command's name."""
    program = tmp_path / "dlx"
    program.write_text("import dlx, sudoku, signal; print(signal.getsignal(2) is signal.default_int_handler)")
    with process(sys.executable, str(program), PYTHONPATH=str(ROOT)) as running:
        assert running.communicate(timeout=WAIT) == ("True\n", "")


@pytest.mark.parametrize("unbuffered", ["", *nightly("1")], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(
    "task",
    [
        "dlx solve {matchings}",
        "sudoku target {grids}",
        *nightly("dlx solve --json {matchings}", "sudoku solve {grids}"),
    ],
)
@pytest.mark.posix("/proc/self/fd")
def test_interrupt_into_a_slow_pipe(task: str, unbuffered: str, matchings: str, grids: str) -> None:
    """Ctrl-C never leaves half a line, whatever the speed of the reader."""
    name, *words = task.split()
    arguments = [word.format(grids=grids, matchings=matchings) for word in words]
    rng = random.Random(task + unbuffered)
    for full in (False, True):
        with process(*module(name), *arguments, PYTHONUNBUFFERED=unbuffered) as running:
            printed = os.read(running.stdout.fileno(), rng.randrange(1, 70_000))
            if full:
                until_full(f"/proc/{running.pid}/fd/1")
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=WAIT)
        assert (printed.decode() + out).endswith("\n")
        assert "Traceback" not in err
        assert running.returncode == 130
        if name == "sudoku":
            assert set((printed.decode() + out).split()) <= {SOLVED, "2850", "unknown"}


@pytest.mark.parametrize(
    ("task", "first", "rest"),
    [
        ("dlx solve", ENDLESS, None),
        ("sudoku solve -", f"{CLUE17}\n" * 200, f"{CLUE17}\n" * 200),
        ("sudoku solve --all -", f"{EMPTY}\n", None),
        *nightly(("sudoku shares -", f"{CLUE17}\n" * 100, None)),
    ],
    ids=lambda value: value if value and len(value) < 30 else "",
)
def test_closed_pipe(task: str, first: str, rest: str | None) -> None:
    """The command stops without a message, with status 0 and with all its processes, if its reader goes away."""
    name, *words = task.split()
    with process(*module(name), *words) as running:
        running.put(first, last=rest is None)
        assert running.stdout.readline()
        running.stdout.close()
        if rest is not None:
            running.put(rest, last=True)
        assert running.stderr.read() == ""  # which comes to its end when no process has it open
        assert running.wait(timeout=WAIT) == 0


@pytest.mark.parametrize(
    ("task", "text", "answer"),
    [
        ("dlx count", "a " * (1 << 17), ""),  # more than a pipe holds: when this is through, it is being read
        ("sudoku solve", f"{CLUE17}\n", f"{SOLVED}\n"),
    ],
    ids=["dlx", "sudoku"],
)
@pytest.mark.posix
def test_interrupt_while_waiting_for_input(task: str, text: str, answer: str) -> None:
    """Ctrl-C while there is nothing to do ends the command with status 130 and no message."""
    name, *words = task.split()
    with process(*module(name), *words) as running:
        running.put(text)
        assert not answer or running.stdout.readline() == answer
        running.send_signal(signal.SIGINT)
        assert running.communicate(timeout=WAIT) == ("", "")
    assert running.returncode == 130


NUMBER = r"([\d.]+[kMGTP]?|\d\.\d\de\d+|\?)"
# Tasks without an end, each with its input, its line on a terminal, its answer, and the message after Ctrl-C.
INTERRUPTED = [
    (
        "dlx count",
        ENDLESS,
        rf"item \d+ of \d+, {NUMBER} states, {NUMBER} states/s, {NUMBER} hits, [\d,.]+ MB, \d+ s",
        r"[1-9]\d* unproven\n",
        "there may be more covers",
    ),
    (
        "dlx best -k 1000000",
        perfect(40, costs=True),
        rf"best [\d,]+, bound [\d,]+, (pass .*%, )?{NUMBER} nodes, {NUMBER} nodes/s, ",
        r"(\d+\tv[^\n]*\n)+",
        "there may be better covers.*",
    ),
    (
        "sudoku target --strategy dlx --timeout 1e6",
        f"{EMPTY}\n",
        rf"<stdin>:1: .*%, {NUMBER} completions, {NUMBER} completions/s, .* left",
        r"2[789]\d\d unproven\n",
        None,
    ),
    ("sudoku count", f"{EMPTY}\n{CLUE17}\n", "<stdin>:1: ", r"[1-9]\d* unproven\n", None),
    ("sudoku shares", f"{EMPTY}\n{CLUE17}\n", "<stdin>:1: ", r"(?: *r\dc\d .*\n)*unknown\n", None),
]


@pytest.mark.parametrize(
    ("task", "text", "state", "answer", "rest"),
    INTERRUPTED,
    ids=lambda value: value if value and value.startswith(("dlx", "sudoku")) else "",
)
@pytest.mark.posix
def test_progress_and_interrupt(task: str, text: str, state: str, answer: str, rest: str | None) -> None:
    """A terminal shows how far a search is; Ctrl-C takes the line away, and what was found comes in whole lines."""
    name, *words = task.split()
    shown, out, end, status = interrupted_on_a_terminal(text, *module(name), *words)
    assert re.match(rf"\r{state}", shown)
    assert re.fullmatch(answer, out)
    assert re.search(r"\r +\r" + (rf"{name}: stopped by Ctrl-C; {rest}\r\n" if rest else "") + "$", end)
    assert status == 130


def test_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a line that is too long the last parts are shown."""
    for name in ("PATIENCE", "REFRESH"):
        monkeypatch.setattr(f"dlx.engine.line.{name}", 0.0)
    for columns, shown in (
        (40, "a.txt:1: 12.5%, 3,000 covers, 30 s left"),
        (39, "3,000 covers, 30 s left"),
        (9, "0 s left"),
    ):
        monkeypatch.setattr("sys.stderr", terminal := Terminal())
        monkeypatch.setattr("dlx.engine.line.columns", lambda columns=columns: columns)
        command.StatusLine().update(lambda: "a.txt:1: 12.5%, 3,000 covers, 30 s left")
        assert terminal.getvalue().strip("\r ") == shown


FORMS_READ = {*get_args(TextForm), "json", "code"}
NAMED = {"target": FORMS_READ, "convert": FORMS_READ | set(WRITERS), "generate": set(TECHNIQUES)}  # of sudoku
HELPS = [("dlx", name) for name in ("", *(function.__name__ for function in dlx.command.cli.COMMANDS))]
HELPS += [("sudoku", name) for name in ("", *(function.__name__ for function in sudoku.command.cli.COMMANDS))]


@pytest.mark.parametrize(("program", "name"), HELPS)
def test_examples_in_help(program: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Help begins with a sentence and three examples, which answer where their files are; it names all forms."""
    monkeypatch.setenv("COLUMNS", "100")
    text = "\n".join(run(Command(f"{program} {name} --help", "", [])))
    found = re.match(r"usage: .*(?:\n +.*)*\n\n[A-Z].*\.\n\nexamples:\n((?:  .*\n){3})\n", text)
    assert found, text[:500]
    assert not name or re.search(r"^output(, for each grid)?:", text, re.MULTILINE)
    assert "exit status:" in text
    named = NAMED.get(name, set()) if program == "sudoku" else set()
    assert [each for each in named if not re.search(rf" {re.escape(each)}\b", " ".join(text.split()))] == []
    monkeypatch.chdir(tmp_path)
    for line in found[1].splitlines():
        for file in (ROOT / "examples").rglob("*.*"):
            if file.name in line.split():
                shutil.copy(file, tmp_path)
        before = set(tmp_path.iterdir())
        printed = run(Command(line.strip(), "", []))
        assert line.startswith(f"  {program} {name}".rstrip())
        assert printed or set(tmp_path.iterdir()) > before, line
        assert not any(text.startswith("?") for text in printed), (line, printed)


@pytest.mark.parametrize("task", ["dlx best --check proof", "sudoku solve --time 1", "dlx count --check x --json"])
def test_options_are_not_abbreviated(task: str) -> None:
    """The beginning of an option is no option: `--check` does not stand for `--checkpoint`."""
    printed = run(Command(task, "", []))
    assert printed[0] == "? 2"
    assert "unrecognized arguments" in printed[-1] or "is no option" in printed[-1]
