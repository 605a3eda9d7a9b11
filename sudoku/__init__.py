"""Sudoku as exact cover, and target sudoku: the completion of a grid with the highest weighted sum."""

from sudoku import start  # noqa: F401  (first: it answers Ctrl-C while the others are loaded)
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
