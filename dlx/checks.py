"""Interim: replaced on merge."""

import math

import numpy as np

UNLIMITED = 1 << 62


def non_negative(value: int | None, name: str) -> int:
    """A limit as a whole number; None means no limit."""
    if value is None:
        return UNLIMITED
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} is {value!r}; it must be a whole number or None")
    if value < 0:
        raise ValueError(f"{name} is {value}; it cannot be negative")
    return min(int(value), UNLIMITED)


def seconds(value: float | None, name: str = "timeout") -> float:
    """A timeout in seconds; None means no limit."""
    if value is None:
        return math.inf
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is {value!r}; it must be a number of seconds or None")
    if not value >= 0:
        raise ValueError(f"{name} is {value}; it must be 0 or more")
    return float(value)


MAX_SCORE = 2**62
