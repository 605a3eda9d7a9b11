"""Input, and what becomes of it: tests/data/answers.txt, counts.txt and refused.txt (see tests/shared/refused.py)."""

from __future__ import annotations

import io
import math
import re
from concurrent import futures
from dataclasses import replace
from functools import partial
from typing import Any

import airline_crews
import aztec_diamond
import four_puzzles
import graph_colouring
import langford
import latin_squares
import numpy as np
import pentominoes
import pytest
import queens
import scipy.sparse
import soma
import timetable
import word_squares
from drawn import archive, header
from families import build
from refused import check_claim, each_claim

import dlx
from dlx import Coloured, Problem, formats, show, tiles
from dlx.command import how_far
from dlx.formats import knuth, matrix, npz, orlib, read, write
from dlx.optimum.alike import undominated
from dlx.problem import checks
from dlx.search.farkas import Farkas
from dlx.show import dance


def of(result: object, names: str) -> tuple[object, ...]:
    """Some attributes of a result."""
    return tuple(getattr(result, name) for name in names.split())


def kept(weights: Any) -> tuple[list[float], str]:
    """The weights that a problem has, and their type."""
    array = Problem.from_options(["a", "b"], weights=weights).weights
    assert array is not None
    return array.tolist(), array.dtype.name


def loaded(of: Problem | None = None, memory: int | None = None, **parts: Any) -> dlx.Diagram:
    """The diagram in a file with some arrays that `save` would have written otherwise."""
    dlx.diagram(of or MATCHED).save(whole := io.BytesIO())
    with np.load(io.BytesIO(whole.getvalue())) as arrays:
        members = {name: array for name, array in {**arrays, **parts}.items() if array is not None}
    np.savez_compressed(stream := io.BytesIO(), **members)
    return dlx.Diagram.load(io.BytesIO(stream.getvalue()), memory)


MATCHED = Problem.from_options(["ab", "cd", "ac", "bd", "ad", "bc"], items="abcd")
EXAMPLES = (
    airline_crews,
    aztec_diamond,
    four_puzzles,
    graph_colouring,
    langford,
    latin_squares,
    pentominoes,
    queens,
    soma,
    timetable,
    word_squares,
)
MADE = (Coloured, Problem, archive, build, header, how_far, kept, loaded, of, read, replace)
MODULES = (checks, dance, dlx, formats, futures, io, knuth, math, matrix, npz, orlib, re, show, tiles, *EXAMPLES)
NAMES = {
    **{module.__name__.rpartition(".")[2]: module for module in MODULES},
    **{made.__name__: made for made in (*MADE, Farkas, undominated, write)},
    "draw": show.draw,
    "progress": partial(dlx.Progress, nodes=0, covers=0, score=None, bound=None, fraction=0.0, seconds=0.0),
    "texts": lambda picture: re.findall("<text[^>]*>([^<]*)<", picture),
    "np": np,
    "counted": lambda family, *sizes: dlx.count(build(family, *sizes)).covers,
    "many": lambda value, length: np.broadcast_to(np.int64(value), length),  # an array that takes a few bytes
    "tilings": lambda *board, **said: dlx.count(tiles.problem(*board, **said)).covers,
    "HIDDEN": np.ma.array([0, 1], mask=[False, True]),
    "SQUARE": np.ma.array([[1, 1], [1, 1]], mask=[[False, False], [True, False]]),
    "sparse": scipy.sparse,
    "BOARD": dance.PageBoard(kind="pieces", rows=3, columns=4, marks=[([0, 0], "", 0)] * 2),
    "ALL": Problem.from_options(
        {"<b>": ["a", Coloured("x", "red")], "&": ["b", ("c", 1)]},
        secondary="x",
        weights=[2, 3],
        multiplicities={"b": (0, 2), "a": 3},
    ),
    "asked": lambda problem: (list(dlx.covers(problem)), dlx.count(problem).covers),
    "BEST": Problem.from_options(["ab", "c", "abc"], weights=[1, 2, 2]),
    "DOMINOES": tiles.problem("2x2", "domino", each="any"),
    "DIAGRAM": dlx.diagram(MATCHED),
    "EDGES": [("a", ("b", 1)), (("b", 1), 30)],
    "EXTRAS": ("weights", "colours", "colour_names", "multiplicities"),
    "FEW": Problem.from_options(["a"] * 4 + ["b"] * 3 + ["c"] * 5),
    "FORMS": Problem.from_options({"ab": "ab", "a": "a", "b": "b"}, weights=[1, 10, 100]),
    "LONG": Problem.from_options([[i] for i in range(3_750) for _ in range(16)]),  # 2^15000 covers
    "ONE": Problem.from_options(["a"]),
    "PLAN": Problem.from_options({"x": "ab", "y": "a"}, secondary="b", weights=[5, 0]),
    "RING": Problem.from_options(["ab", "bc", "cd", "da"]),
    "SIX": Problem.from_options([[f"p{k}", Coloured("x", k % 2)] for k in range(6)], secondary="x"),
    "TIMES": Problem.from_options(["a"] * 4, multiplicities={"a": (3, 4)}),
    "TOY": Problem.from_options(["ceg", "ad", "bcf", "adf", "be", "deg", "bf"], items="abcdefg", secondary="g"),
    "SEVERAL": Problem.from_options(
        {"one": ["a"], "two": ["a", Coloured("x", 1)], "three": ["a", Coloured("x", 2)]},
        secondary="x",
        weights=[1, 10, 100],
        multiplicities={"a": 2},
    ),
    "TWICE": Problem.from_options([[Coloured("r1c1", "red"), "a"], [Coloured("r1c1", "red"), "b"]], secondary=["r1c1"]),
    "WORDS": ["able", "lean", "sand", "ones", "also", "bean", "lane", "ends"],
    "PAIRS": Problem.from_options(["ab", "cd", "ac", "bd", "abcd", "a"], items="abcd"),
    "COLOURED": Problem.from_options(
        [["a", Coloured("x", "red")], ["b", Coloured("x", "red")], ["c", Coloured("x", "blue")], ["d", "x"], ["x"]],
        items="abcdx",
        secondary="x",
    ),
    "MANY": Problem.from_options(["a", "ab", "ac", "b", "bc"], multiplicities={"a": 2, "b": (0, 2), "c": (0, 1)}),
    "PAIR": Problem.from_options(["ax", "b"], secondary="x"),
    "WHOLE": Problem.from_options(["ax", "b"], secondary="x", weights=[3, 1]),
    "REAL": Problem.from_options(["ax", "b"], secondary="x", weights=[3.0, 1.0]),
    "HUGE": Problem.from_csr(np.arange(10**6 + 1), np.zeros(10**6, dtype=int), 1),
    "WIDE": Problem.from_csr(np.arange(10**5 + 1), np.arange(10**5), 10**5),
}


@pytest.mark.filterwarnings("ignore:there is no cover")
@pytest.mark.filterwarnings("ignore:Warning. converting a masked element to nan")
@each_claim("answers.txt", "counts.txt", "refused.txt")
def test_claims(claim: str) -> None:
    """Each expression of a claim has the value beside it, or raises the error, with what is wrong and its place."""
    check_claim(claim, NAMES)
