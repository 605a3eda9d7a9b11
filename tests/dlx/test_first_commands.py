"""What people try first with the `dlx` command: reduced problems, points, a problem for a file, one of anything."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from dlx_command import Feed

from dlx import Problem, count, diagram
from dlx.command.cli import main


def test_points(feed_dlx: Feed) -> None:
    """What a pattern matches in the names of items are their points; a bad one and one that is not used are errors."""
    pytest.importorskip("pynauty")
    n = 5
    cells = [(f"r{i}c{j}", f"r{i}s{k}", f"c{j}s{k}") for i in range(n) for j in range(n) for k in range(n)]
    items = sorted({item for option in cells for item in option})
    text = "\n".join([" ".join(items), *map(" ".join, cells)])
    assert feed_dlx(text, "count", "--merge", "isomorphic", "--points", r"[rcs]\d") == (0, "161280\n", "")
    status, out, err = feed_dlx(text, "count", "--merge", "isomorphic", "--points", "[rcs]")
    assert (status, out) == (2, "")
    assert "points" in err
    assert feed_dlx(text, "count", "--points", "r") == (2, "", "dlx: --points is for --merge isomorphic\n")
    with pytest.raises(SystemExit):
        main(["count", "--points", "["])


@pytest.mark.slow
def test_numbers_that_python_does_not_write() -> None:
    """Results and errors about more than 4,300 digits tell the size, and are of the right type."""
    problem = Problem.from_options([[i] for i in range(15_000) for _ in range(2)])
    found = count(problem)
    assert repr(found).startswith("Count(nodes=")
    assert "covers=about 2.81e4515," in repr(found)
    assert f"covers={2**100}," in repr(replace(found, covers=2**100))
    with pytest.raises(IndexError, match=r"there is no cover about 2\.81e4515: there are about 2\.81e4515"):
        diagram(problem)[found.covers]


def test_estimates_beyond_all_numbers(feed_dlx: Feed) -> None:
    """What is more than a number can be is null in JSON, and told as such in text."""
    text = "\n".join([" ".join(f"i{k}" for k in range(2000)), *(f"i{k}" for k in range(2000) for _ in range(2))])
    status, out, _ = feed_dlx(text, "estimate", "--json", "--samples", "2")
    assert (status, json.loads(out, parse_constant=pytest.fail)["covers"]) == (0, None)
    assert "covers: over 2e+308" in feed_dlx(text, "estimate", "--samples", "2")[1]
