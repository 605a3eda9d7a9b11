"""Input that is refused: lines of a file with an expression and its error, word for word.

A claim is a line `# ...`, and `…` in an error stands for any text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest


def each_claim(path: Path) -> pytest.MarkDecorator:
    """Gives a test each claim of a file, with its lines."""
    claims = path.read_text(encoding="utf-8").removeprefix("# ").split("\n# ")
    return pytest.mark.parametrize("claim", claims, ids=lambda claim: re.split("[:.\n]", claim)[0].replace(" ", "-"))


def check_refused(claim: str, names: Mapping[str, Any]) -> None:
    """Evaluates the expressions of a claim by some names, and compares their errors."""
    for line in claim.splitlines()[1:]:
        if line:
            expression, _, told = line.rpartition(" -> ")
            with pytest.raises(Exception) as caught:  # noqa: PT011  (its type and its words are compared)
                eval(expression, dict(names))
            found = f"{type(caught.value).__name__}: {caught.value}"
            assert re.fullmatch(".*".join(map(re.escape, told.split("…"))), found, re.DOTALL), (line, found)
