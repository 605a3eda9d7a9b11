"""The checker of certificates that the documents print, for tests to use."""

from __future__ import annotations

from collections.abc import Callable
from doctest import DocTestParser
from fractions import Fraction
from pathlib import Path
from typing import Any

from dlx import Certificate, Problem

DOCUMENT = Path(__file__).parents[2] / "docs" / "pricing.md"


def printed() -> Callable[[Problem, Certificate], Fraction | None]:
    """The function `check` of the document, made of nothing but what it prints from that heading on."""
    text = DOCUMENT.read_text(encoding="utf-8").partition("\n## Certificates\n")[2]
    names: dict[str, Any] = {}
    for example in DocTestParser().get_examples(text):
        if example.source.startswith(("from ", "def ")):
            exec(compile(example.source, str(DOCUMENT), "exec"), names)
    check: Callable[[Problem, Certificate], Fraction | None] = names["check"]
    return check


check = printed()
