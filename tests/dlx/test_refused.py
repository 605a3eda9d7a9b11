"""Input that is refused: each line of tests/data/refused.txt is an expression and its error, word for word.

A claim is a line `# ...`; `⟨a¦b⟩` in an expression stands for an expression with each of them, and `…` in an error
for any text.
"""

from __future__ import annotations

import io
import math
import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from drawn import archive, header, model

import dlx
from dlx import Coloured, Problem, show
from dlx.formats import knuth, mps, npz, orlib, read, write
from dlx.show import dance

CLAIMS = (
    (Path(__file__).parents[1] / "data" / "refused.txt").read_text(encoding="utf-8").removeprefix("# ").split("\n# ")
)
NAMES = {
    **{module.__name__.rpartition(".")[2]: module for module in (dance, dlx, io, knuth, math, mps, npz, orlib, show)},
    **{made.__name__: made for made in (Coloured, Problem, archive, header, model, read, replace, show.draw, write)},
    "np": np,
    "many": lambda value, length: np.broadcast_to(np.int64(value), length),  # an array that takes a few bytes
    "HIDDEN": np.ma.array([0, 1], mask=[False, True]),
    "SQUARE": np.ma.array([[1, 1], [1, 1]], mask=[[False, False], [True, False]]),
    "sparse": scipy.sparse,
    "BOARD": dance.Board(kind="pieces", rows=3, columns=4, marks=[([0, 0], "", 0)] * 2),
    "PAIRS": Problem.from_options(["ab", "cd", "ac", "bd", "abcd", "a"], items="abcd"),
    "COLOURED": Problem.from_options(
        [["a", Coloured("x", "red")], ["b", Coloured("x", "red")], ["c", Coloured("x", "blue")], ["d", "x"], ["x"]],
        items="abcdx",
        secondary="x",
    ),
    "MANY": Problem.from_options(["a", "ab", "ac", "b", "bc"], multiplicities={"a": 2, "b": (0, 2), "c": (0, 1)}),
    "PAIR": Problem.from_options(["ax", "b"], secondary="x"),
    "HUGE": Problem.from_csr(np.arange(10**6 + 1), np.zeros(10**6, dtype=int), 1),
    "WIDE": Problem.from_csr(np.arange(10**5 + 1), np.arange(10**5), 10**5),
}


@pytest.mark.filterwarnings("ignore:Warning. converting a masked element to nan")
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: re.split("[:.\n]", claim)[0].replace(" ", "-"))
def test_refused(claim: str) -> None:
    """Each expression of a claim raises the error beside it, with the value and its place."""
    for line in claim.splitlines()[1:]:
        if line:
            expression, _, told = line.rpartition(" -> ")
            for parts in product(*(part.split("¦") for part in re.split("[⟨⟩]", expression))):
                with pytest.raises(Exception) as caught:  # noqa: PT011  (its type and its words are compared)
                    eval("".join(parts), NAMES)
                found = f"{type(caught.value).__name__}: {caught.value}"
                assert re.fullmatch(".*".join(map(re.escape, told.split("…"))), found, re.DOTALL), (line, found)
