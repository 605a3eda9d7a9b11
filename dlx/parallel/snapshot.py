"""The old name of checkpoints, for modules that have not been adapted yet."""

from dlx.parallel.checkpoint import Checkpoint as Snapshot

__all__ = ["Snapshot"]
