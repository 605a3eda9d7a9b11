"""Decision diagrams in the language of Graphviz."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from dlx.show.elements import short

if TYPE_CHECKING:
    from dlx.counting.diagram import Diagram

EXACT = 10_000  # larger numbers of covers are rounded to two digits


def dot(diagram: Diagram) -> str:
    """Returns a diagram in the language of Graphviz; a node shows the number of covers below, an edge its options.

    >>> from dlx import Problem, diagram
    >>> print(dot(diagram(Problem.from_options({"left": "ab", "right": "c"}))))
    digraph {
      node [shape=circle]
      1 [label="1"]
      2 [label="1"]
      3 [label="1"]
      2 -> 1 [label="right"]
      3 -> 2 [label="left"]
    }
    """
    names = diagram.problem.names or range(diagram.problem.n_options)
    options, children = diagram.edge_option.tolist(), diagram.edge_child.tolist()
    edges: dict[tuple[int, int], list[str]] = {}  # the names of the options on all edges between two nodes
    counts = [0, 1]  # the number of covers below each node
    for node, (begin, end) in enumerate(pairwise(diagram.first_edge.tolist())):
        for option, child in zip(options[begin:end], children[begin:end], strict=True):
            edges.setdefault((node, child), []).append(short(names[option], 16) if option >= 0 else "")
        if node > 1:
            counts.append(sum(counts[child] for child in children[begin:end]))
    shown = (str(count) if count < EXACT else f"{Decimal(count):.1e}" for count in counts[1:])
    lines = [f"  {node} [label={_quoted(count)}]" for node, count in enumerate(shown, 1)]
    lines += [f"  {node} -> {child} [label={_quoted(', '.join(words))}]" for (node, child), words in edges.items()]
    return "\n".join(["digraph {", "  node [shape=circle]", *lines, "}"])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
