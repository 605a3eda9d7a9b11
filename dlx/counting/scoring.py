"""The scores of the covers of a diagram: the best of them, and the number of covers of each."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.problem.roles import owners

Link = tuple[int, Any] | None  # options of a path, the last one first


class Traced(NamedTuple):
    """A diagram that has covers: the kernel that goes over it, and its arrays, as a `Memo` makes them."""

    paths: Any
    first_edge: npt.NDArray[np.int32]
    edge_option: npt.NDArray[np.int32]
    edge_child: npt.NDArray[np.uint32]

    @property
    def nodes(self) -> int:
        """Returns the number of nodes; the last one is the root."""
        return len(self.first_edge) - 1

    def bounds(self, weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Returns the largest score of the paths below each node, for weights of type int64 or float64."""
        bounds = np.zeros(self.nodes, dtype=weights.dtype)
        self.paths.bounds(weights, bounds)
        return bounds


def best_first(traced: Traced, weights: npt.NDArray[Any], k: int) -> Iterator[tuple[int, ...]]:
    """Yields the k covers of the largest scores, the best one first, or all there are.

    This is A* (Hart, Nilsson, Raphael 1968, doi:10.1109/TSSC.1968.300136) with perfect bounds: no node in vain.
    """
    bounds, gain = traced.bounds(weights), np.append(weights, np.zeros(1, dtype=weights.dtype))
    first, root, last = traced.first_edge, traced.nodes - 1, 0
    # Minus the bound; a number by which of equals the last one to come goes first, down to its end; the score so far.
    heap: list[tuple[Any, int, Any, int, Link]] = [(-bounds[root].item(), 0, 0, root, None)]
    while heap and k:
        _, _, score, v, link = heappop(heap)
        if v == 1:
            k -= 1
            yield tuple(sorted(_options(link)))
        edges = slice(first[v], first[v + 1])
        for o, child in zip(traced.edge_option[edges].tolist(), traced.edge_child[edges].tolist(), strict=True):
            last -= 1
            reached = score + gain[o].item()
            heappush(heap, (-reached - bounds[child].item(), last, reached, child, (o, link) if o >= 0 else link))


def _options(link: Link) -> Iterator[int]:
    while link is not None:
        option, link = link
        yield option


def distribution(traced: Traced, weights: npt.NDArray[np.int64], covers: int, memory: int) -> dict[int, int]:
    """Returns the number of covers of each score; raises MemoryError."""
    step = max(1, int(np.gcd.reduce(weights, initial=0)))
    gain = np.append(weights // step, 0)
    high, low = traced.bounds(gain[:-1].copy()), -traced.bounds(-gain[:-1])
    last = np.zeros(traced.nodes, dtype=np.int64)  # the last parent of each node
    last[traced.edge_child] = owners(traced.first_edge)
    width = -(-covers.bit_length() // 8)  # bytes that any count fits in
    _check_sizes((high.astype(np.float64) - low + 1) * width, last, memory)
    value = _polynomial(traced, gain, low, last, 8 * width)
    lowest, terms = int(low[-1]), int(high[-1]) - int(low[-1]) + 1
    coefficients = value.to_bytes(width * terms, "little")
    counts = (int.from_bytes(coefficients[width * k : width * (k + 1)], "little") for k in range(terms))
    return {step * (lowest + k): count for k, count in enumerate(counts) if count}


def _check_sizes(sizes: npt.NDArray[np.float64], last: npt.NDArray[np.int64], memory: int) -> None:
    """Adds up what there will be at the worst moment: a polynomial is kept until the last parent of its node has it."""
    change = np.zeros(len(sizes) + 1)
    change[2:-1] = sizes[2:]
    np.subtract.at(change, last[2:-1] + 1, sizes[2:-1])
    most = np.cumsum(change).max()
    if most > memory:
        raise MemoryError(f"the numbers of covers by score take {most:.3g} bytes; the limit is {memory}")


def _polynomial(
    traced: Traced, gain: npt.NDArray[np.int64], low: npt.NDArray[np.int64], last: npt.NDArray[np.int64], bits: int
) -> int:
    """Returns the polynomial of the root, with the numbers of covers by score, as its value at a power of two.

    This is Kronecker's substitution; the polynomial of each node begins with the lowest score below it.
    """
    values = {1: 1}
    first, lowest, until = traced.first_edge.tolist(), low.tolist(), last.tolist()
    for v in range(2, traced.nodes):
        edges = slice(first[v], first[v + 1])
        children, gains = traced.edge_child[edges].tolist(), gain[traced.edge_option[edges]].tolist()
        values[v] = sum(
            values[child] << bits * (more + lowest[child] - lowest[v])
            for child, more in zip(children, gains, strict=True)
        )
        for child in children:
            if until[child] == v:
                values.pop(child, None)
    return values[traced.nodes - 1]
