"""Colour the vertices or the edges of a graph, neighbours differently, and use every colour a fair number of times.

*Items*, for vertices: every vertex is to get one colour. Every colour is to be used often enough and not too often: a
primary item with a *multiplicity*, the least and the most. For every edge and every colour there is a secondary item,
because only one end of the edge may have that colour.

*Options*: a vertex with a colour, with the vertex, the colour, and an item (edge, colour) for each edge there.

For edges it is the other way round: every edge is to get one colour, and at a vertex each colour occurs at most once.

Multiplicities: The Art of Computer Programming 4B, section 7.2.2.1, Algorithm M. Fair colourings are called equitable:
W. Meyer, American Mathematical Monthly 80 (1973), 920-922.
"""

from __future__ import annotations

import math

from saving import save

import dlx
from dlx import show

Edge = tuple[int, int]

COLOURS = ("red", "blue", "gold", "green")
RADIUS, MIDDLE = 100, 122  # of a picture, in pixels


def petersen(n: int, step: int) -> list[Edge]:
    """The edges of a generalised Petersen graph: a ring, a star within that goes `step` on, and spokes between them.

    With 5 and 2 it is Petersen's graph, with 10 and 2 the dodecahedron.
    """
    ring = [(k, (k + 1) % n) for k in range(n)]
    star = [(n + k, n + (k + step) % n) for k in range(n)]
    return [*ring, *star, *((k, n + k) for k in range(n))]


def fair(things: int, colours: int) -> tuple[int, int]:
    """How often to use each of some colours: numbers that differ by one at most."""
    return things // colours, -(-things // colours)


def vertex_colouring(edges: list[Edge], colours: int, times: tuple[int, int]) -> dlx.Problem:
    """The problem for vertices, each colour used so many times, at least and at most; options are (vertex, colour)."""
    vertices = sorted({vertex for edge in edges for vertex in edge})
    options = {
        (v, colour): [("vertex", v), ("colour", colour), *(("edge", edge, colour) for edge in edges if v in edge)]
        for v in vertices
        for colour in COLOURS[:colours]
    }
    secondary = [("edge", edge, colour) for edge in edges for colour in COLOURS[:colours]]
    multiplicities = {("colour", colour): times for colour in COLOURS[:colours]}
    return dlx.Problem.from_options(options, secondary=secondary, multiplicities=multiplicities)


def edge_colouring(edges: list[Edge], colours: int, times: tuple[int, int]) -> dlx.Problem:
    """The problem for edges, each colour used so many times, at least and at most; options are (edge, colour)."""
    options = {
        (edge, colour): [("edge", edge), ("colour", colour), *(("vertex", v, colour) for v in edge)]
        for edge in edges
        for colour in COLOURS[:colours]
    }
    secondary = [("vertex", v, colour) for v in sorted({v for e in edges for v in e}) for colour in COLOURS[:colours]]
    multiplicities = {("colour", colour): times for colour in COLOURS[:colours]}
    return dlx.Problem.from_options(options, secondary=secondary, multiplicities=multiplicities)


PETERSEN, DODECAHEDRON = petersen(5, 2), petersen(10, 2)


def drawn(title: str, edges: list[Edge], problem: dlx.Problem) -> show.Picture:
    """A graph in its colours, whichever things have them."""
    colours = {thing: COLOURS.index(name) for thing, name in problem.labels(dlx.first(problem).cover or ())}
    n = len(edges) // 3
    places = {v: point(v, n) for v in range(2 * n)}
    lines = [line(places[v], places[w], colours.get((v, w))) for v, w in edges]
    discs = [disc(place, colours.get(v)) for v, place in places.items()]
    return show.svg(2 * MIDDLE, 2 * MIDDLE, show.moved(MIDDLE, MIDDLE, *lines, *discs), title=title)


def line(start: tuple[float, float], end: tuple[float, float], colour: int | None) -> str:
    """An edge, wide if it has a colour, whose number is beside it."""
    ink, width = (show.INK, 1.6) if colour is None else (show.PALETTE[colour], 6)
    (x, y), (to_x, to_y) = start, end
    path = show.element("path", d=f"M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}", stroke=ink, stroke_width=width)
    if colour is None:
        return path
    place = 0.65 * x + 0.35 * to_x, 0.65 * y + 0.35 * to_y + 4
    return path + show.text(*place, str(colour + 1), 11, stroke="white", stroke_width=3, paint_order="stroke")


def disc(place: tuple[float, float], colour: int | None) -> str:
    """A vertex, with the number of its colour."""
    x, y = place
    fill, radius = ("white", 5) if colour is None else (show.PALETTE[colour], 11)
    shape = show.element("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=radius, fill=fill, stroke=show.INK)
    return shape if colour is None else shape + show.text(x, y + 4.7, str(colour + 1), 13)


def point(vertex: int, n: int) -> tuple[float, float]:
    """Where a vertex is: the first n on the ring, the others within."""
    angle, radius = vertex % n * math.tau / n, 1 if vertex < n else 0.5 if n == 5 else 0.6
    return RADIUS * radius * math.sin(angle), -RADIUS * radius * math.cos(angle)


def picture() -> show.Picture:
    """Petersen's graph and the dodecahedron, vertices and edges coloured."""
    graphs = {
        "10 vertices: 4 + 3 + 3": (PETERSEN, vertex_colouring(PETERSEN, 3, fair(10, 3))),
        "15 edges: 4 + 4 + 4 + 3": (PETERSEN, edge_colouring(PETERSEN, 4, fair(15, 4))),
        "20 vertices: 7 + 7 + 6": (DODECAHEDRON, vertex_colouring(DODECAHEDRON, 3, fair(20, 3))),
        "30 edges: 10 + 10 + 10": (DODECAHEDRON, edge_colouring(DODECAHEDRON, 3, fair(30, 3))),
    }
    title = "Petersen's graph and the dodecahedron, vertices and edges coloured"
    pictures = [drawn(name, *graph) for name, graph in graphs.items()]
    return show.panels(pictures, titles=list(graphs), title=title)


def main() -> None:
    """Counts colourings of two graphs, fair ones and all."""
    for name, edges, n in (("Petersen's graph", PETERSEN, 10), ("dodecahedron", DODECAHEDRON, 20)):
        few, every = fair(n, 3), (0, n)
        print(f"{name}: {dlx.count(vertex_colouring(edges, 3, every)).covers} colourings with three colours,", end=" ")
        print(f"{dlx.count(vertex_colouring(edges, 3, few)).covers} of them fair")
        for colours in (3, 4) if n == 10 else (3,):
            number = dlx.count(edge_colouring(edges, colours, fair(len(edges), colours))).covers
            print(f"{name}: {number} fair colourings of the edges with {colours} colours")
    save(picture())


if __name__ == "__main__":
    main()
