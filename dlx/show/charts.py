"""Distributions as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from dlx.problem.words import counted
from dlx.show.elements import FAINT, INK, SOFT, Picture, element, extent, moved, rounded, svg, text

MOST_BARS = 1000
HEIGHT, WIDTH = 180, 640  # of the bars, and of all of them together at most
WIDEST = 40  # a bar, with the gap beside it
ABOVE, BELOW, BESIDE = 44, 44, 36
LABEL = 12


def distribution(counts: Mapping[int, int] | Mapping[float, int] | Sequence[int], *, title: str = "") -> Picture:
    """Draws the number of covers of each score, or any other counts, as bars.

    Parameters:
        counts: a number of any size for each score, as `Diagram.scores` returns them, or a sequence of numbers, whose
            scores are 0, 1, ...; the scores are at their places on a line.
        title: what the picture is; without it, how many there are, and from where to where they go.

    Raises:
        ValueError: there are more than 1000 scores, a score is infinite or none, or a number is not whole or below 0.

    >>> picture = distribution({3: 10**400, 4: 2 * 10**400, 7: 1})
    >>> picture.caption, picture.count("<rect x=")
    ('3e400 in 3 scores from 3 to 7', 3)
    """
    given = dict(counts) if isinstance(counts, Mapping) else dict(enumerate(counts))
    if len(given) > MOST_BARS:
        raise ValueError(f"there are {len(given)} scores; a picture has no more than {MOST_BARS}")
    for score, count in given.items():
        if not (count >= 0 and count % 1 == 0) or score != score or score in (float("inf"), float("-inf")):
            raise ValueError(f"there are {count} of the score {score!r}")
    listed = sorted((Fraction(score), int(count), _told(score)) for score, count in given.items())
    step, places = _places([score for score, _, _ in listed])
    most = max((count for _, count, _ in listed), default=0)
    numbers = [rounded(count) for _, count, _ in listed]
    roomy = max((extent(label, LABEL) for label in numbers), default=0) <= step
    wide = max((extent(score, LABEL) for _, _, score in listed), default=0) + 8
    parts, end = [], -2 * wide
    for x, (_, count, told), label in zip(places, listed, numbers, strict=True):
        high = max(HEIGHT * float(Fraction(count, most)), 1.0) if count else 0.0
        parts.append(element("rect", x=x - step * 0.4, y=-high, width=step * 0.8, height=high, fill=SOFT))
        if roomy or count == most:
            parts.append(text(x, -high - 6, label, LABEL))
        if x >= end + wide:
            parts.append(text(x, 18, told, LABEL, fill=FAINT))
            end = x
    across = (places[-1] if places else 0.0) + step / 2
    axis = element("path", d=f"M{-step / 2:g} 0H{across:g}", stroke=INK, stroke_width=1.5)
    total = sum(count for _, count, _ in listed)
    said = title or f"{total if total < 10**15 else rounded(total)} in {counted(len(listed), 'score')}"
    if listed and not title:
        said += f" from {listed[0][2]} to {listed[-1][2]}"
    width = across + step / 2 + 2 * BESIDE
    return svg(width, ABOVE + HEIGHT + BELOW, moved(BESIDE + step / 2, ABOVE + HEIGHT, *parts, axis), title=said)


def _places(scores: Sequence[Fraction]) -> tuple[float, list[float]]:
    """The room for each bar, and where they are: as far from each other as the scores, as far as there is room."""
    if len(scores) < 2:
        return WIDEST, [0.0] * len(scores)
    gap = min(later - sooner for sooner, later in pairwise(scores))
    slots = (scores[-1] - scores[0]) / gap
    step = float(min(Fraction(WIDEST), max(WIDTH / (slots + 1), Fraction(1))))
    wide = min(slots * Fraction(step), max(Fraction(WIDTH), 2 * Fraction(len(scores))))
    return step, [float((score - scores[0]) / (scores[-1] - scores[0]) * wide) for score in scores]


def _told(score: float) -> str:
    """A score, in so many signs that there is room for it."""
    if isinstance(score, float):
        return f"{score:.6g}"
    return str(score) if abs(score) < 10**9 else rounded(score)
