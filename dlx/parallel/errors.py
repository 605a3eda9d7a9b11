"""The errors of a search with workers or with a checkpoint."""

from __future__ import annotations


class CheckpointError(ValueError):
    """A checkpoint that cannot be continued.

    Attributes:
        file: the path of the checkpoint.
        reason: what is wrong.
    """

    __module__ = "dlx"

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.file, self.reason = file, reason


class NoWorkersError(RuntimeError):
    """The workers do not answer, or are of another version."""


class LostPieceError(RuntimeError):
    """A piece has killed every worker that took it; the others have been done."""

    __module__ = "dlx"
