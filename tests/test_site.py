"""The site is whole: it is built without a warning, needs no network, and has every public name."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from browser import browser, check_accessible, pictured, visited
from processes import ROOT, call
from seeds import Nightly

import dlx
import dlx.show.dance
import sudoku

NOTEBOOK = ROOT / "docs" / "start" / "five-minutes.ipynb"
PUBLIC = (dlx, dlx.extending, dlx.formats, dlx.show, dlx.show.dance, dlx.tiles, sudoku)  # modules of the reference
LOOKS = [(390, "light"), (1280, "dark"), (390, "dark"), (1280, "light")]  # widths and themes; by day a page has one
# Pages of each kind with their queries; axe takes a minute for the longest, reference/dlx.html.
LOOKED_AT = {"index.html": "", "benchmarks/first.html": "", "reference/formats.html": "", "search.html": "?q=count"}


def loaded(site: Path) -> Iterator[str]:
    """Yields what pages and styles of a site load from a network."""
    from_pages = r"<link\b[^>]*\bhref=\"(?:https?:)?//[^>]*>|\b(?:src|srcset|poster|data)=\"(?:https?:)?//[^\"]*\""
    for pattern, find in (("*.html", from_pages), ("*.css", r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^\"')]+")):
        for path in site.rglob(pattern):
            yield from re.findall(find, path.read_text(encoding="utf-8"))


def found_names(site: Path) -> set[str]:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    objects = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))["objects"]
    return {f"{prefix}.{entry[-1]}" for prefix, entries in objects.items() for entry in entries}


def missing(found: set[str]) -> list[str]:
    """Returns the public names that the reference lacks; a name of `dlx` may be in its page alone."""
    return [
        f"{module.__name__}.{name}"
        for module in PUBLIC
        for name in module.__all__
        if f"{module.__name__}.{name}" not in found
        and not (f"dlx.{name}" in found and getattr(dlx, name, None) is getattr(module, name))
    ]


def built(site: Path) -> Path:
    """The site, built as `make site` does."""
    arguments = ["-W", "--keep-going", "-n", "--quiet", "--doctree-dir", str(site.with_name("doctrees"))]
    done = call(sys.executable, "-m", "sphinx", *arguments, "docs", str(site))
    assert done.returncode == 0, done.stderr
    return site


@contextmanager
def site_page(
    opened: Any, site: Path, page: str, query: str = "", width: int = 1280, scheme: str = "light"
) -> Iterator[Any]:
    settings = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme, "reduced_motion": "reduce"}
    with visited(opened, site / page, site, query, **settings) as visitor:
        if query:
            visitor.wait_for_function("document.querySelector('.search-summary')?.innerText.includes('finished')")
        yield visitor


def is_whole(visitor: Any, width: int) -> None:
    """Checks that axe finds nothing, and that page and pictures are as wide as the screen."""
    check_accessible(visitor)
    ends = "[...document.querySelectorAll('article img')].map((each) => each.getBoundingClientRect().right)"
    assert max(visitor.evaluate(ends), default=0) <= width
    assert visitor.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
def test_the_site(tmp_path: Path) -> None:
    """The site is built without a warning, such as a broken link; it needs no network, and has all public names.

    The notebook was run. Pages are whole on a telephone and on a laptop, light and dark, and axe finds nothing. It is
    one test, so that the site is built once, however many processes run the tests.
    """
    for package in ("sphinx", "furo", "myst_nb", "ipykernel"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: `make site` installs it")
    site = built(tmp_path / "site")
    assert list(loaded(site)) == []
    assert missing(found_names(site)) == []
    assert "53060477521960000" in (site / "start" / "five-minutes.html").read_text(encoding="utf-8")
    assert "reference/dlx.html#dlx.best" in (site / "pricing.html").read_text(encoding="utf-8")
    with browser() as opened:
        for (width, scheme), page in product(LOOKS, LOOKED_AT) if Nightly.on else zip(LOOKS, LOOKED_AT, strict=True):
            with site_page(opened, site, page, LOOKED_AT[page], width, scheme) as visitor:
                is_whole(visitor, width)
                pictured(visitor, f"site-{Path(page).stem}-{width}-{scheme}")


def test_the_notebook_keeps_no_outputs() -> None:
    """Outputs of the notebook are made with the site, so that none in the repository can be out of date."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 5
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
