"""The site is whole: it is built without a warning, needs no network, and every link and name in it holds."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from processes import ROOT, call

import dlx
import sudoku

NOTEBOOK = ROOT / "docs" / "start" / "five-minutes.ipynb"
PARTS = {"src", "srcset", "poster", "data"}  # attributes that a browser loads by itself, besides the links of a head


class Page(HTMLParser):
    """The anchors of a page, where it leads, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.parts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("id", "name"):
                self.anchors.add(value or "")
            elif name in PARTS or (name, tag) == ("href", "link"):
                self.parts.append(value or "")
            elif name == "href":
                self.links.append(value or "")


def pages(site: Path) -> dict[Path, Page]:
    return {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def broken(site: Path) -> list[str]:
    """The links of a site that lead nowhere in it: to no file, or to no anchor of a page."""
    known = pages(site)
    return [
        f"{path.relative_to(site.resolve())}: {link}"
        for path, page in known.items()
        for link in page.links + page.parts
        if not (parts := urlsplit(link)).scheme and not leads(known, path, unquote(parts.path), unquote(parts.fragment))
    ]


def leads(known: dict[Path, Page], path: Path, file: str, anchor: str) -> bool:
    """Tells whether there are a file, seen from a page, and an anchor in it."""
    goal = (path.parent / file).resolve() if file else path
    return goal.is_file() and (not anchor or goal not in known or anchor in known[goal].anchors)


def loaded(site: Path) -> Iterator[str]:
    """Yields the addresses that pages and styles of a site load from a network."""
    for page in pages(site).values():
        yield from (part for part in page.parts if urlsplit(part).netloc)
    for style in site.rglob("*.css"):
        yield from re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')]+)", style.read_text(encoding="utf-8"))


def found_names(site: Path) -> set[str]:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    objects = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))["objects"]
    return {f"{prefix}.{entry[-1]}" for prefix, entries in objects.items() for entry in entries}


def built(site: Path) -> Path:
    """The site, built as `make site` does."""
    arguments = ["-W", "--keep-going", "-n", "--quiet", "--doctree-dir", str(site.with_name("doctrees"))]
    done = call(sys.executable, "-m", "sphinx", *arguments, "docs", str(site))
    assert done.returncode == 0, done.stderr
    return site


@pytest.mark.slow
def test_the_site(tmp_path: Path) -> None:
    """The site is built without a warning and needs no network; links lead somewhere, and the search knows all names.

    The notebook was run. It is one test, so that the site is built once, however many processes run the tests.
    """
    for package in ("sphinx", "furo", "myst_nb", "ipykernel"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: `make site` installs it")
    site = built(tmp_path / "site")
    assert broken(site) == []
    assert list(loaded(site)) == []
    options = (site / "_static" / "documentation_options.js").read_text(encoding="utf-8")
    assert "SHOW_SEARCH_SUMMARY: false" in options  # the only place where the search would fetch a page
    public = {f"{package.__name__}.{name}" for package in (dlx, sudoku) for name in package.__all__}
    assert public - found_names(site) == set()
    assert "53060477521960000" in (site / "start" / "five-minutes.html").read_text(encoding="utf-8")
    assert "reference/dlx.html#dlx.best" in (site / "pricing.html").read_text(encoding="utf-8")


def test_broken_links_are_seen(tmp_path: Path) -> None:
    """The check of links can fail: a missing file, anchor or picture is told, and no other link."""
    (tmp_path / "a.html").write_text('<p id=here><a href="#here"></a><a href="b.html#there"></a><img src="c.svg">')
    (tmp_path / "b.html").write_text('<a href="a.html#here"></a><a href="https://example.org"></a><a href="d.html">')
    assert broken(tmp_path) == ["a.html: b.html#there", "a.html: c.svg", "b.html: d.html"]


def test_loads_from_a_network_are_seen(tmp_path: Path) -> None:
    """The check of loads can fail: scripts, styles, pictures and fonts from elsewhere are told, and links are not."""
    (tmp_path / "a.html").write_text(
        '<link href="https://e.org/a.css"><script src="//e.org/b.js"></script><a href="https://e.org"></a>'
    )
    (tmp_path / "c.css").write_text('@import "https://e.org/d.css"; p { background: url(https://e.org/f.png) }')
    wanted = ["https://e.org/a.css", "//e.org/b.js", "https://e.org/d.css", "https://e.org/f.png"]
    assert list(loaded(tmp_path)) == wanted


def test_the_notebook_keeps_no_outputs() -> None:
    """Outputs of the notebook are made with the site, so that none in the repository can be out of date."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 5
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
