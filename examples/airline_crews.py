"""Crews for a day of flights: every flight needs one crew, a crew ends where it began, and it is to cost little.

*Items*: the flights.

*Options*: a *pairing*, what one crew can do in a day: flights one after another, each from where the last one landed,
at least half an hour and at most four hours later, the first from the crew's base and the last back to it, and no more
than eleven hours from the first departure to the last landing.

*Weights*: what a pairing costs, the hours from first departure to last landing, but never less than six. `dlx.best`
finds the cover of the smallest sum and proves it. Real airlines solve problems like it with millions of pairings.

Set partitioning for crews: E. Balas and M. W. Padberg, SIAM Review 18 (1976), 710-760, doi:10.1137/1018115.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from saving import save

import dlx
from dlx.show import FAINT, PALETTE, PAPER, element, svg, text


class Flight(NamedTuple):
    """A flight; its times are minutes from midnight."""

    origin: str
    departs: int
    goal: str
    lands: int


TIMETABLE = """
101 Basel  06:00 Lyon   07:00    102 Lyon   07:40 Basel  08:40
103 Basel  06:30 Genoa  07:45    104 Genoa  08:30 Basel  09:45
105 Lyon   06:15 Genoa  07:30    106 Genoa  09:00 Lyon   10:15
107 Basel  09:30 Ulm    10:20    108 Ulm    11:00 Basel  11:50
109 Basel  10:30 Lyon   11:30    110 Lyon   12:10 Basel  13:10
111 Lyon   11:00 Ulm    12:20    112 Ulm    13:00 Lyon   14:20
113 Basel  12:30 Genoa  13:45    114 Genoa  14:30 Basel  15:45
115 Genoa  11:00 Ulm    12:20    116 Ulm    13:10 Genoa  14:30
117 Basel  14:00 Ulm    14:50    118 Ulm    15:30 Basel  16:20
119 Lyon   15:00 Genoa  16:15    120 Genoa  17:00 Lyon   18:15
121 Basel  16:30 Lyon   17:30    122 Lyon   18:10 Basel  19:10
123 Basel  17:00 Genoa  18:15    124 Genoa  19:00 Basel  20:15
125 Lyon   13:00 Genoa  14:15    126 Genoa  15:30 Lyon   16:45
127 Basel  08:30 Genoa  09:45    128 Genoa  17:30 Basel  18:45
"""

BASES = ("Basel", "Lyon")


def read(timetable: str) -> dict[int, Flight]:
    """The flights of a timetable by their numbers."""
    words = timetable.split()
    rows = [words[k : k + 5] for k in range(0, len(words), 5)]
    return {int(name): Flight(origin, minutes(out), goal, minutes(back)) for name, origin, out, goal, back in rows}


def minutes(clock: str) -> int:
    """The minutes from midnight to a time such as 06:30."""
    return int(clock[:2]) * 60 + int(clock[3:])


def pairings(flights: Mapping[int, Flight], begun: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Everything that one crew can do in a day, or that a crew can make of what it has begun."""
    if begun and flights[begun[-1]].goal == flights[begun[0]].origin:
        yield begun
    for number, flight in flights.items():
        if begun:
            first, last = flights[begun[0]], flights[begun[-1]]
            rest = flight.departs - last.lands
            fits = flight.origin == last.goal and 30 <= rest <= 240 and flight.lands - first.departs <= 11 * 60
        else:
            fits = flight.origin in BASES
        if fits:
            yield from pairings(flights, (*begun, number))


def cost(flights: Mapping[int, Flight], pairing: tuple[int, ...]) -> int:
    """What a pairing costs, in minutes paid."""
    return max(6 * 60, flights[pairing[-1]].lands - flights[pairing[0]].departs)


def crews(flights: Mapping[int, Flight]) -> dlx.Problem:
    """The problem for some flights; its options are named by the flights of their pairings."""
    options = {pairing: pairing for pairing in pairings(flights)}
    return dlx.Problem.from_options(options, items=flights, weights=[cost(flights, pairing) for pairing in options])


AIRPORTS = ("Ulm", "Basel", "Lyon", "Genoa")
SCALE = 0.94  # of a minute
START = 5 * 60 + 30


def clock(time: int) -> str:
    """A number of minutes as hours and minutes."""
    return f"{time // 60}:{time % 60:02}"


def at(airport: str, time: int, lane: int) -> tuple[float, float]:
    """Where a time at an airport is in the picture; each crew keeps a lane to itself."""
    return 80 + (time - START) * SCALE, 70 + 92 * AIRPORTS.index(airport) + 5.5 * (lane - 3)


def path(flights: Mapping[int, Flight], pairing: tuple[int, ...], lane: int) -> str:
    """The day of a crew: its flights as thick lines, its rests as thin ones."""
    stops = [(at(f.origin, f.departs, lane), at(f.goal, f.lands, lane)) for f in (flights[k] for k in pairing)]
    style = {"fill": "none", "stroke": PALETTE[lane], "stroke_linecap": "round"}
    air = "".join(f"M{x1:g} {y1:g}L{x2:g} {y2:g}" for (x1, y1), (x2, y2) in stops)
    ground = "".join(f"M{x1:g} {y1:g}L{x2:g} {y2:g}" for (_, (x1, y1)), ((x2, y2), _) in pairwise(stops))
    ends = [element("circle", cx=x, cy=y, r=4.5, fill=PALETTE[lane]) for x, y in (stops[0][0], stops[-1][1])]
    rests = [element("path", d=ground, stroke_width=2, stroke_dasharray="1 4", **style)] if ground else []
    return "".join([*rests, element("path", d=air, stroke_width=4.5, **style), *ends])


def picture() -> str:
    """The best day: time runs to the right, each crew is a line between the airports."""
    flights = read(TIMETABLE)
    days = sorted(dlx.best(crews(flights), "min").covers[0].labels)
    lanes = [element("rect", x=80, y=48 + 92 * k, width=870, height=44, rx=8, fill=PAPER) for k in range(4)]
    names = [text(66, 75 + 92 * k, name, 15, text_anchor="end") for k, name in enumerate(AIRPORTS)]
    hours = [text(at("Ulm", h * 60, 0)[0], 30, f"{h}:00", 12, fill=FAINT) for h in range(6, 21, 2)]
    paths = [path(flights, pairing, lane) for lane, pairing in enumerate(days)]
    return svg(
        970,
        490,
        *lanes,
        *names,
        *hours,
        *paths,
        *legend(flights, days),
        title="a day of flights between four airports, a line for each crew",
    )


def legend(flights: Mapping[int, Flight], days: list[tuple[int, ...]]) -> list[str]:
    """What each crew flies, and for how long it is paid."""
    parts = []
    for lane, pairing in enumerate(days):
        x, y = 90 + lane % 3 * 295, 424 + lane // 3 * 24
        parts.append(element("circle", cx=x, cy=y - 4.5, r=5.5, fill=PALETTE[lane]))
        line = f"{' '.join(map(str, pairing))} · {clock(cost(flights, pairing))}"
        parts.append(text(x + 14, y, line, 13, text_anchor="start"))
    return parts


def main() -> None:
    """Finds the cheapest day and the dearest."""
    flights = read(TIMETABLE)
    problem = crews(flights)
    cheapest, dearest = dlx.best(problem, "min"), dlx.best(problem, "max")
    print(f"{len(flights)} flights, {problem.n_options} pairings, {dlx.count(problem).covers} ways to staff the day")
    print(f"hours paid: at least {clock(int(cheapest.score or 0))}, at most {clock(int(dearest.score or 0))}")
    for pairing in sorted(cheapest.covers[0].labels):
        print(f"{clock(cost(flights, pairing)):>5} h:", *pairing)
    save(picture())


if __name__ == "__main__":
    main()
