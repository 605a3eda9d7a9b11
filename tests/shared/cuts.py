"""Searches cut into pieces for tests, and their runs without the loop of a caller."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from executors import AtOnce
from oracle import KINDS, random_problem, rows

from dlx import Problem, ProblemError
from dlx.engine.dispatch import KernelName, Preference, build
from dlx.engine.limits import Limits, Loop
from dlx.kernels import Kernel
from dlx.parallel import cutting
from dlx.parallel.crew import Workers
from dlx.parallel.cutting import Split, split
from dlx.parallel.pieces import Pieces
from dlx.parallel.slices import Search


def cut_into(pieces: int, problem: Problem, least: int = 0, **search: Any) -> Split:
    """A search in about `pieces` pieces, however small."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"PIECES": pieces, "MOST": pieces, "LEAST": least, "EACH": 4 * (least > 0)}.items():
            patch.setattr(cutting, name, value)
        return split(problem, **search)


class Asked(NamedTuple):
    """A search as a caller asks for it."""

    problem: Problem
    kernel: KernelName = "auto"
    prefer: Preference | None = None

    def cut(self, pieces: int) -> Split:
        """The search in about `pieces` pieces, however small."""
        return cut_into(pieces, self.problem, kernel=self.kernel, prefer=self.prefer)

    def alone(self, room: int = 0) -> Kernel:
        return build(self.problem, self.kernel, self.prefer, room)

    def pieces(self, cut: Split, workers: Workers | None = None, rows: int = 0, ordered: bool = False) -> Pieces:
        """The run of its pieces, in the shortest slices."""
        cut = Split([replace(piece, seconds=0.0) for piece in cut.pieces], cut.nodes)
        return Pieces(Search.of(*self, rows), cut, workers or Workers(AtOnce(), 1), ordered=ordered)


def derived(rng: np.random.Generator, kind: str) -> Problem:
    """A random problem of a kind, now and then with options chosen or left out."""
    problem = random_problem(rng, kind)
    options = rng.permutation(problem.n_options)
    if rng.random() < 0.3:
        problem = problem.without(options[:2])
    if rng.random() < 0.4:
        with suppress(ProblemError):
            problem = problem.with_chosen(options[2:3])
    return problem


def asked(rng: np.random.Generator, seed: int) -> Asked:
    """A random search: the kinds of problems take turns, by any kernel that can do them, some with preferences."""
    problem = derived(rng, KINDS[seed % 4])
    kernels: list[KernelName] = ["auto", "links", "bits"]
    kernel = kernels[int(rng.integers(3))]
    if kernel == "bits" or problem.multiplicities is not None or rng.random() < 0.5:
        return Asked(problem, kernel)
    primary = problem.items[: problem.n_primary]
    return Asked(problem, kernel, {item: int(rng.integers(-2, 3)) for item in primary if rng.random() < 0.5})


def optional(problem: Problem) -> Problem:
    """The problem with multiplicities of 0 to 2 for all items, so that a cover ends at every node."""
    return replace(problem, multiplicities=np.tile([0, 2], (problem.n_primary, 1)).astype(np.int32))


def check(run: Pieces) -> None:
    """Checks between two runs that each open piece is there once."""
    crew = run._crew
    there = [*crew.todo, *(k for k, _ in crew.flight.values())]
    open_ = {k for k, piece in enumerate(run.pieces) if not piece.is_done}
    assert {*there, *run._blocks} == {*open_, *run._blocks}, "a piece is lost"
    assert len(there) == len(set(there)), "a piece is there twice"


def found(run: Pieces) -> Iterator[tuple[int, ...]]:
    """Yields the covers of a search in pieces; checks it between any two runs, and closes it."""
    with closing(run), Loop(Limits()) as loop:
        for _ in loop.slices(run):
            check(run)
            yield from rows(run.found())
            run.filled = 0
