"""What people try first with the `dlx` command: reduced problems, points, a problem for a file, one of anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from dlx_command import Feed

from dlx import Problem, diagram, reduce
from dlx.cli import main
from dlx.command import how_far
from dlx.formats import read
from dlx.limits import Progress


def test_reduce(feed_dlx: Feed, tmp_path: Path) -> None:
    """The options that are in no cover are left out of the problem that is written, in any format."""
    text = "a b c d\na b\nb c\nc d\n"
    said = "dlx: 1 of 3 options left out, 2 items implied by others\n"
    assert feed_dlx(text, "reduce") == (0, "a b c d\na b\nc d\n", said)
    path = tmp_path / "reduced.npz"
    assert feed_dlx(text, "reduce", "-", str(path)) == (0, "", said)
    assert read(path).n_options == 3
    assert feed_dlx("", "count", str(path)) == (0, "1\n", "")
    status, out, err = feed_dlx("a b\na\n", "reduce")
    assert (status, err) == (0, "dlx: 1 of 1 option left out, 1 item implied by others\n")
    assert feed_dlx(out, "count") == (0, "0\n", "")


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


def test_a_problem_in_the_place_of_a_file(feed_dlx: Feed) -> None:
    """What is no file, and looks like a problem, is an error that says where problems go."""
    for given in ("a b", "a b\na\nb\n", "1001", "[[1,0],[0,1]]"):
        status, out, err = feed_dlx("", "count", given)
        assert (status, out) == (2, "")
        assert "goes to standard input: dlx count < FILE" in err
    assert "standard input" not in feed_dlx("", "count", "none.dlx")[2]


def test_one_of_each() -> None:
    """One of anything is told in the singular, by problems, results, diagrams and progress."""
    problem = Problem.from_options(["a"])
    assert repr(problem) == "Problem(1 item, 1 option, 1 entry)"
    assert repr(reduce(Problem.from_options(["ab", "ab"]))) == "Problem(2 items, 2 options, 4 entries, 1 item implied)"
    assert repr(diagram(problem)).startswith("Diagram(1 cover, ")
    assert how_far(Progress(1, 1, None, None, 0.5, 1.0)).startswith("50.00%, 1 cover, ")
    assert "1 node," in how_far(Progress(1, 0, 3, 4, 0.0, 1.0))
