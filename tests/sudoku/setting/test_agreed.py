"""The digits that all completions share, by plain enumeration; and rules as lines of a file."""

from __future__ import annotations

import random

import numpy as np
import pytest
from seeds import for_seeds
from setting_rules import Rule, drawn
from small_squares import four_by_four

import sudoku
from sudoku import Layout
from sudoku.formats.rules import read_rules


@pytest.mark.slow
@for_seeds(64)
def test_agreed_digits(seed: int) -> None:
    """The agreed digits are those of all completions, for every kind of rule."""
    rng = random.Random(seed)
    layout, rules = Layout.boxes(2, 2), list[tuple[str, Rule]]()
    while len(rules) < 3:
        wider, rule, kind = drawn(rng, layout)
        if kind != "negative" and kind not in dict(rules):
            layout, rules = wider, [*rules, (kind, rule)]
    start = four_by_four()[rng.randrange(288)]
    givens = np.where(np.array([rng.random() < 0.2 for _ in range(16)]).reshape(4, 4), start, 0)
    fits = [
        (grid, {(r, c): int(d) for (r, c), d in np.ndenumerate(grid)})
        for grid in four_by_four()
        if ((givens == 0) | (givens == grid)).all()
    ]
    grids = np.array([grid for grid, cells in fits if all(rule(cells) for _, rule in rules)])
    same = np.where((grids == grids[0]).all(axis=0), grids[0], 0) if len(grids) else np.zeros_like(start)
    assert np.array_equal(sudoku.agreed(givens, layout), same)


def test_cages_that_cover_the_grid() -> None:
    """Cages that cover the grid leave the total of each to the others."""
    killer = read_rules("examples/killer.txt")
    assert sudoku.count(81 * ".", killer.without(("cage", 3))).covers == 1
    with pytest.raises(ValueError, match="there is no rule cage 99 to be left out"):
        killer.without(("cage", 99))
