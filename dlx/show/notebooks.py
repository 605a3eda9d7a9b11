"""Pictures in notebooks: problems as matrices, small diagrams as graphs."""

from __future__ import annotations

from dlx.problem.problem import Problem
from dlx.show.elements import Picture
from dlx.show.matrices import matrix
from dlx.show.problems import draw

FEW = 16  # options of a problem that is too large for a picture


def picture(value: object) -> Picture | None:
    """Draws a value as a notebook shows it.

    Parameters:
        value: a problem, of which only the first options are drawn where it is large, or a diagram.

    Returns:
        The picture; None where there is no room for one: the notebook then shows the value's `repr`.

    >>> from dlx import Problem
    >>> picture(Problem.from_options([[0]] * 1000)).caption
    '16 of 1000 options, and 1 item'
    """
    try:
        if isinstance(value, Problem) and value.n_options > FEW:
            return matrix(value, options=range(FEW))
        return draw(value)  # type: ignore[arg-type]  # every value with a picture in a notebook is one of these
    except ValueError:
        return None
