"""The commands in the README and the documents print the lines below them; `make docs` runs the examples."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from contextlib import chdir
from pathlib import Path

import pytest
import transcripts
from processes import ROOT, call, environment
from seeds import Nightly

README = (ROOT / "README.md").read_text(encoding="utf-8")


def run(*command: str) -> str:
    inner = {name: value for name, value in environment().items() if name not in ("MAKEFLAGS", "MAKELEVEL", "VENV")}
    ended = call(*command, environ=inner)
    if ended.stderr.endswith("pip install pynauty\n"):
        raise ImportError("pynauty is not installed", name="pynauty")
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def recipe(target: str) -> list[str]:
    """The last command that make would run for a target."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    return shlex.split(run("make", "--dry-run", target).splitlines()[-1])


def test_make_solve() -> None:
    """`make solve` solves the contest's first sample, and prints 2829 and the grid that the README shows."""
    program, *arguments = recipe("solve")
    assert program == ".venv/bin/sudoku"
    assert arguments == ["target", "--grid", "examples/contest-1.txt"]
    printed = run(sys.executable, "-m", "sudoku", *arguments)
    assert f"```text\n{printed}```\n" in README
    score, *grid = printed.split("\n", 1)
    assert score == "2829"
    assert sorted(re.sub(r"\D", "", grid[0])) == sorted("123456789" * 9)


def test_commands_bring_about_what_they_need(tmp_path: Path) -> None:
    """Both commands, without an environment, make one, install the packages and build the kernels first."""
    for target in ("solve", "test"):
        recipe(target)
        steps = run("make", "--dry-run", target, f"VENV={tmp_path}/new")
        places = [steps.index(step) for step in ("-m venv", "install --no-build-isolation --editable .", "build_ext")]
        assert places == sorted(places)


def shown_commands(path: Path) -> list[tuple[str, str]]:
    """The shell commands in console blocks of a document, with what is printed below each."""
    block = "".join(re.findall(r"^```console\n(.*?)^```$", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE))
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)


def outcome(command: str) -> str:
    """Returns the output of a pipe of shell commands; ours run in this process, which saves the start of others."""
    text = ""
    with chdir(ROOT):
        for part in command.split(" | "):
            if part.split()[0] in transcripts.COMMANDS:
                lines = transcripts.run(transcripts.Command(part, text, []))
                text = "".join(f"{line}\n" for line in lines if not line.startswith("! "))
            else:
                text = call("sh", "-c", part, text=text).stdout
    return text


SHOWN = {path.stem: shown for path in sorted((ROOT / "docs").rglob("*.md")) if (shown := shown_commands(path))}


@pytest.mark.parametrize("document", SHOWN)
@pytest.mark.posix
def test_shown_commands(document: str) -> None:
    """A shown command prints the lines below it, but for the work it took."""
    work = re.compile(r'"(nodes|seconds)": [0-9.e-]+')
    for command, printed in SHOWN[document]:
        if "-n 500" not in command or Nightly.on:  # which takes some seconds
            assert work.sub("", outcome(command)) == work.sub("", printed), command


DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_named_files_exist(path: Path) -> None:
    """The files that a document links to, and the sources that it names, exist."""
    text = path.read_text(encoding="utf-8")
    linked = [path.parent / name for name in re.findall(r"\]\((?!https?:)([^)#]+)", text)]
    named = [ROOT / name for name in re.findall(r"`((?:dlx|sudoku|tests|benchmarks)/[\w/]+\.(?:py|txt))`", text)]
    assert [path for path in linked + named if not path.exists() and "NAME" not in path.name] == []
