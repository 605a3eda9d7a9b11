"""The kernels' sources as plain Python, with DLX_INTERPRETED=1; and what happens without a build."""

from __future__ import annotations

import json
import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from kernels import SEARCHES
from processes import ROOT, run
from refused import DATA
from seeds import tries

pytestmark = pytest.mark.slow

ALIKE = """
import os
import numpy as np
from dlx.engine.dispatch import FOLDERS
from dlx.extending import compiled_module
from kernels import CORES, KINDS, MARKED, exhaust, kernel_for, relayed, reused, steps, watched
from oracle import random_problem

name = NAME
source = CORES.get(name, name)
for source in (f"{FOLDERS[source]}.{source}", "cover.frame", "cover.core"):
    path = compiled_module(f"dlx.kernels.{source}").__file__
    assert path.endswith(".py") == ("DLX_INTERPRETED" in os.environ), path
for kind in KINDS[name]:
    for seed in range(SOME):
        rng = np.random.default_rng([seed, 1])
        problem = random_problem(rng, kind)
        if problem.n_options > 20:  # too long for plain Python
            continue
        kernel = kernel_for(name, problem, room=9)
        print(exhaust(kernel, 3, 99, 5), kernel.nodes, kernel.updates)
        watched(rng, kernel_for(name, problem))
        if name in MARKED:
            print(relayed(rng, lambda: kernel_for(name, problem, room=2)))
            print(steps(reused(rng, kernel_for(name, problem, room=2))))
"""
BEST = """
import numpy as np
import pytest
from gates import weighted, with_low_gates
from dlx import best, count_reaching
from weighted import WEIGHTS

for seed in range(SOME):
    rng = np.random.default_rng([seed, 4])
    problem, known = weighted(rng, ("degrees", "both", "plain")[seed % 3], WEIGHTS)
    with pytest.MonkeyPatch.context() as patch:
        with_low_gates(patch, rng)
        result = best(problem, seed=seed)
    print(result.score, result.bound, result.proven)
    if known:
        print(count_reaching(problem, result.score).covers)
"""
FACTORS = """
import numpy as np
from dlx.extending import compiled_module

for n in (1, 7, 70, 130):
    rng = np.random.default_rng(n)
    row, column = np.append(rng.integers(0, n, (2, 2 * n)), 2 * [range(n)], axis=1).astype(np.int32)
    terms = np.maximum(row, column), np.minimum(row, column), np.arange(3 * n, dtype=np.int32)
    factor = compiled_module("dlx.kernels.price.lp.cholesky").Cholesky(n, *terms, 1e9)
    value = np.append(rng.random(2 * n), np.full(n, 9.0 * n))
    print(factor.entries, factor.steps, factor.factor(value, 1e-9), factor.solve(np.ones(n)).round(12).tolist())
"""
LEARNING = """
import numpy as np
from dlx.engine.dispatch import new_kernel
from families import build
from oracle import random_problem

problems = [random_problem(np.random.default_rng([seed, 1]), ("plain", "coloured")[seed % 2]) for seed in range(SOME)]
for problem in (*problems, build("langford", 6), build("langford", 7), build("queens", 8)):
    kernel = new_kernel("learn", problem.rows(), np.empty((1, problem.max_level), dtype=np.int32), 3, 1)
    kernel.run(4, 1 << 40, 1)
    kernel.check()
    kernel.run(1 << 40, 1 << 40, 1)
    print(kernel.found().tolist(), kernel.nodes, kernel.updates, kernel.clauses())
"""
DEDUCING = """
import numpy as np
from dlx import deduce
from families import build
from oracle import KINDS, random_problem

problems = [random_problem(np.random.default_rng([seed, 1]), KINDS[seed % 4]) for seed in range(SOME)]
for problem in (*problems, build("latin", 3).with_chosen([0]), build("queens", 5).with_chosen([0]), build("rooks", 3)):
    reasoning = deduce(problem, truths=3, rank=2, chain=4)
    for step in reasoning:
        print(step)
        reasoning._kernel.check()
    print(reasoning.nodes, reasoning.updates, reasoning.roles.tolist())
"""
MERGING = """
import numpy as np
from dlx import Diagram, count
from dlx.counting.drawing import Drawing
from dlx.counting.layers import Layered
from oracle import random_problem

for kind in ("plain", "coloured", "multiple", "both"):
    for seed in range(SOME):
        problem = random_problem(np.random.default_rng([seed, 1]), kind)
        if problem.n_options <= 20:
            result = count(problem, merge="same", memory=0)
            print(result.covers, result.nodes, result.hits)
            layered = Layered(problem, 0)
            while layered.run(3, 1000, 1000):
                layered._kernel.check()
            print(layered.covers, layered.nodes, layered.updates, layered.states)
            drawing = Drawing(problem)
            while drawing.run(3, 1000, 1000):
                drawing._kernel.check()
            made = Diagram(problem, *drawing.diagram())
            part = made.restricted(chosen=made[0][:1]) if made else made
            print(made.first_edge.tolist(), made.edge_option.tolist(), made.edge_child.tolist(), made.uses())
            print([*map(made.index, made)], part.covers, made.sample(9 if made else 0).tolist())
            print([cover.score for cover in made.best(range(problem.n_options))])
"""
CLASSES = """
import numpy as np
from dlx import count
from oracle import random_problem
from families import latin, steiner
from symmetric import about_points

for kind in ("plain", "coloured"):
    for seed in range(10):
        result = count(random_problem(np.random.default_rng([seed, 1]), kind), merge="isomorphic")
        print(result.covers, result.nodes, result.updates, result.states, result.memory)
for problem in (latin(4), steiner(9), *(about_points(np.random.default_rng([seed, 2])) for seed in range(3))):
    result = count(problem, merge="isomorphic")
    print(result.covers, result.nodes, result.updates, result.states, result.memory)
"""
SAME = {
    **{name: ALIKE.replace("NAME", repr(name)).replace("SOME", str(tries(25))) for name in SEARCHES},
    "the best": BEST.replace("SOME", str(tries(75))),  # also where prices drift to infinity: no error, compiled
    "factors": FACTORS,
    "learn": LEARNING.replace("SOME", str(tries(40))),
    "deduce": DEDUCING.replace("SOME", str(tries(60))),
    "merge": MERGING.replace("SOME", str(tries(20))),
    "count classes": CLASSES,
}
# One process runs all programs: to start one takes longer than most of them.
EACH = """
import json, sys
for way, program in json.load(sys.stdin).items():
    print(f"# {way}")
    exec(program, {"__name__": "__main__"})
"""


def printed(ways: dict[str, str], **more: str) -> dict[str, list[str]]:
    """The lines that each of some programs prints."""
    ended = run(EACH, ROOT, json.dumps(ways), PYTHONWARNINGS="ignore::UserWarning", **more)
    assert ended.stderr == "", ended.stdout[-200:]
    parts = [part.splitlines() for part in ended.stdout.removeprefix("# ").split("\n# ")]
    return {way: lines for way, *lines in parts}


def test_interpreted_and_compiled_kernels_do_the_same() -> None:
    """Covers, counts, classes, diagrams and best scores are the same, after as many nodes and updates, by any way.

    The invariants hold in both; what compiled kernels find is right by other tests.
    """
    ways = {way: program for way, program in SAME.items() if way != "count classes" or find_spec("pynauty")}
    compiled, interpreted = printed(ways), printed(ways, DLX_INTERPRETED="1")
    for way in ways:
        assert compiled[way] == interpreted[way], way
        assert len(compiled[way]) >= 4
    assert compiled.keys() == interpreted.keys() == ways.keys()


# Sabotage: an entry of an array, or a field, is made wrong by so much, and `check` has to say so

PREPARED = """
import numpy as np
from families import build
from kernels import MANY, kernel_for, spending, spoilt, without_core
from dlx import Coloured, Problem
from dlx.engine.dispatch import new_kernel
from dlx.search.deduce import as_table, levels_of

def ready(kernel, nodes, is_ready):
    kernel.run(nodes, MANY, MANY)
    while not is_ready(kernel):
        assert kernel.run(1, MANY, MANY)
    return kernel

X = [Coloured("x", k) for k in range(3)]
painted = Problem.from_options([["a", X[1]], ["a", X[2]], ["b", X[1]], ["b", "y"], ["c", "y"], "c"], secondary="xy")
multiple = Problem.from_options(
    [["a", "b", X[1]], ["a", "c"], ["b", "c", "y"], ["a", X[2]], "ay", "c", "b"],
    secondary="xy", multiplicities={"a": (1, 2), "b": 2, "c": (0, 3)},
)
"""

# In spoilt.txt: `# KIND: KERNEL; NODES; READY`, a kernel that does NODES nodes and goes on until READY; then
# `FIELDS [INDEX] += NUMBER -> WORDS`, with words of the error, by default the name of the field.
SPOILT = (DATA / "spoilt.txt").read_text(encoding="utf-8").removeprefix("# ").split("\n# ")
CHANGE = re.compile(r"([\w. ]+?)(?: \[(.*)\])? \+= ([^>]*?)(?: -> (.*))?")


def test_broken_invariants_are_named() -> None:
    """`check` notices any array of any kernel that is spoilt, and says which."""
    program = PREPARED
    for part in SPOILT:
        head, *lines = part.splitlines()
        kind, kernel, nodes, until = re.split("[:;] ", head)
        for fields, index, by, words in (found.groups() for line in lines if (found := CHANGE.fullmatch(line))):
            for field in fields.split():
                change = f"{field!r}, ({index}), {by}"
                program += f"fault = spoilt(ready({kernel}, {nodes}, lambda k: {until}), {change})\n"
                program += f"assert {(words or field).strip('…')!r} in fault, ({kind!r}, {field!r}, fault)\n"
    result = run(program + "print('done')", DLX_INTERPRETED="1")
    assert (result.stdout, result.stderr) == ("done\n", "")


# What is needed


@pytest.fixture
def unbuilt(tmp_path: Path) -> Path:
    """A folder with the sources of `dlx` and no compiled module."""
    shutil.copytree(ROOT / "dlx", tmp_path / "dlx", ignore=shutil.ignore_patterns("*.so", "*.c", "__pycache__"))
    return tmp_path


# `dlx` is imported before a search needs a kernel: the error comes with either.
SEARCH = "import dlx; print(dlx.__file__, dlx.count(dlx.Problem.from_options(['ab', 'a', 'b'])).covers)"


def test_a_missing_build(unbuilt: Path) -> None:
    """Without compiled kernels a search fails and says how to build them; with DLX_INTERPRETED=1 the sources do."""
    for more in ({}, {"DLX_INTERPRETED": "0"}):
        result = run(SEARCH, unbuilt, **more)
        assert result.returncode == 1
        assert "ImportError: dlx.kernels." in result.stderr
        assert "has not been compiled. Build it with: make build, or pip install -e ." in result.stderr
        assert "DLX_INTERPRETED=1" in result.stderr
    result = run(SEARCH, unbuilt, DLX_INTERPRETED="1")
    assert result.stdout.split() == [str(unbuilt / "dlx" / "__init__.py"), "2"], result.stderr
