"""The number of tries of random tests: a few by day, and all of them in `make nightly`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

Test = Callable[..., None]
T = TypeVar("T")
SHARE = 8  # by day one try of eight is made


class Nightly:
    """The choice of `pytest --nightly`, all tries, made by tests/conftest.py before any test is read."""

    on = False


def tries(number: int) -> int:
    """Returns the number at night; by day an eighth of it, but at least five."""
    return number if Nightly.on else max(number // SHARE, min(number, 5))


def few(things: Iterable[T]) -> list[T]:
    """Returns all things at night; by day every eighth, beginning with the first."""
    return list(things)[:: 1 if Nightly.on else SHARE]


def nightly(*parameters: object) -> list[ParameterSet]:
    """Returns parameters that a test has at night only; a tuple is one case of several parameters."""
    lists = (each if isinstance(each, tuple) else (each,) for each in parameters)
    return [pytest.param(*each, marks=pytest.mark.nightly) for each in lists]


def for_seeds(number: int, block: int = 100) -> Callable[[Test], Test]:
    """Calls a test, which has a parameter `seed`, for each of the first numbers, in blocks that are a test each.

    By day there is only the first block, which is an eighth of one. The seed that fails is in a note below the error.

    >>> @for_seeds(1000)
    ... def test_squares_are_not_negative(seed: int) -> None:
    ...     assert seed**2 >= 0
    """
    starts = [0, *range(max(1, block // SHARE), number, block)]
    blocks = [range(start, stop) for start, stop in pairwise([*starts, number])]

    def decorate(test: Test) -> Test:
        @wraps(test)
        def run(*arguments: Any, seeds: range, **fixtures: Any) -> None:
            for seed in seeds:
                try:
                    test(*arguments, seed=seed, **fixtures)
                except Exception as error:
                    error.add_note(f"seed = {seed}")
                    raise

        signature = inspect.signature(test)
        parameters = [p.replace(name="seeds") if p.name == "seed" else p for p in signature.parameters.values()]
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        cases = [
            pytest.param(seeds, id=f"{seeds.start}-{seeds.stop - 1}")
            for seeds in (blocks if Nightly.on else blocks[:1])
        ]
        block_by_block: Test = pytest.mark.parametrize("seeds", cases)(run)
        return block_by_block

    return decorate
