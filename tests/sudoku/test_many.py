"""Functions about many grids: as one by one, within limits, after Ctrl-C."""

from __future__ import annotations

import numpy as np
import pytest
from known_grids import EASY, EMPTY, FULL, UNSOLVABLE, check
from plain_grids import drawn

from sudoku import RING_WEIGHTS, best, best_many, count_many

FEW = [drawn(np.random.default_rng(seed), few=12).reshape(9, 9) for seed in range(48)]
TARGETS = np.stack([*EASY, *FEW, FULL, *UNSOLVABLE.values()])


def test_batches_are_what_each_grid_is() -> None:
    """Scores and completions of a batch are those of its grids one by one, in their order, in any shape."""
    batch = best_many(TARGETS.reshape(-1, 81))
    assert [array.dtype for array in (batch.scores, batch.completions, batch.proven)] == ["int64", "uint8", "bool"]
    assert batch.scores.tolist() == [best(grid).score for grid in TARGETS]
    assert batch.proven.all()
    for grid, score, completion in zip(TARGETS, batch.scores.tolist(), batch.completions, strict=True):
        if score == -1:
            assert not completion.any()
        else:
            check(completion, grid, RING_WEIGHTS, score)
    assert best_many(TARGETS.tolist()).scores.tolist() == batch.scores.tolist()
    weights = np.random.default_rng(1).integers(-5, 6, (9, 9))
    expected = [best(grid, weights=weights).score for grid in TARGETS[:30]]
    assert best_many(TARGETS[:30], weights=weights).scores.tolist() == expected


def test_a_timeout_holds_for_each_grid() -> None:
    """With a timeout of 0, easy grids are proven, and the others have no score."""
    batch = best_many([EMPTY, FULL, EMPTY], timeout=0)
    assert batch.proven.tolist() == [False, True, False]
    assert batch.scores.tolist() == [-1, best(FULL).score, -1]
    assert not batch.completions[[0, 2]].any()


@pytest.mark.parametrize("layout", [(3, 3), (2, 2)])
def test_limits_hold_for_all_grids(layout: tuple[int, int]) -> None:
    """A limit of all grids together ends a count, and what was counted by then is right."""
    grids = np.zeros((40, (layout[0] * layout[1]) ** 2), dtype=np.uint8)
    for limit in ({"max_covers": 900}, {"max_nodes": 900}, {"timeout": 0}, {"max_covers": 50}):
        found = count_many(grids, 100, layout, **limit)  # type: ignore[arg-type]
        assert found.stopped == next(iter(limit))
        assert set(found.counts.tolist()) <= {-1, 100}
        assert -1 in found.counts
    assert count_many(grids, 100, layout, max_covers=4000).counts.tolist() == [100] * 40


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_a_progress_that_stops(error: type[BaseException]) -> None:
    """A `progress` that raises KeyboardInterrupt ends the batch as Ctrl-C does; another error is the caller's."""

    def progress(_: object) -> None:
        raise error

    if error is KeyboardInterrupt:
        batch = best_many([FULL, EMPTY, EMPTY], progress=progress)
        assert batch.interrupted
        assert batch.proven.tolist() == [True, False, False]
    else:
        with pytest.raises(error):
            best_many([FULL, EMPTY, EMPTY], progress=progress)
