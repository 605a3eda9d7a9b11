"""Diagrams drawn by layers: their covers, in any slices and memory; when layers are chosen; searches short of room."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dlx.counting.merging import Merging
from drawings import drawing, exhaust
from families import build
from oracle import KINDS, as_sets, random_problem
from seeds import for_seeds

from dlx import Diagram, Problem, count, diagram, reference
from dlx.counting.drawing import Drawing
from dlx.counting.layers import Layered
from dlx.counting.portfolio import Portfolio
from dlx.kernels import EXHAUSTED

MANY = 1 << 60
ENOUGH = 1 << 30


def portfolio(problem: Problem, memory: int = ENOUGH) -> Portfolio:
    """The searches of `diagram`."""
    return Portfolio(problem, Merging(problem, True, memory), memory, draws=True)


@pytest.mark.parametrize("kind", KINDS)
@for_seeds(600)
def test_the_covers_are_those_of_the_reference(kind: str, seed: int) -> None:
    """On random problems of each kind the paths are the covers, in slices of any size."""
    rng = np.random.default_rng([seed, 73])
    problem = random_problem(rng, kind)
    made = Diagram(problem, *drawing(problem, *rng.integers(1, 40, size=2).tolist()).diagram())
    assert as_sets(made) == as_sets(reference.covers(problem))


@pytest.mark.parametrize(
    ("family", "sizes"),
    [("tetrominoes", (8, 8)), ("trominoes", (9, 10)), ("dominoes", (4, 40)), ("matchings", (11,)), ("words", (400,))],
)
def test_as_many_as_are_counted(family: str, sizes: Any) -> None:
    """On problems of millions of covers, whichever search has drawn them, as many as `count` finds."""
    problem = build(family, *sizes)
    assert diagram(problem).covers == count(problem).covers


def test_layers_are_chosen_where_they_lead() -> None:
    """Tetrominoes on 8 x 8 have 4,795,733 nodes by fewest options; small problems are drawn by these alone."""
    assert diagram(build("tetrominoes", 8, 8)).nodes < 200_000
    search = portfolio(build("queens", 8))
    while search.run(MANY, MANY, MANY) != EXHAUSTED:
        pass
    assert search.leading.name == "mergebits"


def test_an_item_that_is_covered_often() -> None:
    """An item of up to 68 options is none for layers; of 12 that may be left, each set of options is a cover."""
    often = Problem.from_options([["a"]] * 70, multiplicities={"a": (0, 68)})
    with pytest.raises(MemoryError, match="68 times"):
        Drawing(often)
    rare = Problem.from_options([[k] for k in range(12)], multiplicities=dict.fromkeys(range(12), (0, 1)))
    made = Diagram(rare, *drawing(rare).diagram())
    assert (made.covers, len({*made})) == (2**12, 2**12)
    assert made.best([1] * 12)[0].score == 12


def test_steps_that_take_too_much() -> None:
    """Items that may be left give each state the edges of all states behind: more of them than there is memory for."""
    rare = Problem.from_options([[k] for k in range(400)], multiplicities=dict.fromkeys(range(400), (0, 1)))
    search = drawing(rare)
    search.memory = 100_000
    with pytest.raises(MemoryError, match="the diagram takes more than 100000 bytes: it has 400 nodes so far"):
        search.diagram()


@pytest.mark.parametrize("memory", [20_000, 100_000, 10**6])
def test_memory_is_kept(memory: int) -> None:
    """A search in layers takes no more than its memory, and says so with the nodes that it has."""
    search = Drawing(build("tetrominoes", 8, 8), memory)
    with pytest.raises(MemoryError, match=rf"the diagram takes more than {memory} bytes: it has \d+ nodes so far"):
        exhaust(search, 1000)
    search._kernel.check()
    assert search.bytes <= memory


@pytest.mark.parametrize("loser", [Layered, Merging])
def test_one_that_fails_lets_the_other_begin_again(loser: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two searches without room beside each other have all of it in turn, and the diagram is made."""
    problem = build("trominoes", 9, 8)
    search = portfolio(problem, 10**9)
    while len(search._candidates) < 2:
        search.run(MANY, MANY, MANY)
    monkeypatch.setattr(loser, "fraction", lambda self: 1e-9)
    monkeypatch.setattr(search._candidates[0].way, "run", no_room)
    while search.run(MANY, MANY, MANY) != EXHAUSTED:
        pass
    assert search.leading.name == "layers"
    assert Diagram(problem, *search.diagram()).covers == 30860212081


def no_room(*budgets: int) -> int:
    """The run of a search that has no room."""
    raise MemoryError("the diagram takes more memory than there is")
