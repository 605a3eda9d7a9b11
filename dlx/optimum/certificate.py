"""Certificates: proofs that no cover is better than the best one, for those who trust neither kernels nor compilers.

After a proof one more search is made, from a root where every option lives. It knows its target from the start, and
writes down its steps (`dlx.kernels.price.node`). A checker follows these, and knows nothing of the search:
docs/pricing.md has one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.optimum.cuts import Cut
from dlx.optimum.units import Sign
from dlx.problem.words import counted

KINDS = ("prices", "item", "option", "pair", "end")  # of steps, as kernels number them

Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Certificate:
    """A proof that no cover of a problem reaches a score.

    Scores are in units: weights times `sign` times 2**`bits`, to be maximised. Options and items have the numbers that
    they have in `problem.rows()`; behind these items come those that have been added.

    Attributes:
        sign: 1 if the largest score is the best, -1 if it is the smallest.
        bits: the power of 2, which may be negative.
        weights: the weight of each option in units, rounded up; int64.
        target: the units that no cover has; None if there is no cover.
        added: secondary items that all covers keep to, in order: each follows from the problem and those before it.
        prices: the prices of all items to begin with, in units; int64.
        record: the steps, as `steps` takes them apart; int64.
    """

    sign: Sign
    bits: int
    weights: Whole
    target: int | None
    added: tuple[Cut, ...]
    prices: Whole
    record: Whole

    def steps(self) -> Iterator[tuple[str, list[int]]]:
        """The steps of the search, those of a tree, each before the ones below it.

        Yields:
            The steps, each at the first open node, with their numbers:
            "prices": these prices of all items replace the ones that the node had.
            "item" i, o, p, ...: below it, one after the other, are the nodes where o is chosen, where p is, and so on.
            "option" o, side: below it are the nodes where o is chosen, and where it is not.
            "pair" i, j, side: those where one option covers both i and j, and where none does.
            "end": no cover here reaches the target.
            Where `side` is 0, the second of two nodes comes first.
        """
        at = 0
        while at < len(self.record):
            kind, size = self.record[at : at + 2].tolist()
            at += 2 + size
            yield KINDS[kind], self.record[at - size : at].tolist()

    def save(self, path: str | PathLike[str]) -> None:
        """Writes it to a file, as JSON.

        Parameters:
            path: the file, which is replaced.
        """
        import json  # 3 ms, which most programs need not spend

        facts = {name: getattr(self, name) for name in self.__slots__}
        lists = {name: fact.tolist() if isinstance(fact, np.ndarray) else fact for name, fact in facts.items()}
        Path(path).write_text(json.dumps(lists, separators=(",", ":")), encoding="ascii")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Certificate:
        """Reads one from a file that `save` has written; whether it proves anything is for a checker to say.

        Raises:
            ValueError: the file is no such file.
        """
        import json

        try:
            facts: dict[str, Any] = json.loads(Path(path).read_text(encoding="ascii"))
            arrays = {name: np.array(facts[name], dtype=np.int64) for name in ("weights", "prices", "record")}
            added = tuple(Cut.of(told) for told in facts["added"])
            return cls(**facts | arrays | {"added": added})
        except (TypeError, KeyError, ValueError, OverflowError) as error:
            raise ValueError(f"{path} is no certificate") from error

    def __repr__(self) -> str:
        """Names the claim, not the proof."""
        added, record = counted(len(self.added), "item"), counted(len(self.record), "number")
        return f"Certificate(target={self.target}, {added} added, {record})"
