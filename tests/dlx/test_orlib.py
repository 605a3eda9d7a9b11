"""Set-partitioning files: what they say, what is wrong with a malformed one, and that nothing is lost on the way."""

from __future__ import annotations

from pathlib import Path

import pytest
from drawn import attempt, peak
from hypothesis import given
from hypothesis import strategies as st

from dlx import Problem, best, reference
from dlx.formats import FormatError, read
from dlx.formats.orlib import dumps, loads

CREWS = Path(__file__).parents[1] / "data" / "crews.spp"


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Any problem that the format can say."""
    n_items = draw(st.integers(0, 9))
    option = st.lists(st.integers(1, n_items), min_size=1, unique=True) if n_items else st.nothing()
    options = draw(st.lists(option, max_size=12)) if n_items else []
    limit = 2**62 // max(1, n_items) - 1
    weights = draw(st.lists(st.integers(-limit, limit), min_size=len(options), max_size=len(options)))
    return Problem.from_options(options, items=range(1, n_items + 1), weights=weights)


def test_a_file_is_read_by_its_suffix() -> None:
    """Rows become items 1, 2, ..., columns options in their order, costs weights to be minimised."""
    problem = read(CREWS)
    assert (problem.items, problem.n_primary, problem.n_options) == ((1, 2, 3, 4, 5, 6), 6, 11)
    assert problem.option(8) == (1, 4, 5, 6)
    assert problem.weights is not None
    assert problem.weights.tolist() == [300, 280, 150, 160, 170, 90, 210, 95, 330, 120, -5]
    assert dumps(problem) == CREWS.read_bytes()
    assert read(CREWS.open(), format="orlib") == problem
    result = best(problem, "min")
    assert (result.score, result.covers[0].options) == (420, (6, 7, 9, 10))
    assert result.score == min(problem.score(cover) for cover in reference.covers(problem))


@given(problems())
@pytest.mark.slow
def test_a_problem_written_and_read_is_the_same(problem: Problem) -> None:
    """Items, options, weights and orders, from text and from bytes; and the text comes back too."""
    data = dumps(problem)
    assert loads(data) == problem
    assert loads(data.decode()) == problem
    assert dumps(loads(data)) == data


@given(problems())
@pytest.mark.slow
def test_white_space_does_not_matter(problem: Problem) -> None:
    """Leading blanks, tabs, empty lines, and carriage returns before the ends of lines; nor does a mark of UTF-8."""
    text = dumps(problem).decode()
    assert loads(b"\xef\xbb\xbf" + dumps(problem)) == loads("\ufeff" + text) == problem
    assert loads(" " + text.replace(" ", "\t ").replace("\n", " \r\n\n ")) == problem


def test_few_bytes_fill_no_memory() -> None:
    """A heading cannot promise rows that its file does not bear out, beyond some thousands that no column covers."""
    found: list[Problem | FormatError] = []
    assert peak(lambda: found.append(attempt(loads, "10000000 0\n"))) < 1_000_000
    assert str(found[0]) == "<string>:1: there are 10000000 rows; with so few numbers the limit is 10000"
    assert loads("10000 0\n").n_items == 10_000


@pytest.mark.slow
def test_what_could_not_be_read_is_not_written() -> None:
    """The limit holds for the writer too; a problem with as many numbers as items is written and read."""
    with pytest.raises(FormatError, match="there are 10001 items; with so few entries the limit is 10000"):
        dumps(Problem.from_options([[1]], items=range(1, 10_002), weights=[1]))
    problem = Problem.from_options([[k] for k in range(1, 10_002)], weights=[1] * 10_001)
    assert loads(dumps(problem)) == problem


@pytest.mark.slow
def test_a_repeated_row_is_found_at_once() -> None:
    """In a long column too: half a million rows, which would take half an hour if each were looked for."""
    rows = " ".join(map(str, [*range(1, 500_000), 499_999]))
    with pytest.raises(FormatError, match=r"^f:2: the row 499999 is listed twice$"):
        loads(f"500000 1\n5 500000 {rows}\n", "f")
