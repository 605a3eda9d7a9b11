"""Random problems and damaged files for the tests of every format."""

from __future__ import annotations

import dataclasses
import io
import json
import tracemalloc
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from dlx import Coloured, Problem
from dlx.formats import FormatError


def attempt(loads: Callable[[Any], Problem], data: str | bytes) -> Problem | FormatError:
    """Returns the problem in some data, or the FormatError; any other error is a defect."""
    try:
        return loads(data)
    except FormatError as error:
        return error


def peak(call: Callable[[], object]) -> int:
    """Returns the peak memory of a call in bytes."""
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """Bytes with a few changes, and perhaps without an end."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(0, 4))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data)


def model(rows: str = "E a", right: str = "a 1", columns: str = "x a 1", more: str = "BOUNDS;BV B x") -> str:
    """A small MPS file; semicolons separate lines, and lines within sections are indented here."""
    lines = ["ROWS", *rows.split(";"), "COLUMNS", *columns.split(";"), "RHS", *right.split(";"), *more.split(";")]
    sections = ("ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "OBJSENSE", "SOS1")
    return "\n".join(
        [*(line if line.split()[:1] and line.split()[0] in sections else f" {line}" for line in lines), "ENDATA"]
    )


def archive(head: object = None, /, **arrays: npt.NDArray[Any] | bytes) -> bytes:
    """An .npz file with some parts that `dumps` would have made otherwise."""
    good = {"version": 2, "n_primary": 1, "items": ["a"], "names": None, "colour_names": []}
    whole = json.dumps({**good, **head} if isinstance(head, dict) else head or good).encode()
    members = {
        "problem": np.frombuffer(whole, dtype=np.uint8),
        "indptr": np.array([0, 1]),
        "indices": np.array([0]),
        **arrays,
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, array in members.items():
            buffer = io.BytesIO()
            if isinstance(array, bytes):
                buffer.write(array)
            else:
                np.save(buffer, array)
            file.writestr(f"{name}.npy", buffer.getvalue())
    return stream.getvalue()


def header(shape: str, descr: str = "<i4") -> bytes:
    """The beginning of an array in a file."""
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


NAMES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda parts: st.lists(parts, max_size=3).map(tuple),
    max_leaves=4,
)
PLAIN_NAMES = st.text("abc7äß#,.\udc80", min_size=1, max_size=3)


@st.composite
def problems(draw: st.DrawFn, names: st.SearchStrategy[Any] = NAMES, *, plain: bool = False) -> Problem:
    """Problems of every kind; plain problems are those that Knuth's text format can represent."""
    items = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    n_primary = draw(st.integers(1, len(items)))
    chosen = st.lists(st.sampled_from(range(len(items))), min_size=1, max_size=len(items), unique=True)
    if plain:
        chosen = chosen.filter(lambda option: min(option) < n_primary)
    numbers = draw(st.lists(chosen, max_size=6))
    palette = st.sampled_from(draw(st.lists(names, min_size=1, max_size=2)))
    coloured = draw(st.booleans())
    options = [
        [
            Coloured(items[i], draw(palette)) if i >= n_primary and coloured and draw(st.booleans()) else items[i]
            for i in o
        ]
        for o in numbers
    ]
    costs = st.integers(0, 9) if plain else st.integers(-(2**40), 2**40) | st.floats(-1e6, 1e6)
    priced = st.nothing() if plain and not options else st.lists(costs, min_size=len(options), max_size=len(options))
    weights = draw(st.none() | priced)
    bounds = st.tuples(st.integers(0, 2), st.integers(2, 4))
    problem = Problem.from_options(
        options,
        items=items,
        secondary=items[n_primary:],
        weights=weights,
        multiplicities=draw(st.dictionaries(st.sampled_from(items[:n_primary]), bounds)),
    )
    if plain or not options or draw(st.booleans()):
        return problem
    labels = draw(st.lists(names, min_size=len(options), max_size=len(options)))
    return dataclasses.replace(problem, names=tuple(labels))
