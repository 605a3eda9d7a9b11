"""Transcripts of the two commands: what is typed, and all that is printed.

A claim is a line `# ...`, and all up to the next one is run in one folder, which has the `examples`, and `GRIDS`:

    $ dlx count --merge never         a command; it is run for each `{this,that}`, and prints the same; `< FILE` is its
                                      standard input
    < a b                             a line of its standard input
    <= 81 * "."                       text of its standard input, as Python's expression
    $ cat > file.txt                  writes its standard input to a file
    $ build matchings 6 > file.dlx    writes an instance of the benchmarks, or `crews`
    ? 2                               the exit status, if it is not 0
    1                                 a line of the standard output
    ! dlx: ...                        a line of the error output; of an error of usage the last one

In the output `…` stands for any text within a line, and a line of `…` for any lines.

As a program, it runs the transcripts in the files named, and writes down what is printed now where that is another:

    python tests/shared/transcripts.py tests/transcripts/*.txt
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from commands import stdin
from families import build
from sudoku_command import CLASH, CLUE17, MANY, SOLVED

import dlx.command.cli
import dlx.formats
import sudoku.command.cli
from dlx import Problem

ROOT = Path(__file__).parents[2]
COMMANDS: dict[str, Callable[[list[str]], int]] = {"dlx": dlx.command.cli.main, "sudoku": sudoku.command.cli.main}

GRIDS = {"one.txt": CLUE17, "none.txt": CLASH, "many.txt": MANY, "full.txt": SOLVED}  # by their numbers of completions


class Command(NamedTuple):
    """A command, its standard input, and the lines that it prints, as they stand in a transcript."""

    line: str
    text: str
    printed: list[str]


class Transcript(NamedTuple):
    """A claim, with the commands that show it."""

    claim: str
    commands: list[Command]


# What differs from run to run, or from one version of Python to the next.
VARIES = re.compile(
    r'(?<=seconds": )[0-9.e-]+|(?<=seconds: )[0-9.e-]+|(?<= in )[0-9.e-]+(?= seconds)|(?<=from ).*(?=\))'
)


def crews(n: int) -> Problem:
    """Pairs n people off at random costs."""
    rng = np.random.default_rng(1)
    pairs = list(combinations(range(n), 2))
    return Problem.from_options(pairs, items=range(n), weights=rng.integers(1, 1000, len(pairs)).tolist())


def read(path: Path) -> Iterator[Transcript]:
    """Yields the transcripts of a file."""
    for part in _parts("#", path.read_text(encoding="utf-8")):
        claim, _, rest = part.rstrip("\n").partition("\n")
        yield Transcript(claim, [_command(shown) for shown in _parts("$", f"{rest}\n")])


def _parts(sign: str, text: str) -> list[str]:
    """Splits a text at the lines that begin with a sign."""
    return re.split(rf"^{re.escape(sign)} ", text, flags=re.MULTILINE)[1:]


def _command(shown: str) -> Command:
    line, *lines = shown.splitlines()
    given = [each for each in lines if each.startswith("<")]
    text = "".join(eval(each[3:], {}) if each.startswith("<= ") else f"{each[2:]}\n" for each in given)
    return Command(line, text, lines[len(given) :])


def run(command: Command) -> list[str]:
    """Runs a command in the current folder, and returns the lines of a transcript with all that it prints."""
    results = [_run(line, command.text) for line in _expanded(command.line)]
    return results[0] if all(result == results[0] for result in results) else [*chain(*results)]


def _expanded(line: str) -> list[str]:
    before, brace, rest = line.partition("{")
    several, _, behind = rest.partition("}")
    return [end for one in several.split(",") for end in _expanded(before + one + behind)] if brace else [line]


def _run(line: str, text: str) -> list[str]:
    name, *arguments = shlex.split(line)
    data = text.encode()
    if "<" in arguments:
        *arguments, _, file = arguments
        data = Path(file).read_bytes()
    if name == "cat":
        Path(arguments[1]).write_text(text, encoding="utf-8")
    elif name == "build":
        family, *sizes = arguments[:-2]
        make = crews if family == "crews" else partial(build, family)
        dlx.formats.write(make(*map(int, sizes)), arguments[-1])
    else:
        return _called(COMMANDS[name], arguments, data)
    return []


def _called(main: Callable[[list[str]], int], arguments: list[str], data: bytes) -> list[str]:
    out, err, before = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = stdin(data)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status, first = main(arguments), 0
    except SystemExit as ended:
        status, first = int(ended.code or 0), -1
    finally:
        sys.stdin = before
    if err.getvalue().endswith("pip install pynauty\n"):
        raise ImportError("pynauty is not installed", name="pynauty")
    said = [f"! {line}".rstrip() for line in err.getvalue().splitlines()[first:]]
    return [f"? {status}"] * (status != 0) + out.getvalue().splitlines() + said


def alike(expected: list[str], printed: list[str]) -> bool:
    """Returns whether lines match, except for empty lines at the end; `…` stands for any text or lines."""
    lines = [r"(.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n" for line in expected]
    return bool(re.fullmatch("".join(lines) + r"\n*", "".join(f"{line}\n" for line in printed)))


@contextlib.contextmanager
def folder(path: Path) -> Iterator[None]:
    """Makes a folder the current one, with the examples in it, for as long as this context."""
    (path / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
    for name, line in GRIDS.items():
        (path / name).write_text(f"{line}\n", encoding="utf-8")
    with contextlib.chdir(path):
        yield


def record(path: Path) -> str:
    """Returns the text of a file, in which outputs that no longer match are replaced."""
    text = ""
    for transcript in read(path):
        text += f"\n# {transcript.claim}\n"
        with tempfile.TemporaryDirectory() as place, folder(Path(place)):
            for command, shown in zip(transcript.commands, _given(path, transcript.claim), strict=True):
                printed = run(command)
                lines = command.printed if alike(command.printed, printed) else [VARIES.sub("…", x) for x in printed]
                text += "".join(f"{line}\n" for line in [*shown, *lines])
    return text.removeprefix("\n")


def _given(path: Path, claim: str) -> Iterator[list[str]]:
    """Yields the lines of each command of a transcript, without what is printed."""
    (part,) = (part for part in _parts("#", path.read_text(encoding="utf-8")) if part.startswith(f"{claim}\n"))
    for shown in _parts("$", part):
        line, *lines = shown.splitlines()
        yield [f"$ {line}", *(each for each in lines if each.startswith("<"))]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(record(Path(name).resolve()), encoding="utf-8")
