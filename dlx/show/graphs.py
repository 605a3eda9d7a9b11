"""Graphs, with vertices on a circle or where the caller has them, trees of searches, and decision diagrams."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from dlx.counting.diagram import Diagram
from dlx.problem.words import counted
from dlx.show.elements import (
    INK,
    SOFT,
    TINT,
    WHITE,
    Picture,
    check_room,
    element,
    extent,
    framed,
    moved,
    palette,
    readable,
    rounded,
    short,
    spoken,
    svg,
    text,
)

MOST_EDGES, MOST_VERTICES, MOST_NODES = 5000, 1000, 2000  # of a picture that anyone could read
MARGIN = 22
NEARER = 0.35  # of an edge is before its label
MOST_ARROWS = 200  # of a diagram
APART, DOWN, RADIUS, BESIDE = 90, 84, 17, 24  # of diagrams: from node to node, their size, and the margin
ROW, GAP = 22, 34  # of trees: the height of a leaf, and what is between a label and the next node

Point = tuple[float, float]
Arrows = dict[tuple[int, int], list[str]]


def graph(
    edges: Iterable[tuple[Any, Any]],
    places: Mapping[Any, Point] | None = None,
    *,
    colours: Mapping[Any, int] | None = None,
    labels: Mapping[Any, object] | None = None,
    size: float = 200,
    title: str = "",
) -> Picture:
    """A graph, its vertices or edges coloured.

    Parameters:
        edges: pairs of vertices.
        places: where each vertex is, (x, y) with y downwards, in any measure; without it they are on a circle, in the
            order of `edges`.
        colours: a number of a colour, from 0, for each vertex or edge that has one; there are twelve, which come again.
        labels: what is written in vertices and beside edges; without it, their colours, counted from 1, or where none
            are given, the vertices themselves.
        size: the longer side of the picture without its margins, in pixels.
        title: what the picture is; without it, how many vertices and edges there are.

    Raises:
        ValueError: there are more than 1000 vertices or 5000 edges, an edge has not two ends, or a vertex has no place,
            or none that is finite.
        TypeError: an edge is no pair, or a vertex is not hashable.

    >>> picture = graph([("a", "b"), ("b", "c"), ("c", "a")], colours={"a": 0, "b": 1, "c": 2})
    >>> picture.caption, picture.count("<circle"), picture.count("<path")
    ('a graph of 3 vertices and 3 edges', 3, 3)
    """
    listed = [_ends(k, edge) for k, edge in enumerate(edges)]
    vertices = list(dict.fromkeys([v for edge in listed for v in edge] + list(places or ())))
    check_room("the graph", vertices=(len(vertices), MOST_VERTICES), edges=(len(listed), MOST_EDGES))
    shown = colours or {}
    if labels is None:
        labels = {thing: colour + 1 for thing, colour in shown.items()} or {v: spoken(v) for v in vertices}
    if places is None:  # on a circle, the first one on top
        angles = (k * math.tau / len(vertices) for k in range(len(vertices)))
        places = {v: (math.sin(angle), -math.cos(angle)) for v, angle in zip(vertices, angles, strict=True)}
    at, width, height = _fitted(places, vertices, size)
    lines = [_edge(at[one], at[other], _of(shown, one, other)) for one, other in listed]
    lines += [_between(at[one], at[other], _of(labels, one, other)) for one, other in listed]
    dots = [_vertex(at[v], shown.get(v), labels.get(v, "")) for v in vertices]
    said = title or f"a graph of {counted(len(vertices), 'vertex', 'vertices')} and {counted(len(listed), 'edge')}"
    return framed(width, height, MARGIN, *lines, *dots, title=said)


def _ends(number: int, edge: object) -> tuple[Any, Any]:
    ends = tuple(edge) if isinstance(edge, Iterable) else ()
    if len(ends) != 2:
        kind = ValueError if ends else TypeError
        raise kind(f"edge {number} is {edge!r:.40} instead of a pair of vertices")
    for vertex in ends:
        if not isinstance(vertex, Hashable):
            raise TypeError(f"edge {number} has the vertex {vertex!r:.40}, which is not hashable")
    return ends


def _fitted(
    places: Mapping[Any, Point], vertices: Sequence[Hashable], size: float
) -> tuple[dict[Hashable, Point], float, float]:
    """The places in pixels, the longer side being of a given size; and both sides."""
    for v in vertices:
        if v not in places:
            raise ValueError(f"the vertex {v!r:.40} has no place")
        if not all(math.isfinite(k) for k in places[v]):
            raise ValueError(f"the vertex {v!r:.40} is at {places[v]}")
    xs, ys = ([float(places[v][k]) for v in vertices] or [0.0] for k in (0, 1))
    left, top = min(xs), min(ys)
    scale = size / (max(max(xs) - left, max(ys) - top) or 1)
    at = {v: ((x - left) * scale, (y - top) * scale) for v, x, y in zip(vertices, xs, ys, strict=False)}
    return at, (max(xs) - left) * scale, (max(ys) - top) * scale


def _edge(start: Point, end: Point, colour: int | None) -> str:
    (x, y), (to_x, to_y) = start, end
    line = f"M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" if start != end else f"M{x:.1f} {y:.1f}a9 9 0 1 1 .1 0"
    stroke, width = (INK, 1.6) if colour is None else (palette(colour), 6)
    return element("path", d=line, fill="none", stroke=stroke, stroke_width=width, stroke_linecap="round")


def _of(things: Mapping[Any, Any], one: Hashable, other: Hashable) -> Any:
    """Returns the value of an edge, from whichever end it is told."""
    return things.get((one, other), things.get((other, one)))


def _between(start: Point, end: Point, label: object) -> str:
    """Writes a label beside an edge, not at its middle, where edges cross."""
    if label is None:
        return ""
    (x, y), (to_x, to_y) = start, end
    away = 10 / (math.dist(start, end) or 1)
    wide, high = to_x - x, to_y - y
    place = x + NEARER * wide + away * high, y + NEARER * high - away * wide + 4
    return text(*place, short(label, 6), 11, stroke=WHITE, stroke_width=3, paint_order="stroke")


def _vertex(at: Point, colour: int | None, label: object) -> str:
    (x, y), shown = at, short(label, 6)
    radius = 11 if shown else 5 if colour is None else 10
    fill = WHITE if colour is None else palette(colour)
    disc = element("circle", cx=x, cy=y, r=radius, fill=fill, stroke=INK, stroke_width=1.6)
    high = min(13, 13 * 18 / max(extent(shown, 13), 1))
    return disc + (text(x, y + high * 0.36, shown, high, fill=readable(fill)) if shown else "")


def parents(levels: Iterable[int]) -> list[int]:
    """The parent of each node of a tree whose nodes are told by their levels, in the order of a search.

    Parameters:
        levels: how deep each node is; the root, or each root, is at level 0.

    Returns:
        The numbers of the parents, -1 for roots, as `tree` takes them.

    Raises:
        ValueError: a node is more than one level below the one before it, or above 0.

    >>> parents([0, 1, 2, 2, 1])
    [-1, 0, 1, 1, 0]
    """
    path: list[int] = []
    found = []
    for node, level in enumerate(levels):
        if not 0 <= level <= len(path):
            raise ValueError(f"node {node} is at level {level}, and the one before it at level {len(path) - 1}")
        found.append(path[level - 1] if level else -1)
        path[level:] = [node]
    return found


def tree(
    parents: Sequence[int | None],
    labels: Sequence[object] = (),
    *,
    marked: Collection[int] = (),
    title: str = "",
) -> Picture:
    """A tree, as of a search: roots at the left, children to the right of their parents, in their order.

    Parameters:
        parents: the number of the parent of each node, which comes before it; -1 or None for a root.
        labels: what is written beside each node, if anything.
        marked: the numbers of nodes that are drawn as stars, as covers are.
        title: what the picture is; without it, how many nodes and leaves there are.

    Raises:
        ValueError: there are more than 2000 nodes, a parent does not come before its child, there is not a label for
            each node, or there is no node of a number that is marked.

    >>> picture = tree([-1, 0, 0, 2], ["", "a", "b", "c"], marked=[3])
    >>> picture.caption, picture.count("<circle")
    ('a tree of 4 nodes, 2 of them leaves and 1 marked', 3)
    """
    above = [-1 if parent is None else parent for parent in parents]
    check_room("the tree", nodes=(len(above), MOST_NODES))
    if len(labels) not in (0, len(above)):
        raise ValueError(f"{len(labels)} labels for {len(above)} nodes")
    names, stars = [short(label) for label in labels] or [""] * len(above), set(marked)
    for node in marked:
        if not 0 <= node < len(above):
            raise ValueError(f"node {node} is marked, and there are {len(above)}")
    depth: list[int] = []
    children: list[list[int]] = [[] for _ in above]
    for node, parent in enumerate(above):
        if not -1 <= parent < node:
            raise ValueError(f"node {node} has the parent {parent}, which does not come before it")
        depth.append(0 if parent < 0 else depth[parent] + 1)
        if parent >= 0:
            children[parent].append(node)
    columns, rows = _columns(depth, names), _rows(above, children)
    parts = []
    for v, parent in enumerate(above):
        if parent >= 0:
            from_x = columns[depth[parent]] + 10 + extent(names[parent], 12) + 5 * bool(names[parent])
            parts.append(_branch((from_x, rows[parent]), (columns[depth[v]] - 7, rows[v])))
    for v, name in enumerate(names):
        x, y = columns[depth[v]], rows[v]
        parts.append(_star(x, y) if v in stars else element("circle", cx=x, cy=y, r=4, fill=INK))
        if name:
            parts.append(text(x + 12, y + 4, name, 12, text_anchor="start"))
    leaves = sum(not below for below in children)
    said = f"a tree of {counted(len(above), 'node')}, {leaves} of them {'a leaf' if leaves == 1 else 'leaves'}"
    said += f" and {len(stars)} marked" if stars else ""
    height = max(rows, default=0.0) + ROW
    return svg(columns[-1] + MARGIN, height + ROW / 2, moved(MARGIN, ROW * 0.75, *parts), title=title or said)


def _columns(depth: Sequence[int], names: Sequence[str]) -> list[float]:
    """Returns the beginning of each level, behind the longest label of the one before, and the end of the last."""
    wide = [0.0] * (max(depth, default=-1) + 1)
    for level, name in zip(depth, names, strict=True):
        wide[level] = max(wide[level], extent(name, 12) + 12 * bool(name))
    columns = [0.0]
    for width in wide:
        columns.append(columns[-1] + width + GAP)
    return columns


def _rows(parents: Sequence[int], children: Sequence[Sequence[int]]) -> list[float]:
    """The height of each node: leaves one below the other, and the others in the middle of their children."""
    rows = [0.0] * len(parents)
    leaf = 0
    waiting = [v for v in reversed(range(len(parents))) if parents[v] < 0]
    while waiting:
        v = waiting.pop()
        waiting += reversed(children[v])
        if not children[v]:
            rows[v], leaf = leaf * ROW, leaf + 1
    for v in reversed(range(len(parents))):
        if children[v]:
            rows[v] = (rows[children[v][0]] + rows[children[v][-1]]) / 2
    return rows


def _branch(start: Point, end: Point) -> str:
    (x, y), (to_x, to_y) = start, end
    bend = min(GAP, to_x - x) / 2
    middle = to_x - bend
    curve = f"M{x:.1f} {y:.1f}H{middle - bend:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
    return element("path", d=curve, fill="none", stroke=INK, stroke_opacity=0.6)


def _star(x: float, y: float) -> str:
    """A node that is not told from others by its colour alone."""
    points = ((8 if k % 2 == 0 else 3.4, k * math.tau / 10) for k in range(10))
    outline = "L".join(f"{x + r * math.sin(angle):.1f} {y - r * math.cos(angle):.1f}" for r, angle in points)
    return element("path", d=f"M{outline}z", fill=TINT, stroke=INK, stroke_width=1.2)


# Decision diagrams


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


def diagram_picture(diagram: Diagram, title: str = "") -> Picture:
    """Draws a diagram: the root on top, and every node below all its parents; ValueError if it has too many edges."""
    check_room("the diagram", edges=(diagram.edges, MOST_ARROWS))
    edges = _arrows(diagram)
    places = _in_layers(edges, diagram.nodes - 1)
    width = max((x for x, _ in places.values()), default=0) + RADIUS + BESIDE
    height = max((y for _, y in places.values()), default=0) + RADIUS + BESIDE
    parts = [_arrow(places[v], places[child], ", ".join(names)) for (v, child), names in edges.items()]
    for v, (x, y) in places.items():
        count = rounded(diagram.covers_below(v))
        parts.append(element("circle", cx=x, cy=y, r=RADIUS, fill=TINT, stroke=INK))
        parts[-1] += text(x, y + 4, count, 11 if len(count) < 5 else 9)
    said = f"a decision diagram of {counted(len(places), 'node')} and {counted(diagram.edges, 'edge')}"
    return svg(width, height, *parts, title=title or said)


def _arrows(diagram: Diagram) -> Arrows:
    """The names of the options on the edges between each pair of nodes."""
    names = diagram.problem.names or range(diagram.problem.n_options)
    options, children = diagram.edge_option.tolist(), diagram.edge_child.tolist()
    edges: Arrows = {}
    for v, (begin, end) in enumerate(pairwise(diagram.first_edge.tolist())):
        for o, child in zip(options[begin:end], children[begin:end], strict=True):
            edges.setdefault((v, child), []).append(short(names[o], 16) if o >= 0 else "")
    return edges


def _in_layers(edges: Arrows, root: int) -> dict[int, tuple[float, float]]:
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
            x = BESIDE + RADIUS + APART * (k + (wide - len(layer)) / 2)
            places[v] = x, BESIDE + RADIUS + DOWN * level
    return places


def _arrow(start: tuple[float, float], end: tuple[float, float], label: str) -> str:
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
