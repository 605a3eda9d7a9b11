"""Decision diagrams as pictures: text for Graphviz, and small ones in SVG."""

from __future__ import annotations

from itertools import pairwise

from dlx.counting.diagram import Diagram
from dlx.problem.words import counted
from dlx.show.elements import INK, SOFT, TINT, WHITE, Picture, element, rounded, short, svg, text

MOST_EDGES = 200  # of a picture that anyone could read
STEP, LAYER, RADIUS, MARGIN = 90, 84, 17, 24  # pixels

Edges = dict[tuple[int, int], list[str]]


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
    edges = [f"  {v} -> {child} [label={_quoted(', '.join(names))}]" for (v, child), names in _edges(diagram).items()]
    return "\n".join(["digraph {", "  node [shape=circle]", *nodes, *edges, "}"])


def diagram_picture(diagram: Diagram, title: str = "") -> Picture:
    """Draws a small diagram: the root on top, and every node below all its parents.

    Raises:
        ValueError: it has too many edges.

    >>> from dlx import Problem, diagram
    >>> diagram_picture(diagram(Problem.from_options(["ab", "c"]))).count("<circle")
    3
    """
    if diagram.edges > MOST_EDGES:
        raise ValueError(f"the diagram has {diagram.edges} edges; a picture has no more than {MOST_EDGES}")
    edges = _edges(diagram)
    places = _places(edges, diagram.nodes - 1)
    width = max((x for x, _ in places.values()), default=0) + RADIUS + MARGIN
    height = max((y for _, y in places.values()), default=0) + RADIUS + MARGIN
    parts = [_line(places[v], places[child], ", ".join(names)) for (v, child), names in edges.items()]
    for v, (x, y) in places.items():
        count = rounded(diagram.covers_below(v))
        parts.append(element("circle", cx=x, cy=y, r=RADIUS, fill=TINT, stroke=INK))
        parts[-1] += text(x, y + 4, count, 11 if len(count) < 5 else 9)
    said = f"a decision diagram of {counted(len(places), 'node')} and {counted(diagram.edges, 'edge')}"
    return svg(width, height, *parts, title=title or said)


def _edges(diagram: Diagram) -> Edges:
    """The names of the options on the edges between each pair of nodes."""
    names = diagram.problem.names or range(diagram.problem.n_options)
    options, children = diagram.edge_option.tolist(), diagram.edge_child.tolist()
    edges: Edges = {}
    for v, (begin, end) in enumerate(pairwise(diagram.first_edge.tolist())):
        for o, child in zip(options[begin:end], children[begin:end], strict=True):
            edges.setdefault((v, child), []).append(short(names[o], 16) if o >= 0 else "")
    return edges


def _places(edges: Edges, root: int) -> dict[int, tuple[float, float]]:
    """The places of the nodes: each one layer below the lowest of its parents, in the order of the parents' middles."""
    depth = {root: 0} if root > 1 else {}
    parents: dict[int, list[int]] = {}
    for v, child in sorted(edges, reverse=True):
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


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
