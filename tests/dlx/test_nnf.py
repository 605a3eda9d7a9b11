"""Diagrams as decision-DNNF, by a reader that knows the format alone."""

from __future__ import annotations

import io
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from families import build
from oracle import KINDS, random_problem
from seeds import for_seeds

from dlx import Diagram, Problem, diagram
from dlx.formats import cnf

Arcs = dict[int, list[tuple[int, list[int]]]]


def read(text: str) -> tuple[dict[int, str], Arcs]:
    """The kinds of the nodes, and the arcs of each with their literals."""
    kinds: dict[int, str] = {}
    arcs: Arcs = defaultdict(list)
    for line in text.splitlines():
        first, *numbers, end = line.split()
        assert end == "0"
        if first in "oatf":
            kinds[int(numbers[0])] = first
        else:
            arcs[int(first)].append((int(numbers[0]), [int(number) for number in numbers[1:]]))
    return kinds, arcs


def models(text: str) -> list[frozenset[int]]:
    """All paths from node 1 to a true leaf, each as its literals; none has a variable twice."""
    kinds, arcs = read(text)

    @cache
    def below(node: int) -> list[frozenset[int]]:
        if kinds[node] == "t":
            return [frozenset()]
        found = [path.union(literals) for child, literals in arcs[node] for path in below(child)]
        assert all(len({*map(abs, path)}) == len(path) for path in found)
        return found

    return below(1)


def number_of_models(text: str) -> int:
    """The same as a number: nodes have numbers less than their children."""
    kinds, arcs = read(text)
    counts = {node: int(kind == "t") for node, kind in kinds.items()}
    for node in sorted(arcs, reverse=True):
        assert all(child > node for child, _ in arcs[node])
        counts[node] = sum(counts[child] for child, _ in arcs[node])
    return counts[1]


def written(made: Diagram, folder: Path) -> str:
    """The text of the file that `save` writes."""
    made.save(folder / "x.nnf")
    return (folder / "x.nnf").read_text()


@pytest.mark.parametrize("kind", KINDS)
@for_seeds(200)
def test_models_are_the_covers_and_each_names_every_variable(seed: int, kind: str, tmp_path: Path) -> None:
    """Of random problems and of parts of their diagrams; of two arcs of a node, some variable excludes one."""
    rng = np.random.default_rng([seed, 79])
    made = diagram(random_problem(rng, kind))
    if seed % 3 == 0 and made:
        made = made.restricted(without=[int(rng.integers(made.problem.n_options))])
    text = written(made, tmp_path)
    variables = {*range(1, made.problem.n_options + 1)}
    assert all({*map(abs, model)} == variables for model in models(text))
    assert sorted(tuple(sorted(v - 1 for v in model if v > 0)) for model in models(text)) == sorted(
        tuple(sorted(cover)) for cover in made
    )
    kinds, arcs = read(text)
    for node, some in arcs.items():
        assert kinds[node] == "o"
        assert len(some) in (1, 2)
        assert len(some) == 1 or any(-literal in some[1][1] for literal in some[0][1])


def test_models_are_those_of_the_formula(tmp_path: Path) -> None:
    """Variables mean what they do in the CNF of the same problem, here without auxiliary ones."""
    problem = Problem.from_options({"left": "ab", "right": "cd", "up": "ac", "down": "bd", "all": "abcd"})
    lines = [line.split() for line in cnf.dumps(problem).decode().splitlines() if line[0] not in "cp"]
    clauses = [[int(literal) for literal in line[:-1]] for line in lines]
    found = models(written(diagram(problem), tmp_path))
    assert len(found) == 3
    assert all(any(literal in model for literal in clause) for model in found for clause in clauses)


def test_numbers_that_nobody_can_visit(tmp_path: Path) -> None:
    """12 x 12 dominoes have 53060477521960000 tilings (Kasteleyn 1961)."""
    made = diagram(build("dominoes", 12, 12))
    assert number_of_models(written(made, tmp_path)) == 53060477521960000


def test_without_covers_there_is_a_false_leaf_and_other_names_are_of_archives(tmp_path: Path) -> None:
    """The suffix decides."""
    none = diagram(Problem.from_options(["ab", "bc"]))
    assert written(none, tmp_path) == "f 1 0\n"
    none.save(stream := io.BytesIO())
    assert Diagram.load(io.BytesIO(stream.getvalue())) == none
