"""The pictures of these examples go to the file named on the command line."""

from __future__ import annotations

import sys
from pathlib import Path


def save(picture: str) -> None:
    """Writes a picture to the file named on the command line, if one is named."""
    for name in sys.argv[1:2]:
        if not name.endswith(".svg"):
            sys.exit(f"usage: python {sys.argv[0]} [FILE.svg]")
        try:
            Path(name).write_text(picture, encoding="utf-8")
        except OSError as error:
            sys.exit(f"{name}: {error.strerror}")
