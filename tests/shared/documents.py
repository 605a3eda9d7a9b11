"""The pictures of docs/drawing.md; run as a program, it draws them anew.

The picture `drawing/NAME.svg` is what the examples there call NAME.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def pictures() -> dict[Path, str]:
    """Draws the examples of the document, each with the file where it is shown."""
    text = (DOCS / "drawing.md").read_text(encoding="utf-8")
    known: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for example in doctest.DocTestParser().get_examples(text):
            exec(example.source, known)
    return {DOCS / "drawing" / f"{name}.svg": str(known[name]) for name in re.findall(r"\(drawing/(\w+)\.svg\)", text)}


if __name__ == "__main__":
    for file, picture in pictures().items():
        file.write_text(picture, encoding="utf-8")
