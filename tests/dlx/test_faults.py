"""Workers that die: a count loses none of its pieces by that, counts none twice, and names those that kill."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from checkpoints import pieces_of
from families import build
from killing import COVERS, LONG, NODES, Killing, mortal
from oracle import as_sets
from seeds import nightly

from dlx import count, covers
from dlx.parallel import slices
from dlx.parallel.cutting import split
from dlx.parallel.errors import LostPieceError
from dlx.parallel.slices import SearchPiece

pytestmark = [pytest.mark.usefixtures("small_pieces")]

ROOKS = build("rooks", 7)  # 5040 covers


def count_all(path: Path, **given: Any) -> bool:
    """Counts covers with a checkpoint, and tells whether the numbers are those of one search."""
    result = count(LONG, kernel="links", checkpoint=path, **given)
    return (result.covers, result.nodes, result.exhausted) == (COVERS, NODES, True)


def find_all(path: Path, **given: Any) -> bool:
    """Takes covers in blocks, and tells whether each has come once."""
    blocks = covers(build("rooks", 9), **given).blocks()
    return len({tuple(sorted(row)) for block in blocks for row in block.tolist()}) == 362880


SEARCHES = [count_all, find_all]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(("way", "times"), [("fork", 1), *nightly(("fork", 3), ("spawn", 1), ("dask", 1))])
def test_workers_are_killed_at_random_moments(
    search: Callable[..., bool], way: str, times: int, tmp_path: Path
) -> None:
    """Searches whose workers are killed again and again find and count the same as without."""
    with mortal(way) as (given, workers):
        progress = Killing(workers, times)
        assert search(tmp_path / "run.checkpoint", progress=progress, **given)
    assert progress.left == 0


DEADLY = 3  # the number of a piece


def kill_with(piece: SearchPiece) -> None:
    """Lets a piece end every process in which it is begun; in this one and in those that it forks from now on."""
    true = slices._go_on

    def deadly(kernel: Any, place: Any, *more: Any) -> Any:
        if place in piece.places:
            os._exit(1)
        return true(kernel, place, *more)

    slices._go_on = deadly  # type: ignore[assignment]


@pytest.fixture
def killer(monkeypatch: pytest.MonkeyPatch) -> SearchPiece:
    monkeypatch.setattr(slices, "_go_on", slices._go_on)  # so that it is put back
    piece = split(ROOKS, kernel="links").pieces[DEADLY]
    kill_with(piece)
    return piece


@pytest.mark.posix
def test_a_piece_that_kills(killer: SearchPiece, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The error names it, and nothing hangs; the same call goes on from the checkpoint, and counts each cover once."""
    path = tmp_path / "run.checkpoint"
    named = re.escape(f"died of the piece with the options {list(killer.places[0].chosen)} (BrokenProcessPool")
    with ProcessPoolExecutor(2, get_context("fork")) as pool, pytest.raises(LostPieceError, match=named):
        count(ROOKS, kernel="links", executor=pool, checkpoint=path)
    assert not pieces_of(path)[DEADLY].is_done
    monkeypatch.undo()
    assert count(ROOKS, kernel="links", jobs=2, checkpoint=path).covers == 5040


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.posix
def test_covers_beside_a_piece_that_kills(killer: SearchPiece, ordered: bool) -> None:
    """The search names the piece; no cover has come twice, and in their order if that is asked for."""
    found: list[tuple[int, ...]] = []
    with ProcessPoolExecutor(2, get_context("fork")) as pool, pytest.raises(LostPieceError):
        found.extend(covers(ROOKS, kernel="links", executor=pool, ordered=ordered))
    whole = list(covers(ROOKS, kernel="links"))
    assert found == whole[: len(found)] if ordered else len(set(found)) == len(found) and set(found) < set(whole)


# dask


@pytest.mark.nightly
@pytest.mark.usefixtures("few_pieces")
def test_dask() -> None:
    """An executor of dask counts, and finds all covers, in their order if asked."""
    with mortal("dask") as (given, _):
        assert count(ROOKS, kernel="links", **given).covers == 5040
        assert as_sets(covers(ROOKS, **given)) == as_sets(covers(ROOKS))
        assert list(covers(ROOKS, ordered=True, **given)) == list(covers(ROOKS))
