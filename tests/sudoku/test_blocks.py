"""Plain grids in lines that follow one another: read, answered and written in blocks as one by one."""

from __future__ import annotations

import io
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from plain_grids import drawn, shuffled
from seeds import for_seeds, tries
from sudoku_command import CLUE17, SOLVED, Feed
from waiting import WAIT

import sudoku.command.blocks
from dlx.extending import Limits
from sudoku import GridError, Puzzle, parse, to_boxed
from sudoku.command.cli import main
from sudoku.formats.fast import blocks, lines, one_by_one
from sudoku.formats.reader import Reader
from sudoku.formats.request import Request
from sudoku.layout import as_layout
from sudoku.solve import Found, complete

QUESTIONS = ["solve", "count --limit 9", "count --limit 2", "count --limit 1", "target"]
QUESTIONS += ["target --min --weights WEIGHTS", "target --grid", "target --json", "target --json --min --grid"]
EFFORT = re.compile('"nodes": [0-9]+, "seconds": [0-9.e-]+')  # what a search took, which a block does not
# Lines of every kind: grids, lines that are nearly grids, numbers, headings, and tables, with ¦ between several.
LINES = st.sampled_from(
    [
        *(CLUE17, CLUE17.replace("0", "."), CLUE17.replace("0", "x", 3)),  # of the last one, 0 may be a digit
        *(SOLVED, SOLVED.replace("1", ".").replace("2", "."), "5...5" + "." * 76),
        "5" + CLUE17[1:40] + "e" + CLUE17[41:],
        *f"{CLUE17}  a comment¦{CLUE17},after a comma¦{CLUE17[:-1]}¦{CLUE17}1¦é{CLUE17}".split("¦"),
        *["# a comment", "", "530070000", "1 2 3 4 5 6 7 8 9", "[Puzzle]", "astray", "5e", "Case #1:", "*****"],
        *["1", "2 # grids", "70", "71", "-" * 81, "." + 8 * "--------." + "--------", "." + 20 * "---."],
        *3 * ["puzzle,solution", f'"{CLUE17}","{SOLVED}"'],
        *5 * [f"{CLUE17},{SOLVED}"],
        *f"{SOLVED},{SOLVED}¦{CLUE17},¦{SOLVED},{CLUE17}¦{CLUE17},{SOLVED[1:]}{SOLVED[0]}".split("¦"),
        *f'"{CLUE17}",{SOLVED}¦"{CLUE17}","{SOLVED}¦"{CLUE17},{SOLVED}"¦"{CLUE17}",""'.split("¦"),
        *f'"7";;"{CLUE17}"¦"""7";;"{CLUE17}"¦7";;{CLUE17}¦7;{SOLVED};{CLUE17}¦é;;{CLUE17}'.split("¦"),
        *f"{CLUE17}, {SOLVED}¦{CLUE17},{SOLVED},¦{CLUE17[1:]},{SOLVED}".split("¦"),
        *["\ufeffquizzes,solutions", "id;Answer;Quiz", "puzzle,quiz", '{"grid": "' + SOLVED + '"}'],
    ]
)


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Lines, some of them many times, with one kind of line ends or with another, the last one perhaps without."""
    ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
    end = draw(ends)
    parts = draw(st.lists(st.tuples(LINES, st.sampled_from([1, 1, 1, 2, 3, 70])), max_size=8))
    several = [line for line, times in parts for _ in range(times)]
    text = "".join(f"{line}{end if draw(st.integers(0, 9)) else draw(ends)}" for line in several)
    return (text if draw(st.booleans()) else text.rstrip("\r\n")).encode()


def told(item: Puzzle | GridError) -> tuple[object, ...]:
    """All that is told of a grid, to be compared."""
    if isinstance(item, GridError):
        return str(item), item.line
    marks = None if item.candidates is None else item.candidates.tolist()
    return item.form, item.file, item.line, item.grid.tolist(), marks


def in_pieces(text: bytes, sizes: random.Random) -> list[tuple[object, ...]]:
    """The readings of a text that comes in pieces of random sizes, with small blocks."""
    most, stream = sizes.choice([7, 100, 1000, 10**6]), io.BytesIO(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sudoku.formats.fast.FEW", 2)
        items = blocks(lambda: stream.read(sizes.randint(1, most)), Request(as_layout(None), "f"))
        return [told(one) for one in one_by_one(items)]


def in_lines(text: bytes) -> list[tuple[object, ...]]:
    """The readings of the reader of lines, without any block."""
    reader = Reader(Request(as_layout(None), "f"))
    for end in (b"\r\r\n", b"\r\n", b"\r"):
        text = text.replace(end, b"\n")
    lines = text.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")
    items = [item for line in lines if not reader.over for item in reader.take(line)]
    return [told(item) for item in [*items, *reader.close()]]


def written(rows: list[str]) -> list[list[str]]:
    """A grid in all forms in which people write it."""
    rule, frame = "------+-------+------", "+---+---+---+"
    bands = [[" | ".join(" ".join(row[c : c + 3]) for c in (0, 3, 6)) for row in rows[r : r + 3]] for r in (0, 3, 6)]
    barred = [[f"|{row[:3]}|{row[3:6]}|{row[6:]}|" for row in rows[r : r + 3]] for r in (0, 3, 6)]
    cells = "".join(rows)
    apart = [[between.join(row) for row in rows] for between in ("", " ", ",", "\t")]
    lines = [cells, f"{cells}  # 1.5", f"{cells},7 easy", f"{cells} {SOLVED}", " ".join(cells)]
    return [
        *apart,
        [",".join(row) + "," for row in rows],
        [*rows[:3], "", *rows[3:6], "", *rows[6:], ""],
        [*bands[0], rule, *bands[1], rule, *bands[2]],
        [frame, *(line for band in barred for line in (*band, frame))],
        *([line] for line in lines),
    ]


BETWEEN = ["", "", "  ", "\t\t", "Grid {}", "Puzzle {}:", "# comment {}", "-" * 9, "*" * 9, "." * 9, "_" * 9, "*****"]
BETWEEN += ["=====", "-----------", "+---+---+---+", "------+-------+------", "astray", "70", "[State]"]
BETWEEN += ["1,2,3,4,5,6,7,8,9", "0,1,2,3,4,5,6,7,8", "123456789", "puzzle,level", "# puzzle,level", "end"]
BETWEEN += [CLUE17.replace("0", " "), SOLVED[:70], SOLVED[:19]]


def many_grids(rng: random.Random) -> bytes:
    """Up to 25 grids in one form or a few, with or without lines between them, and some mistakes."""
    blank, ends = rng.choice("....00-*x_?"), rng.choice([["\n"], ["\n"], ["\r\n"], ["\r"], ["\n", "\r\n"]])
    forms, often, one, always = rng.choices(range(13), k=2), rng.random(), rng.choice(BETWEEN), rng.random() < 0.5
    head = rng.choice(["70", "puzzle,level", "\ufeff# a mark", one.format(0)])
    found = [head] if rng.random() < 0.2 else []
    for k in range(rng.randint(1, 25)):
        digits = "".join(rng.sample("123456789", 9))
        cells = rng.choice([CLUE17, CLUE17, SOLVED]).translate(str.maketrans("0123456789", f".{digits}"))
        if rng.random() < 0.15:
            place = rng.randrange(0, 81, 9)
            cells = cells[:place] + rng.choice([9 * ".", "123456789"]) + cells[place + 9 :]
        if rng.random() < 0.05:
            cells = cells[: rng.randrange(81)] + rng.choice(["e", "", "77", " ", "é"]) + cells[rng.randrange(81) :]
        cells = cells.replace(".", blank if rng.random() < 0.97 else rng.choice("0.*-x_?~X"))
        form = forms[rng.random() < 0.1 and not always]
        found += written([cells[r : r + 9] for r in range(0, 81, 9)])[form]
        if rng.random() < often:
            found.append((one if always else rng.choice(BETWEEN)).format(k))
        if rng.random() < 0.04:
            found.append(found[-1][:5])
    for _ in range(rng.choice([0, 0, 1, 4])):  # lines are lost, doubled or moved
        k, m, to = *sorted(rng.choices(range(len(found) + 1), k=2)), rng.randint(0, len(found))
        some = found[k : min(m, k + 12)]
        if rng.random() < 0.5:
            del found[k : k + len(some)]
        found[to:to] = some if rng.random() < 0.7 else []
    text = "".join(line + rng.choice(ends) for line in found)
    return (text if rng.random() < 0.5 else text.rstrip("\r\n")).encode()


@example(text=b"Case #1:\n1", seed=0)
@example(text=b"+-+\n" + 3 * b"|123|4.6|789|\n" + 2 * b"+-+\n" + 6 * b"|123|4.6|789|\n" + b"+-+\n\n", seed=0)
@example(text="\n".join([CLUE17, *70 * ["1 2 3 4 5 6 7 8 9"], CLUE17]).encode(), seed=0)
@given(text=texts(), seed=st.integers(0, 1000))
def test_pieces(text: bytes, seed: int) -> None:
    """The reader of pieces finds in any lines the same grids, errors and places as the reader of lines."""
    assert in_pieces(text, random.Random(seed)) == in_lines(text)


@for_seeds(300)
def test_pieces_of_many_grids(seed: int) -> None:
    """Both readers find the same in grids of any form, with anything between them."""
    rng = random.Random(seed)
    text = many_grids(rng)
    assert in_pieces(text, rng) == in_lines(text), text


@pytest.mark.parametrize("gap", ["", "# band"])
def test_bands_behind_an_empty_line(gap: str) -> None:
    """Bands with single empty lines are one section up to two empty lines, also where an empty line stands above."""
    rows = [CLUE17[r : r + 9] for r in range(0, 81, 9)]
    bands = ["", *rows[:3], gap, *rows[3:6], gap, *rows[6:]]
    text = "\n".join(["", *20 * bands, "", *rows[:2], "", ""]).encode()
    for seed in range(20):
        assert in_pieces(text, random.Random(seed)) == in_lines(text)
    assert [one[0] for one in in_lines(text)] != ["rows"] * 20


@settings(max_examples=tries(150))
@given(text=texts(), question=st.sampled_from(QUESTIONS))
def test_answers_in_blocks(text: bytes, question: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Grids in blocks get the answers, messages and status of grids one by one, among any lines."""
    path = tmp_path_factory.mktemp("blocks") / "grids.txt"
    path.write_bytes(text)
    weights = path.with_name("weights.txt")
    weights.write_text("\n".join(" ".join(str(r * c - 20) for c in range(9)) for r in range(9)))
    arguments = question.replace("WEIGHTS", str(weights)).split()

    def answers(blocks: bool) -> tuple[int, str, str]:
        with pytest.MonkeyPatch.context() as patch:
            out, err = io.StringIO(), io.StringIO()
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            if not blocks:
                patch.setattr("sudoku.command.stream.takes_blocks", lambda *_: False)
            status = main([*arguments, "--fail", str(path)])
            return status, EFFORT.sub("", out.getvalue()), err.getvalue()

    assert answers(True) == answers(False)


def random_grids(number: int) -> npt.NDArray[np.uint8]:
    rng = np.random.default_rng(number)
    return np.array([drawn(rng) for _ in range(number)])


def test_grids_of_all_kinds(feed_sudoku: Feed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Grids with no, one, few and many completions, some of which are not simple, are answered in their order."""
    monkeypatch.setattr(sudoku.command.blocks, "PATIENCE", 5)
    monkeypatch.setattr(sudoku.command.blocks, "VISITS", 5)
    monkeypatch.setattr(sudoku.command.blocks, "SIMPLE", 20)
    grids = random_grids(300)[np.r_[0:300, 0:5]]
    grids = grids[complete(grids, Limits.of(), most=2000).counts < 2000]
    path = tmp_path / "grids.txt"
    path.write_bytes(lines(grids))
    counts = complete(grids, Limits.of(), most=2000).counts
    assert {0, 1}.issubset(counts.tolist())
    assert counts.max() > 20
    expected = "".join(f"{number}\n" for number in counts.tolist())
    assert feed_sudoku("", "count", str(path)) == (0, expected, "")
    few = "".join(f"{min(number, 30)}\n" for number in counts.tolist())
    assert feed_sudoku("", "count", "--limit", "30", str(path)) == (0, few, "")
    status, out, err = feed_sudoku("", "solve", "--fail", str(path))
    assert (status, err) == (1, "")
    for line, grid, number in zip(out.splitlines(), grids, counts.tolist(), strict=True):
        assert (line == "-1") == (number == 0)
        if number:
            assert (parse(line).ravel() == grid)[grid > 0].all()
            assert complete(parse(line)[None], Limits.of()).counts.tolist() == [1]


def test_many_grids_below_their_number(feed_sudoku: Feed, tmp_path: Path) -> None:
    """A number in the first line, as of the grids that follow, has no answer."""
    path = tmp_path / "grids.txt"
    path.write_text(f"90\n{90 * (SOLVED + chr(10))}")
    assert feed_sudoku("", "count", str(path)) == (0, 90 * "1\n", "")


def test_boxes_are_answered_by_boxes(feed_sudoku: Feed, tmp_path: Path) -> None:
    """Completions have the form of the grids, also where these are many and of several lines; so it is with --grid."""
    path, boxes = tmp_path / "grids.txt", to_boxed(parse(SOLVED))
    path.write_text(f"{to_boxed(parse(CLUE17))}\n\n" * 50)
    assert feed_sudoku("", "solve", str(path))[:2] == (0, "\n".join(50 * [f"{boxes}\n"]))
    assert feed_sudoku("", "target", "--grid", str(path))[:2] == (0, "\n".join(50 * [f"2850\n{boxes}\n"]))


@pytest.mark.parametrize("done", [0, 7, 30])
@pytest.mark.posix
def test_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], done: int
) -> None:
    """The answers found before Ctrl-C are printed, and nothing else; also none of them, or all."""

    def interrupted(grids: npt.NDArray[np.uint8], limits: object, *more: object, **named: object) -> Found:
        found = complete(grids[:done], Limits.of(), 1)
        found.outcome["stopped"] = "interrupt"
        return found

    monkeypatch.setattr(sudoku.command.blocks, "complete", interrupted)
    path = tmp_path / "grids.txt"
    path.write_text(f"{CLUE17}\n" * 30)
    assert main(["solve", str(path)]) == 130
    assert capsys.readouterr().out == f"{SOLVED}\n" * done


@pytest.mark.posix("/proc/self/statm")  # macOS counts bytes
def test_a_long_stream_takes_little_memory() -> None:
    """A quarter of a million grids from a pipe are counted in as little memory as ten thousand."""
    rng = np.random.default_rng(7)
    some = lines(np.array([shuffled(parse(CLUE17), rng).ravel() for _ in range(1000)]))
    program = (
        "import resource, sys; from sudoku.command.cli import main; status = main(['count', '--limit', '2'])\n"
        "print(status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    taken = []
    for times in (10, 250):
        with subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            out, err = process.communicate(some * times, timeout=WAIT)
        status, kilobytes = map(int, err.split())
        assert (status, out) == (0, b"1\n" * 1000 * times)
        taken.append(kilobytes)
    assert taken[1] < taken[0] + 10_000, "some pieces of 256 KB are all that is kept"
