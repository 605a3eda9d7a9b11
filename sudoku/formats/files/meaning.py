"""What rules mean, whatever they are called, and in whatever order: layouts from files are compared by that.

Rules are the same where they rule out the same pairs of candidates, and have the same other sums and lines.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import lru_cache

from sudoku.constraints import Candidate, Clash, Line, Region, Sum, clashes_of
from sudoku.layout import Layout, Rule
from sudoku.rules import KINDS, Pairs

Part = Region | Clash | Line | Sum
Ruled = dict[Candidate, int]  # for each candidate the bits of those that it rules out


def same_rules(layout: Layout, other: Layout) -> bool:
    """Tells whether two layouts mean the same."""
    if layout == other:
        return True
    shapes = (layout.size, layout.shape) == (other.size, other.shape)
    return shapes and not any(lost(layout, other)) and not any(lost(other, layout))


def lost(layout: Layout, other: Layout) -> Iterator[str]:
    """Names the rules of a layout that another one has not."""
    if layout == other:
        return
    ruled, meant = ruled_out(other), meanings(other, other.lines, other.sums)
    rules: dict[Rule, list[Part]] = {}
    for part in parts(layout):
        rules.setdefault(part[:2], []).append(part)
    for (kind, name), some in rules.items():
        lines, sums = [one for one in some if isinstance(one, Line)], [one for one in some if isinstance(one, Sum)]
        news = rules_out(layout, some)
        if any(bits & ~ruled.get(one, 0) for one, bits in news.items()) or meanings(layout, lines, sums) - meant:
            yield f"{kind} {name}"


def parts(layout: Layout) -> list[Part]:
    return [*layout.regions, *layout.clashes, *layout.lines, *layout.sums]


@lru_cache(8)
def ruled_out(layout: Layout) -> Ruled:
    """For each candidate of a layout those of other cells that it rules out, as bits: by regions, clashes and lines."""
    found = dict.fromkeys(((r, c, d) for r, c in layout.cells() for d in range(1, layout.size + 1)), 0)
    return found | rules_out(layout, parts(layout))


def rules_out(layout: Layout, rules: Iterable[Part]) -> Ruled:
    """The same of some rules, for the candidates that rule out any."""
    n, width = layout.size, layout.shape[1]
    found: Ruled = {}
    own = (1 << n) - 1
    for rule in rules:
        for candidates in _sets(rule, n):
            bits = sum(1 << (r * width + c) * n + d - 1 for r, c, d in candidates)
            for r, c, d in candidates:
                found[r, c, d] = (found.get((r, c, d), 0) | bits) & ~(own << (r * width + c) * n)
    return found


def _sets(rule: Part, n: int) -> Iterator[Iterable[Candidate]]:
    """Yields candidates of which at most one may hold by a rule."""
    if isinstance(rule, Region):
        yield from ([(*cell, d) for cell in rule.cells] for d in range(1, n + 1))
    elif isinstance(rule, Clash):
        yield rule.candidates
    elif isinstance(rule, Line):
        yield from (clash.candidates for clash in clashes_of(rule, n))


def meanings(layout: Layout, lines: Iterable[Line], sums: Iterable[Sum]) -> set[Hashable]:
    """What sums say, and the lines that pairs cannot say, but for their names and orders."""
    found: set[Hashable] = set()
    for line in lines:
        if line.kind in ("odd", "even"):
            found.update((line.kind, cell) for cell in line.cells)
        elif line.kind == "between":
            found.add((line.kind, frozenset(line.cells[:: len(line.cells) - 1]), frozenset(line.cells)))
        elif line.kind == "region-sum":
            found.add((line.kind, frozenset(map(frozenset, layout.parts(line)))))
        elif line.kind in KINDS and not isinstance(KINDS[line.kind].asks, Pairs):
            found.add((line.kind, frozenset(line.cells)))
    for one in sums:
        found.add((one.kind, one.total, one.cells if KINDS[one.kind].is_one_way else frozenset(one.cells)))
    return found
