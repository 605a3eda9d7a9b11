"""`classify` with workers: whoever they are and whatever happens to them, the kinds are those of one search."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations
from multiprocessing import active_children, get_context
from typing import Any

import numpy as np
import pytest
from executors import AtOnce, InAnyOrder, cluster
from families import build, steiner
from oracle import KINDS, random_problem
from seeds import for_seeds, nightly
from symmetric import about_points, blocks, factorizations, renamed
from waiting import WAIT, until

from dlx import Problem, Progress, classify, covers, symmetries
from dlx.parallel import cutting, pieces
from dlx.parallel.errors import LostPieceError
from dlx.symmetry import classification, kinds
from dlx.symmetry.chosen import ItemForms, Sets, WholeForms, forms_of
from dlx.symmetry.groups import Incidence
from dlx.symmetry.kinds import Extender

pytest.importorskip("pynauty")


class Name:
    """A name that cannot be sent to anybody."""

    def __reduce__(self) -> str:
        raise TypeError("this name stays here")


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers help from the beginning, with many small batches and slices."""
    monkeypatch.setattr(kinds, "SOON", 0)
    monkeypatch.setattr(kinds, "WORTH", 0)
    monkeypatch.setattr(pieces, "LONGEST", 0.001)
    monkeypatch.setattr(cutting, "LEAST", 0)
    monkeypatch.setattr(kinds, "LEAST", 0)
    monkeypatch.setattr(kinds, "BATCH", 0.002)


def drawn(seed: int) -> Problem:
    """A random problem: with hardly any symmetries, or with those of points, of which names tell or not."""
    rng = np.random.default_rng([seed, 53])
    if seed % 2:
        return random_problem(rng, KINDS[seed // 2 % len(KINDS)])
    problem = about_points(rng)
    if rng.random() < 0.2 and problem.n_options:
        problem = replace(problem, weights=rng.choice([1.5, 2, 2], size=problem.n_options))
    return renamed(rng, problem) if rng.random() < 0.5 and problem.weights is None else problem


@pytest.mark.parametrize("few", [classification.FEW, 0])
@for_seeds(100)
@pytest.mark.slow
def test_random_problems(monkeypatch: pytest.MonkeyPatch, at_once: None, few: int, seed: int) -> None:
    """Kinds, their covers and sizes are those of one search, in whatever order tasks come back."""
    monkeypatch.setattr(classification, "FEW", few)
    problem = drawn(seed)
    alone = classify(problem)
    with InAnyOrder(seed) as any_order:
        together = classify(problem, executor=any_order, jobs=1 + seed % 4)
    assert together.exhausted
    assert together.kinds == alone.kinds
    assert together.covers == alone.covers
    if (
        not few and alone.symmetries and alone.symmetries.order > 1
    ):  # without symmetries all covers are visited, in pieces
        assert (together.nodes, together.updates) == (alone.nodes, alone.updates)


MULTIPLE = Problem.from_options(
    [[k, (k + 1) % 5] for k in range(5)] * 4, multiplicities=dict.fromkeys(range(5), (1, 3))
)
PROBLEMS = {
    "triples": steiner(13),
    "queens": build("queens", 9),
    "colours": build("words", 2),
    "latin": build("latin", 5),
    "factorizations": factorizations(8),
    "blocks": blocks(13),
    "weights": replace(steiner(9), weights=np.array([sum(t) == 12 for t in combinations(range(9), 3)], int)),
    "multiplicities": MULTIPLE,
    "partitions": build("partitions", 8),
    "dominoes": build("dominoes", 6, 6),
}


@pytest.fixture(scope="module", params=["threads", "jobs", "spawn", *nightly("fork", "dask")])
def workers(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """Two workers: somebody's, or processes of our own, which are gone soon."""
    way, others = request.param, set(active_children())
    if way == "jobs":
        yield {"jobs": 2}
        until(lambda: not set(active_children()) - others)
    elif way == "dask":
        with cluster() as client:
            yield {"executor": client.get_executor(), "jobs": 2}
    else:
        with ThreadPoolExecutor(2) if way == "threads" else ProcessPoolExecutor(2, get_context(way)) as pool:
            yield {"executor": pool}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["triples", "queens", "colours", *nightly(*sorted(PROBLEMS.keys() - {"triples", "queens", "colours"}))]
)
def test_workers(at_once: None, workers: dict[str, Any], name: str) -> None:
    """Threads and processes find what one search finds, though nobody could send them the names of the items."""
    problem = PROBLEMS[name]
    alone = classify(problem, jobs=1)
    assert classify(problem, **workers).kinds == alone.kinds
    nameless = replace(problem, items=tuple(Name() for _ in problem.items))
    plain = classify(nameless)
    assert classify(nameless, **workers).kinds == plain.kinds
    assert sorted(kind.size for kind in plain) == sorted(kind.size for kind in alone)


def test_what_is_short_needs_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that ends soon enough never asks the executor."""
    monkeypatch.setattr(kinds, "SOON", 60)

    class Nobody:
        def submit(self, *given: object) -> None:
            raise AssertionError("nothing should be submitted")

    assert len(classify(build("queens", 8), executor=Nobody())) == 12  # type: ignore[arg-type]
    assert len(classify(build("latin", 5), executor=Nobody())) == 2  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [forms_of, ItemForms, WholeForms])
def test_forms_survive_sending(make: Callable[..., Any]) -> None:
    """A copy that has been sent gives the same forms and sizes, and has no locks or modules in it."""
    problem = steiner(9)
    forms = make(Incidence(problem), symmetries(problem))
    extender = Extender(Sets(problem, 1 << 20), forms)
    copy = pickle.loads(pickle.dumps(extender))
    partial = extender.tree.root()
    assert partial is not None
    larger = [some for some, _ in extender.tree.extended(partial, forms.unlike) if some is not None]
    assert [copy.forms.of(some) for some in larger] == [forms.of(some) for some in larger]
    cover = classify(problem)[0].cover
    assert copy.forms.of_cover(cover) == forms.of_cover(cover)
    assert copy.forms.size(cover) == forms.size(cover) == 840


@pytest.mark.slow
def test_batches_that_are_left_are_gone_on_with(monkeypatch: pytest.MonkeyPatch, at_once: None) -> None:
    """A worker without time does one partial cover of its batch, and others do the rest."""
    monkeypatch.setattr(kinds, "LONGEST", 0)
    monkeypatch.setattr(kinds, "BATCH", 1)
    extend, left = Extender.extend, []

    def one(self: Extender, batch: Any, over: Any) -> Any:
        done = extend(self, kinds.PartialCovers(batch.left[:1], batch.ceiling), over)
        monkeypatch.setattr(kinds, "LONGEST", 1)
        left.append(len(batch.left) - 1)
        return done

    monkeypatch.setattr(Extender, "extend", one)
    together = classify(build("latin", 5), executor=AtOnce(), jobs=1)
    assert together.kinds == classify(build("latin", 5)).kinds
    assert max(left) > 0


@pytest.mark.parametrize("jobs", [0, 2])
@pytest.mark.parametrize("problem", [steiner(9), build("latin", 5), factorizations(6)], ids=str)
def test_little_memory(at_once: None, problem: Problem, jobs: int) -> None:
    """With room for the kinds alone, kinds and sizes are the same, and more forms are asked for."""
    plenty = classify(problem)
    with InAnyOrder(1) as any_order:
        who: Any = {"executor": any_order, "jobs": jobs} if jobs else {}
        little = classify(problem, memory=8_000, **who)
    assert sorted(kind.size for kind in little) == sorted(kind.size for kind in plenty)
    assert little.updates >= plenty.updates


# Limits


@pytest.mark.parametrize("jobs", [0, 2])
@pytest.mark.parametrize("few", [classification.FEW, 0])
def test_limits(monkeypatch: pytest.MonkeyPatch, at_once: None, few: int, jobs: int) -> None:
    """A classification that did not end says so, and what it has found is right; progress counts kinds."""
    monkeypatch.setattr(classification, "FEW", few)
    queens = build("queens", 8)
    seen: list[Progress] = []
    all_covers = {tuple(sorted(cover)) for cover in covers(queens)}
    with InAnyOrder(2) as any_order:
        who: Any = {"executor": any_order, "jobs": jobs} if jobs else {}
        whole = classify(queens, progress=seen.append, **who)
        assert (whole.covers, seen[-1].covers, {kind.size for kind in whole}) == (92, 12, {4, 8})
        assert all(0 <= each.fraction <= 1 for each in seen)
        some = classify(queens, max_covers=5, **who)
        assert (len(some), some.stopped, some.exhausted) == (5, "max_covers", False)
        assert {kind.size for kind in some} <= {4, 8}
        assert {kind.cover for kind in some} < all_covers
        assert classify(queens, max_covers=12, **who).covers == 92
        none = classify(queens, timeout=0, **who)
        assert (len(none), none.stopped) == (0, "timeout")
        assert classify(queens, max_nodes=1, **who).stopped == "max_nodes"


@pytest.mark.slow
@pytest.mark.parametrize("problem", [steiner(19), build("dominoes", 8, 8)], ids=["triples", "dominoes"])
@pytest.mark.posix
def test_a_timeout(problem: Problem) -> None:
    """When time is over, so is the search, which would take days; workers of a pool are free again."""
    assert classify(problem, timeout=0.5).stopped == "timeout"
    with ProcessPoolExecutor(2, get_context("fork")) as own:
        assert classify(problem, timeout=0.5, executor=own).stopped == "timeout"
        assert own.submit(abs, -1).result(timeout=WAIT) == 1


def test_a_cover_that_is_lost_is_noticed(monkeypatch: pytest.MonkeyPatch, at_once: None) -> None:
    """If workers did not tell of every kind, or of every cover, that would be an error."""
    own = kinds.Visitor.kept
    monkeypatch.setattr(kinds.Visitor, "kept", lambda self, block: own(self, block)[1:])
    with InAnyOrder(1) as any_order, pytest.raises(RuntimeError, match=r"0 covers like|have been visited, and there"):
        classify(build("queens", 8), executor=any_order, jobs=2)


# Workers that die


@pytest.mark.slow
@pytest.mark.parametrize("few", [classification.FEW, 0])
@pytest.mark.posix
def test_a_task_that_kills(monkeypatch: pytest.MonkeyPatch, at_once: None, few: int) -> None:
    """A piece that no worker survives ends the search with an error that names it; nothing hangs."""
    monkeypatch.setattr(classification, "FEW", few)

    def deadly(owner: type, name: str, is_deadly: Callable[..., bool]) -> None:
        do = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *given: os._exit(1) if is_deadly(*given) else do(*given))

    deadly(kinds.Visitor, "kept", lambda self, block: (block == 2).any())
    deadly(Sets, "extended", lambda self, partial, unlike: partial.chosen[:1] == (2,))
    error = "every worker has died of the (partial covers|pieces) with the options"
    with (
        ProcessPoolExecutor(2, get_context("fork")) as mortal,
        pytest.raises((LostPieceError, BrokenExecutor), match=f"{error}|loses every task"),
    ):
        classify(build("queens", 8), executor=mortal)
