"""Workers that die: a count loses none of its pieces by that, counts none twice, and names those that kill."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from executors import cluster
from families import build
from killing import COVERS, LONG, NODES, Killing, own_workers, workers_of
from oracle import as_sets
from seeds import nightly

from dlx import count, covers
from dlx.parallel import slices
from dlx.parallel.cutting import split
from dlx.parallel.errors import LostPieceError
from dlx.parallel.journal import tell
from dlx.parallel.slices import Piece

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small_pieces")]

ROOKS = build("rooks", 7)  # 5040 covers


@pytest.mark.parametrize(("way", "times"), [("fork", 2), *nightly(("fork", 4), ("spawn", 2))])
def test_workers_are_killed_at_random_moments(way: str, times: int, tmp_path: Path) -> None:
    """Again and again a worker of a pool of processes is killed: the numbers are those of a run in which none is."""
    path = tmp_path / "run.journal"
    progress = Killing(own_workers, times)
    with ProcessPoolExecutor(2, get_context(way)) as pool:
        result = count(LONG, executor=pool, checkpoint=path, progress=progress)
    assert (result.covers, result.nodes, result.exhausted) == (COVERS, NODES, True)
    assert progress.left == 0


@pytest.mark.posix
def test_covers_survive_their_workers() -> None:
    """An iterator of covers has each of them once, though workers are killed."""
    progress = Killing(own_workers, 2)
    problem = build("rooks", 9)
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        blocks = covers(problem, executor=pool, progress=progress).blocks()
        found = {tuple(sorted(row)) for block in blocks for row in block.tolist()}
    assert (len(found), progress.left) == (362880, 0)


DEADLY = 3  # the number of a piece


def kill_with(piece: Piece) -> None:
    """Lets a piece end every process in which it is begun; in this one and in those that it forks from now on."""
    true = slices._go_on

    def deadly(kernel: Any, place: Any, *more: Any) -> Any:
        if place in piece.places:
            os._exit(1)
        return true(kernel, place, *more)

    slices._go_on = deadly  # type: ignore[assignment]


@pytest.fixture
def killer(monkeypatch: pytest.MonkeyPatch) -> Piece:
    """A piece that ends every process in which it is begun."""
    monkeypatch.setattr(slices, "_go_on", slices._go_on)  # so that it is put back
    piece = split(ROOKS, kernel="links").pieces[DEADLY]
    kill_with(piece)
    return piece


def covers_of(piece: Piece) -> int:
    """How many covers a piece has."""
    return sum(count(place.of(ROOKS)).covers for place in piece.places)


@pytest.mark.posix
def test_a_piece_that_kills(killer: Piece, tmp_path: Path) -> None:
    """The other pieces are done, and then the error names it; nothing hangs."""
    path = tmp_path / "run.journal"
    named = re.escape(f"with the options [{list(killer.places[0].chosen)}]; the others are done")
    with ProcessPoolExecutor(2, get_context("fork")) as pool, pytest.raises(LostPieceError, match=named):
        count(ROOKS, kernel="links", executor=pool, checkpoint=path)
    parts = tell(str(path))[1]
    assert [k for k, part in enumerate(parts) if not part.is_done] == [DEADLY]
    assert sum(part.covers for part in parts) == 5040 - covers_of(killer)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.posix
def test_covers_beside_a_piece_that_kills(killer: Piece, ordered: bool) -> None:
    """All other covers come, in their order if that is asked for, and then the error."""
    found: list[tuple[int, ...]] = []
    with ProcessPoolExecutor(2, get_context("fork")) as pool, pytest.raises(LostPieceError):
        found.extend(covers(ROOKS, kernel="links", executor=pool, ordered=ordered))
    lost = {cover for place in killer.places for cover in as_sets(covers(place.of(ROOKS)))}
    others = [cover for cover in covers(ROOKS, kernel="links") if tuple(sorted(cover)) not in lost]
    assert found == others if ordered else sorted(found) == sorted(others)


def die() -> None:
    """What no worker survives."""
    os._exit(1)


@pytest.mark.posix
def test_workers_that_die_whatever_they_get() -> None:
    """A pool whose workers never live is the caller's to mend: the search ends with an error."""
    with (
        ProcessPoolExecutor(2, get_context("fork"), initializer=die) as pool,
        pytest.raises(BrokenExecutor, match="all workers have died before they had done anything"),
    ):
        count(ROOKS, kernel="links", executor=pool)


# dask


@pytest.mark.nightly
@pytest.mark.usefixtures("few_pieces")
def test_dask() -> None:
    """An executor of dask counts, and finds all covers, in their order if asked; others do the pieces of the dead."""
    with cluster() as client:
        pool = client.get_executor()
        assert count(ROOKS, kernel="links", executor=pool).covers == 5040
        assert as_sets(covers(ROOKS, executor=pool)) == as_sets(covers(ROOKS))
        assert list(covers(ROOKS, executor=pool, ordered=True)) == list(covers(ROOKS))
        progress = Killing(workers_of(client), 3)
        result = count(LONG, kernel="links", executor=pool, jobs=2, progress=progress)
    assert (result.covers, progress.left) == (COVERS, 0)


@pytest.mark.usefixtures("few_pieces")
def test_a_piece_that_kills_the_workers_of_dask() -> None:
    """What dask gives up is tried once more, alone; then the others have been done, and the error names it."""
    distributed = pytest.importorskip("distributed")
    piece = split(ROOKS, kernel="links").pieces[DEADLY]

    class Murderous(distributed.WorkerPlugin):  # type: ignore[misc, name-defined]
        def setup(self, worker: Any) -> None:
            kill_with(piece)

    with cluster(failures=1) as client:
        client.register_plugin(Murderous())
        with pytest.raises(LostPieceError, match="the others are done"):
            count(ROOKS, kernel="links", executor=client.get_executor(), jobs=2)


class Forgetful:
    """An executor that loses the first results, as dask's does: it takes them for the three parts of an exception."""

    def __init__(self, losses: int, error: str) -> None:
        self.losses, self.error = losses, error

    def submit(self, function: Callable[..., object], *arguments: object) -> Future[object]:
        """Calls the function here and now."""
        future: Future[object] = Future()
        result = function(*arguments)
        try:
            if self.losses:
                self.losses -= 1
                exec(self.error, {"__name__": "distributed.cfexecutor"})
            future.set_result(result)
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.mark.usefixtures("few_pieces")
def test_results_that_dask_forgets() -> None:
    """A result that is lost on its way is made again; any other error is the caller's."""
    forgetful = Forgetful(3, "typ, exc, tb = range(4)")
    result = count(ROOKS, kernel="links", executor=forgetful, jobs=2)  # type: ignore[arg-type]
    assert (result.covers, result.exhausted, forgetful.losses) == (5040, True, 0)
    with pytest.raises(KeyError):
        count(ROOKS, kernel="links", executor=Forgetful(1, "{}[1]"), jobs=2)  # type: ignore[arg-type]
