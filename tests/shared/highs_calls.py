"""Calls of `dlx.formats.programs` for a process of their own: HiGHS does not load beside OR-Tools, which tests load."""

from __future__ import annotations

import warnings
from typing import Any

from dlx.formats import FormatError, programs

Call = tuple[str, str, tuple[Any, ...]]  # the format, "loads" or "dumps", and the arguments


def answers(calls: list[Call]) -> list[tuple[Any, list[str]]]:
    """The results of calls, with their warnings; errors are their arguments."""
    programs._called = lambda work, path, *given: work(path, *given)
    return [_answer(*call) for call in calls]


def _answer(format: str, work: str, given: tuple[Any, ...]) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = getattr(getattr(programs, format), work)(*given)
        except FormatError as error:
            answer = error.args
    return answer, [str(warning.message) for warning in caught]
