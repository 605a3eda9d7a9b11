"""Decision diagrams as pictures: text for Graphviz, and small ones in SVG."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.show.elements import INK, SOFT, TINT, WHITE, Picture, element, many, rounded, short, text
from dlx.show.elements import svg as whole

MOST_EDGES = 200  # of a picture that anyone could read
STEP, LAYER, RADIUS, MARGIN = 90, 84, 17, 24  # pixels


class Drawn(NamedTuple):
    """What is drawn of a diagram.

    Attributes:
        first_edge, edge_option, edge_child: its arrays, as `dlx.kernels.merge.memo` makes them.
        counts: how many covers are below each node.
        labels: what each option is called.
    """

    first_edge: npt.NDArray[np.int32]
    edge_option: npt.NDArray[np.int32]
    edge_child: npt.NDArray[np.uint32]
    counts: Sequence[int]
    labels: Sequence[object]

    def edges(self) -> dict[tuple[int, int], list[str]]:
        """The options that lead from a node to one of its children, by name; those of all pairs of nodes."""
        found: dict[tuple[int, int], list[str]] = {}
        for v, (begin, end) in enumerate(pairwise(self.first_edge.tolist())):
            for o, child in zip(self.edge_option[begin:end].tolist(), self.edge_child[begin:end].tolist(), strict=True):
                found.setdefault((v, child), []).append(short(self.labels[o], 16) if o >= 0 else "")
        return found


def dot(drawn: Drawn) -> str:
    """A diagram in the language of Graphviz: a node says how many covers are below it, an edge which option it is.

    >>> from dlx import Problem, diagram
    >>> print(diagram(Problem.from_options({"left": "ab", "right": "c"})).to_dot())
    digraph {
      node [shape=circle]
      1 [label="1"]
      2 [label="1"]
      3 [label="1"]
      2 -> 1 [label="right"]
      3 -> 2 [label="left"]
    }
    """
    nodes = [f"  {v} [label={_quoted(rounded(n))}]" for v, n in enumerate(drawn.counts) if v]
    edges = [f"  {v} -> {child} [label={_quoted(', '.join(names))}]" for (v, child), names in drawn.edges().items()]
    return "\n".join(["digraph {", "  node [shape=circle]", *nodes, *edges, "}"])


def svg(drawn: Drawn) -> Picture:
    """A small diagram as a picture: the root on top, and every node below all its parents.

    Raises:
        ValueError: it has too many edges.

    >>> from dlx import Problem, diagram
    >>> diagram(Problem.from_options(["ab", "c"])).to_svg().count("<circle")
    3
    """
    if len(drawn.edge_option) > MOST_EDGES:
        raise ValueError(f"the diagram has {len(drawn.edge_option)} edges; a picture has no more than {MOST_EDGES}")
    places = _places(drawn)
    width = max((x for x, _ in places.values()), default=0) + RADIUS + MARGIN
    height = max((y for _, y in places.values()), default=0) + RADIUS + MARGIN
    parts = [_line(places[v], places[child], ", ".join(names)) for (v, child), names in drawn.edges().items()]
    parts += [_circle(places[v], rounded(drawn.counts[v])) for v in places]
    title = f"a decision diagram of {many(len(places), 'node')} and {many(len(drawn.edge_option), 'edge')}"
    return whole(width, height, *parts, title=title)


def _places(drawn: Drawn) -> dict[int, tuple[float, float]]:
    """Where the nodes are: each one layer below the lowest of its parents, in the order of where these are."""
    root = len(drawn.counts) - 1
    depth = {root: 0} if root > 1 else {}
    parents: dict[int, list[int]] = {}
    for v, child in sorted(drawn.edges(), reverse=True):
        depth[child] = max(depth.get(child, 0), depth[v] + 1)
        parents.setdefault(child, []).append(v)
    layers = [[v for v in depth if depth[v] == level] for level in range(max(depth.values(), default=-1) + 1)]
    wide = max(map(len, layers), default=0)
    places: dict[int, tuple[float, float]] = {}
    for level, layer in enumerate(layers):
        layer.sort(key=lambda v: sum(places[p][0] for p in parents.get(v, ())) / len(parents.get(v, " ")))
        for k, v in enumerate(layer):
            x = MARGIN + RADIUS + STEP * (k + (wide - len(layer)) / 2)
            places[v] = x, MARGIN + RADIUS + LAYER * level
    return places


def _line(start: tuple[float, float], end: tuple[float, float], label: str) -> str:
    """An edge, a curve that leaves downwards and arrives downwards, with its label in the middle."""
    (x, y), (to_x, to_y) = (start[0], start[1] + RADIUS), (end[0], end[1] - RADIUS)
    bend = (to_y - y) / 2
    curve = f"M{x:g} {y:g}C{x:g} {y + bend:g} {to_x:g} {to_y - bend:g} {to_x:g} {to_y:g}"
    halo = {"stroke": WHITE, "stroke_width": 4, "paint_order": "stroke"}
    named = text((x + to_x) / 2, (y + to_y) / 2 + 4, label, 11, **halo) if label else ""
    return element("path", d=curve, fill="none", stroke=SOFT) + named


def _circle(place: tuple[float, float], label: str) -> str:
    x, y = place
    return element("circle", cx=x, cy=y, r=RADIUS, fill=TINT, stroke=INK) + text(
        x, y + 4, label, 11 if len(label) < 5 else 9
    )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
