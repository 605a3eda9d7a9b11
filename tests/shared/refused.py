"""Claims in files: each line is an expression and its value as Python shows it, or its error, word for word.

A claim is a line `# ...`, for the night if it says so; `⟨a¦b⟩` in an expression stands for an expression with
each of them, and `…` behind the arrow for any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

DATA = Path(__file__).parents[1] / "data"


def each_claim(*files: str) -> pytest.MarkDecorator:
    """Parametrises a test by the claims of some files of tests/data."""
    return pytest.mark.parametrize("claim", [claim for file in files for claim in _claims(file)])


def _claims(file: str) -> Iterator[ParameterSet]:
    for claim in (DATA / file).read_text(encoding="utf-8").removeprefix("# ").split("\n# "):
        name = re.split("[:.\n]", claim)[0]
        marks = [pytest.mark.nightly] if "nightly" in name else []
        yield pytest.param(claim, id=name.replace(" ", "-"), marks=marks)


def check_claim(claim: str, names: Mapping[str, Any]) -> None:
    """Evaluates the expressions of a claim by some names, and compares their values and errors."""
    for line in claim.splitlines()[1:]:
        expression, _, expected = line.rpartition(" -> ")
        for parts in product(*(part.split("¦") for part in re.split("[⟨⟩]", expression))):
            found = _outcome("".join(parts), names) if line else ""
            if found.startswith("ImportError: symmetries need pynauty") and not expected.startswith("ImportError"):
                pytest.skip("pynauty is not installed")
            assert re.fullmatch(".*".join(map(re.escape, expected.split("…"))), found, re.DOTALL), (line, found)


def _outcome(expression: str, names: Mapping[str, Any]) -> str:
    """The value of an expression, or its error."""
    try:
        return repr(eval(expression, dict(names)))
    except Exception as error:  # its type and its words are compared
        return f"{type(error).__name__}: {error}"
