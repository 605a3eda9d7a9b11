"""Our own format: the arrays of a problem in a numpy .npz file, and its names in JSON; it loses nothing.

The names of items, options and colours may be str, int, float, bool, None, and tuples of these, nested or not. There is
no pickle in the file, so that reading one from a stranger runs no code of theirs; nor is what it promises believed.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.formats.errors import FormatError
from dlx.formats.names import as_json, of_json, parsed, quoted
from dlx.problem.problem import Problem

VERSION = 2
ARRAYS = ("indptr", "indices", "weights", "colours", "multiplicities", "roles")
NAMES = {"items": "item", "names": "name", "colour_names": "colour"}

VERSIONS = {  # for each, what it calls the arrays
    1: {"bounds" if name == "multiplicities" else name: name for name in ARRAYS},
    2: {name: name for name in ARRAYS},
}

WIDEST = 8  # bytes for a number

# The limits of a reader for an array that is still packed. Names that differ and pointers that rise do not pack well:
# ten times for the examples, 250 times for long names that are nearly the same. Beyond these limits `pack` does not
# compress.
PACKED = 32  # times smaller than its bytes
SMALL = 1 << 20  # bytes that are unpacked without a question
HEADER = 1 << 10  # bytes before an array
Unpack = Callable[[int], npt.NDArray[Any]]  # takes the most bytes that there can be


def dumps(problem: Problem) -> bytes:
    """Writes a problem, packed where a reader can trust it; `numpy.load(..., allow_pickle=False)` opens it as well."""
    arrays = {kind: array for kind in ARRAYS if (array := getattr(problem, kind)) is not None}
    head: dict[str, Any] = {"version": VERSION, "n_primary": problem.n_primary}
    for kind, called in NAMES.items():
        values = getattr(problem, kind)
        head[kind] = None if values is None else as_json(values, called)
    names = np.frombuffer(quoted(head).encode(), dtype=np.uint8)
    return pack(max(names.nbytes, problem.indptr.nbytes), problem=names, **arrays)


def loads(data: bytes, file: str = "<bytes>") -> Problem:
    """Reads a problem, equal to the one that was written."""
    longest = most(len(data))
    with opened(data, file, "problem") as files:
        for name in ("problem", "indptr", "indices"):
            if name not in files:
                raise ValueError(f"it has no {name}.npy")
        head = parsed(files.pop("problem")(longest).tobytes())
        files.pop("implied", None)  # of 0.2: marks of items that others imply, which change no cover
        if head["version"] not in VERSIONS:
            raise ValueError(f"its version is {head['version']!r} instead of {VERSION}, or an older one")
        if type(head["n_primary"]) is not int:
            raise ValueError(f"the number of primary items is {head['n_primary']!r}")
        known = VERSIONS[head["version"]]
        if not files.keys() <= known.keys():
            raise ValueError(f"it has {', '.join(files.keys() - known.keys())} besides {', '.join(known)}")
        unpack = {known[name]: get for name, get in files.items()}
        # Names and pointers come first, for these say how long all the rest can be.
        names = {kind: None if head[kind] is None else tuple(map(of_json, head[kind])) for kind in NAMES}
        indptr = unpack.pop("indptr")(longest)
        n_items, n_options = len(names["items"] or ()), len(indptr) - 1
        n_entries = min(int(indptr[-1]), n_options * n_items)
        need = {"weights": n_options, "multiplicities": 2 * n_items, "roles": n_options}
        rest = {name: get(HEADER + WIDEST * need.get(name, n_entries)) for name, get in unpack.items()}
        problem = Problem(n_primary=head["n_primary"], indptr=indptr, **names, **rest)  # type: ignore[arg-type]
    return problem


# Archives


def most(size: int) -> int:
    """The most bytes that an array of any length is unpacked to from a file of so many."""
    return SMALL + PACKED * size


def pack(longest: int, **arrays: npt.NDArray[Any]) -> bytes:
    """Returns an archive of arrays, compressed unless a reader could take it for one that is made to fill the memory.

    The length in bytes is that of the longest array whose length no other one tells.
    """
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **arrays)
    if longest + HEADER > most(stream.tell()):
        stream = io.BytesIO()
        np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


@contextmanager
def opened(data: bytes, file: str, what: str) -> Iterator[dict[str, Unpack]]:
    """Opens an archive in some bytes: unpacks each array by its name; whatever is wrong is a FormatError."""
    if isinstance(data, str):
        raise FormatError(file, None, "this is text, not an .npz file")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            files: dict[str, Unpack] = {i.filename.removesuffix(".npy"): partial(_unpacked, archive, i) for i in infos}
            if len(files) < len(infos):
                raise ValueError("it has one of its files twice")
            if archive.comment or any(info.comment for info in infos):
                raise ValueError("there is a comment in it")  # perhaps the names of further files, by a wrong bit
            if any(info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for info in infos):
                raise ValueError("a file in it is packed otherwise than by deflate")  # and not to be unpacked in steps
            yield files
    except Exception as error:  # of damaged bytes zipfile, zlib, numpy and json complain in a dozen ways
        raise FormatError(file, None, f"this is no .npz file of a {what}: {error}") from None


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> npt.NDArray[Any]:
    """An array of no more bytes than the most, made of those that are there, whatever its header promises."""
    if info.file_size > most:
        raise ValueError(f"{info.filename} has {info.file_size} bytes, where there can be no more than {most}")
    with archive.open(info) as packed:
        data = packed.read(info.file_size)  # of a limited size, it unpacks no more than that
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
