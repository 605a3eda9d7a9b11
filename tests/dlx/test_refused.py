"""Input that is refused: each line of tests/data/refused.txt is an expression and its error, word for word."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from drawn import archive, header, model
from refused import check_refused, each_claim

import dlx
from dlx import Coloured, Problem, show
from dlx.formats import knuth, mps, npz, orlib, read, write
from dlx.show import dance

NAMES = {
    **{module.__name__.rpartition(".")[2]: module for module in (dance, dlx, io, knuth, math, mps, npz, orlib, show)},
    **{made.__name__: made for made in (Coloured, Problem, archive, header, model, read, replace, show.draw, write)},
    "np": np,
    "many": lambda value, length: np.broadcast_to(np.int64(value), length),  # an array that takes a few bytes
    "HIDDEN": np.ma.array([0, 1], mask=[False, True]),
    "SQUARE": np.ma.array([[1, 1], [1, 1]], mask=[[False, False], [True, False]]),
    "sparse": scipy.sparse,
    "BOARD": dance.Board(kind="pieces", rows=3, columns=4, marks=[([0, 0], "", 0)] * 2),
    "PAIR": Problem.from_options(["ax", "b"], secondary="x"),
    "HUGE": Problem.from_csr(np.arange(10**6 + 1), np.zeros(10**6, dtype=int), 1),
    "WIDE": Problem.from_csr(np.arange(10**5 + 1), np.arange(10**5), 10**5),
}


@pytest.mark.filterwarnings("ignore:Warning. converting a masked element to nan")
@each_claim(Path(__file__).parents[1] / "data" / "refused.txt")
def test_refused(claim: str) -> None:
    """Each expression of a claim raises the error beside it, with the value and its place."""
    check_refused(claim, NAMES)
