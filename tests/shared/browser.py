"""Pages in a real browser: Debian's chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SCREENS = Path(__file__).parents[2] / "build" / "screens"  # what the pages looked like in the last run
# A page of ours asks for nothing; the browser itself would look for updates.
QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
# A process is started for each page in advance, which takes as long as the page. The last list of features counts: the
# others are those that would delay the first picture, or ask something of a network.
QUIET += ["--disable-features=SpareRendererForSitePerProcess,PaintHolding,Translate,OptimizationHints,MediaRouter"]


@contextmanager
def browser() -> Iterator[Any]:
    """A browser without a window; the test is skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu", *QUIET])
        try:
            yield opened
        finally:
            opened.close()


@contextmanager
def visited(opened: Any, file: Path, site: Path | None = None, query: str = "", **settings: Any) -> Iterator[Any]:
    """Opens a page from a file, and checks that it logs no error and requests nothing but the file, or its site."""
    wrong: list[str] = []
    own = (site or file).as_uri()
    context = opened.new_context(**{"viewport": {"width": 1200, "height": 900}} | settings)
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: None if request.url.startswith(own) else wrong.append(request.url))
    page.goto(file.as_uri() + query)
    yield page
    context.close()
    assert not wrong, wrong


def pictured(page: Any, name: str) -> None:
    """Saves a picture of a page."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(SCREENS / f"{name}.png"), full_page=True)


def check_accessible(page: Any) -> None:
    """Checks that axe finds nothing wrong on a page; the test is skipped where there is no axe."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    results = axe.run(page, options={"preload": False, "resultTypes": ["violations"]})
    assert results.violations_count == 0, (page.url, page.viewport_size, results.generate_report())
