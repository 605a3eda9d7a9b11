"""The known ways to do target sudoku, side by side under one interface.

brute    cells in reading order, with flags for the digits that rows, columns and boxes have
rows     rows in order of fewest blanks, with a bound from the sum of the digits still to be placed
static   bitmasks; blanks sorted once by their number of candidates, with a bound from the weights still to come
dynamic  bitmasks; always the blank with the fewest candidates
bound    the best cover by weight, proven by prices: visits few completions, whatever their number
dlx      Algorithm X on dancing links over the exact-cover problem

Each is complete: what it prunes cannot hold a better completion.
"""

from collections.abc import Mapping
from types import MappingProxyType

from sudoku.strategies.algorithm_x import algorithm_x
from sudoku.strategies.backtracking import Backtracking, by_blanks_in_row, by_candidates, in_reading_order
from sudoku.strategies.bound import bound
from sudoku.strategies.result import Result, Strategy

__all__ = ["DEFAULT", "STRATEGIES", "Result", "Strategy"]

STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {
        "brute": Backtracking("brute", in_reading_order, counts_ties=True),
        "rows": Backtracking("rows", by_blanks_in_row, counts_ties=False),
        "static": Backtracking("static", by_candidates, counts_ties=False),
        "dynamic": Backtracking("dynamic", in_reading_order, counts_ties=True),
        "dlx": algorithm_x,
        "bound": bound,
    }
)
DEFAULT = "bound"  # not only here to be compared: `best` and `best_many` call it directly
