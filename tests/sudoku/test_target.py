"""Target sudoku: the weights, the score, the published samples, and the identity that holds for every completion."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from known_grids import RINGS

import sudoku
from sudoku import RING_WEIGHTS, read_weights, ring_weights, score, to_boxed
from sudoku.setting.random_grids import RandomGrids

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_only_seventeen_cells_matter() -> None:
    """The score of a completion is 2745 + 2 x the corners + the rest of the four 2x2 corner blocks + the centre."""
    for grid in RandomGrids(1).draw(10_000).reshape(-1, 9, 9).astype(int):
        corners, blocks = grid[::8, ::8].sum(), grid[np.ix_([0, 1, 7, 8], [0, 1, 7, 8])].sum()
        assert score(grid) == (grid * RINGS).sum() == 2745 + corners + blocks + grid[4, 4]


def test_ring_weights() -> None:
    """The weights are 6 on the border and one more on each ring inwards, up to 10 in the centre of nine rows."""
    assert np.array_equal(RING_WEIGHTS, RINGS)
    assert RING_WEIGHTS.dtype == np.int64
    assert not RING_WEIGHTS.flags.writeable
    assert ring_weights(9) is RING_WEIGHTS
    assert ring_weights(4).tolist() == [[6, 6, 6, 6], [6, 7, 7, 6], [6, 7, 7, 6], [6, 6, 6, 6]]


def test_weights_from_a_file(tmp_path: Path) -> None:
    """A file has a line for each row, signs, comments, empty lines and a byte order mark if need be."""
    path = tmp_path / "weights.txt"
    text = "\n".join(" ".join(map(str, row)) for row in RING_WEIGHTS.tolist())
    path.write_text(f"\ufeff# rings\n\n{text.replace('10', '-10 # centre', 1).replace('7', '+7')}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(f"{path}:7: there are 5 weights instead of 9")):
        read_weights(path)
    path.write_text(f"\ufeff# rings\n\n{text.replace('10', '-10').replace('7', '+7')} # end\n", encoding="utf-8")
    weights = read_weights(path)
    assert weights[4, 4] == -10
    assert np.array_equal(np.abs(weights), RING_WEIGHTS)


@pytest.mark.posix
def test_weights_without_an_end() -> None:
    """A file that never ends is refused after so many characters, in bounded memory."""
    with pytest.raises(ValueError, match="/dev/zero:1: the line has at least 65536 characters"):
        read_weights("/dev/zero")


def test_scores_by_the_rings_of_the_grid() -> None:
    """Without weights a score is by the ring weights of the grid's own size, whatever it comes as."""
    ones = np.full((9, 9), 1)
    assert score(ones) == score(ones.ravel()) == score(ones.tolist()) == int(ring_weights(9).sum())
    assert score(to_boxed(16 * "1", (2, 2)), layout=(2, 2)) == 100
    assert score(16 * "1", layout=(2, 2)) == int(ring_weights(4).sum())
    (puzzle,) = sudoku.read([16 * "1"], layout=(2, 2))
    assert isinstance(puzzle, sudoku.Puzzle)
    assert score(puzzle) == score(puzzle, ring_weights(4)) == int(ring_weights(4).sum())
