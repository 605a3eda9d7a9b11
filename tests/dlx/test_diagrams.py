"""Diagrams against enumeration, closed forms and chance; layers or visits; limits, memory, files, decision-DNNF."""

from __future__ import annotations

import copy
import io
import math
import pickle
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from drawn import attempt, damaged
from families import build
from hypothesis import given
from hypothesis import strategies as st
from oracle import KINDS, as_sets, is_cover, random_problem, rows
from seeds import for_seeds

from dlx import Diagram, Problem, count, diagram, reference
from dlx.counting.drawing import TREE_EDGE, TREE_NODE, CoverTree, Drawing
from dlx.counting.portfolio import Portfolio
from dlx.formats import FormatError
from dlx.kernels import EXHAUSTED
from dlx.search.covers import BLOCK
from dlx.show import dot

MANY = 1 << 60
ENOUGH = 1 << 30
all_kinds = pytest.mark.parametrize("kind", KINDS)
PAIRS = Problem.from_options(["ab", "cd", "ac", "bd", "ad", "bc"], items="abcd")
DEEP = Problem.from_options([[k // 2] for k in range(4_000)])


def exhaust(search: Any, nodes: int = MANY, updates: int = MANY) -> Any:
    """Runs a search to its end, in slices, and checks the kernel of layers after each."""
    while search.run(nodes, updates, MANY) != EXHAUSTED:
        if isinstance(search, Drawing):
            search._kernel.check()
    return search


def made_by(search: type[Drawing | CoverTree], problem: Problem, nodes: int = MANY, updates: int = MANY) -> Diagram:
    """The diagram that layers or visits make alone."""
    return Diagram(problem, *exhaust(search(problem), nodes, updates).diagram())


WAYS = diagram, partial(made_by, Drawing), partial(made_by, CoverTree)


def drawn(seed: int, kind: str) -> tuple[np.random.Generator, Diagram, list[tuple[int, ...]]]:
    """A random problem's diagram, made in any way, in any slices, and its sorted covers by the reference."""
    rng = np.random.default_rng([seed, 31])
    problem = random_problem(rng, kind)
    slices = rng.integers(1, 40, size=2).tolist() if seed % 3 else ()
    return rng, WAYS[seed % 3](problem, *slices), as_sets(reference.covers(problem))


# Against enumeration


@all_kinds
@for_seeds(300)
def test_the_covers_are_those_of_the_reference(kind: str, seed: int) -> None:
    """Iteration and places give the same covers in the same order, which are all; each option is in its share."""
    rng, made, covers = drawn(seed, kind)
    listed = list(made)
    assert as_sets(listed) == covers
    assert made.covers == len(made) == len(covers)
    assert bool(made) == bool(covers)
    assert made[:] == listed
    assert [made.index(cover) for cover in listed] == [*range(len(listed))]
    assert [made[k] for k in range(-len(listed), len(listed))] == 2 * listed
    assert all(tuple(o for o in row if o >= 0) == made[made.index(row)] for row in made.sample(3 if made else 0))
    begin, end, step = rng.integers(-20, 20, size=3).tolist()
    assert made[begin : end : step or 1] == listed[begin : end : step or 1]
    times = Counter(o for cover in covers for o in cover)
    assert made.uses() == tuple(times[o] for o in range(made.problem.n_options))
    assert made.shares().tolist() == [times[o] / max(1, len(covers)) for o in range(made.problem.n_options)]
    assert seed % 3 < 2 or len(nodes_of(made)) == made.nodes - 2, "two nodes by visits are equal"


def nodes_of(made: Diagram) -> set[tuple[bytes, bytes]]:
    """The nodes with edges, each as its options and children."""
    ends = list(zip(made.first_edge[2:-1].tolist(), made.first_edge[3:].tolist(), strict=True))
    return {(made.edge_option[b:e].tobytes(), made.edge_child[b:e].tobytes()) for b, e in ends}


@all_kinds
@for_seeds(300)
def test_a_cover_has_a_place_and_nothing_else_has_one(kind: str, seed: int) -> None:
    """The place of a cover is where it is, its options in any order; of other sets of options none has a place."""
    rng, made, covers = drawn(seed, kind)
    for k, cover in enumerate(made):
        assert made.index(rng.permutation(cover).tolist()) == k
    n = made.problem.n_options
    for _ in range(20):
        some = rng.choice(n, size=int(rng.integers(0, n + 1)), replace=False).tolist()
        other = sorted({*(covers[int(rng.integers(len(covers)))] if covers else ())} ^ {*some[:1]})
        assert (some in made) == is_cover(made.problem, some)
        assert (other in made) == is_cover(made.problem, other)


@all_kinds
@for_seeds(300)
def test_the_best_and_the_scores(kind: str, seed: int) -> None:
    """The k best scores, of whole and of real weights, and how many covers have each, are those of all covers."""
    rng, made, covers = drawn(seed, kind)
    n, k = made.problem.n_options, int(rng.integers(1, 6))
    whole = rng.integers(-3, 4, size=n) * int(rng.choice([1, 1000, 2**40]))
    for weights in (whole, rng.normal(size=n), rng.integers(0, 2, size=n)):
        for sense, backwards in (("max", True), ("min", False)):
            found = made.best(weights, sense, k)  # type: ignore[arg-type]
            scores = sorted((weights[list(cover)].sum().item() for cover in covers), reverse=backwards)
            assert [cover.score for cover in found] == scores[:k]
            assert len({cover.options for cover in found}) == len(found)
            for cover in found:
                assert cover.options in covers
                assert cover.score == weights[list(cover.options)].sum().item()
                assert type(cover.score) is (float if weights.dtype.kind == "f" else int)
    counts = made.scores(whole)
    assert counts == Counter(int(whole[list(cover)].sum()) for cover in covers)
    assert list(counts) == sorted(counts)


@all_kinds
@for_seeds(300)
def test_a_part_has_the_covers_that_it_should(kind: str, seed: int) -> None:
    """With some options chosen and others left out, just the covers are left that fit, in the same order."""
    rng, made, covers = drawn(seed, kind)
    some = covers[int(rng.integers(len(covers)))] if covers else range(made.problem.n_options)
    chosen = rng.permutation(some)[: int(rng.integers(0, 4))].tolist()
    without = rng.permutation(made.problem.n_options)[: int(rng.integers(0, 4))].tolist()
    part = made.restricted(chosen, without)
    assert list(part) == [cover for cover in made if {*chosen} <= {*cover} and not {*without} & {*cover}]
    assert part.problem is made.problem
    assert part.restricted() == part


@all_kinds
@for_seeds(200)
def test_a_file_gives_an_equal_diagram(kind: str, seed: int) -> None:
    """A saved diagram comes back equal, and so does a pickle or a copy."""
    _, made, _ = drawn(seed, kind)
    assert again(made) == made
    assert pickle.loads(pickle.dumps(made)) == copy.copy(made) == copy.deepcopy(made) == made
    assert hash(copy.copy(made)) == hash(made)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("problem", "covers"),
    [
        (PAIRS.with_chosen([2]), [(2, 3)]),
        (PAIRS.without([2]), [(0, 1), (4, 5)]),
        (Problem.from_options([[k] for k in range(5000)]), [tuple(range(5000))]),
        # Options that clash are still live if all items have what they need; not so after another choice.
        (Problem.from_options(["b", "abc", "a", "a", "c"], multiplicities={"c": (0, 2)}), None),
    ],
    ids=["chosen", "left out", "a chain", "beyond a cover"],
)
def test_special_problems(problem: Problem, covers: list[tuple[int, ...]] | None, way: Any) -> None:
    """Options that are chosen or left out, a chain without a choice, and states beyond a cover are respected."""
    assert as_sets(way(problem)) == (as_sets(reference.covers(problem)) if covers is None else covers)


# Closed forms


@pytest.mark.parametrize(
    ("instance", "covers"),
    [
        (("dominoes", 3, 3), 0),
        (("dominoes", 8, 8), 12988816),
        (("dominoes", 10, 10), 258584046368),
        (("partitions", 10), 115975),
        (("partitions", 12), 4213597),
        (("matchings", 8), math.prod(range(1, 16, 2))),
        (("latin", 4), 576),
        (("queens", 8), 92),
        (("dominoes", 14, 14), 112202208776036178000000),
        (("tetrominoes", 8, 8), 19077209438),
        (("langford", 8), 300),
    ],
)
def test_known_numbers(instance: tuple[Any, ...], covers: int) -> None:
    """Tilings (Kasteleyn), partitions (Bell), perfect matchings, Latin squares, queens, OEIS A230031, A014552."""
    made = diagram(build(*instance))
    assert made.covers == count(made.problem, merge="same").covers == covers
    for place in (0, covers // 3, covers - 1) if covers else ():
        assert is_cover(made.problem, made[place])
        assert made.index(made[place]) == place
    uses, owner = made.uses(), np.repeat(np.arange(made.problem.n_options), np.diff(made.problem.indptr))
    for item in range(made.problem.n_primary):  # each cover has one option of each primary item
        options = owner[made.problem.indices == item]
        assert sum(np.array(uses, dtype=object)[options]) == covers


def test_deep_and_large() -> None:
    """2,000 levels, and 603 digits: nothing recurses, and nothing is rounded."""
    made = diagram(DEEP)
    assert made.covers == 2**2000
    assert made.uses() == (2**1999,) * 4_000
    assert made.shares().tolist() == [0.5] * 4_000
    place = 2**2000 * 2 // 7
    assert made.index(made[place]) == place
    assert made[-1] in made
    assert len(next(iter(made))) == 2000
    assert [cover.score for cover in made.best(range(4_000), k=2)] == [4_000_000, 3_999_999]
    assert made.restricted(chosen=[0], without=[2]).covers == 2**1998
    assert made[2**2000 - 1 : 2**2000 + 5] == [made[-1]]
    assert (made.sample(400, seed=3)[:, 0] >= 0).all()
    assert repr(made) == f"Diagram({2**2000} covers, 2002 nodes, 4000 edges)"
    part = diagram(Problem.from_options([[k // 2] for k in range(400)]))
    assert part.scores([k % 2 for k in range(400)]) == {k: math.comb(200, k) for k in range(201)}


@pytest.mark.parametrize("ask", [len, reversed, random.choice])
def test_a_sequence_is_no_longer_than_python_allows(ask: Callable[[Any], object]) -> None:
    """With more than 2^63 - 1 covers, `len` and what asks it raise an error that says what to use."""
    made = diagram(Problem.from_options([[k // 2] for k in range(126)]))
    with pytest.raises(OverflowError, match=r"sequence of 9223372036854775808 covers .* use \.covers .* \.sample\(k\)"):
        ask(made)
    assert len(made.restricted(without=[0])) == 2**62


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("options", "covers"),
    [([], [()]), (["a"], [(0,)]), (["ab", "bc"], [])],
)
def test_the_smallest(options: list[str], covers: list[tuple[int, ...]], way: Any) -> None:
    """A problem with nothing to cover has one cover, and one that cannot be covered has none, whatever is asked."""
    made = way(Problem.from_options(options))
    n = len(options)
    assert list(made) == covers
    assert made.sample(0).shape == (0, made.problem.max_level)
    assert made.uses() == tuple(sum(o in cover for cover in covers) for o in range(n))
    assert made.shares().shape == (n,)
    assert [cover.options for cover in made.best()] == covers
    assert made.scores() == ({0: 1} if covers else {})
    assert list(made.restricted()) == covers
    assert dot(made).startswith("digraph {")
    assert (() in made) == (() in covers)


# Chance


@pytest.mark.parametrize(
    "problem",
    [
        build("partitions", 5),  # 52 covers
        build("dominoes", 4, 4),  # 36
        Problem.from_options(["a", "a", "ab", "b", "b", "b"], multiplicities={"a": (1, 2), "b": (0, 3)}),
    ],
    ids=["partitions", "dominoes", "multiplicities"],
)
def test_samples_are_uniform(problem: Problem) -> None:
    """Of 20,000 samples each cover is as many as it should be: chi-squared is within four standard deviations."""
    made = diagram(problem)
    times = Counter(rows(made.sample(20_000, seed=7)))
    assert times.keys() == set(made)
    expected, free = 20_000 / made.covers, made.covers - 1
    assert sum((times[cover] - expected) ** 2 for cover in made) / expected < free + 4 * math.sqrt(2 * free)


def test_large_samples_are_uniform() -> None:
    """Among 2^200 covers each of 200 pairs of options is split in halves, and each two pairs in quarters."""
    made = diagram(Problem.from_options([[k // 2] for k in range(400)]))
    block = made.sample(4000, seed=11)
    signs = np.empty((4000, 200))
    np.put_along_axis(signs, block // 2, 2 * (block % 2) - 1, axis=1)
    correlations = signs.T @ signs / math.sqrt(4000)  # but for the diagonal, standard normal
    assert np.abs(signs.sum(axis=0) / math.sqrt(4000)).max() < 5
    assert np.abs(correlations[np.triu_indices(200, 1)]).max() < 5.5


def test_threads_may_share_a_diagram() -> None:
    """Samples, iteration and places in several threads are what they are in one."""
    made = diagram(build("dominoes", 8, 8))
    expected = made.sample(20_000, seed=1).tobytes(), made.uses(), made[5000:5100]
    found: list[object] = []

    def ask() -> None:
        found.append((made.sample(20_000, seed=1).tobytes(), made.uses(), made[5000:5100]))

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


# By layers or by visits


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


def test_steps_that_take_too_much() -> None:
    """Items that may be left give each state the edges of all states behind: more of them than there is memory for."""
    rare = Problem.from_options([[k] for k in range(400)], multiplicities=dict.fromkeys(range(400), (0, 1)))
    search = exhaust(Drawing(rare, ENOUGH))
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


# Files


def again(made: Diagram) -> Diagram:
    """Saves a diagram and loads it."""
    made.save(stream := io.BytesIO())
    return Diagram.load(io.BytesIO(stream.getvalue()))


MADE: Any = diagram(PAIRS)
SAVED = io.BytesIO()
MADE.save(SAVED)
GOOD = SAVED.getvalue()


@given(st.binary() | damaged(GOOD))
def test_any_bytes(data: bytes) -> None:
    """Any bytes, and any damage to a good file, give a diagram that answers, or a FormatError."""
    made: Any = attempt(lambda given: Diagram.load(io.BytesIO(given)), data)  # type: ignore[arg-type, return-value]
    if isinstance(made, FormatError):
        assert (made.file, made.line) == ("<stream>", None)
    else:
        assert len(list(made)) == made.covers
        assert len(made.uses()) == made.problem.n_options


def test_files_by_path(tmp_path: Path) -> None:
    """A diagram is saved to a path and loaded from it, whatever its suffix, and errors name the path."""
    MADE.save(tmp_path / "pairs.diagram")
    assert Diagram.load(str(tmp_path / "pairs.diagram")) == MADE
    (tmp_path / "bad").write_bytes(b"bad")
    with pytest.raises(FormatError, match=r"bad: this is no \.npz file of a diagram"):
        Diagram.load(tmp_path / "bad")
    with pytest.raises(FileNotFoundError):
        Diagram.load(tmp_path / "none")
    with pytest.raises(TypeError, match="target is 5; it must be a path or an open file"):
        MADE.save(5)
    with pytest.raises(TypeError, match="source is 5; it must be a path or an open file"):
        Diagram.load(5)  # type: ignore[arg-type]


# Graphviz


def test_dot() -> None:
    """Names that look like markup are escaped, and edges between the same nodes are one arrow."""
    made = diagram(Problem.from_options({"<left>": "ab", 'say "c"': "c", "all": "abc", "both": "c"}))
    assert '  2 -> 1 [label="say \\"c\\", both"]' in dot(made).splitlines()
    assert dot(made).count("[label=") == made.nodes - 1 + len({*zip(owners(made), made.edge_child, strict=True)})


def owners(made: Diagram) -> list[int]:
    """The node of each edge."""
    return np.repeat(np.arange(made.nodes), np.diff(made.first_edge)).tolist()


# As decision-DNNF, by a reader that knows the format alone


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


def written(made: Diagram, folder: Path) -> str:
    """The text of the file that `save` writes."""
    made.save(folder / "x.nnf")
    return (folder / "x.nnf").read_text()


@all_kinds
@for_seeds(200)
def test_models_are_the_covers_and_each_names_every_variable(seed: int, kind: str, tmp_path: Path) -> None:
    """Of random problems and of parts of their diagrams; of two arcs of a node, some variable excludes one."""
    rng = np.random.default_rng([seed, 79])
    made = WAYS[seed // 2 % 3](random_problem(rng, kind))
    if seed % 3 == 0 and made and made.problem.n_options:
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


def test_without_covers_there_is_a_false_leaf(tmp_path: Path) -> None:
    """A problem without covers is one line."""
    assert written(diagram(Problem.from_options(["ab", "bc"])), tmp_path) == "f 1 0\n"
