"""Decision diagrams in the language of Graphviz."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from dlx.show.elements import rounded, short

if TYPE_CHECKING:
    from dlx.counting.diagram import Diagram

Arrows = dict[tuple[int, int], list[str]]


def dot(diagram: Diagram) -> str:
    """Returns a diagram in the language of Graphviz: nodes with the number of covers below, edges with options.

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
    nodes = [f"  {v} [label={_quoted(rounded(diagram.covers_below(v)))}]" for v in range(1, diagram.nodes)]
    edges = [f"  {v} -> {child} [label={_quoted(', '.join(names))}]" for (v, child), names in _arrows(diagram).items()]
    return "\n".join(["digraph {", "  node [shape=circle]", *nodes, *edges, "}"])


def _arrows(diagram: Diagram) -> Arrows:
    """The names of the options on the edges between each pair of nodes."""
    names = diagram.problem.names or range(diagram.problem.n_options)
    options, children = diagram.edge_option.tolist(), diagram.edge_child.tolist()
    edges: Arrows = {}
    for v, (begin, end) in enumerate(pairwise(diagram.first_edge.tolist())):
        for o, child in zip(options[begin:end], children[begin:end], strict=True):
            edges.setdefault((v, child), []).append(short(names[o], 16) if o >= 0 else "")
    return edges


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
