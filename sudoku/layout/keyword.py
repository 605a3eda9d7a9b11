"""The keyword `box=`, another name of the parameter `layout` of all functions that have it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def takes_layout(function: Callable[P, R]) -> Callable[P, R]:
    """Lets a function with the parameter `layout` take it as `box=`, too: the older name, for a pair of numbers."""

    @wraps(function)
    def renamed(*args: P.args, **kwargs: P.kwargs) -> R:
        if "box" in kwargs:
            if "layout" in kwargs:
                raise TypeError(f"{function.__name__}() takes layout= or box=, not both")
            kwargs["layout"] = kwargs.pop("box")
        return function(*args, **kwargs)

    return renamed
