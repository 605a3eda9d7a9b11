"""Our own format: round trips of every kind, damage, and files that promise more than they have."""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from drawn import archive, attempt, header, peak, problems
from hypothesis import given
from seeds import Nightly

from dlx import Problem
from dlx.formats import FormatError, npz


@given(problems())
@pytest.mark.slow
def test_round_trip(problem: Problem) -> None:
    """A problem of any kind comes back equal, its names with their types; so does what was chosen and left out."""
    again = npz.loads(npz.dumps(problem))
    assert again == problem
    if problem.n_options and problem.roles is None:
        without = problem.without([0])
        assert npz.loads(npz.dumps(without)) == without
    assert repr((again.items, again.names, again.colour_names)) == repr(
        (problem.items, problem.names, problem.colour_names)
    )


def test_knows_every_part_of_a_problem() -> None:
    """If a problem gets one more attribute, the format must learn it."""
    fields = {field.name for field in dataclasses.fields(Problem)}
    assert fields == {"n_primary", *npz.ARRAYS, *npz.NAMES}


def test_refuses_very_long_numbers() -> None:
    """A whole number that Python does not put into digits is refused, and so are tuples nested without an end."""
    name: tuple[Any, ...] = ()
    for _ in range(60):
        name = (name,)
    with pytest.raises(FormatError, match="no more than 50 deep"):
        npz.dumps(Problem.from_options([[name]]))
    with pytest.raises(FormatError, match="the item is a whole number of more than 4300 digits"):
        npz.dumps(Problem.from_options([[-(10**4300)]]))
    longest = Problem.from_options([[1 - 10**4300]])
    assert npz.loads(npz.dumps(longest)) == longest


def zeros(length: int) -> bytes:
    """An array of int32 zeros in a file, which packs a thousand times smaller."""
    return header(f"({length},)") + bytes(4 * length)


@pytest.mark.parametrize(
    "arrays",
    [
        {"roles": zeros(5_000_000)},
        {"implied": zeros(5_000_000)},
        {"weights": zeros(5_000_000)},
        {"indices": zeros(5_000_000)},
        {"indptr": zeros(5_000_000)},
        {"indptr": zeros(5_000_000), "indices": zeros(5_000_000)},
        {"indptr": np.array([0, 5_000_000]), "indices": zeros(5_000_000)},
        {"problem": np.full(20_000_000, ord(" "), dtype=np.uint8)},
        {"problem": np.frombuffer(b"[" + b"[]," * 6_000_000 + b"[]]", dtype=np.uint8)},
    ],
    ids=lambda arrays: " ".join(arrays),
)
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.slow
def test_small_files_are_not_unpacked_to_large_ones(arrays: dict[str, Any], version: int) -> None:
    """An array too large for the rest of the problem is refused by the zip directory: nothing is unpacked."""
    data = archive({"version": version}, **arrays)
    assert len(data) < 100_000
    assert peak(lambda: attempt(npz.loads, data)) < 1_000_000
    with pytest.raises(FormatError, match="bytes, where there can be no more than"):
        npz.loads(data)


def test_a_directory_that_lies_is_not_believed() -> None:
    """A size that is less than there is to unpack does not make it unpack more: the file is damaged."""
    data = archive(roles=zeros(5_000_000))
    lie = data.replace((20_000_128).to_bytes(4, "little"), (132).to_bytes(4, "little"))
    assert lie != data
    assert peak(lambda: attempt(npz.loads, lie)) < 1_000_000
    with pytest.raises(FormatError, match="Bad CRC-32"):
        npz.loads(lie)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_only_deflate_is_unpacked(method: int) -> None:
    """Other ways of packing cannot be unpacked step by step, and numpy does not use them."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive())) as source, zipfile.ZipFile(stream, "w", method) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    with pytest.raises(FormatError, match="packed otherwise than by deflate"):
        npz.loads(stream.getvalue())


@pytest.mark.parametrize(
    "problem",
    [
        Problem.from_options([range(500)] * 2000, items=range(500)),
        Problem.from_options([["x" * 3000, "x" * 2999]] * 3, items=["x" * k for k in range(3001)]),
        dataclasses.replace(Problem.from_options(["a"] * 400_000), names=("the same name",) * 400_000),
    ],
    ids=["options", "items", "names"],
)
@pytest.mark.slow
def test_round_trip_of_what_packs_well(problem: Problem) -> None:
    """Problems full of repetitions come back too: those that would pack too well to be believed are not packed."""
    data = npz.dumps(problem)
    assert npz.loads(data) == problem
    assert np.load(io.BytesIO(data), allow_pickle=False)["indptr"].tolist() == problem.indptr.tolist()


def test_versions() -> None:
    """Version 1 called multiplicities bounds, and is read; version 2 is written."""
    problem = Problem.from_options(["a"], multiplicities={"a": (0, 2)})
    assert npz.loads(archive({"version": 1}, bounds=np.array([[0, 2]]))) == problem
    assert npz.loads(archive({"version": 1})) == Problem.from_options(["a"])
    with np.load(io.BytesIO(npz.dumps(problem))) as file:
        assert file["multiplicities"].tolist() == [[0, 2]]
        assert json.loads(file["problem"].tobytes())["version"] == 2


def test_no_pickle() -> None:
    """An array of Python objects is not unpickled."""
    with pytest.raises(FormatError):
        npz.loads(archive(indices=np.array([Bomb()], dtype=object)))


class Bomb:
    """Goes off when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return pytest.fail, ("a file has run code",)


@pytest.mark.slow
def test_no_wrong_bit_makes_another_problem() -> None:
    """With any one bit of an archive wrong it is refused, or the same problem; by day each seventh bit."""
    problem = Problem.from_options(["ab", "cd", "ac", "bd"], weights=[1, 2, 3, 4])
    whole = npz.dumps(problem)
    for bit in range(0, 8 * len(whole), 1 if Nightly.on else 7):
        wrong = bytearray(whole)
        wrong[bit // 8] ^= 1 << bit % 8
        with suppress(FormatError):
            assert npz.loads(bytes(wrong)) == problem, bit
