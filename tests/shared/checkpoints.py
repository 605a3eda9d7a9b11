"""Reading the checkpoint of a count by visits, also of a running process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dlx.parallel.cutting import SearchPiece, Split


def state_of(path: Path) -> dict[str, Any]:
    """The numbers of the state in a checkpoint."""
    first: dict[str, Any] = json.loads(path.read_bytes().split(b"\n", 1)[0][9:])
    state: dict[str, Any] = first["state"]
    return state


def pieces_of(path: Path) -> list[SearchPiece]:
    """The pieces in a checkpoint; none while there is no checkpoint yet."""
    if not path.exists() or not path.stat().st_size:
        return []
    return Split.of(state_of(path)).pieces
