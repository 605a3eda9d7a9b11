"""Target-sudoku grids by name, with their givens, completions, best scores and sources, for comparing strategies.

>>> instance = INSTANCES["sample1"]
>>> instance.givens, instance.completions, instance.best
(30, 3, 2829)
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

# The contest's weights: 6 on the border, 7, 8 and 9 on the rings inside, 10 in the centre.
RINGS = np.array([[6 + min(r, c, 8 - r, 8 - c) for c in range(9)] for r in range(9)], dtype=np.int64)

with (Path(__file__).parents[1] / "tests" / "data" / "target_sudoku.csv").open(encoding="utf-8") as file:
    KNOWN = {row["name"]: row for row in csv.DictReader(file)}  # name -> grid, best_score and completions, as texts


@dataclass(frozen=True, slots=True)
class Instance:
    """A grid whose answer is known.

    Attributes:
        name: what tables and charts call it.
        completions: how many there are.
        best: the best score of any of them, -1 if there is none.
        digits: 81 digits in reading order, 0 where the cell is blank.
        source: where the grid comes from.
    """

    name: str
    completions: int
    best: int
    digits: str
    source: str

    @property
    def grid(self) -> npt.NDArray[np.uint8]:
        """The digits as an array of shape (9, 9)."""
        return np.array([int(digit) for digit in self.digits], dtype=np.uint8).reshape(9, 9)

    @property
    def givens(self) -> int:
        """The number of cells that are not blank."""
        return 81 - self.digits.count("0")


def _known(name: str, row: str, source: str) -> Instance:
    """A grid of the file."""
    known = KNOWN[row]
    digits, completions, best = known["grid"], int(known["completions"]), int(known["best_score"])
    return Instance(name, completions, best, digits, f"{source}, {row} in tests/data/target_sudoku.csv")


# One grid with fewer and fewer givens: each is the one above it without one to three of its givens, chosen at random
# among those that bring the completions near the next half power of ten.
_SAMPLE = "700900001100005900000200080005020003000000648413000000007002090201060804080504012"
_LESS = (
    (2, 10, 2835, "700900000100005900000200080005020003000000648403000000007002090201060804080504012"),
    (3, 29, 2849, "700900000100005900000200080000020003000000648403000000007002090201060804080504012"),
    (4, 104, 2854, "700900000100005900000200000000020003000000648403000000007002090201060804080504012"),
    (6, 301, 2855, "700900000100005900000200000000020003000000648403000000007000090001060804080504012"),
    (7, 1004, 2857, "700000000100005900000200000000020003000000648403000000007000090001060804080504012"),
    (8, 2778, 2857, "700000000100005900000200000000020003000000608403000000007000090001060804080504012"),
    (9, 10079, 2863, "700000000100005900000200000000020003000000608403000000007000090001060804080504002"),
    (10, 45485, 2863, "700000000100005900000200000000020000000000608403000000007000090001060804080504002"),
    (11, 110417, 2864, "700000000100005900000200000000020000000000608403000000007000090001060004080504002"),
    (12, 570153, 2866, "700000000000005900000200000000020000000000608403000000007000090001060004080504002"),
    (13, 3578272, 2871, "700000000000005900000200000000020000000000608403000000007000000001060004080504002"),
    (15, 205907481, 2881, "700000000000005900000200000000020000000000608403000000000000000001060004080504000"),
)
SERIES = (
    Instance("sample1", 3, 2829, _SAMPLE, "the contest's first sample (NOIP 2009, target sudoku)"),
    *(
        Instance(f"sample1-{k}", completions, best, digits, f"the contest's first sample without {k} of its givens")
        for k, completions, best, digits in _LESS
    ),
)

# Grids of other kinds, each hard for some strategy.
KINDS = (
    Instance(
        "impossible",
        0,
        -1,
        "000005080000601043000000000010500000000106000300000005530000061000000004000000000",
        "P. Norvig, Solving Every Sudoku Puzzle (2006): no completion, and no visible clash",
    ),
    Instance(
        "seventeen",
        1,
        2850,
        "000000010400000000020000000000050407008000300001090000300400200050100000000806000",
        "G. Royle's list of grids with 17 givens and one completion",
    ),
    _known("random24", "r24_0", "24 scattered givens"),
    _known("diagonal", "boxdiag24", "the boxes of a diagonal but for three cells"),
    _known("border", "border24", "24 cells of the border ring"),
    _known("inner5x5", "inner5x5", "the middle 5 x 5 cells"),
)

INSTANCES = {instance.name: instance for instance in (*SERIES, *KINDS)}
