"""The ranges of uses of pieces, and sums of areas and colours that exclude a tiling."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import gcd
from typing import Any, NamedTuple

from dlx.problem.checks import is_whole
from dlx.problem.words import counted
from dlx.tiles.pieces import check_names


class Range(NamedTuple):
    """The least and the most uses of a piece, None for any number."""

    least: int
    most: int | None


ANY = Range(0, None)


def uses_of(each: Any, names: list[str]) -> dict[str, Range]:
    """Returns the range of uses of each piece; raises ValueError for an invalid range or an unknown name."""
    given = each if isinstance(each, Mapping) else dict.fromkeys(names, each)
    check_names("each", given, names)
    return {name: _range(given.get(name, 1)) for name in names}


def _range(given: Any) -> Range:
    if given == "any":
        return ANY
    least, most = given if isinstance(given, tuple) and len(given) == 2 else (given, given)
    if isinstance(given, str) and (match := re.fullmatch(r"([0-9]{1,10})(?:\.\.([0-9]{1,10}))?", given)):
        least, most = int(match[1]), int(match[2] or match[1])
    if not is_whole(least) or not (most is None or is_whole(most)) or least < 0 or (most is not None and most < least):
        wanted = "a number, a range such as '1..3', or 'any'"
        raise ValueError(f"the uses of a piece are {given!r:.60}; expected {wanted}")
    return Range(int(least), None if most is None else int(most))


def why_none(sizes: Mapping[str, int], ranges: Mapping[str, Range], least: int, most: int) -> str:
    """Returns why no choice of pieces can fill `least` to `most` cells; "" if a choice may exist."""
    sums, all_bits = 1, (1 << most + 1) - 1  # a bit for each sum of areas
    for name, (fewest, times) in ranges.items():
        size = sizes[name]
        left = most // size if times is None else min(times - fewest, most // size)
        sums = _with_steps(sums << size * min(fewest, most + 1) & all_bits, size, left) & all_bits
    if sums >> least:
        return ""
    cells = counted(most, "cell") if least == most else f"{least} to {most} cells"
    smallest = sum(sizes[name] * range_.least for name, range_ in ranges.items())
    fewer = f"can fill at most {sums.bit_length() - 1}" if sums else f"fill at least {smallest}"
    hint = "empty=True lets cells stay empty" if sums else "each='0..1' lets pieces be left out"
    once = all(range_ == (1, 1) for range_ in ranges.values())
    if once and not why_none(sizes, dict.fromkeys(ranges, ANY), least, most):
        hint = "each='any' lets pieces repeat"
    return f"the board has {cells} to fill, and the pieces {fewer}; {hint}"


def _with_steps(sums: int, step: int, most: int) -> int:
    """Returns the sums with 0 to `most` steps added, in batches of 1, 2, 4, ... steps."""
    taken = 1
    while most:
        taken = min(taken, most)
        sums |= sums << step * taken
        most, taken = most - taken, 2 * taken
    return sums


def why_unbalanced(differences: Mapping[str, set[int]], ranges: Mapping[str, Range], board: int) -> str:
    """Returns why the pieces cannot have the board's difference of black and white cells, `board`; "" if they can."""
    sums, low = 1, 0  # a bit for each sum, from the least sum
    for name, found in differences.items():
        least, most = ranges[name]
        if found - {0} and least != most:
            return ""
        if step := gcd(*(one - min(found) for one in found)):
            sums = _with_steps(sums, step, (max(found) - min(found)) // step * least)
        low += min(found, default=0) * least
    if board >= low and sums >> board - low & 1:
        return ""
    made = [str(low + k) for k, bit in enumerate(bin(sums)[:1:-1]) if bit == "1"]
    if len(made) > 6:
        made[2:-1] = ["..."]
    text = f"black minus white cells are {board} on the board, but {', '.join(made)} for the pieces"
    return f"coloured as a chessboard, {text}"
