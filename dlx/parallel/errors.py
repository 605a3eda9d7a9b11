"""Errors of searches with workers or checkpoints."""

from __future__ import annotations


class CheckpointError(ValueError):
    """Raised if a checkpoint cannot be continued.

    Attributes:
        file: the path of the checkpoint.
        reason: what is wrong.
    """

    __module__ = "dlx"

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.file, self.reason = file, reason


class LostPieceError(RuntimeError):
    """Raised if several workers in a row have died with the same piece."""

    __module__ = "dlx"
