"""Sudoku as exact cover, and target sudoku: the completion of a grid with the highest weighted sum."""

from typing import TYPE_CHECKING

import dlx
from sudoku.encode import as_weights, decode, encode
from sudoku.grid import GridError, Puzzle, as_grid, grid_size, parse, read, to_boxed, to_line, to_rows
from sudoku.ranking import Batch, Ranking, best_many, rank, ties
from sudoku.strategies import DEFAULT, STRATEGIES, Result
from sudoku.svg import to_svg
from sudoku.target import RING_WEIGHTS, best, read_weights, ring_weights, score

__all__ = [
    "DEFAULT",
    "RING_WEIGHTS",
    "STRATEGIES",
    "Batch",
    "GridError",
    "Puzzle",
    "Ranking",
    "Result",
    "as_grid",
    "as_weights",
    "best",
    "best_many",
    "decode",
    "encode",
    "grid_size",
    "parse",
    "rank",
    "read",
    "read_weights",
    "ring_weights",
    "score",
    "ties",
    "to_boxed",
    "to_line",
    "to_rows",
    "to_svg",
]

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> str:
        """The version, which is that of `dlx`: one distribution has both."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return dlx.__version__
