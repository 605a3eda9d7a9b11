"""The format of Dancing Cover: a numpy .npz file with the arrays of a problem, and its names in JSON.

A diagram is a similar file: its arrays, and the bytes of an inner .npz file with its problem.

The names of items, options and colours may be str, int, float, bool, None, and tuples of these, which are lists in
JSON. A `Placement` is read back as a `Placement`, and any other named tuple as an equal plain tuple. The file has no
pickle, so reading an untrusted file runs no code.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.formats.errors import FormatError, refusal
from dlx.problem.placement import as_placement
from dlx.problem.problem import Problem

VERSION = 2
ARRAYS = ("indptr", "indices", "weights", "colours", "multiplicities", "roles")
NAMES = {"items": "item", "names": "name", "colour_names": "colour"}
DIAGRAM = ("diagram", "problem", "first_edge", "edge_option", "edge_child")  # the version comes first
DIAGRAM_VERSION = 1

Arrays = dict[str, npt.NDArray[Any]]


def dumps(problem: Problem) -> bytes:
    """Returns a problem as an archive, which `numpy.load(..., allow_pickle=False)` can open."""
    arrays = {kind: array for kind in ARRAYS if (array := getattr(problem, kind)) is not None}
    head: dict[str, Any] = {"version": VERSION, "n_primary": problem.n_primary}
    for kind, called in NAMES.items():
        values = getattr(problem, kind)
        head[kind] = None if values is None else as_json(values, called)
    return packed({"problem": np.frombuffer(quoted(head).encode(), dtype=np.uint8), **arrays})


def loads(data: bytes, file: str = "<bytes>") -> Problem:
    """Reads a problem, which is equal to the written problem."""
    with unpacked(data, file, "problem", {"problem", *ARRAYS, "implied"}) as arrays:
        for name in ("problem", "indptr", "indices"):
            if name not in arrays:
                raise ValueError(f"it has no {name}.npy")
        head = json.loads(arrays.pop("problem").tobytes())
        arrays.pop("implied", None)  # version 0.2 wrote this array, which does not change the covers
        if head["version"] != VERSION:
            raise ValueError(f"its version is {head['version']!r} instead of {VERSION}")
        if type(head["n_primary"]) is not int:
            raise ValueError(f"the number of primary items is {head['n_primary']!r}")
        names = {kind: None if head[kind] is None else tuple(map(of_json, head[kind])) for kind in NAMES}
        return Problem(n_primary=head["n_primary"], **names, **arrays)  # type: ignore[arg-type]


# Diagrams


def dump_diagram(problem: Problem, *arrays: npt.NDArray[Any]) -> bytes:
    """Returns the archive of a diagram; raises FormatError for a name that cannot be written."""
    inside = np.frombuffer(dumps(problem), dtype=np.uint8)
    return packed(dict(zip(DIAGRAM, (np.array([DIAGRAM_VERSION]), inside, *arrays), strict=True)))


def load_diagram(data: bytes, file: str = "<bytes>") -> tuple[Any, ...]:
    """Reads the problem and the arrays of a diagram; `Diagram` checks that they fit together."""
    with unpacked(data, file, "diagram", {*DIAGRAM}) as parts:
        if len(parts) < len(DIAGRAM):
            raise ValueError(f"it has only {', '.join(parts)} of {', '.join(DIAGRAM)}")
        version, inside, *arrays = (parts[name] for name in DIAGRAM)
        if version.tolist() != [DIAGRAM_VERSION]:
            raise ValueError(f"its version is {version.tolist()} instead of [{DIAGRAM_VERSION}]")
    try:
        return loads(inside.tobytes()), *arrays
    except FormatError as error:
        raise FormatError(file, None, f"the problem in it: {error.reason}") from None


# Names


def as_json(names: Sequence[object], kind: str) -> list[object]:
    """Returns names as JSON values; the error for another type contains `kind`."""
    return [_plain(name, kind) for name in names]


def quoted(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def of_json(value: object) -> object:
    if isinstance(value, list):
        return as_placement(tuple(map(of_json, value)))
    if isinstance(value, dict) or (isinstance(value, float) and math.isnan(value)):
        raise ValueError(f"{str(value)[:40]} is no name")
    return value


def _plain(value: object, kind: str) -> object:
    if isinstance(value, tuple):
        return [_plain(part, kind) for part in value]
    if value is None or type(value) in (str, int, bool) or (type(value) is float and not math.isnan(value)):
        return value
    raise refusal(
        f"the {kind} {value!r} is a {type(value).__name__}; a name is str, int, float but not NaN, bool, None, "
        "or a tuple of these"
    )


# Archives


def packed(arrays: Arrays) -> bytes:
    """Returns the bytes of a compressed .npz archive."""
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


@contextmanager
def unpacked(data: bytes, file: str, what: str, known: set[str]) -> Iterator[Arrays]:
    """Yields the arrays of an .npz archive; any error, even inside `with`, becomes a FormatError."""
    if isinstance(data, str):
        raise FormatError(file, None, "this is text, not an .npz file")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            names = [info.filename.removesuffix(".npy") for info in infos]
            if not known.issuperset(names) or len({*names}) < len(names):
                raise ValueError(f"it has {', '.join(names)} instead of some of {', '.join(sorted(known))}")
            if archive.comment or any(info.comment for info in infos):
                raise ValueError("there is a comment in it")  # a wrong bit may turn file names into a comment
            arrays = {name: _array(archive, info) for name, info in zip(names, infos, strict=True)}
        yield arrays
    except Exception as error:  # zipfile, zlib, numpy and json raise many types for damaged bytes
        raise FormatError(file, None, f"this is no .npz file of a {what}: {error}") from None


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> npt.NDArray[Any]:
    """Reads one array; raises ValueError if anything follows it."""
    with archive.open(info) as file:
        array: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
        if file.read(1):
            raise ValueError(f"{info.filename} has bytes after its array")
    return array
