"""Our own format: the arrays of a problem in a numpy .npz file, and its names in JSON; it loses nothing.

The names of items, options and colours may be str, int, float, bool, None, and tuples of these, nested or not. There is
no pickle in the file, so that reading one from a stranger runs no code of theirs.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.formats import FormatError
from dlx.problem import Problem

VERSION = 1
ARRAYS = ("indptr", "indices", "weights", "colours", "multiplicities", "roles", "implied")
NAMES = ("items", "names", "colour_names")
DEEPEST = 50  # tuples in tuples


def dumps(problem: Problem) -> bytes:
    """Writes a problem as a numpy .npz file; `loads` gives an equal one.

    Parameters:
        problem: what to write.

    Returns:
        The bytes of the file, compressed. `numpy.load(..., allow_pickle=False)` opens it as well.

    Raises:
        FormatError: a name is not of the types that can be written.

    >>> problem = Problem.from_options({("left", 1): "ab", ("right", None): "c"}, weights=[0.5, 2])
    >>> loads(dumps(problem)) == problem
    True
    """
    arrays = {name: array for name in ARRAYS if (array := getattr(problem, name)) is not None}
    head: dict[str, Any] = {"version": VERSION, "n_primary": problem.n_primary}
    for kind in NAMES:
        values = getattr(problem, kind)
        head[kind] = None if values is None else [_plain(value, kind) for value in values]
    try:
        text = json.dumps(head, separators=(",", ":"))
    except ValueError as error:  # a whole number of thousands of digits
        raise FormatError("<problem>", None, f"a name cannot be written: {error}") from None
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, problem=np.frombuffer(text.encode(), dtype=np.uint8), **arrays)
    return stream.getvalue()


def loads(data: bytes, file: str = "<bytes>") -> Problem:
    """Reads a problem from the bytes of a numpy .npz file that `dumps` has made.

    Parameters:
        data: the bytes.
        file: what errors call it.

    Returns:
        The problem, equal to the one that was written.

    Raises:
        FormatError: this is no such file, or it is damaged.
    """
    if isinstance(data, str):
        raise FormatError(file, None, "this is text, not an .npz file")
    try:
        return _problem(_members(data))
    except FormatError as error:
        raise FormatError(file, None, error.reason) from None
    except Exception as error:  # of damaged bytes zipfile, zlib, numpy and json complain in a dozen ways
        raise FormatError(file, None, f"this is no .npz file of a problem: {error}") from None


def _problem(members: dict[str, npt.NDArray[Any]]) -> Problem:
    head = json.loads(members.pop("problem").tobytes())
    if head["version"] != VERSION:
        raise ValueError(f"its version is {head['version']!r} instead of {VERSION}")
    if type(head["n_primary"]) is not int:
        raise ValueError(f"the number of primary items is {head['n_primary']!r}")
    names = {kind: None if head[kind] is None else tuple(map(_name, head[kind])) for kind in NAMES}
    return Problem(n_primary=head["n_primary"], **names, **members)  # type: ignore[arg-type]


def _members(data: bytes) -> dict[str, npt.NDArray[Any]]:
    """The arrays in an archive, made from the bytes that are there, whatever their headers promise."""
    known = {f"{name}.npy": name for name in ("problem", *ARRAYS)} | {"bounds.npy": "multiplicities"}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = archive.namelist()
        if len(files) > len(set(files)) or not known.keys() >= set(files):
            raise ValueError(f"it has files besides {', '.join(known)}, or one of them twice")
        return {known[file]: _array(archive.read(file)) for file in files}


def _array(data: bytes) -> npt.NDArray[Any]:
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, by_columns, dtype = read(stream)
    if dtype.kind not in "biuf" or dtype.itemsize * math.prod(shape) != len(data) - stream.tell():
        raise ValueError(f"an array of shape {shape} and type {dtype} does not fit into {len(data)} bytes")
    flat = np.frombuffer(data, dtype=dtype, offset=stream.tell())
    if dtype.kind == "b":
        flat = flat.view(np.uint8) != 0  # a boolean that is neither 0 nor 1 would be no end of surprises
    return flat.reshape(shape, order="F" if by_columns else "C")


def _plain(value: object, kind: str, depth: int = 0) -> object:
    """A name as JSON has it: lists stand for tuples."""
    if type(value) is tuple and depth < DEEPEST:
        return [_plain(part, kind, depth + 1) for part in value]
    if value is None or type(value) in (str, int, bool) or (type(value) is float and not math.isnan(value)):
        return value
    what = {"items": "item", "names": "name", "colour_names": "colour"}[kind]
    raise FormatError(
        "<problem>",
        None,
        f"the {what} {value!r} is a {type(value).__name__}; a name is str, int, float but not NaN, bool, None, "
        f"or a tuple of these, no more than {DEEPEST} deep",
    )


def _name(value: object, depth: int = 0) -> object:
    """A name from JSON, checked."""
    if isinstance(value, list) and depth < DEEPEST:
        return tuple(_name(part, depth + 1) for part in value)
    if isinstance(value, (list, dict)) or (isinstance(value, float) and math.isnan(value)):
        raise ValueError(f"{str(value)[:40]} is no name")
    return value
