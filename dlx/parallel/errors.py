"""The errors of a search in pieces."""

from __future__ import annotations


class JournalError(ValueError):
    """A journal that cannot be gone on with.

    Attributes:
        file: its name.
        line: the number of the line, or None.
        reason: what is wrong.
    """

    __module__ = "dlx"  # where people know it from

    def __init__(self, file: str, line: int | None, reason: str) -> None:
        super().__init__(f"{file}{'' if line is None else f':{line}'}: {reason}")
        self.file, self.line, self.reason = file, line, reason


class NoWorkersError(RuntimeError):
    """The workers do not answer, or are of another version."""


class LostPieceError(RuntimeError):
    """A piece has killed every worker that took it; the others have been done."""

    __module__ = "dlx"
