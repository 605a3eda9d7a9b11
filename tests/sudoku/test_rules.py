"""Rules: random layouts against all grids of 4 x 4 and many of 6 x 6, filtered by the rules in plain Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from seeds import for_seeds
from setting_rules import WHOLE, random_rules
from small_squares import four_by_four

import dlx
import sudoku
from dlx.engine.dispatch import KernelName
from dlx.extending import Merge
from sudoku.encoding import candidates
from sudoku.layout import VARIANTS
from sudoku.rules import KINDS

Grids = npt.NDArray[np.uint8]


def listed(grids: Grids) -> list[bytes]:
    return sorted(grid.tobytes() for grid in grids)


@for_seeds(400)
def test_every_completion_is_one_cover(seed: int) -> None:
    """The covers of a grid decode to the grids that keep the rules, each once.

    The candidates come first among the options, and the others have no weight.
    """
    layout, _, grids, givens = random_rules(seed)
    problem = sudoku.encode(givens, layout, np.ones(layout.shape, dtype=int))
    blocks = [sudoku.decode(problem, block) for block in dlx.covers(problem).blocks()]
    assert listed(np.concatenate(blocks) if blocks else grids[:0]) == listed(grids), layout
    named = candidates(problem).tolist()
    assert problem.names is not None
    assert problem.weights is not None
    assert [list(name) for name in problem.names[: len(named)]] == named
    assert problem.weights.tolist() == [d for _, _, d in named] + [0] * (problem.n_options - len(named))


@pytest.mark.parametrize("kernel", ["auto", "bits", "links"])
def test_masks_that_get_shorter_lose_no_cover(kernel: KernelName) -> None:
    """A search whose masks lose a word of primary items, on some branches only, finds all completions."""
    line, diagonal = [(0, 2), (0, 3), (1, 2)], [(2, 2), (3, 1), (3, 0), (2, 0), (1, 1), (0, 1)]
    layout = sudoku.Layout.boxes(2, 2).with_lines("between", line).with_sums("little-killer", (15, diagonal))
    problem = sudoku.encode(np.zeros((4, 4), dtype=np.uint8), layout)
    right = [
        grid
        for grid in four_by_four()
        if WHOLE["between"]([int(grid[cell]) for cell in line]) and sum(int(grid[cell]) for cell in diagonal) == 15
    ]
    assert len(right) == 8
    blocks = [sudoku.decode(problem, block) for block in dlx.covers(problem, kernel=kernel).blocks()]
    assert listed(np.concatenate(blocks)) == listed(np.array(right))


@for_seeds(120)
def test_every_search_knows_the_rules(seed: int) -> None:
    """All answers are those of the grids: counts, solutions, scores, ties, shares, candidates, explanations, puzzles.

    All searches but those of many grids keep to the candidates of a puzzle, too.
    """
    layout, _, grids, givens = random_rules(seed)
    rng, n = np.random.default_rng(seed), layout.size
    marks = rng.random((n, n, n)) < (0.9 if seed % 2 else 2)
    puzzle = sudoku.as_puzzle(givens, layout, marks)
    digits = np.arange(1, n + 1)
    kept = grids[[bool((marks | (grid[..., None] != digits) | (puzzle.grid[..., None] > 0)).all()) for grid in grids]]
    merge: Merge
    for merge in ("never", "same", "isomorphic"):
        assert sudoku.count(puzzle, merge=merge).covers == len(kept)
    assert sudoku.is_unique(puzzle) == (len(kept) == 1)
    completion = sudoku.solve(puzzle).completion
    assert (completion is None) == (len(kept) == 0)
    assert completion is None or completion.tobytes() in listed(kept)
    weights = np.arange(n * n).reshape(n, n)
    scores = sorted((kept * weights).sum(axis=(1, 2)).tolist(), reverse=True)
    for strategy in ("bound", "dlx"):
        best = sudoku.best(puzzle, weights=weights, strategy=strategy)
        assert (best.score, best.proven) == (scores[0] if scores else -1, True)
        assert best.completion is None or sudoku.score(best.completion, weights, layout) == best.score
    ranking = sudoku.rank(puzzle, len(scores) + 1, weights=weights)
    assert (ranking.scores.tolist(), listed(ranking.completions)) == (scores, listed(kept))
    if scores:
        assert sudoku.ties(puzzle, scores[0], weights=weights).covers == scores.count(scores[0])
    shares = np.stack([(kept == d).mean(axis=0) if scores else np.zeros((n, n)) for d in digits], axis=2)
    assert np.allclose(sudoku.shares(puzzle), shares)
    assert np.array_equal(sudoku.candidates(puzzle), shares > 0)
    if puzzle.candidates is not None:
        return
    many = sudoku.best_many([givens], layout=layout, weights=weights)
    assert many.scores.tolist() == (scores[:1] or [-1])
    assert sudoku.count_many([givens], 1000, layout).counts.tolist() == [min(len(kept), 1000)]
    assert sudoku.explain(givens, layout).completions == min(len(kept), 2)
    if n == 4 and len(kept):
        made = sudoku.generate(seed=seed, layout=layout)
        assert sum(((made == 0) | (made == grid)).all() for grid in kept) == 1


def test_documents_have_every_kind() -> None:
    """The tables of docs/variants.md have the sentence of each record."""
    text = Path(__file__).parents[2].joinpath("docs", "variants.md").read_text(encoding="utf-8")
    rows = [f"| `{kind.name}` | {kind.sentence} |" for kind in KINDS.values()]
    rows += [f"| `{name}` | {variant.sentence} | {variant.what} |" for name, variant in VARIANTS.items()]
    assert [row for row in rows if row not in text] == []
