"""The kinds of covers that a search has met: a cover of each, and how often."""

from __future__ import annotations

from abc import ABC, abstractmethod

SOON = 0.1  # seconds that a search goes on alone before workers help: they take 0.03 s
OBJECTS = 600  # bytes for what a kind or a partial cover has beside its form and its options


class Kinds(ABC):
    """Kinds of covers, and how often each has been met."""

    def __init__(self, memory: int) -> None:
        self.kinds: dict[bytes, tuple[tuple[int, ...], int]] = {}  # by form: a cover, and how many there are
        self._met: dict[bytes, int] = {}
        self._memory = memory
        self._own = self.bytes = 0  # that the kinds, and with partial covers all of it, take, nearly

    @abstractmethod
    def fraction(self) -> float: ...

    @property
    def covers(self) -> int:
        """The number of kinds."""
        return len(self.kinds)

    def meet(self, form: bytes, times: int) -> bool:
        """Notes that so many covers have a form; whether it is new."""
        self._met[form] = self._met.get(form, 0) + times
        return form not in self.kinds

    def keep(self, form: bytes, cover: tuple[int, ...], size: int) -> None:
        """Notes a new kind; raises MemoryError if the kinds alone take more than there is."""
        self.kinds[form] = cover, size
        self.bytes += (takes := OBJECTS + len(form) + 40 * len(cover))
        self._own += takes
        if self._own > self._memory:
            raise MemoryError(
                f"the kinds of covers take more than {self._memory} bytes: there are {self.covers} so far, "
                f"and about {100 * self.fraction():.3g} % of the search is done"
            )

    def check(self) -> None:
        """Compares the numbers of covers met with those from the symmetries; raises RuntimeError for a fault."""
        for form, (cover, size) in self.kinds.items():
            if (met := self._met.get(form, 0)) != size:
                raise RuntimeError(f"{met} covers like {cover} have been met, and there are {size}")
