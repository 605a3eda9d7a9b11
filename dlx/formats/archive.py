"""Arrays in .npz archives: written packed where a reader can trust it, and read without believing what is promised."""

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

# The limits of a reader for an array that is still packed. Names that differ and pointers that rise do not pack well:
# ten times for the examples, 250 times for long names that are nearly the same. Beyond these limits `pack` does not
# compress.
PACKED = 32  # times smaller than its bytes
SMALL = 1 << 20  # bytes that are unpacked without a question
HEADER = 1 << 10  # bytes before an array
Unpack = Callable[[int], npt.NDArray[Any]]  # takes the most bytes that there can be


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
