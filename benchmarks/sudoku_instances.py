"""Target-sudoku grids by name, with their givens, completions, best scores and sources, for comparing strategies.

>>> instance = INSTANCES["sample1"]
>>> instance.givens, instance.completions, instance.best
(30, 3, 2829)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# The contest's weights: 6 on the border, 7, 8 and 9 on the rings inside, 10 in the centre.
RINGS = np.array([[6 + min(r, c, 8 - r, 8 - c) for c in range(9)] for r in range(9)], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Instance:
    """A grid whose answer is known.

    Attributes:
        name: what tables and charts call it.
        digits: 81 digits in reading order, 0 where the cell is blank.
        completions: how many there are.
        best: the best score of any of them, -1 if there is none.
        source: where the grid comes from.
    """

    name: str
    digits: str
    completions: int
    best: int
    source: str

    @property
    def grid(self) -> npt.NDArray[np.uint8]:
        """The digits as an array of shape (9, 9)."""
        return np.array([int(digit) for digit in self.digits], dtype=np.uint8).reshape(9, 9)

    @property
    def givens(self) -> int:
        """The number of cells that are not blank."""
        return 81 - self.digits.count("0")


# One grid with fewer and fewer givens: each is the one above it without one to three of its givens, chosen at random
# among those that bring the completions near the next half power of ten.
_LESS = "the contest's first sample without {} of its givens"
SERIES = (
    Instance(
        "sample1",
        "700900001100005900000200080005020003000000648413000000007002090201060804080504012",
        3,
        2829,
        "the contest's first sample (NOIP 2009, target sudoku)",
    ),
    *(
        Instance(f"sample1-{less}", digits, completions, best, _LESS.format(less))
        for less, completions, best, digits in (
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
            (
                15,
                205907481,
                2881,
                "700000000000005900000200000000020000000000608403000000000000000001060004080504000",
            ),
        )
    ),
)

# Grids of other kinds, each hard for some strategy.
KINDS = (
    Instance(
        "impossible",
        "000005080000601043000000000010500000000106000300000005530000061000000004000000000",
        0,
        -1,
        "P. Norvig, Solving Every Sudoku Puzzle (2006): no completion, and no visible clash",
    ),
    Instance(
        "seventeen",
        "000000010400000000020000000000050407008000300001090000300400200050100000000806000",
        1,
        2850,
        "G. Royle's list of grids with 17 givens and one completion",
    ),
    Instance(
        "random24",
        "300000700050000014070010392080000003007300000000200000030020460040650200006000000",
        32758,
        2869,
        "24 scattered givens, r24_0 in tests/data/target_sudoku.csv",
    ),
    Instance(
        "diagonal",
        "548000000102000000709000000000281000000765000000394000000000082000000163000000459",
        262651,
        2874,
        "the boxes of a diagonal but for three cells, boxdiag24 in tests/data/target_sudoku.csv",
    ),
    Instance(
        "border",
        "093045260000000003400000005000000009100000002000000006900000001800000007201059384",
        383219,
        2876,
        "24 cells of the border ring, border24 in tests/data/target_sudoku.csv",
    ),
    Instance(
        "inner5x5",
        "000000000000000000003617200009482600005196400001753900008261700000000000000000000",
        1176224,
        2864,
        "the middle 5 x 5 cells, inner5x5 in tests/data/target_sudoku.csv",
    ),
)

INSTANCES = {instance.name: instance for instance in (*SERIES, *KINDS)}
