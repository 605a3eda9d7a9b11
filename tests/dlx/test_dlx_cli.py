"""The `dlx` command: answers, streams, limits, Ctrl-C, closed pipes, malformed input and exit statuses."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import Mock

import pytest
from commands import Terminal
from dlx_command import COLOURS, COSTS, DANCE, ENDLESS, MULTIPLICITY, NO_COVER, NONE, ROOT, Feed, command, matchings
from waiting import WAIT

from dlx import Coloured, Problem, ProblemError
from dlx.command.cli import main
from dlx.formats import read, write


@pytest.mark.parametrize("path", [DANCE, COLOURS, MULTIPLICITY])
def test_count_of_the_toys(feed_dlx: Feed, path: str) -> None:
    """The three toys without costs have one cover each: from a file, from standard input, and by its name."""
    text = Path(path).read_text()
    assert feed_dlx("", "count", path) == (0, "1\n", "")
    assert feed_dlx(text, "count") == (0, "1\n", "")
    assert feed_dlx(text, "count", "-") == (0, "1\n", "")


def test_solve(feed_dlx: Feed) -> None:
    """A cover in each line: options and items in the order of the file, colours included."""
    assert feed_dlx("", "solve", DANCE) == (0, "c e | a d f | b g\n", "")
    assert feed_dlx("", "solve", COLOURS) == (0, "A C X:1 Y:1 | B X:1\n", "")
    status, out, _ = feed_dlx("", "solve", COSTS)
    assert status == 0
    assert sorted(out.splitlines()) == ["a b | c", "a b | c x", "a x:1 | b c x:1", "a x:1 | b | c"]


def test_solve_and_count_agree(feed_dlx: Feed) -> None:
    """As many different covers are listed as are counted, whatever the kernel and the seed."""
    text = matchings(8)
    lines = [feed_dlx(text, "solve", *more)[1].splitlines() for more in ([], ["--kernel", "links"], ["--seed", "5"])]
    assert [len(set(found)) for found in lines] == [105] * 3
    assert {frozenset(found) for found in lines} == {frozenset(lines[0])}
    assert lines[0] != lines[2]
    assert feed_dlx(text, "count", "--kernel", "bits", "--seed", "7") == (0, "105\n", "")


def test_every(feed_dlx: Feed) -> None:
    """With --every N the N-th cover is printed, the 2N-th and so on; the search is the same."""
    text = matchings(10)
    whole = feed_dlx(text, "solve")[1].splitlines()
    for every in (1, 7, 944, 945, 946):
        assert feed_dlx(text, "solve", "--every", str(every))[1].splitlines() == whole[every - 1 :: every]


def test_limit(feed_dlx: Feed) -> None:
    """With --limit the search ends after so many covers, which is no error."""
    text = matchings(12)
    assert feed_dlx(text, "count", "--limit", "100") == (0, "100\n", "")
    assert feed_dlx(text, "count", "--limit", "0") == (0, "0\n", "")
    assert feed_dlx(text, "solve", "--limit", "0") == (0, "", "")
    status, out, err = feed_dlx(text, "solve", "--limit", "1500")
    assert (status, len(out.splitlines()), err) == (0, 1500, "")
    assert feed_dlx(text, "solve", "--limit", "1500", "--every", "1500")[1] == f"{out.splitlines()[-1]}\n"


def test_counts_are_plain_integers(feed_dlx: Feed) -> None:
    """A count has its digits and nothing else."""
    assert feed_dlx(matchings(16), "count") == (0, "2027025\n", "")


def test_best(feed_dlx: Feed) -> None:
    """The cheapest cover first, the dearest one with --max, K of them with -k; without costs every score is 0."""
    assert feed_dlx("", "best", COSTS) == (0, "2\ta x:1 | b c x:1\n", "")
    assert feed_dlx("", "best", COSTS, "-k", "3")[1].splitlines()[:1] == ["2\ta x:1 | b c x:1"]
    scores = [line.split("\t")[0] for line in feed_dlx("", "best", COSTS, "-k", "9")[1].splitlines()]
    assert scores == ["2", "5", "8", "8"]
    assert feed_dlx("", "best", COSTS, "--max", "-k", "1", "--seed", "3")[1].startswith("8\ta ")
    assert feed_dlx("", "best", COSTS, "--min") == feed_dlx("", "best", COSTS)
    assert feed_dlx("", "best", DANCE) == (0, "0\tc e | a d f | b g\n", "")


def test_a_gap_is_told_of(feed_dlx: Feed) -> None:
    """What --gap leaves open is said, with the bound; the status is 0, and --json has the same."""
    status, out, err = feed_dlx(matchings(40, costs=True), "best", "--gap", "9")
    found = re.fullmatch(r"dlx: .* by --gap; there may be better covers, but none with a score below (\d+)\n", err)
    assert found
    assert status == 0
    assert int(found[1]) < int(out.partition("\t")[0])
    answer = json.loads(feed_dlx(matchings(40, costs=True), "best", "--gap", "9", "--json")[1])
    assert (answer["proven"], answer["stopped"], answer["bound"]) == (False, "gap", int(found[1]))


def test_a_coarse_tolerance_is_told_of(feed_dlx: Feed, tmp_path: Path) -> None:
    """Where large weights cancel each other out, so that small ones are lost, the answer says so."""
    rng = random.Random(0)
    pieces = [rng.sample(range(16), rng.randrange(2, 5)) for _ in range(300)]
    weights = [1e15, -1e15, *(rng.randrange(100, 900) / 100 for _ in pieces)]
    write(Problem.from_options([["a"], ["b"], *pieces], weights=weights), tmp_path / "huge.npz")
    status, out, err = feed_dlx("", "best", str(tmp_path / "huge.npz"))
    assert status == 0
    assert out
    assert re.fullmatch(r"dlx: weights are so large that a cover may be better by [0-9.e+]+\n", err)


def test_no_cover(feed_dlx: Feed) -> None:
    """If there is no cover, the count is 0, and the other commands print nothing, say so, and end with status 1."""
    assert feed_dlx(NO_COVER, "count") == (0, "0\n", "")
    assert feed_dlx(NO_COVER, "count", "--shares") == (0, "0\t0\ta b\n0\t0\tb c\n", "")
    assert feed_dlx(NO_COVER, "sample", "-n", "3") == (1, "", NONE)
    assert json.loads(feed_dlx(NO_COVER, "sample", "--json")[1])["covers"] == 0
    assert feed_dlx(NO_COVER, "solve") == (1, "", NONE)
    assert feed_dlx(NO_COVER, "best") == (1, "", NONE)


def test_the_status_where_there_is_no_cover(feed_dlx: Feed, capsys: pytest.CaptureFixture[str]) -> None:
    """It is 1 for just the commands of which the help says so; the others have answered all the same."""
    with pytest.raises(SystemExit):
        main(["--help"])
    (line,) = [line for line in capsys.readouterr().out.splitlines() if ": there is no cover;" in line]
    said = line.split(maxsplit=1)[1].partition(":")[0].split(", ")
    asked = ["count", "solve", "best", "watch", "watch --best", "info", "estimate"]
    ended = {name: feed_dlx("a b\na\n", *name.split())[0] for name in asked}
    assert ended == {name: int(name in said) for name in asked}


def test_json(feed_dlx: Feed) -> None:
    """With --json every answer is an object with the covers by numbers and by items, and how the search went."""
    how = {"exhausted": True, "stopped": None}
    answer = json.loads(feed_dlx("", "count", DANCE, "--json")[1])
    assert answer.items() >= {"file": DANCE, "covers": 1, **how}.items()
    assert answer.keys() >= {"kernel", "nodes", "updates", "seconds"}
    cover, end = map(json.loads, feed_dlx("", "solve", COLOURS, "--json")[1].splitlines())
    assert cover == {"cover": 1, "options": [1, 2], "items": [["A", "C", "X:1", "Y:1"], ["B", "X:1"]]}
    assert end.items() >= {"file": COLOURS, "covers": 1, **how}.items()
    answer = json.loads(feed_dlx("", "best", COSTS, "--json")[1])
    assert answer.items() >= {"score": 2, "bound": 2, "proven": True, **how}.items()
    assert answer["best"] == [{"score": 2, "options": [2, 3], "items": [["a", "x:1"], ["b", "c", "x:1"]]}]
    answer = json.loads(feed_dlx(NO_COVER, "best", "--json")[1])
    assert (answer["score"], answer["best"], answer["bound"], answer["proven"]) == (None, [], None, True)
    answer = json.loads(feed_dlx(ENDLESS, "count", "--json", "--limit", "3")[1])
    assert (answer["file"], answer["covers"], answer["stopped"]) == ("<stdin>", 3, "max_covers")


def test_names_of_options(feed_dlx: Feed, tmp_path: Path) -> None:
    """Options with names, which .npz files have, are printed by these; names of any kind are shown."""
    path = str(tmp_path / "named.npz")
    write(Problem.from_options({"left": "ab", ("right", 2): "c"}), path)
    assert feed_dlx("", "solve", path) == (0, "left | ('right', 2)\n", "")
    assert json.loads(feed_dlx("", "solve", path, "--json")[1].splitlines()[0])["names"] == ["left", "('right', 2)"]
    write(Problem.from_options([[1, None, Coloured("\ud800", 0.5)]], secondary=["\ud800"]), path)
    assert feed_dlx("", "solve", path) == (0, "1 None '\\ud800':0.5\n", "")


@pytest.mark.slow
def test_names_that_are_not_utf8() -> None:
    """Bytes that are no UTF-8 come out as they came in."""
    data = b"\xff\xc3\xa4 b\n\xff\xc3\xa4 b\n"
    arguments = [sys.executable, "-m", "dlx", "solve"]
    running = subprocess.run(arguments, cwd=ROOT, input=data, capture_output=True, timeout=WAIT)
    assert (running.returncode, running.stdout, running.stderr) == (0, b"\xff\xc3\xa4 b\n", b"")


def test_estimate(feed_dlx: Feed) -> None:
    """Nodes, covers and seconds with their errors; where all subtrees are alike, the truth."""
    status, out, err = feed_dlx(matchings(10), "estimate", "--samples", "20", "--seed", "2")
    assert (status, err) == (0, "")
    assert out.splitlines()[1] == "covers: 945 +- 0"
    assert re.fullmatch(r"nodes: \d+ \+- 0\ncovers: .*\nseconds: [\d.e-]+ \+- 0\n", out)
    answer = json.loads(feed_dlx(matchings(10), "estimate", "--json")[1])
    assert (answer["covers"], answer["covers_error"], answer["samples"]) == (945.0, 0.0, 1000)


def test_an_estimate_that_is_stopped(feed_dlx: Feed) -> None:
    """Has the status of a timeout, and says what there is; a time that nobody has seen is unknown, and null in JSON."""
    arguments = "estimate", "--samples", "100000000", "--timeout", "0"
    status, out, err = feed_dlx(matchings(40), *arguments)
    assert (status, out.splitlines()[2]) == (3, "seconds: unknown")
    assert err == "dlx: stopped by --timeout; these are means over 2 paths\n"
    status, out, _ = feed_dlx(matchings(40), *arguments, "--json")
    answer = json.loads(out)
    assert (status, answer["seconds"], answer["stopped"]) == (3, None, "timeout")


def test_what_the_engine_refuses(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the engine cannot do is an error with status 2 and the file's name, not a traceback."""
    for error in (ProblemError("too odd"), OverflowError("too odd"), NotImplementedError("too odd")):
        monkeypatch.setattr("dlx.estimate", Mock(side_effect=error))
        assert feed_dlx("", "estimate", DANCE) == (2, "", f"dlx: {DANCE}: too odd\n")
    monkeypatch.setattr("dlx.estimate", Mock(side_effect=MemoryError))
    assert feed_dlx("", "estimate", DANCE)[2] == f"dlx: {DANCE}: there is not enough memory\n"


def test_info(feed_dlx: Feed) -> None:
    """A line for each fact; what a problem does not have has none."""
    status, out, err = feed_dlx("", "info", COSTS)
    assert (status, err) == (0, "")
    facts = dict(line.split(": ") for line in out.splitlines())
    assert facts.pop("kernel") in ("links", "bits")
    assert facts == {
        "items": "4",
        "primary items": "3",
        "secondary items": "1",
        "options": "6",
        "entries": "11",
        "longest option": "3",
        "fewest options of a primary item": "2",
        "most options of a primary item": "3",
        "most options in a cover": "3",
        "colours": "1",
        "least weight": "1",
        "greatest weight": "5",
    }
    assert "items with multiplicities: 1\n" in feed_dlx("", "info", MULTIPLICITY)[1]
    assert "weight" not in feed_dlx("", "info", DANCE)[1]
    assert json.loads(feed_dlx("", "info", DANCE, "--json")[1])["options"] == 6


@pytest.mark.slow
def test_convert(feed_dlx: Feed, tmp_path: Path) -> None:
    """A problem goes from format to format and comes back equal; the suffix, or --to and --format, name the formats."""
    path = str(tmp_path / "toy.npz")
    assert feed_dlx("", "convert", COLOURS, "-o", path) == (0, "", "")
    assert read(path) == read(COLOURS)
    text = "A B C | X Y\nA B X:0 Y:0\nA C X:1 Y:1\nB X:1\nC Y:1\n"
    with command("convert", path) as running:
        assert running.communicate() == (text, "")
    assert feed_dlx(Path(path).read_bytes(), "count", "--format", "npz") == (0, "1\n", "")
    other = str(tmp_path / "toy.txt")
    assert feed_dlx("", "convert", path, "--to", "npz", "--output", other) == (0, "", "")
    assert read(other, "npz") == read(COLOURS)
    assert feed_dlx(Path(path).read_bytes(), "convert", "--from", "npz", "--to", "knuth", "-", "-") == (0, text, "")


def test_convert_for_other_solvers(feed_dlx: Feed, tmp_path: Path) -> None:
    """Every format is written by suffix and to a pipe, MPS is read by every command, and lost weights are told of."""
    weighted = Problem.from_options({"left": "ab", "right": "ab"}, weights=[3, 2])
    write(weighted, source := str(tmp_path / "named.npz"))
    for format, begin in {"mps": "NAME", "lp": "\\ exact", "opb": "* #variable= 2", "cnf": "c exact"}.items():
        target = tmp_path / f"out.{format}"
        status, _, err = feed_dlx("", "convert", source, str(target))
        lost = format == "cnf"
        assert (status, err) == (0, f"dlx: {source}: the weights are not written: a formula has none\n" * lost)
        text = target.read_text()
        assert text.startswith(begin)
        assert feed_dlx(Path(source).read_bytes(), "convert", "--from", "npz", "--to", format)[:2] == (0, text)
    model = str(tmp_path / "out.mps")
    assert feed_dlx("", "best", model) == (0, "2\tright\n", "")
    assert feed_dlx("", "count", model) == (0, "2\n", "")
    assert feed_dlx("", "convert", model) == (0, 'a b\n|name="left"\na b |3\n|name="right"\na b |2\n', "")
    Path(model).write_text(Path(model).read_text().replace("ROWS", "OBJSENSE MAX\nROWS"))
    told = "the objective is to be maximised: all weights have changed their signs, and the least score is the best"
    assert feed_dlx("", "best", model) == (0, "-3\tleft\n", f"dlx: {model}:2: {told}\n")


def test_convert_what_cannot_be_said(feed_dlx: Feed, tmp_path: Path) -> None:
    """A problem that the format cannot say is refused with status 2, and the output stays as it was."""
    source, target = str(tmp_path / "chosen.npz"), tmp_path / "chosen.dlx"
    target.write_text("before")
    write(Problem.from_options({"left": "a"}).with_chosen([0]), source)
    for output in (["-o", str(target)], [str(target)]):
        status, out, err = feed_dlx("", "convert", source, *output)
        reason = "options have been chosen or left out, or items found to be implied"
        assert (status, out, err) == (2, "", f"dlx: {source}: {reason}, which Knuth's text format cannot say\n")
        assert target.read_text() == "before"
    status, out, err = feed_dlx("", "convert", DANCE, str(target), "-o", str(target))
    assert (status, out, err) == (2, "", f"dlx: there are two files to write, {target} and {target}\n")
    target = tmp_path / "named.xml"
    status, out, err = feed_dlx("", "convert", DANCE, "-o", str(target))
    assert (status, out) == (2, "")
    assert err.startswith(f"dlx: {target}: the suffix '.xml' stands for no format")
    assert feed_dlx("", "convert", DANCE, "") == (2, "", "dlx: : No such file or directory\n")
    status, _, err = feed_dlx("", "convert", DANCE, "-o", str(tmp_path / "no" / "where.npz"))
    assert (status, err) == (2, f"dlx: {tmp_path / 'no' / 'where.npz'}: No such file or directory\n")


@pytest.mark.parametrize(
    "name", ["count", "solve", "sample", "classify", "best", "explain", "estimate", "info", "convert"]
)
def test_malformed_input(feed_dlx: Feed, tmp_path: Path, name: str) -> None:
    """What is wrong is said with the file and the line, and the status is 2."""
    path = tmp_path / "bad.dlx"
    path.write_text("| a comment\na b\na c\n")
    assert feed_dlx("", name, str(path)) == (2, "", f"dlx: {path}:3: the item 'c' is unknown\n")
    assert feed_dlx("a b\na a\n", name) == (2, "", "dlx: <stdin>:2: the option has the item 'a' twice\n")
    assert feed_dlx("", name) == (2, "", "dlx: <stdin>: there are no items\n")
    assert feed_dlx("", name, str(tmp_path)) == (2, "", f"dlx: {tmp_path}: Is a directory\n")
    missing = str(tmp_path / "none.dlx")
    assert feed_dlx("", name, missing) == (2, "", f"dlx: {missing}: No such file or directory\n")


def test_dropped_options_are_mentioned(feed_dlx: Feed) -> None:
    """An option without a primary item is left out with a message, and the rest is answered."""
    status, out, err = feed_dlx("a | x\nx\na\n", "count")
    assert (status, out) == (0, "1\n")
    assert err == "dlx: <stdin>:2: dropped: an option without a primary item\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["guess"],
        ["count", "--limit", "-1"],
        ["count", "--limit", "1.5"],
        ["count", "--timeout", "soon"],
        ["count", "--timeout", "nan"],
        ["count", "--kernel", "guess"],
        ["count", "--every", "2"],
        ["count", "--format", "guess"],
        ["solve", "--every", "0"],
        ["best", "-k", "0"],
        ["sample", "-n", "0"],
        ["sample", "--limit", "3"],
        ["best", "--min", "--max"],
        ["estimate", "--samples", "1"],
        ["convert", "--to", "guess"],
        ["count", DANCE, DANCE],
    ],
)
def test_wrong_usage(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong arguments end with status 2, a message and the usage of the command, before any input is read."""
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    err = capsys.readouterr().err
    assert "error: " in err
    assert err.startswith("usage: dlx [-h]" if arguments in ([], ["guess"]) else f"usage: dlx {arguments[0]} [-h]")


@pytest.mark.parametrize(
    "name", ["count", "solve", "sample", "classify", "best", "explain", "estimate", "info", "convert"]
)
def test_help_tells_the_input_the_output_and_the_exit_status(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The help of each command explains what it reads, what it prints, and how it ends."""
    with pytest.raises(SystemExit) as exit_:
        main([name, "--help"])
    assert exit_.value.code == 0
    out = capsys.readouterr().out
    assert "standard input" in out
    assert "\noutput: " in out
    assert "exit status:" in out


@pytest.mark.slow
@pytest.mark.usefixtures("ticking")
def test_timeout(feed_dlx: Feed) -> None:
    """A timeout leaves what has been found by then, says that there may be more, and ends with status 3."""
    status, out, err = feed_dlx(ENDLESS, "count", "--timeout", "1")
    assert (status, err) == (3, "dlx: stopped by --timeout; there may be more covers\n")
    assert int(out) > 0
    status, out, err = feed_dlx(ENDLESS, "solve", "--every", "100", "--timeout", "1")
    assert (status, err) == (3, "dlx: stopped by --timeout; there may be more covers\n")
    assert len(out.splitlines()[0].split(" | ")) == 20
    assert feed_dlx(ENDLESS, "solve", "--timeout", "0")[:2] == (3, "")
    status, out, err = feed_dlx(matchings(40, costs=True), "best", "--timeout", "0")
    assert (status, out) == (3, "")
    found = re.fullmatch(r"dlx: .* --timeout; there may be covers, but none with a score below (\d+)\n", err)
    assert found
    answer = json.loads(feed_dlx(ENDLESS, "count", "--timeout", "1", "--json")[1])
    assert (answer["exhausted"], answer["stopped"]) == (False, "timeout")


def test_a_gap_is_told(feed_dlx: Feed) -> None:
    """A search that ends within the gap tells how much better a cover may be, with status 0; a proof says nothing."""
    status, out, err = feed_dlx(matchings(20, costs=True), "best", "--gap", "1")
    found = re.fullmatch(r"dlx: stopped by --gap; .* but none with a score below (\d+)\n", err)
    assert found
    assert status == 0
    assert int(found[1]) < int(out.split("\t")[0])
    assert feed_dlx(matchings(20, costs=True), "best", "--gap", "0.01")[::2] == (0, "")


@pytest.mark.slow
def test_covers_come_while_the_search_goes_on() -> None:
    """The first covers can be read from a pipe long before the search ends."""
    with command("solve") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(ENDLESS)
        running.stdin.close()
        lines = [running.stdout.readline() for _ in range(3)]
        assert running.poll() is None
    assert len(set(lines)) == 3
    assert all(len(line.split(" | ")) == 20 for line in lines)


@pytest.mark.slow
@pytest.mark.posix
def test_interrupt_of_solve() -> None:
    """Ctrl-C ends the listing with status 130, after whole lines of different covers, as many as it says in the end."""
    with command("solve", "--json") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(ENDLESS)
        running.stdin.close()
        begin = running.stdout.readline()
        running.send_signal(signal.SIGINT)
        *covers, end = [begin, *running.stdout]
        assert running.stderr is not None
        assert running.stderr.read() == "dlx: stopped by Ctrl-C; there may be more covers\n"
        assert running.wait(timeout=WAIT) == 130
    assert [json.loads(line)["cover"] for line in covers] == list(range(1, len(covers) + 1))
    answer = json.loads(end)
    assert (answer["covers"], answer["stopped"], answer["exhausted"]) == (len(covers), "interrupt", False)


@pytest.mark.parametrize(
    ("arguments", "text", "state", "answer"),
    [
        (
            ["count"],
            ENDLESS,
            r"[\d,.]+( M)? states, [\d,.]+( M)? states/s, [\d,.]+( M)? hits, [\d,.]+ MB, "
            r"[\d,.e+]+( [MG])? covers, \d+ s",
            r"[1-9]\d*\n",
        ),
        (
            ["count", "--merge", "never"],
            ENDLESS,
            r"(under 0\.01|\d+\.\d\d)%, [\d,.e+]+( [MG])? covers, [\d,.e+]+( [MG])?/s, .* left",
            r"[1-9]\d*\n",
        ),
        (
            ["best", "-k", "1000000"],
            matchings(40, costs=True),
            r"best [\d,]+, bound [\d,]+, (pass .*%, )?[\d,.]+( M)? nodes, [\d,.]+( M)?/s, ",
            r"(\d+\tv[^\n]*\n)+",
        ),
    ],
    ids=["count", "count --merge never", "best"],
)
@pytest.mark.slow
@pytest.mark.posix
def test_progress_and_interrupt(arguments: list[str], text: str, state: str, answer: str) -> None:
    """A terminal shows how far the search is; Ctrl-C takes the line away, and prints what has been found."""
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 132))  # where no line is cut
    with command(*arguments, stderr=theirs) as running:
        os.close(theirs)
        assert running.stdin is not None
        running.stdin.write(text)
        running.stdin.close()
        running.stdin = None
        shown = os.read(ours, 1 << 16).decode()
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=WAIT)
    rest = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert re.match(rf"\r{state}", shown)
    assert re.search(r"\r +\rdlx: stopped by Ctrl-C; there may be (more|better) covers.*\r\n$", rest)
    assert running.returncode == 130
    assert re.fullmatch(answer, out)


@pytest.mark.slow
@pytest.mark.posix
def test_interrupt_while_waiting_for_input() -> None:
    """Ctrl-C while the problem is being read ends the command with status 130, and without a traceback."""
    with command("count") as running:
        assert running.stdin is not None
        running.stdin.write("a " * (1 << 17))  # more than a pipe holds: when this is through, it is being read
        running.stdin.flush()
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=WAIT)
    assert (running.returncode, out, err) == (130, "", "")


@pytest.mark.slow
def test_closed_pipe() -> None:
    """When nobody reads on, the command stops in silence and without an error."""
    with command("solve") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(ENDLESS)
        running.stdin.close()
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr is not None
        assert running.stderr.read() == ""
        assert running.wait(timeout=WAIT) == 0


@pytest.mark.parametrize("name", ["count", "convert"])
@pytest.mark.slow
@pytest.mark.posix("/dev/full")
def test_full_disk(name: str) -> None:
    """When the answer cannot be written, the command says so and ends with status 2."""
    with open("/dev/full", "w") as full:
        arguments = [sys.executable, "-m", "dlx", name, DANCE]
        running = subprocess.run(arguments, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, timeout=WAIT)
    assert (running.returncode, running.stderr) == (2, "dlx: <stdout>: No space left on device\n")


@pytest.mark.parametrize("line", ["2>&-", "2>&- <&-", ">/dev/null"])
@pytest.mark.slow
@pytest.mark.posix
def test_closed_streams(line: str) -> None:
    """Streams that are closed do no harm to what can be done without them."""
    line = f"{sys.executable} -m dlx count {DANCE} {line}"
    running = subprocess.run(line, shell=True, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=WAIT)
    assert (running.returncode, running.stdout) == (0, "" if "null" in line else "1\n")


@pytest.mark.slow
@pytest.mark.posix
def test_no_standard_input() -> None:
    """Without a standard input there is nothing to read: status 2."""
    line = f"{sys.executable} -m dlx count <&-"
    running = subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=WAIT)
    assert (running.returncode, running.stdout, running.stderr) == (2, "", "dlx: <stdin>: Bad file descriptor\n")


@pytest.mark.slow
@pytest.mark.usefixtures("ticking")
def test_no_progress_elsewhere(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is shown where stderr is no terminal, nor about work of less than/s where it is one."""
    monkeypatch.setattr("dlx.command.shared.PATIENCE", 0.0)
    monkeypatch.setattr("dlx.command.shared.REFRESH", 0.0)
    assert "left" not in feed_dlx(ENDLESS, "count", "--timeout", "1")[2]
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    feed_dlx(ENDLESS, "count", "--timeout", "1")
    assert "covers" in terminal.getvalue().partition("dlx:")[0]
    monkeypatch.setattr("dlx.command.shared.PATIENCE", 1000.0)
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    feed_dlx(ENDLESS, "count", "--timeout", "1")
    assert terminal.getvalue().startswith("dlx: stopped")


@pytest.mark.parametrize("how", ["--first", "--sat"])
def test_one_cover(feed_dlx: Feed, how: str) -> None:
    """It is printed as `solve` prints it; without one the status is 1, and 3 where the timeout came first."""
    line = "c e | a d f | b g\n"
    assert feed_dlx(Path(DANCE).read_text(encoding="utf-8"), "solve", how) == (0, line, "")
    assert feed_dlx(NO_COVER, "solve", how) == (1, "", NONE)
    assert feed_dlx(ENDLESS, "solve", how, "--timeout", "0") == (
        3,
        "",
        "dlx: stopped by --timeout; there may be a cover\n",
    )
    told = f"dlx: {how} prints one cover: --every cannot be given\n"
    assert feed_dlx(ENDLESS, "solve", how, "--every", "2") == (2, "", told)
    cover, end = feed_dlx(ENDLESS, "solve", how, "--seed", "3", "--json")[1].splitlines()
    assert len(json.loads(cover)["options"]) == 20
    assert (json.loads(end)["covers"], json.loads(end)["exhausted"]) == (1, True)
    assert feed_dlx(ENDLESS, "solve", how, "--limit", "0")[:2] == (0, "")


def test_one_cover_by_whom(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """With jobs it is that of one of them; CaDiCaL is alone, and what is missing is named."""
    assert feed_dlx(ENDLESS, "solve", "--first", "--jobs", "2")[0] == 0
    status, out, err = feed_dlx(ENDLESS, "solve", "--sat", "--jobs", "2")
    assert (status, out) == (2, "")
    assert err.startswith("dlx: --sat: CaDiCaL takes no kernel")
    monkeypatch.setitem(sys.modules, "pysat", None)
    monkeypatch.setitem(sys.modules, "pysat.card", None)
    status, out, err = feed_dlx(ENDLESS, "solve", "--sat")
    assert (status, out) == (2, "")
    assert "dancing-cover[sat]" in err


@pytest.mark.slow
def test_a_small_problem_loads_little() -> None:
    """To count the covers of a toy nothing is imported that this does not need: the start is most of the time."""
    program = "import sys; from dlx.command.cli import main; main(['count', sys.argv[1]]); print(*sys.modules)"
    arguments = [sys.executable, "-c", program, DANCE]
    out = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=True, timeout=WAIT).stdout
    loaded = set(out.split())
    assert loaded >= {"1", "dlx.formats.knuth"}
    assert loaded.isdisjoint({"json", "zipfile", "scipy", "asyncio", "dlx.formats.npz", "dlx.formats.orlib"})


@pytest.mark.slow
def test_the_examples_in_the_document() -> None:
    """What docs/files.md shows on a console is what the command prints."""
    text = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    shown = "".join(re.findall(r"^```console\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE))
    examples = re.findall(r"^\$ dlx (.*)\n((?:[^$].*\n)*)", shown, flags=re.MULTILINE)
    assert len(examples) == 11
    for arguments, printed in examples:
        command = [sys.executable, "-m", "dlx", *arguments.split()]
        assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=WAIT).stdout == printed


def test_first_is_a_command(feed_dlx: Feed) -> None:
    """`dlx first` prints what `dlx solve --first` does, with the same status where there is no cover."""
    for text, status in (("a b\na\nb\n", 0), ("a b\na\n", 1)):
        assert feed_dlx(text, "first") == feed_dlx(text, "solve", "--first")
        assert feed_dlx(text, "first")[0] == status
