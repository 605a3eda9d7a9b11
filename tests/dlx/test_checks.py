"""Limits of searches: which values they take, and how the others are refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dlx.checks import UNLIMITED, non_negative, seconds


@pytest.mark.parametrize(
    ("value", "limit"), [(0, 0), (7, 7), (np.int32(7), 7), (np.uint64(2**63), UNLIMITED), (10**30, UNLIMITED)]
)
def test_whole_numbers_are_limits(value: Any, limit: int) -> None:
    """Whole numbers of any kind are taken, as Python's own; what no search reaches is no limit, like None."""
    assert non_negative(value, "k") == limit
    assert type(non_negative(value, "k")) is int
    assert non_negative(None, "k") == UNLIMITED


@pytest.mark.parametrize("value", [True, 1.0, "1", np.float64(1), np.bool_(True), math.nan])
def test_other_types_are_no_limits(value: Any) -> None:
    """Anything else than a whole number is a TypeError with its name and value."""
    with pytest.raises(TypeError, match=r"^max_nodes is .*; it must be a whole number or None$"):
        non_negative(value, "max_nodes")


def test_negative_limits_are_refused() -> None:
    """A limit below 0 is a ValueError with its name and value."""
    with pytest.raises(ValueError, match=r"^max_nodes is -1; it cannot be negative$"):
        non_negative(-1, "max_nodes")


@pytest.mark.parametrize(
    ("value", "time"), [(0, 0.0), (2, 2.0), (0.5, 0.5), (np.float32(0.5), 0.5), (math.inf, math.inf)]
)
def test_numbers_are_seconds(value: Any, time: float) -> None:
    """Any number from 0 is a time, infinity and None among them."""
    assert seconds(value) == time
    assert type(seconds(value)) is float
    assert seconds(None) == math.inf


@pytest.mark.parametrize("value", [-1, -0.001, math.nan, np.float64("nan"), -math.inf])
def test_times_before_zero_are_refused(value: Any) -> None:
    """A negative time and one that is no number are a ValueError with the name and the value."""
    with pytest.raises(ValueError, match=rf"^timeout is {value}; it must be 0 or more$"):
        seconds(value)


@pytest.mark.parametrize("value", [True, "1", 1j, [1]])
def test_other_types_are_no_seconds(value: Any) -> None:
    """Anything else than a number is a TypeError."""
    with pytest.raises(TypeError, match=r"^patience is .*; it must be a number of seconds or None$"):
        seconds(value, "patience")
