"""A round-robin timetable: n teams, n even, play n - 1 rounds; every two of them meet once.

*Items*: every pair of teams is to meet once; every team is to play once in each round.

*Options*: a match, two teams in a round, which has three items: the pair, and each of the two in that round.

The rounds may be held in any order, so let the first team meet the others in their order: that leaves one timetable of
each (n - 1)!. Such timetables are the 1-factorisations of the complete graph; L. E. Dickson and F. H. Safford counted
6240 for eight teams (American Mathematical Monthly 13 (1906), 150-151; OEIS A000438).

A wish of the league is easy to add: a match that cannot be played is no option.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from itertools import combinations

from saving import save

import dlx
from dlx.show import INK, PALETTE, element, moved, svg, text

Match = tuple[int, str, str]

TEAMS = ["Ants", "Bees", "Cats", "Dogs", "Elks", "Foxes", "Goats", "Hens"]

# When some matches are to be played.
WISHES = {("Bees", "Cats"): (6, 7), ("Dogs", "Elks"): (1, 2, 3), ("Foxes", "Goats"): (4,)}


def timetable(teams: list[str], wishes: Mapping[tuple[str, str], Collection[int]] | None = None) -> dlx.Problem:
    """The problem for an even number of teams; its options are named (round, team, team).

    Parameters:
        teams: their names.
        wishes: for two teams, in their order, the rounds in which they may meet, if not in any.
    """
    first, every = teams[0], range(1, len(teams))
    return dlx.Problem.from_options(
        {
            (number, one, other): [(one, other), (one, number), (other, number)]
            for one, other in combinations(teams, 2)
            for number in (wishes or {}).get((one, other), every)
            if one != first or other == teams[number]
        }
    )


def rounds(problem: dlx.Problem) -> list[list[Match]]:
    """The matches of one timetable, round by round."""
    matches = sorted(problem.labels(dlx.first(problem).cover or ()))
    return [[match for match in matches if match[0] == k] for k in sorted({match[0] for match in matches})]


def picture(radius: float = 78) -> str:
    """The rounds of a timetable, each a set of lines between teams on a circle, and all of them together."""
    matches = [match for each in rounds(timetable(TEAMS, WISHES)) for match in each]
    panels = []
    for k in range(8):
        shown = [match for match in matches if match[0] == k + 1 or k == 7]
        lines = [chord(one, other, radius, PALETTE[number - 1], 3 if k == 7 else 5) for number, one, other in shown]
        title = text(0, -radius - 24, f"round {k + 1}" if k < 7 else "all rounds", 15)
        panels.append(moved(124 + k % 4 * 220, 136 + k // 4 * 236, title, *lines, *circle(radius)))
    return svg(908, 492, *panels, title="seven rounds of eight teams, and all their matches together")


def place(team: str, radius: float) -> tuple[float, float]:
    """Where a team sits on the circle."""
    angle = (TEAMS.index(team) + 0.5) * math.tau / len(TEAMS)
    return radius * math.sin(angle), -radius * math.cos(angle)


def chord(one: str, other: str, radius: float, colour: str, width: float) -> str:
    """A match."""
    (x1, y1), (x2, y2) = place(one, radius), place(other, radius)
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=width, stroke_linecap="round")


def circle(radius: float) -> list[str]:
    """The teams."""
    parts = []
    for team in TEAMS:
        x, y = place(team, radius)
        parts.append(element("circle", cx=x, cy=y, r=13, fill="white", stroke=INK, stroke_width=1.5))
        parts.append(text(x, y + 5, team[0], 14, font_weight="bold"))
    return parts


def main() -> None:
    """Counts timetables, and prints one for a league with wishes."""
    for n in (2, 4, 6, 8):
        print(f"{n} teams: {dlx.count(timetable(TEAMS[:n])).covers:4} timetables, but for the order of rounds")
    wished = timetable(TEAMS, WISHES)
    print(f"8 teams with {len(WISHES)} wishes: {dlx.count(wished).covers} timetables; the first one:")
    for matches in rounds(wished):
        print(f"round {matches[0][0]}:", ", ".join(f"{one}-{other}" for _, one, other in matches))
    save(picture())


if __name__ == "__main__":
    main()
