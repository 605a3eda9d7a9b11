"""Diagrams drawn by layers: their covers, in any slices and memory; when layers are chosen; searches short of room."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from drawings import drawing, exhaust
from families import build
from oracle import KINDS, as_sets, random_problem
from seeds import for_seeds

from dlx import Diagram, Problem, count, diagram, reference
from dlx.counting.drawing import TREE_EDGE, TREE_NODE, CoverTree, Drawing
from dlx.counting.portfolio import Portfolio
from dlx.kernels import EXHAUSTED
from dlx.search.covers import BLOCK

MANY = 1 << 60
ENOUGH = 1 << 30


@pytest.mark.parametrize("way", [Drawing, CoverTree])
@pytest.mark.parametrize("kind", KINDS)
@for_seeds(600)
def test_the_covers_are_those_of_the_reference(kind: str, way: Any, seed: int) -> None:
    """On random problems of each kind the paths are the covers, in slices of any size."""
    rng = np.random.default_rng([seed, 73])
    problem = random_problem(rng, kind)
    search = way(problem)
    nodes, updates = rng.integers(1, 40, size=2).tolist()
    exhaust(search, nodes, updates)
    made = Diagram(problem, *search.diagram())
    assert as_sets(made) == as_sets(reference.covers(problem))
    if way is CoverTree:  # no two nodes are equal
        assert len(nodes_of(made)) == made.nodes - 2


@pytest.mark.parametrize(
    ("family", "sizes", "way"),
    [
        ("dominoes", (12, 12), Drawing),
        ("tetrominoes", (8, 8), Drawing),
        ("matchings", (10,), Drawing),
        ("queens", (11,), CoverTree),
        ("langford", (10,), CoverTree),
        ("words", (400,), CoverTree),
    ],
)
def test_the_faster_way_is_chosen(family: str, sizes: Any, way: type[Drawing | CoverTree]) -> None:
    """Boards and matchings of many covers are counted and drawn by layers; problems of few covers are visited."""
    problem = build(family, *sizes)
    assert type(ended(turns_of(problem)).leading) is way
    assert count(problem).merged == (way is Drawing)


def test_items_that_may_be_left() -> None:
    """If each of 12 items may be left, each set of options is a cover."""
    rare = Problem.from_options([[k] for k in range(12)], multiplicities=dict.fromkeys(range(12), (0, 1)))
    made = Diagram(rare, *drawing(rare).diagram())
    assert (made.covers, len({*made})) == (2**12, 2**12)
    assert made.best([1] * 12)[0].score == 12


def test_steps_that_take_too_much() -> None:
    """Items that may be left give each state the edges of all states behind: more of them than there is memory for."""
    rare = Problem.from_options([[k] for k in range(400)], multiplicities=dict.fromkeys(range(400), (0, 1)))
    search = drawing(rare)
    search.memory = 100_000
    with pytest.raises(MemoryError):
        search.diagram()


@pytest.mark.parametrize("memory", [20_000, 100_000, 10**6])
def test_memory_is_kept(memory: int) -> None:
    """A search in layers takes no more than its memory."""
    search = Drawing(build("tetrominoes", 8, 8), memory)
    with pytest.raises(MemoryError):
        exhaust(search, 1000)
    search._kernel.check()
    assert search.bytes <= memory


def nodes_of(made: Diagram) -> set[tuple[bytes, bytes]]:
    """The nodes with edges, each as its options and children."""
    ends = list(zip(made.first_edge[2:-1].tolist(), made.first_edge[3:].tolist(), strict=True))
    return {(made.edge_option[b:e].tobytes(), made.edge_child[b:e].tobytes()) for b, e in ends}


@pytest.mark.parametrize("memory", [5_000, 10**6])
def test_visits_keep_their_memory(memory: int) -> None:
    """Visits end with the block of covers that takes too much."""
    problem = build("latin", 5)
    search = CoverTree(problem, memory)
    with pytest.raises(MemoryError):
        search.run(MANY, MANY, MANY)
    assert memory < search.bytes <= memory + BLOCK * problem.max_level * (TREE_NODE + TREE_EDGE)


def turns_of(problem: Problem) -> Portfolio:
    """Visits and layers that draw a diagram, in turns."""
    return Portfolio(problem, CoverTree(problem), partial(Drawing, problem), ENOUGH)


def ended(search: Portfolio) -> Portfolio:
    """A portfolio of which one search has ended."""
    while search.run(MANY, MANY, MANY) != EXHAUSTED:
        pass
    return search


@pytest.mark.parametrize("first", [CoverTree, Drawing])
def test_one_that_fails_leaves_the_other_the_memory(
    first: type[Drawing | CoverTree], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever search is without room, the other one has all the memory and draws the diagram."""
    monkeypatch.setattr(first, "run", no_room)
    problem = build("dominoes", 6, 8)
    search = ended(turns_of(problem))
    assert type(search.leading) is not first
    assert search.leading.memory == ENOUGH
    assert Diagram(problem, *search.leading.diagram()).covers == count(problem).covers


def test_no_search_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """If both searches are without room, the error says which memory is too little, and what to do."""
    monkeypatch.setattr(CoverTree, "run", no_room)
    monkeypatch.setattr(Drawing, "run", no_room)
    reason = r"^the diagram takes more than 7000000 bytes, or .*: it has 0 nodes so far; raise memory, or only count"
    with pytest.raises(MemoryError, match=reason) as caught:
        diagram(build("dominoes", 6, 8), memory=7_000_000)
    assert caught.value.__context__ is None, "what failed is freed"


def no_room(*_: object) -> int:
    """The run of a search that has no room."""
    raise MemoryError
