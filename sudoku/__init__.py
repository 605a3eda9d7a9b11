"""Sudoku as exact cover, and target sudoku: the completion of a grid with the highest weighted sum."""

from typing import TYPE_CHECKING

from sudoku import start  # noqa: F401  (first: it answers Ctrl-C while the others are loaded)
from sudoku.conversion import as_grid, as_puzzle, to_boxed, to_line, to_rows, write
from sudoku.encoding import as_weights, decode, encode
from sudoku.formats import parse, read
from sudoku.formats.rules import read_jigsaw, read_rules
from sudoku.grid import GridError, Puzzle, Shown
from sudoku.layout import Clash, Layout, Line, Region, Sum, grid_size
from sudoku.many.best import Batch, best_many
from sudoku.pictures.svg import picture, to_png, to_svg
from sudoku.setting.canonical import canonical, canonical_many, is_isomorphic
from sudoku.setting.explaining import Conflict, Explanation, explain
from sudoku.setting.generating import NoPuzzleError, generate, generate_many
from sudoku.setting.marks import candidates
from sudoku.setting.measuring import Measure, measure
from sudoku.setting.minimising import is_minimal, minimise, redundant
from sudoku.setting.symmetry import SYMMETRIES, Symmetry
from sudoku.solve import Completions, Solution, count, count_many, is_unique, shares, solve, solve_many, unique_many
from sudoku.strategies import DEFAULT, STRATEGIES, Result
from sudoku.target import RING_WEIGHTS, Ranking, best, rank, read_weights, ring_weights, score, ties

__all__ = [
    "DEFAULT",
    "RING_WEIGHTS",
    "STRATEGIES",
    "SYMMETRIES",
    "Batch",
    "Clash",
    "Completions",
    "Conflict",
    "Explanation",
    "GridError",
    "Layout",
    "Line",
    "Measure",
    "NoPuzzleError",
    "Puzzle",
    "Ranking",
    "Region",
    "Result",
    "Solution",
    "Sum",
    "Symmetry",
    "as_grid",
    "as_puzzle",
    "as_weights",
    "best",
    "best_many",
    "candidates",
    "canonical",
    "canonical_many",
    "count",
    "count_many",
    "decode",
    "encode",
    "explain",
    "generate",
    "generate_many",
    "grid_size",
    "is_isomorphic",
    "is_minimal",
    "is_unique",
    "measure",
    "minimise",
    "parse",
    "rank",
    "read",
    "read_jigsaw",
    "read_rules",
    "read_weights",
    "redundant",
    "ring_weights",
    "score",
    "shares",
    "solve",
    "solve_many",
    "ties",
    "to_boxed",
    "to_line",
    "to_png",
    "to_rows",
    "to_svg",
    "unique_many",
    "write",
]

Shown.picture = picture

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> str:
        """The version, which is that of `dlx`: one distribution has both."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import dlx

        version: str = dlx.__version__
        return version
