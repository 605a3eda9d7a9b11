"""Forms as people write them: the texts of `forms.txt`, each with its grids or its errors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sudoku import GridError, Puzzle, read, to_line

SAMPLE = "7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"
SECOND = "7..9....11....59.....2...8...5.2...3......648.413.......4.7..9.12.......2.7.8...9"
REPEATED = {"twice": 2, "thrice": 3}


class Case(NamedTuple):
    """A file, what `read` is asked for, and what is to be read."""

    name: str
    text: bytes
    asked: dict[str, Any]
    wanted: list[str]


def cases_of(corpus: str) -> list[Case]:
    """Returns the cases of a corpus, whose head says how they are written."""
    found: list[Case] = []
    claim = common = ""
    for part in re.split(r"\n(?====\s|==> |\*\*\* )", corpus)[1:]:
        head, *lines = part.rstrip("\n").split("\n")
        if head.startswith("***"):
            claim, _, common = head[4:].partition(" | ")
            continue
        if head.startswith("==> "):
            head, lines = "===", [head[4:], *lines]
        name, _, options = head.removeprefix("===").partition(" | ")
        wanted = [line[4:].replace("sample", SAMPLE).replace("second", SECOND) for line in lines if line[:4] == "--- "]
        lines = [row for line in lines if not line.startswith("--- ") for row in written(line)]
        asked: dict[str, Any] = {}
        for option in f"{common} {options}".split():
            key, is_asked, value = option.partition("=")
            if is_asked:
                asked[key] = value
            else:
                lines, wanted = placed(lines, wanted, option)
        if "layout" in asked:
            asked["layout"] = tuple(map(int, asked["layout"].split("x")))
        text = "".join(f"{line}\n" for line in lines).replace(r"\t", "\t").replace(r"\r", "\r").encode()
        text = re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), text)
        found.append(Case(name.strip() or f"{claim} {len(found)}", text, asked, wanted))
    return found


def written(line: str) -> list[str]:
    """Returns the lines that a line stands for."""
    if several := re.fullmatch(r"@(\d+) (.*)", line):
        return int(several[1]) * several[2].split(r"\n")
    if wrapped := re.fullmatch(r"([@&])/(\d+) (\S) §(.*)§", line):
        one, width = {"@": SAMPLE, "&": SECOND}[wrapped[1]].replace(".", wrapped[3]), int(wrapped[2])
        return [wrapped[4].join(one[k : k + width]) for k in range(0, 81, width)]
    rows = re.fullmatch(r"([@&])([1-9])-([1-9]) (\S+|.) (.*)", line)
    if not rows:
        return [line]
    first, last, (form, ruled, rule) = int(rows[2]), int(rows[3]), rows[5].partition(" @")
    grid, form = {"@": SAMPLE, "&": SECOND}[rows[1]], form.replace("%", "%%").replace("§", "%s").replace("¤", "%.0s")
    cells = [rows[4].replace("∅", "") if cell == "." else cell for cell in grid]
    labelled = [form.replace("№", str(r)).replace("Å", chr(64 + r)) for r in range(first, last + 1)]
    lines = [text % tuple(cells[9 * r - 9 : 9 * r]) for r, text in enumerate(labelled, first)]
    lines = [*lines[:3], rule[1:], *lines[3:6], rule[1:], *lines[6:]] if ruled else lines
    return [part for line in lines for part in line.split(r"\n")]


def placed(lines: list[str], wanted: list[str], way: str) -> tuple[list[str], list[str]]:
    """Returns the lines of a file in which some lines are repeated or stand beside the sample, and what is read."""

    def moved(number: int) -> list[str]:
        return [re.sub(r"\d+", lambda found: str(int(found[0]) + number), one, count=1) for one in wanted]

    n = len(lines)
    if way in REPEATED:
        return REPEATED[way] * lines, [one for k in range(REPEATED[way]) for one in moved(k * n)]
    if way == "around":
        samples = [f"line {line}: {SAMPLE}" for line in (1, n + 2)]
        return [SAMPLE, *lines, SAMPLE, "", *lines], [samples[0], *moved(1), samples[1], *moved(n + 3)]
    lines = lines if way == "behind" else [*lines, ""]
    return [*lines, SAMPLE], [*wanted, f"line {len(lines) + 1}: {SAMPLE}"]


CASES = cases_of(Path(__file__).with_name("forms.txt").read_text(encoding="utf-8"))


def told(found: Puzzle | GridError) -> str:
    """Returns a result as the corpus has it."""
    if isinstance(found, GridError):
        return f"! {found.line}: {found.reason}".replace("\\", r"\x5c")
    marks = "" if found.candidates is None else f" with {found.candidates.sum()} candidates"
    return f"{found.form} {found.line}: {to_line(found.grid, found.layout)}{marks}"


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_corpus(case: Case, tmp_path: Path) -> None:
    """A text of each kind has the grids and errors that it should have, read in blocks and line by line."""
    path = tmp_path / "grids.txt"
    path.write_bytes(case.text)
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as lines:
        found = list(map(told, read(lines, **case.asked)))
    assert list(map(told, read(path, **case.asked))) == found
    assert found == case.wanted
