"""Decision-DNNF, the files of knowledge compilers, in the format of d4; written only.

    o 1 0              node 1 is a decision, or has one arc; t is a leaf that is true, f one that is false
    t 2 0
    1 2 -3 0           an arc from node 1 to node 2, with the literals that are true on it
    1 2 3 0

Variable 1 is the first option, variable 2 the second option, and so on, as in `dlx.formats.cnf`; the comments of the
CNF file have the names. Every variable has a value on each path from node 1 to a true leaf, so the paths are the
models, and the models are the covers. The readme of d4 describes the format (J.-M. Lagniez, P. Marquis, An improved
decision-DNNF compiler, IJCAI 2017, doi:10.24963/ijcai.2017/93).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt


def dumps(
    n_options: int, first: npt.NDArray[np.int32], option: npt.NDArray[np.int32], child: npt.NDArray[np.uint32]
) -> bytes:
    """Returns a diagram, given by the arrays of `dlx.Diagram`, as a decision-DNNF whose models are the covers.

    >>> from dlx import Problem, diagram
    >>> made = diagram(Problem.from_options(["ab", "a", "b", "c"]))
    >>> print(dumps(4, made.first_edge, made.edge_option, made.edge_child).decode(), end="")
    o 1 0
    o 2 0
    o 3 0
    o 4 0
    t 5 0
    4 5 3 0
    3 5 1 -2 -3 0
    3 4 2 -1 0
    2 3 4 0
    1 2 0
    """
    lines = _lines(n_options, first.tolist(), option.tolist(), child.tolist())
    return "".join(f"{line} 0\n" for line in lines).encode()


def _lines(n_options: int, first: Sequence[int], option: Sequence[int], child: Sequence[int]) -> Iterator[str]:
    """Yields the nodes and arcs, without the final zeros; a node with m edges becomes m - 1 decisions, at least one."""
    root = len(first) - 2
    if root < 2:
        yield "f 1"
        return
    below = [0, 0]  # the options in the covers below each node, as bits
    place = [0] * (root + 1)  # the first decision of each node
    decisions = 1
    for v in range(root, 1, -1):
        place[v] = decisions + 1
        decisions += max(1, first[v + 1] - first[v] - 1)
    place[1] = decisions + 1
    yield from (f"o {k}" for k in range(1, decisions + 1))
    yield f"t {place[1]}"
    for v in range(2, root + 1):
        edges = [(1 << option[e] if option[e] >= 0 else 0, child[e]) for e in range(first[v], first[v + 1])]
        edges.sort(key=lambda edge: edge[0] == 0)  # an edge without an option is for covers without the other options
        left = [0]  # the options of the last 0, 1, 2, ... edges, as bits
        for own, to in reversed(edges):
            left.append(left[-1] | own | below[to])
        left.reverse()
        below.append(left[0])
        last = max(0, len(edges) - 2)
        for k, (own, to) in enumerate(edges):
            at = min(k, last)
            yield _arc(place[v] + at, place[to], own, left[at] & ~own & ~below[to])
            if k < last:
                yield _arc(place[v] + k, place[v] + k + 1, 0, left[k] & ~left[k + 1])
    yield _arc(1, place[root], 0, ((1 << n_options) - 1) & ~below[root])


def _arc(source: int, target: int, chosen: int, without: int) -> str:
    """Returns an arc with true variables and false variables, given as bits."""
    literals = [*_variables(chosen), *(-variable for variable in _variables(without))]
    return " ".join(map(str, [source, target, *literals]))


def _variables(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length()
        bits &= bits - 1
