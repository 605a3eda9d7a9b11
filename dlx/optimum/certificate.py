"""Certificates: proofs that no cover is better than the best one, for readers who trust neither kernels nor compilers.

After the best cover is proven, a second search with all options and the known target records its steps
(`dlx.kernels.price.node.ProofLog`). A checker that shares no code with the search follows the steps
(`dlx.optimum.checking`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from dlx.optimum.checking import CertificateError, Model, ProofNode, ProofState
from dlx.optimum.cuts import Cut
from dlx.problem.checks import is_whole
from dlx.problem.cover import Sign, sign_of
from dlx.problem.problem import Problem
from dlx.problem.words import counted

# The kinds of steps in the numbering of the kernels, and the length of a step in numbers; None if it varies
KINDS: dict[str, int | None] = {"prices": None, "item": None, "option": 2, "pair": 3, "end": 0}
MOST_BITS = 1 << 12  # the largest exponent of a unit: weights are between 2**-1074 and 2**1024

Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Certificate:
    """A proof that no cover of a problem reaches a score.

    Scores are in units: weights times `sign` times 2**`bits`, to be maximised. Options and items are numbered as in
    `problem.rows()`; the added items follow.

    Attributes:
        sign: 1 if the largest score is the best, -1 if it is the smallest.
        bits: the exponent of 2, which may be negative.
        weights: the weight of each option in units, rounded up; int64.
        target: no cover has this score, in units; None if there is no cover.
        added: secondary items (cuts) that all covers satisfy, in order; each follows from the problem and the items
            before it.
        prices: the initial prices of all items, in units; int64.
        record: the steps as numbers, which `steps` decodes; int64.
    """

    sign: Sign
    bits: int
    weights: Whole
    target: int | None
    added: tuple[Cut, ...]
    prices: Whole
    record: Whole

    def __post_init__(self) -> None:
        """Raises CertificateError if a field has a wrong type."""
        whole = {"sign": self.sign, "bits": self.bits, "target": 0 if self.target is None else self.target}
        for name, value in whole.items():
            if not is_whole(value):
                raise CertificateError(f"{name} is {value!r}; it must be a whole number")
        for number, cut in enumerate(self.added):
            lists = cut.options, cut.items, cut.bounded, cut.times, (cut.least, cut.most, cut.by)
            if not all(type(some) is tuple and all(map(is_whole, some)) for some in lists):
                raise CertificateError(
                    f"added item {number} is {cut!r:.80}; its fields must be whole numbers and lists of them"
                )
        for name in ("weights", "prices", "record"):
            if getattr(self, name).ndim != 1:
                raise CertificateError(f"{name} is no list of numbers")

    def steps(self) -> Iterator[tuple[str, list[int]]]:
        """Yields the steps of the search tree; a step comes before the steps below it.

        Yields:
            Each step with its numbers; it applies to the first open node.
            "prices": these prices of all items replace the prices of the node.
            "item" i, o, p, ...: the node is divided into a node with o chosen, a node with p chosen, and so on.
            "option" o, side: the node is divided into the node with o chosen, and the node without o.
            "pair" i, j, side: it is divided into the node where one option covers both i and j, and the other node.
            "end": no cover below the node reaches the target.
            If `side` is 0, the second of the two nodes comes first.

        Raises:
            CertificateError: the record is damaged; the message names the place.
        """
        kinds, at = dict(enumerate(KINDS.items())), 0
        while at < len(self.record):
            kind, size = (*self.record[at : at + 2].tolist(), -1)[:2]
            name, expected = kinds.get(kind, ("", -1))
            if not (0 <= size <= len(self.record) - at - 2 and expected in (None, size)):
                raise CertificateError(f"record[{at}] begins a step of kind {kind} with {size} numbers")
            at += 2 + size
            yield name, self.record[at - size : at].tolist()

    def check(self, problem: Problem, sense: Literal["max", "min"] = "max") -> Fraction | None:
        """Checks the proof in Python's whole numbers, without kernels.

        Parameters:
            problem: the problem that the certificate is about.
            sense: whether the largest or the smallest score is the best; a certificate for the other sense is refused.

        Returns:
            A bound: no score is larger, or for "min" no score is smaller. If weights are whole, it is a multiple of
            their greatest common divisor, as scores are. None if the problem has no cover.

        Raises:
            CertificateError: the certificate is damaged, or does not prove its claim; the message names the step.
            ValueError: `sense` is neither "max" nor "min".

        >>> from dlx import Problem, best
        >>> problem = Problem.from_options(["ab", "cd", "ac", "bd"], weights=[3, 4, 5, 1])
        >>> best(problem, certificate=True).certificate.check(problem)
        Fraction(7, 1)
        """
        self._check_claim(problem, sense)
        model = Model(problem, self.weights.tolist())
        for number, cut in enumerate(self.added):
            if not model.implies(cut):
                raise CertificateError(f"added item {number} does not follow from the problem and the items before it")
            model.add(cut)
        if self.target is None:  # every cover scores at least the sum of the negative weights
            self._follow(model, sum(weight for weight in model.weights if weight < 0))
            return None
        self._follow(model, self.target)
        return _next_score(problem, (self.target - 1) / self._unit, self.sign)

    @property
    def _unit(self) -> Fraction:
        return self.sign * Fraction(2) ** self.bits

    def _check_claim(self, problem: Problem, sense: str) -> None:
        """Compares the sense and the weights with those of the problem."""
        if self.sign != sign_of(sense):
            raise CertificateError(
                f"sign is {self.sign}; a certificate for sense={sense!r} has the sign {sign_of(sense)}"
            )
        if not -MOST_BITS <= self.bits <= MOST_BITS:
            raise CertificateError(f"bits is {self.bits}; it must be from {-MOST_BITS} to {MOST_BITS}")
        if len(self.weights) != problem.n_options:
            raise CertificateError(f"there are {len(self.weights)} weights for {problem.n_options} options")
        weights = [0] * problem.n_options if problem.weights is None else problem.weights.tolist()
        unit = self._unit
        for o, (units, weight) in enumerate(zip(self.weights.tolist(), weights, strict=True)):
            if units < unit * Fraction(weight):
                raise CertificateError(f"option {o} has a weight of {units} units; it needs {unit * Fraction(weight)}")

    def _follow(self, model: Model, target: int) -> None:
        """Checks the steps of the proof, each at the first open node."""
        nodes = [ProofNode((), model.usable, model.priced(self.prices.tolist(), "the certificate"))]
        for number, (kind, numbers) in enumerate(self.steps()):
            where = f"step {number} ({kind})"
            if not nodes:
                raise CertificateError(f"{where} comes after the end of the proof")
            try:
                children = ProofState(model, nodes.pop(), target).children(kind, numbers, where)
            except (KeyError, IndexError) as error:
                raise CertificateError(f"{where}: there is no item or option {error}") from error
            nodes += reversed(children)
        if nodes:
            raise CertificateError(f"the record ends, and the number of open nodes is {len(nodes)}")

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the certificate to a file, as JSON.

        Parameters:
            path: the file, which is replaced.
        """
        import json  # imported here: it takes 3 ms, and few programs need it

        facts = {name: getattr(self, name) for name in self.__slots__}
        lists = {name: fact.tolist() if isinstance(fact, np.ndarray) else fact for name, fact in facts.items()}
        Path(path).write_text(json.dumps(lists, separators=(",", ":")), encoding="ascii")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Certificate:
        """Reads a certificate from a file that `save` has written; `check` verifies its claim.

        Raises:
            CertificateError: the file is no certificate; the message names the file and the fault.
        """
        import json

        try:
            facts: dict[str, Any] = json.loads(Path(path).read_text(encoding="ascii"))
            arrays = {name: np.array(facts[name], dtype=np.int64) for name in ("weights", "prices", "record")}
            added = tuple(
                Cut(tuple(options), least, most, tuple(items), tuple(bounded), by, tuple(times))
                for options, least, most, items, bounded, by, times in facts["added"]
            )
            return cls(**facts | arrays | {"added": added})
        except (TypeError, KeyError, ValueError, OverflowError, RecursionError) as error:
            raise CertificateError(f"{path} is no certificate: {error}") from error

    def __repr__(self) -> str:
        """Shows the claim, not the proof."""
        added, record = counted(len(self.added), "item"), counted(len(self.record), "number")
        return f"Certificate(target={self.target}, {added} added, {record})"


def _next_score(problem: Problem, bound: Fraction, sign: int) -> Fraction:
    """Returns the best possible score within a bound if weights are whole; otherwise the bound."""
    weights = [0] if problem.weights is None else problem.weights.tolist()
    if not all(isinstance(weight, int) for weight in weights):
        return bound
    step = math.gcd(*weights) or 1
    return Fraction(sign * step * math.floor(sign * bound / step))
