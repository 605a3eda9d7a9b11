"""Sudoku as exact cover, and target sudoku: the completion of a grid with the highest weighted sum."""

__command__ = True  # for `dlx.start`, which answers Ctrl-C while the others are loaded

import dlx  # noqa: F401, I001  (first)

from typing import TYPE_CHECKING

from sudoku.constraints import Constraint, Region
from sudoku.encoding import as_weights, decode, encode
from sudoku.formats import parse, read
from sudoku.formats.conversion import as_grid, as_puzzle, to_boxed, to_line, write
from sudoku.formats.rules import read_jigsaw, read_rules
from sudoku.grid import GridError, Puzzle
from sudoku.layout import Layout
from sudoku.pictures.svg import to_png, to_svg
from sudoku.setting.canonical import canonical, canonical_many, is_isomorphic
from sudoku.setting.explaining import Conflict, Explanation, explain
from sudoku.setting.generating import SYMMETRIES, NoPuzzleError, Symmetry, generate, generate_many
from sudoku.setting.killers import generate_killer
from sudoku.setting.minimising import minimise, redundant
from sudoku.setting.rating import Rating, rate, rate_many
from sudoku.setting.reasoning import Steps, steps
from sudoku.setting.searches import candidates
from sudoku.setting.sentences import Step
from sudoku.solve import Completions, Count, Solution, count, count_many, is_unique, shares, solve, solve_many
from sudoku.strategies import DEFAULT, STRATEGIES, Result
from sudoku.target import RING_WEIGHTS, Batch, best, best_many, read_weights, ring_weights, score

__all__ = ["Constraint", "Layout", "Region", "read_jigsaw", "read_rules"]  # rules
__all__ += ["GridError", "Puzzle", "as_grid", "as_puzzle", "parse", "read"]  # grids
__all__ += ["to_boxed", "to_line", "to_png", "to_svg", "write"]  # texts and pictures
__all__ += ["Count", "Solution", "count", "is_unique", "shares", "solve"]  # completions of a grid
__all__ += ["Completions", "count_many", "solve_many"]  # completions of many grids
__all__ += ["DEFAULT", "STRATEGIES", "Result", "best", "score"]  # the best completions
__all__ += ["RING_WEIGHTS", "Batch", "best_many", "read_weights", "ring_weights"]
__all__ += ["as_weights", "decode", "encode"]  # exact cover
__all__ += ["SYMMETRIES", "NoPuzzleError", "Symmetry", "generate", "generate_killer", "generate_many"]  # puzzles
__all__ += ["Conflict", "Explanation", "candidates", "explain"]
__all__ += ["Rating", "Step", "Steps", "rate", "rate_many", "steps"]  # reasoning
__all__ += ["minimise", "redundant"]  # redundant givens
__all__ += ["canonical", "canonical_many", "is_isomorphic"]

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
