"""How `make site` makes pages of these documents and of the docstrings."""

from __future__ import annotations

import argparse
import os
import posixpath
import re
import shutil
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.domains.python import PyObject
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.inspect import TypeAliasForwardRef

import dlx
import dlx.show.dance

DOCS = Path(__file__).parent
sys.path.append(str(DOCS.parent / "examples"))
from queens import queens  # noqa: E402

TOYS = DOCS.parent / "examples" / "toys"


def searched(toy: str, title: str) -> str:
    """Returns the page of a search for all covers of a toy."""
    return dlx.show.dance.page(dlx.trace(dlx.formats.read(TOYS / toy)), title=title)


def priced(toy: str, title: str) -> str:
    """Returns the page of a search for the cheapest cover of a toy."""
    problem, seen = dlx.formats.read(TOYS / toy), list[dlx.Progress]()
    result = dlx.best(problem, "min", progress=seen.append)
    return dlx.show.dance.prices_page(seen, result, "min", title=title)


LIVE_FOLDER = DOCS / "live"  # not in the repository
# Its pages, each with a recorded search.
LIVE: dict[str, Callable[[], str]] = {
    "toy.html": lambda: searched("dance.dlx", "Knuth's toy: which options have each of a to g exactly once?"),
    "dominoes.html": lambda: searched("dominoes.dlx", "Dominoes on three rows and four columns"),
    "queens.html": lambda: dlx.show.dance.page(
        dlx.trace(queens(8)), title="Eight queens, none of which attacks another"
    ),
    "best.html": lambda: priced("costs.dlx", "The cheapest cover, and why nothing is cheaper"),
}

os.environ["COLUMNS"] = "80"  # the width of what --help says, wherever this is built

project = "Dancing Cover"
author = "the authors of Dancing Cover"
version = release = dlx.__version__
language = "en"

extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_nb"]
smartquotes = False
default_role = "code"  # a single backtick in a docstring; `Names` makes links of those that are names
# Signatures name types of others, and private ones. They have no pages here, and there is no network to look for any.
OTHERS, PRIVATE = (
    r"(cython|collections|concurrent|fractions|np|npt|numpy|os|types)\..*",
    r"((dlx|sudoku)(\.\w+)+\.)?[A-Z]\w*",
)
nitpick_ignore_regex = [("py:(class|exc)", OTHERS), ("py:(class|exc)", PRIVATE)]

autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
ALIASES = ["Box", "GridLike", "KernelName", "Limiting", "Merge", "Preference", "Stop", "npt.ArrayLike"]
autodoc_type_aliases = {name: name for name in ALIASES}  # else signatures tell all that they stand for
TypeAliasForwardRef.__repr__ = lambda self: self.name  # by which Sphinx shows one within a union
napoleon_use_ivar = True  # the docstring of a class describes its attributes
napoleon_attr_annotations = False
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
add_module_names = False

myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 60
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # they would come from a network

html_theme = "furo"
html_title = project
html_static_path = ["_static"]
html_css_files = ["site.css"]
templates_path = ["_templates"]
html_copy_source = False
html_show_copyright = False
html_show_search_summary = False  # it fetches pages, which those from a folder cannot

# The faults that axe finds in pages as Sphinx and the theme write them, each with its mend.
MENDED = {
    'role="heading">': 'role="heading" aria-level="2">',
    '<aside class="sidebar-drawer': '<aside aria-label="All pages" class="sidebar-drawer',
    '<aside class="toc-drawer': '<aside aria-label="This page" class="toc-drawer',
    r"<pre>": '<pre tabindex="0">',  # it scrolls
    r'<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    r"<th [^>]*>(<p></p>)?</th>": "<td></td>",
    '<dd>(<em class="sig-param.*?)</dd>': r'<span class="parameter">\1</span>',  # which have no <dt> for their <dl>
    r'<dl>\s*((?:<span class="parameter">.*\n)*)</dl>': r"\1",
}

# Documents that stand in the repository's root: the pages here that show them.
SHOWN = {
    "CHANGELOG.md": "development/changelog.md",
    "CONTRIBUTING.md": "development/contributing.md",
    "RELEASING.md": "development/releasing.md",
    "SECURITY.md": "development/security.md",
}


def show(app: Sphinx, page: str, source: list[str]) -> None:
    """Puts such a document in the place of its page, and gives all links to one that page instead."""
    shown = {page.removesuffix(".md"): file for file, page in SHOWN.items()}.get(page)
    here = DOCS.parent if shown else (DOCS / page).parent
    if shown:
        source[0] = (DOCS.parent / shown).read_text(encoding="utf-8")
        app.env.note_dependency(str(DOCS.parent / shown))

    def link(match: re.Match[str]) -> str:
        file = posixpath.relpath(posixpath.normpath(here / match[1]), DOCS.parent)
        target = SHOWN.get(file) or posixpath.relpath(file, "docs")
        return f"]({posixpath.relpath(target, posixpath.dirname(page) or '.')}"

    source[0] = re.sub(r"\]\((?!\w+:)([^)#\s]+)", link, source[0])


def tidy(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Makes fields of "Raises: as `f`.", and of what is returned: napoleon takes all before a colon for its type."""
    text = re.sub(r"^Raises: (?=\S)", ":raises: ", "\n".join(lines), flags=re.MULTILINE)
    lines[:] = re.sub(r"^(Returns|Yields):\n +", r":\1: ", text, flags=re.MULTILINE).split("\n")


class Names(SphinxPostTransform):
    """Makes links of code that is a document, or a public name; in docstrings without its module or class, too."""

    default_priority = 5

    def run(self, **_: Any) -> None:
        """Looks at every piece of code that is no link yet."""
        for code in list(self.document.findall(nodes.literal)):
            if not isinstance(code.parent, nodes.reference | addnodes.pending_xref | nodes.title):
                self._link(code)

    def _link(self, code: nodes.literal) -> None:
        page, anchor = self._place(code)
        if page:
            uri = self.app.builder.get_relative_uri(self.env.current_document.docname, page)
            code.replace_self(nodes.reference("", "", code.deepcopy(), internal=True, refuri=uri + anchor))

    def _place(self, code: nodes.literal) -> tuple[str, str]:
        name, objects = code.astext().partition("(")[0], self.env.domains.python_domain.objects
        document = name.removeprefix("docs/").removesuffix(".md")
        if name == f"docs/{document}.md" and document in self.env.found_docs:
            return document, ""
        signature = self._signature(code)
        for around in self._around(signature):
            full = around + name
            if full in objects and "." in full and full not in signature.get("ids", []):
                return objects[full].docname, f"#{objects[full].node_id}"
        return "", ""

    @staticmethod
    def _signature(node: nodes.Node | None) -> Any:
        while node is not None and not isinstance(node, addnodes.desc):
            node = node.parent
        return node[0] if node is not None else {}

    @staticmethod
    def _around(signature: Any) -> list[str]:
        if not signature.get("module"):
            return [""]
        module, owner = signature["module"], signature.get("class") or signature["fullname"]
        return [f"{module}.{owner}.", f"{module}.", ""]


class Live(SphinxPostTransform):
    """Makes links of code that names a live page, as `live/toy.html`; a clone has no such files."""

    default_priority = 5

    def run(self, **_: Any) -> None:
        """Looks at every piece of code."""
        here = posixpath.dirname(self.env.current_document.docname) or "."
        for code in list(self.document.findall(nodes.literal)):
            folder, _, name = code.astext().partition("/")
            if folder == "live" and name in LIVE:
                code.replace_self(
                    nodes.reference("", "", code.deepcopy(), refuri=posixpath.relpath(f"live/{name}", here))
                )


class Options(SphinxDirective):
    """What `--help` of a command says, and of each of its subcommands, a section for each."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The sections."""
        parser = import_module(f"{self.arguments[0]}.command.cli")._parser()
        (choices,) = (action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction))
        return [self._section(of) for of in (parser, *choices.values())]

    def _section(self, parser: argparse.ArgumentParser) -> nodes.section:
        text = parser.format_help()
        title, block = nodes.title(parser.prog, parser.prog), nodes.literal_block(text, text, language="text")
        section = nodes.section("", title, block)
        section["names"].append(nodes.fully_normalize_name(parser.prog))
        self.state.document.note_implicit_target(section)
        return section


def write_live(app: Sphinx) -> None:
    """Makes the live pages, which documents link to."""
    LIVE_FOLDER.mkdir(exist_ok=True)
    for name, made in LIVE.items():
        (LIVE_FOLDER / name).write_text(made(), encoding="utf-8")


def finish(app: Sphinx, error: Exception | None) -> None:
    """Mends the pages, and puts the live pages beside them."""
    if error is not None:
        return
    site = Path(app.outdir)
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for amiss, mended in MENDED.items():
            text = re.sub(amiss, mended, text)
        page.write_text(text, encoding="utf-8")
    shutil.copytree(LIVE_FOLDER, site / "live", dirs_exist_ok=True)


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    for field in PyObject.doc_field_types:
        field.label = {"variable": "Attributes"}.get(field.name, field.label)
    app.connect("source-read", show)
    app.connect("autodoc-process-docstring", tidy, priority=400)  # before napoleon
    app.connect("builder-inited", write_live)
    app.connect("build-finished", finish)
    app.add_post_transform(Names)
    app.add_post_transform(Live)
    app.add_directive("options", Options)
