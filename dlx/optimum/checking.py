"""The checker of certificates: nodes of a proof, with slacks and bounds in whole numbers of any size.

The checker shares no code with the search. A node has the chosen options, the live options, and prices of all items.
The checker itself drops options that clash or have too much slack, so a certificate has only prices and branchings.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from typing import NamedTuple

from dlx.optimum.cuts import Cut
from dlx.problem.problem import Problem


class CertificateError(ValueError):
    """Raised if a certificate is damaged or does not prove its claim; the message names the first fault."""


class ProofNode(NamedTuple):
    """An open node of the proof."""

    chosen: tuple[int, ...]
    live: list[int]
    prices: list[int]  # of each item, in units


class Model:
    """The problem with the items added so far.

    Attributes:
        options: the items of each option, with a colour or 0.
        copies: the number of options that each option stands for. With multiplicities and without colours, options with
            the same items and weights are one option, which may be chosen several times.
        ranges: the least and the greatest number of times that each item is covered.
        coloured: the items with a colour in some option; several options may share such an item.
        usable: the options with a primary item.
    """

    def __init__(self, problem: Problem, weights: list[int]) -> None:
        rows, self.weights = problem.rows(), weights
        colours = [0] * len(rows.indices) if rows.colours is None else rows.colours.tolist()
        entries = list(zip(rows.indices.tolist(), colours, strict=True))
        options = {o: dict(entries[a:b]) for o, (a, b) in enumerate(pairwise(rows.indptr.tolist()))}
        given = weights if problem.weights is None else problem.weights.tolist()
        distinct = rows.multiplicities is None or rows.colours is not None
        keys = {o: o if distinct else (frozenset(options[o].items()), given[o]) for o in options}
        firsts: dict[object, int] = {}
        self.copies: Counter[int] = Counter(firsts.setdefault(key, o) for o, key in keys.items())
        self.options = {o: options[o] for o in self.copies}
        self.usable = [o for o in self.options if min(options[o], default=rows.n_items) < rows.n_primary]
        times = [(1, 1)] * rows.n_primary if rows.multiplicities is None else rows.multiplicities.tolist()
        size = Counter(rows.indices.tolist())
        self.ranges = {i: (least, min(most, size[i])) for i, (least, most) in enumerate(times)}
        self.ranges |= dict.fromkeys(range(rows.n_primary, rows.n_items), (0, 1))
        self.coloured = {item for item, colour in entries if colour}

    def add(self, cut: Cut) -> None:
        """Adds a secondary item for a cut."""
        for o in cut.options:
            self.options[o][len(self.ranges)] = 0
        self.ranges[len(self.ranges)] = cut.least, cut.most

    def priced(self, prices: list[int], where: str) -> list[int]:
        """Returns the prices; raises CertificateError unless there is one for each item."""
        if len(prices) != len(self.ranges):
            raise CertificateError(f"{where} has {len(prices)} prices for {len(self.ranges)} items")
        return prices

    def limit(self, o: int) -> int:
        """Returns the maximum number of times that an option may be chosen."""
        rooms = [self.ranges[i][1] for i, colour in self.options[o].items() if colour == 0]
        return min(self.copies[o], *rooms) if rooms else self.copies[o]

    def implies(self, cut: Cut) -> bool:
        """Returns whether all covers satisfy a cut: a clique, a bound on one option, or a rounded sum of bounds."""
        if not {*cut.options, *cut.bounded} <= self.options.keys() or not {*cut.items} <= self.ranges.keys():
            return False
        if cut.items:
            return len({*cut.items}) == len(cut.items) and self._is_rounded(cut)
        limits = [self.limit(o) for o in cut.options]
        if cut.least > 0 or cut.most < max(limits, default=0):
            return False
        return all(self._clash(a, b) for a, b in combinations(cut.options, 2))

    def _clash(self, one: int, other: int) -> bool:
        """Returns whether two options clash, on an item that is covered once or on two colours."""
        a, b = self.options[one], self.options[other]
        return any(self.ranges[i][1] == 1 and not (a[i] == b[i] != 0) for i in a.keys() & b.keys())

    def _is_rounded(self, cut: Cut) -> bool:
        """Returns whether a cut is a sum of bounds, divided and rounded (V. Chvátal, doi:10.1016/0012-365X(73)90167-2).

        Let times[o] be the sum of the multipliers of the items of option o. The items give
        low <= sum(times[o] * x[o]) <= high, and each bounded option gives x[o] <= 1.
        """
        times = cut.times or (1,) * len(cut.items)
        bounded = {*cut.bounded}
        if cut.by <= 0 or len(times) != len(cut.items) or any(self.limit(o) > 1 for o in bounded):
            return False
        factor = {i: n for i, n in zip(cut.items, times, strict=True) if i not in self.coloured}
        low = sum(n * self.ranges[i][0 if n > 0 else 1] for i, n in factor.items())
        high = sum(n * self.ranges[i][1 if n > 0 else 0] for i, n in factor.items())
        total = {o: sum(factor.get(i, 0) for i in items) for o, items in self.options.items()}
        has = dict.fromkeys(self.options, 0) | dict.fromkeys(cut.options, cut.by)
        if cut.least == 0:  # by * sum(x of the cut) <= sum((times + bounded) * x) <= high + the number of bounded
            enough = all(total[o] + (o in bounded) >= has[o] for o in self.options)
            return enough and cut.by * (cut.most + 1) > high + len(bounded)
        # by * sum(x of the cut) >= sum((times - bounded) * x) >= low - the number of bounded
        few = all(total[o] - (o in bounded) <= has[o] for o in self.options)
        some = {*cut.options}
        is_high = cut.most >= high and all(total[o] >= (o in some) for o in self.options)
        is_idle = is_high or cut.most >= sum(self.limit(o) for o in cut.options)
        return few and is_idle and cut.by * (cut.least - 1) < low - len(bounded)


class ProofState:
    """A node of the proof, with the consequences of its prices.

    Attributes:
        need, room: the least and the greatest number of times that each item is still to be covered.
        price: the price of each item; not below 0 for an item that need not be covered, and 0 for a coloured item.
        live: the options that do not clash and do not have too much slack.
        choices: the number of times that each live option may still be chosen.
        most: the number of times that the live options can still cover each item.
        gain: the weight of the chosen options.
        bound: no cover below this node exceeds gain + sum(price * most, or price * need if the price is negative).
    """

    def __init__(self, model: Model, node: ProofNode, target: int) -> None:
        self.model, self.node, self.target = model, node, target
        options = model.options
        self.gain = sum(model.weights[o] for o in node.chosen)
        colours: dict[int, list[int]] = {i: [] for i in model.ranges}
        for o in node.chosen:
            for i, colour in options[o].items():
                colours[i].append(colour)
        self.need = {i: least - len(colours[i]) for i, (least, _) in model.ranges.items()}
        self.room = {i: most - len(colours[i]) for i, (_, most) in model.ranges.items()}
        self.price = {
            i: 0 if i in model.coloured else max(price, 0) if self.need[i] <= 0 else price
            for i, price in enumerate(node.prices)
        }

        def fits(o: int) -> bool:
            items = options[o].items()
            return all(self.room[i] > 0 if colour == 0 else {colour} >= {*colours[i]} for i, colour in items)

        live = [o for o in node.live if fits(o)]
        self.slack = {o: sum(self.price[i] for i in options[o]) - model.weights[o] for o in live}
        self.choices = {o: min(self.room[i] for i, colour in options[o].items() if colour == 0) for o in live}
        self._drop(live)

    def _drop(self, live: list[int]) -> None:
        """Drops options with too much slack until the bound no longer falls; an item with fewer options costs less."""
        while True:
            size = Counter(i for o in live for i in self.model.options[o] for _ in range(self.choices[o]))
            self.most = {i: min(room, size[i]) for i, room in self.room.items()}
            costs = (price * (self.most[i] if price > 0 else self.need[i]) for i, price in self.price.items())
            self.bound = self.gain + sum(costs)
            kept = [o for o in live if self.slack[o] <= self.bound - self.target]
            if len(kept) == len(live):
                self.live = live
                return
            live = kept

    def children(self, kind: str, numbers: list[int], where: str) -> list[ProofNode]:
        """Returns the nodes below this one after a step, in order; raises CertificateError if a branch is missing."""
        if min(self.slack.values(), default=0) < 0:
            o = min(self.slack, key=self.slack.__getitem__)
            raise CertificateError(f"{where}: option {o} has a negative slack")
        if kind == "prices":
            return [self.node._replace(live=self.live, prices=self.model.priced(numbers, where))]
        if kind == "item":
            return self._by_item(numbers[0], numbers[1:], where)
        if kind == "option":
            option, first = numbers
            nodes = [self._choose(option), self.node._replace(live=[o for o in self.live if o != option])]
            return nodes if first else nodes[::-1]
        if kind == "pair":
            i, j, first = numbers
            nodes = self._by_pair(i, j, where)
            return nodes if first else nodes[::-1]
        if not (self.bound < self.target or (not self.live and self.gain < self.target)):
            raise CertificateError(f"{where}: the bound {self.bound} does not exclude the target {self.target}")
        return []

    def _by_item(self, item: int, tried: list[int], where: str) -> list[ProofNode]:
        """Returns a node for each option tried; checks that the item cannot be covered without these options."""
        others = sum(self.choices[o] for o in self.live if item in self.model.options[o] and o not in tried)
        unpaid = max(self.price[item], 0) * (self.most[item] - others)
        if others >= self.need[item] and unpaid <= self.bound - self.target:
            raise CertificateError(f"{where}: item {item} can be covered by other options than those tried")
        return [self._choose(o) for o in tried]

    def _by_pair(self, i: int, j: int, where: str) -> list[ProofNode]:
        """Returns the node where one option covers both items, and the one where none does."""
        if not (self.room[i] == self.room[j] == 1) or {i, j} & self.model.coloured:
            raise CertificateError(f"{where}: items {i} and {j} are not both covered once")
        items = self.model.options
        together = [o for o in self.live if (i in items[o]) == (j in items[o])]
        apart = [o for o in self.live if not {i, j} <= items[o].keys()]
        return [self.node._replace(live=together), self.node._replace(live=apart)]

    def _choose(self, o: int) -> ProofNode:
        if o not in self.model.options:
            raise KeyError(o)
        return self.node._replace(chosen=(*self.node.chosen, o), live=self.live)
