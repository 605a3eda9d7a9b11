"""Readers of the checkpoint of a count by visits, also while the process runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from dlx.parallel.checkpoint import HEADER
from dlx.parallel.cutting import Split
from dlx.parallel.slices import SearchPiece


def state_of(path: Path) -> dict[str, Any]:
    """The numbers of the state in a checkpoint."""
    with np.load(path) as archive:
        state: dict[str, Any] = json.loads(archive[HEADER].tobytes())["state"]
    return state


def pieces_of(path: Path) -> list[SearchPiece]:
    """The pieces in a checkpoint; none while there is no checkpoint yet."""
    if not path.exists() or not path.stat().st_size:
        return []
    return Split.of(state_of(path)).pieces
