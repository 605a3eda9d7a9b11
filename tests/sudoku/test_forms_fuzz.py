"""Random texts: any bytes give grids and errors only, and a grid in any form, whole or spoilt, is never another one."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from plain_grids import shuffled
from readings import LINE, SOLVED
from seeds import for_seeds, tries
from sudoku_command import to_rows

from sudoku import parse, read, to_boxed, to_line, write
from sudoku.formats.writing import WRITERS
from sudoku.grid import GridError, Puzzle
from sudoku.layout import Box

FPUZZLE = {"size": 9, "grid": [[{"value": 5, "given": True}] + [{}] * 8] + [[{}] * 9] * 8, "diagonal+": True}
SIGNS = [b"[", b"]", b'"', b"{", b"<", b">", b"|", b"\n", b"\n\n", b","]
MEMBERS = ["puzzle", "solution", "grid", "size", "cells", "value", "given", "region"]
VALID = [
    *("".join(write([LINE, LINE], form)).encode() for form in sorted(set(WRITERS) - {"candidates"})),
    b"123456789" * 81,
    f"id,puzzle,solution\n1,{LINE},{SOLVED}\n".encode(),
    json.dumps(FPUZZLE).encode(),
    json.dumps({"puzzle": LINE, "solution": SOLVED}).encode(),
    b"https://www.f-puzzles.com/?load=N4IgzglgXgpiBcBOANCALhNAbO8QEMB3ARgGsAvEAJwgGMBXKwiAOwEdCIBnJkNRmjwAmtBDiaYAcg0ZlQdRkQ",
    f":0702:9:+{LINE}:311 411:944 964 985::\n".encode(),
    b"int grid[9][9] = {{5, 3, 0, 0, 7, 0, 0, 0, 0}," + 8 * b"\n {0,0,0,0,0,0,0,0,0}," + b"\n};\n",
    b"5,3,,,7,,,,\n" + 8 * b"1\t\t\t\t\t\t\t\t\n",
    b"3x3::k" + 81 * b":2560" + b"\n",
    b"SumoCueV1" + 81 * b"=0J1" + b"\n",
]


def checked(data: bytes, box: Box | None = None) -> list[Puzzle | GridError]:
    """Reads bytes as a file is read; every result is a good grid, or an error that says something."""
    found = list(read(io.TextIOWrapper(io.BytesIO(data), "utf-8", "surrogateescape", newline=""), layout=box))
    for one in found:
        if isinstance(one, GridError):
            assert one.reason
            assert one.line >= 1
            assert str(one)
        else:
            n = one.layout.size
            assert one.grid.shape == (n, n)
            assert one.grid.dtype == np.uint8
            assert one.grid.max() <= n
            assert not one.grid.flags.writeable
            assert one.candidates is None or one.candidates.shape == (n, n, n)
    return found


@settings(max_examples=tries(300))
@given(st.binary(max_size=300))
@example(b"\xff\xfe")
def test_any_bytes(data: bytes) -> None:
    """Any bytes raise nothing."""
    checked(data)


@st.composite
def mutations(draw: st.DrawFn) -> bytes:
    """A valid text, some bytes of which have been changed, left out, doubled, moved or cut off."""
    data = bytearray(draw(st.sampled_from(VALID)))
    for _ in range(draw(st.integers(1, 5))):
        place = draw(st.integers(0, len(data)))
        other = draw(st.integers(0, len(data)))
        piece = draw(st.sampled_from(SIGNS) | st.binary(max_size=4))
        way = draw(st.integers(0, 3))
        if way == 0:
            data[place : place + len(piece)] = piece
        elif way == 1:
            data[place:place] = piece
        elif way == 2:
            del data[min(place, other) : min(place, other) + draw(st.integers(1, 20))]
        else:
            data[place:place] = data[other : other + draw(st.integers(1, 200))]
    return bytes(data)


@settings(max_examples=tries(400))
@given(mutations(), st.sampled_from([None, (2, 2), (3, 3), (4, 4)]))
def test_mutations_of_valid_texts(data: bytes, box: Box | None) -> None:
    """Texts that are nearly right give good grids and errors."""
    checked(data, box)


@settings(max_examples=tries(100))
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-1, 10) | st.floats() | st.sampled_from(["", "5", LINE]),
        lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=4),
        max_leaves=40,
    )
)
def test_any_value_of_json(value: object) -> None:
    """Any value of JSON is grids and errors."""
    checked(json.dumps(value).encode())


Rows = list[list[int]]


def fields(rows: Rows, blank: str, between: str, end: str = "") -> str:
    """A line for each row, with something between the cells."""
    return "\n".join(between.join(str(cell) if cell else blank for cell in row) + end for row in rows)


def nested(rows: Rows, blank: str, brackets: str, between: str) -> str:
    """Lists in a list, in lines."""
    opening, closing = brackets[0], brackets[1]
    inner = f"{closing}{between.strip()}\n  {opening}".join(fields([row], blank, between) for row in rows)
    return f"{opening}{opening}{inner}{closing}{closing}"


def banded(rows: Rows) -> str:
    """Rows with empty lines between the bands."""
    return "\n\n".join(fields(rows[k : k + 3], ".", "") for k in (0, 3, 6))


def labelled(rows: Rows) -> str:
    lines = fields(rows, ".", " ").splitlines()
    return "\n".join(
        ["  1 2 3 4 5 6 7 8 9", *(f"{name} {line}" for name, line in zip("ABCDEFGHI", lines, strict=True))]
    )


def markdown(rows: Rows) -> str:
    first, *rest = (f"| {' | '.join(str(cell or ' ') for cell in row)} |" for row in rows)
    return "\n".join([first, "|---" * 9 + "|", *rest])


# A name of a way to write a grid, and what it writes.
WAYS: dict[str, Callable[[Rows], str]] = {
    "line": lambda rows: to_line(np.array(rows)),
    "line with a comment": lambda rows: to_line(np.array(rows)) + "  # 1.2",
    "bare": lambda rows: fields(rows, "0", ""),
    "rows": lambda rows: to_rows(np.array(rows)),
    "boxed": lambda rows: to_boxed(np.array(rows)),
    "bars": lambda rows: "\n".join(
        f"|{line[:3]}|{line[3:6]}|{line[6:]}|" for line in fields(rows, ".", "").split("\n")
    ),
    "bands": banded,
    "double-spaced": lambda rows: fields(rows, "0", " ").replace("\n", "\n\n"),
    "wrapped": lambda rows: to_line(np.array(rows))[:40] + "\n" + to_line(np.array(rows))[40:],
    "three lines": lambda rows: fields(np.reshape(rows, (3, 27)).tolist(), ".", " "),
    "labels": labelled,
    "Markdown": markdown,
    "table": lambda rows: f"id,puzzle\n1,{to_line(np.array(rows))}\n",
    "commas": lambda rows: fields(rows, "0", ","),
    "commas at the ends": lambda rows: fields(rows, "0", ", ", ","),
    "empty fields": lambda rows: fields(rows, "", ";"),
    "empty fields, semicolons at the ends": lambda rows: fields(rows, "", ";", ";"),
    "spreadsheet": lambda rows: fields(rows, "", "\t"),
    "spreadsheet, spaces": lambda rows: fields(rows, "", " \t "),
    "empty fields, one line": lambda rows: fields([[cell for row in rows for cell in row]], "", ","),
    "rows in braces": lambda rows: "\n".join(f"{{{fields([row], '0', ',')}}}," for row in rows),
    "C": lambda rows: f"int grid[9][9] = {nested(rows, '0', '{}', ', ')};",
    "C, one line": lambda rows: f"int g[][9]={nested(rows, '0', '{}', ',')};".replace("\n", ""),
    "Java, signs": lambda rows: f"char[][] g = new char[][] {nested(rows, '.', '{}', ', ')};".replace(".", "'.'"),
    "Python": lambda rows: f"grid = {rows}",
    "Python, None": lambda rows: f"grid = {[[cell or None for cell in row] for row in rows]}",
    "Python, texts": lambda rows: f"grid = {[fields([row], '.', '') for row in rows]}",
    "Python, tuples": lambda rows: nested(rows, "None", "()", ", "),
    "numpy": lambda rows: str(np.array(rows)),
    "numpy, points": lambda rows: str(np.array(rows, dtype=float)),
    "numpy, nan": lambda rows: f"np.{np.array([[cell or np.nan for cell in row] for row in rows])!r}",
    "pandas": lambda rows: fields(rows, "NaN", "  ").replace("  ", ".0  ").replace("NaN.0", "NaN"),
    "JSON": lambda rows: json.dumps([[cell or None for cell in row] for row in rows]),
    "JSON, object": lambda rows: json.dumps({"id": 7, "puzzle": rows}, indent=1),
}
DOUBTFUL = [way for way in WAYS if "empty" in way or "spreadsheet" in way]  # a last blank of a row may not be seen


def written(rng: random.Random, way: str) -> tuple[str, str]:
    """A random puzzle as a line, and in one of the ways."""
    draw = np.random.default_rng(rng.getrandbits(32))
    grid = np.where(draw.random((9, 9)) < rng.uniform(0.25, 0.5), shuffled(parse(SOLVED), draw), 0)
    return to_line(grid), WAYS[way](grid.tolist())


def lines_of(found: list[Puzzle | GridError]) -> list[str]:
    """The grids as lines."""
    return [to_line(one) for one in found if isinstance(one, Puzzle)]


REFORMATTED: list[Callable[[str], str]] = [
    lambda text: text,
    lambda text: text.replace("\n", "\r\n"),
    lambda text: "\ufeff" + text,
    lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
    lambda text: "\n".join(f"  {line}" if line[:1] not in ("\t", ";") else line for line in text.split("\n")),
    lambda text: f"[code]\n{text}\n[/code]\n",
]


@for_seeds(600)
def test_what_people_have_is_read_back(seed: int) -> None:
    """A grid is itself in every way to write it, between others, or an error where its commas leave a doubt."""
    rng = random.Random(seed)
    way = rng.choice(sorted(WAYS))
    line, text = written(rng, way)
    found = checked(rng.choice(REFORMATTED)(f"{LINE}\n{text}\n\n{LINE}\n").encode())
    assert lines_of(found) == [LINE, line, LINE] or (way in DOUBTFUL and lines_of(found) == [LINE, LINE]), (way, text)
    assert len(found) == 3


def spoilt(rng: random.Random, lines: list[str]) -> list[str]:
    """Lines of which one has been lost, doubled, cut, or has lost, doubled or changed a sign."""
    place = rng.randrange(len(lines))
    line, at = lines[place], rng.randrange(len(lines[place]) + 1)
    others = [
        [],
        [line, line],
        [line[:at]],
        [line[:at], line[at:]],
        [line[:at] + line[at + 1 :]],
        [line[:at] + line[at : at + 1] + line[at:]],
        [line[:at] + rng.choice("qO#',!| ") + line[at + 1 :]],
        [line, ""],
        [rng.choice(["hello world", "7", "12 34", "-----", "Level 3", "123456789", "........."]), line],
    ]
    return [*lines[:place], *rng.choice(others), *lines[place + 1 :]]


@for_seeds(4000)
def test_spoilt_texts_never_make_another_grid(seed: int) -> None:
    """One mistake in a text of random grids makes errors, and never a grid that is not there."""
    rng = random.Random(seed)
    way, number, between = (
        rng.choice(sorted(WAYS)),
        rng.choice([1, 1, 2, 3]),
        rng.choice(["", "\n", "\n\n", "Grid 7\n", "# 7\n"]),
    )
    grids, texts = zip(*(written(rng, way) for _ in range(number)), strict=True)
    lines = "".join(f"{text}\n{between}" for text in texts).split("\n")
    text = "\n".join(spoilt(rng, lines))
    for answer in lines_of(checked(text.encode())):
        near = min(sum(a != b for a, b in zip(answer, grid, strict=True)) for grid in grids)
        assert near <= 1, (answer, way, text)


@settings(max_examples=tries(200))
@given(st.lists(st.sampled_from(VALID), max_size=4), st.sampled_from([b"\n", b"\n\n", b"# note\n\n"]))
def test_forms_mix_in_one_stream(parts: list[bytes], between: bytes) -> None:
    """Texts of all forms, one after the other, have the grids that they have alone."""
    together = checked(between.join(part.rstrip(b"\n") + b"\n" for part in parts))
    alone = [one for part in parts for one in checked(part)]
    assert [to_line(one.grid, one.layout) for one in together if isinstance(one, Puzzle)] == [
        to_line(one.grid, one.layout) for one in alone if isinstance(one, Puzzle)
    ]
