"""Every reader on bytes that nobody meant for it: grids and errors, and nothing else, and never another grid."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from readings import LINE, SOLVED
from seeds import tries

from sudoku import read, to_line, write
from sudoku.formats.writing import WRITERS
from sudoku.grid import GridError, Puzzle
from sudoku.layout import Box

FPUZZLE = {"size": 9, "grid": [[{"value": 5, "given": True}] + [{}] * 8] + [[{}] * 9] * 8, "diagonal+": True}
SIGNS = [b"[", b"]", b'"', b"{", b"<", b">", b"|", b"\n", b"\n\n", b","]
MEMBERS = ["puzzle", "solution", "grid", "size", "cells", "regions", "cages", "metadata", "value", "given", "region"]
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
    f"grid = np.{np.zeros((9, 9), dtype=np.uint8)!r}\n".encode(),
]


def checked(data: bytes, box: Box | None = None) -> list[Puzzle]:
    """Reads bytes as a file is read; every result is a good grid, or an error that says something."""
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8", "surrogateescape", newline="")
    found = list(read(text, layout=box))
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
    return [one for one in found if isinstance(one, Puzzle)]


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
@pytest.mark.slow
def test_mutations_of_valid_texts(data: bytes, box: Box | None) -> None:
    """Texts that are nearly right give good grids and errors."""
    checked(data, box)


@settings(max_examples=tries(100))
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-1, 10) | st.floats() | st.sampled_from(["", "5", LINE]),
        lambda inner: (
            st.lists(inner, max_size=9)
            | st.dictionaries(
                st.sampled_from(MEMBERS),
                inner,
                max_size=4,
            )
        ),
        max_leaves=40,
    )
)
def test_any_value_of_json(value: object) -> None:
    """Any value of JSON is grids and errors."""
    checked(json.dumps(value).encode())


REFORMATTED: list[Callable[[str, random.Random], str]] = [
    lambda text, rng: text.replace(".", rng.choice("0.*-_xX?~")),
    lambda text, rng: text.replace("\n", "\r\n"),
    lambda text, rng: "\ufeff" + text,
    lambda text, rng: f"\n\n{text}\n\n",
    lambda text, rng: "\n".join(f"  {line}\t" for line in text.split("\n")),
    lambda text, rng: text.replace("|", "!"),
    lambda text, rng: text.replace("|", "║"),
    lambda text, rng: text.replace(" ", "   "),
]


@settings(max_examples=tries(300))
@given(
    st.sampled_from(sorted(set(WRITERS) - {"marks", "candidates", "json"})),
    st.lists(st.integers(0, 9), min_size=81, max_size=81),
    st.lists(st.integers(0, 7), max_size=3),
    st.randoms(),
)
@pytest.mark.slow
def test_only_reformatted(form: str, cells: list[int], ways: list[int], rng: random.Random) -> None:
    """A grid whose text has only been reformatted is that grid, or an error: never another one."""
    text = "".join(write([cells], form))
    for way in ways:
        text = REFORMATTED[way](text, rng)
    found = checked(text.encode())
    assert all(one.candidates is None for one in found)
    assert {to_line(one) for one in found} <= {to_line(cells)}
    assert len(found) <= 1
    if not ways:
        assert len(found) == 1


Rows = list[list[int]]


def fields(rows: Rows, blank: str, between: str, end: str = "") -> str:
    """A line for each row, with something between the cells."""
    return "\n".join(between.join(str(cell) if cell else blank for cell in row) + end for row in rows)


def nested(rows: Rows, blank: str, brackets: str, between: str) -> str:
    """Lists in a list, in lines."""
    opening, closing = brackets[0], brackets[1]
    inner = f"{closing}{between.strip()}\n  {opening}".join(fields([row], blank, between) for row in rows)
    return f"{opening}{opening}{inner}{closing}{closing}"


# A name of a way to write a grid, and what it writes.
WAYS: dict[str, Callable[[Rows], str]] = {
    "commas": lambda rows: fields(rows, "0", ","),
    "commas at the ends": lambda rows: fields(rows, "0", ", ", ","),
    "empty fields": lambda rows: fields(rows, "", ";"),
    "empty fields, semicolons at the ends": lambda rows: fields(rows, "", ";", ";"),
    "spreadsheet": lambda rows: fields(rows, "", "\t"),
    "spreadsheet, spaces": lambda rows: fields(rows, "", " \t "),
    "one line": lambda rows: fields([[cell for row in rows for cell in row]], "", ","),
    "rows in braces": lambda rows: "\n".join(f"{{{fields([row], '0', ',')}}}," for row in rows),
    "rows as printed": lambda rows: "\n".join(map(str, rows)),
    "C": lambda rows: f"int grid[9][9] = {nested(rows, '0', '{}', ', ')};",
    "C, one line": lambda rows: f"int g[][9]={nested(rows, '0', '{}', ',')};".replace("\n", ""),
    "Java, signs": lambda rows: f"char[][] g = new char[][] {nested(rows, '.', '{}', ', ')};".replace(".", "'.'"),
    "Python": lambda rows: f"grid = {rows}",
    "Python, None": lambda rows: f"grid = {[[cell or None for cell in row] for row in rows]}",
    "Python, texts": lambda rows: f"grid = {[fields([row], '.', '') for row in rows]}",
    "Python, tuples": lambda rows: nested(rows, "None", "()", ", "),
    "numpy": lambda rows: str(np.array(rows)),
    "numpy, points": lambda rows: str(np.array(rows, dtype=float)),
    "numpy, repr": lambda rows: repr(np.array(rows, dtype=np.uint8)),
    "numpy, nan": lambda rows: f"np.{np.array([[cell or np.nan for cell in row] for row in rows])!r}",
    "JSON, points": lambda rows: json.dumps([[float(cell) for cell in row] for row in rows]),
}
CELLS = st.lists(st.lists(st.integers(0, 9), min_size=9, max_size=9), min_size=9, max_size=9)


def lines_of(found: list[Puzzle]) -> list[str]:
    """The grids as lines."""
    return [to_line(one) for one in found]


@settings(max_examples=tries(300))
@given(st.sampled_from(sorted(WAYS)), CELLS, st.booleans())
@pytest.mark.slow
def test_what_people_have_is_read_back(way: str, rows: Rows, windows: bool) -> None:
    """A grid is itself in every way to write it, between others, or an error where its commas leave a doubt."""
    text = WAYS[way](rows)
    together = f"{LINE}\n{text}\n\n{LINE}\n"
    found = lines_of(checked(together.replace("\n", "\r\n" if windows else "\n").encode()))
    doubtful = "empty" in way or "spreadsheet" in way or way == "one line"
    expected = [LINE, to_line([cell for row in rows for cell in row]), LINE]
    assert found == expected or (found == [LINE, LINE] and doubtful and not all(row[-1] for row in rows))


@settings(max_examples=tries(600))
@given(st.sampled_from(sorted(WAYS)), CELLS, st.booleans(), st.data())
@pytest.mark.slow
def test_a_sign_or_a_line_may_be_lost(way: str, rows: Rows, sign: bool, data: st.DataObject) -> None:
    """A text without one of its lines, commas, brackets, tabs, quotes or line ends is the same grid or an error."""
    text = WAYS[way](rows)
    if sign:
        places = [k for k, sign in enumerate(text) if not (sign.isalnum() or sign in ".=")]
        lost = data.draw(st.sampled_from(places))
        text = text[:lost] + text[lost + 1 :]
    else:
        lines = text.split("\n")
        del lines[data.draw(st.integers(0, len(lines) - 1))]
        text = "\n".join(lines)
    found = lines_of(checked(f"{text}\n\n{LINE}\n".encode()))
    assert found in ([LINE], [to_line([cell for row in rows for cell in row]), LINE])


@settings(max_examples=tries(400))
@given(st.sampled_from(sorted(way for way in WAYS if not way.startswith("numpy"))), CELLS, st.data())
@pytest.mark.slow
def test_a_cell_may_be_lost(way: str, rows: Rows, data: st.DataObject) -> None:
    """A row that lacks a cell, with its comma, is an error and no grid."""
    del rows[data.draw(st.integers(0, 8))][data.draw(st.integers(0, 8))]
    assert lines_of(checked(f"{WAYS[way](rows)}\n\n{LINE}\n".encode())) == [LINE]


@given(
    st.lists(st.integers(0, 9), min_size=81, max_size=81),
    st.sampled_from([None, 0, 1, 4]),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,  ", " : ")]),
    st.booleans(),
)
def test_json_only_reformatted(cells: list[int], indent: int | None, between: tuple[str, str], named: bool) -> None:
    """White space in JSON, its members' order, and how blanks are written make no other grid."""
    rows = [[cell or None for cell in cells[k : k + 9]] for k in range(0, 81, 9)]
    value: object = {"id": 7, "puzzle": rows} if named else rows
    (found,) = checked(json.dumps(value, indent=indent, separators=between, sort_keys=named).encode())
    assert to_line(found) == to_line(cells)


@given(st.lists(st.integers(0, 9), min_size=81, max_size=81), st.booleans())
def test_tables_only_reformatted(cells: list[int], quotes: bool) -> None:
    """Quotes, and columns in another order make no other grid."""
    line = to_line(cells).replace(".", "0")
    field = f'"{line}"' if quotes else line
    table = f"id,puzzle\n1,{field}\n\npuzzle;id\n{field};1\n"
    assert [to_line(one) for one in checked(table.encode())] == 2 * [to_line(cells)]


@settings(max_examples=tries(200))
@given(st.lists(st.sampled_from(VALID), max_size=4), st.sampled_from([b"\n", b"\n\n", b"# note\n\n"]))
@pytest.mark.slow
def test_forms_mix_in_one_stream(parts: list[bytes], between: bytes) -> None:
    """Texts of all forms, one after the other, have the grids that they have alone."""
    together = [
        to_line(one.grid, one.layout) for one in checked(between.join(part.rstrip(b"\n") + b"\n" for part in parts))
    ]
    alone = [to_line(one.grid, one.layout) for part in parts for one in checked(part)]
    assert together == alone
