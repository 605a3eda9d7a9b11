"""The choice of the kernel for a problem.

`links` and `bits` visit the same covers, but may choose forced options in another order. On the families of
`benchmarks/`, `bits` was 1.0 to 6 times as fast as `links` with masks of up to three words, and mostly slower with
wider masks. The exception is long item lists: `bits` was 9 times as fast on word squares spelt without colours, whose
items have 400 options each. Problems of up to 80 options go to `links`, which takes less time to set up. The choice
depends only on the shape of the problem, so it is fast and always the same. `multi` is for multiplicities.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import compiled_module, random_generator
from dlx.kernels import Kernel
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Item, Problem, as_problem
from dlx.problem.roles import Rows
from dlx.problem.words import nearest

KernelName = Literal["auto", "links", "bits"]
Preference = Iterable[Item] | Mapping[Any, float]

# The folder of each kernel that `new_kernel` makes
FOLDERS = {
    **dict.fromkeys(("links", "bits", "multi"), "cover"),
    **dict.fromkeys(("branch_and_bound", "components"), "price"),
    **dict.fromkeys(("learn", "inference"), "learn"),
}
SMALL = 80  # options; on random problems this small, `bits` took 1.05 to 9 times as long, mostly to set up
WORDS = 3  # 64-bit words of a mask; wider masks go to `links`, unless item lists are long


def build(problem: Problem, wanted: KernelName = "auto", prefer: Preference | None = None, room: int = 0) -> Kernel:
    """Makes the kernel that searches for all covers; its buffer has `room` covers, or it only counts if `room` is 0.

    If `bits` cannot hold the problem, `links` is used; multiplicities need `multi`, and preferences need `links`.

    >>> build(Problem.from_options(["ab", "c"])).name
    'links'
    """
    if wanted not in get_args(KernelName):
        raise ValueError(f"kernel is {wanted!r}; it must be one of {', '.join(get_args(KernelName))}")
    rows = as_problem(problem).rows()
    name = _choice(rows, wanted)
    arguments = [np.empty((room, problem.max_level), dtype=np.int32)]
    if prefer is not None:
        if wanted == "bits" or name == "multi":
            raise ValueError(f"the kernel {'multi' if name == 'multi' else 'bits'} does not support prefer")
        name = "links"
        arguments.append(ranks(problem, prefer))
    kernel: Kernel = new_kernel(name, rows, *arguments)
    return kernel


def _choice(rows: Rows, wanted: KernelName) -> str:
    if rows.multiplicities is not None:
        return "multi"
    if wanted == "links" or (wanted == "auto" and rows.n_options <= SMALL):
        return "links"
    widest = WORDS if wanted == "auto" and not _has_long_lists(rows) else None
    return "bits" if compiled_module("dlx.kernels.cover.bits").fits(rows, widest) else "links"


def _has_long_lists(rows: Rows) -> bool:
    """Returns whether item lists are so long that `bits` is faster than `links` even with wide masks."""
    entries = len(rows.indices)
    size, length = entries / max(1, rows.n_options), entries / max(1, rows.n_items)
    return 4 * size * size * length > rows.n_options * rows.n_items / 64


def new_kernel(name: str, rows: Rows, *arguments: Any) -> Any:
    """Makes the kernel with this name; its module is imported at the first use."""
    module = compiled_module(f"dlx.kernels.{FOLDERS[name]}.{name}")
    return getattr(module, name.title().replace("_", ""))(rows, *arguments)


def ranks(problem: Problem, prefer: Preference) -> npt.NDArray[np.int32]:
    """Returns the rank of each primary item; items without a preference come last.

    >>> ranks(Problem.from_options(["abc"]), prefer={"c": -5, "a": 2.5}).tolist()
    [1, 2, 0]
    """
    prefer = by_item(prefer)
    primary = problem.items[: problem.n_primary]
    unknown = prefer.keys() - set(primary)
    if unknown:
        item = next(item for item in prefer if item in unknown)
        if item in problem.items:
            raise ProblemError(f"the preferred item {item!r} is secondary; only primary items can be preferred")
        raise ProblemError(f"the preferred item {item!r} is no item{nearest(item, primary)}")
    place = {value: k for k, value in enumerate(sorted(set(prefer.values())))}
    rank = [place[prefer[item]] if item in prefer else len(place) for item in primary]
    return np.array(rank, dtype=np.int32)


def by_item(prefer: Preference) -> Mapping[Any, float]:
    """Returns preferences as a mapping from items to finite ranks, or raises TypeError or ValueError."""
    if not isinstance(prefer, Mapping):
        try:
            return {item: k for k, item in reversed([*enumerate(prefer)])}
        except TypeError:
            raise TypeError(
                f"prefer is {prefer!r:.80}; it must be a sequence of items, or a mapping from items to ranks"
            ) from None
    return {item: _rank(item, rank) for item, rank in prefer.items()}


def _rank(item: Item, rank: Any) -> Any:
    """Returns a rank; raises TypeError or ValueError unless it is a finite number."""
    wrong = f"prefer[{item!r}] is {rank!r:.80}; a rank must be a finite number, the lowest for the first item"
    if not isinstance(rank, (int, float, np.integer, np.floating)) or isinstance(rank, bool):
        raise TypeError(wrong)
    if not isinstance(rank, (int, np.integer)) and not isfinite(rank):
        raise ValueError(wrong)
    return rank


def shuffle(problem: Problem, seed: int) -> tuple[Problem, npt.NDArray[np.int32]]:
    """Returns the problem in random order, and the old number of each option; a final -1 maps -1 to itself."""
    rng = random_generator(seed)
    old = rng.permutation(as_problem(problem).n_options).astype(np.int32)
    second = problem.n_items - problem.n_primary
    items = np.concatenate([rng.permutation(problem.n_primary), problem.n_primary + rng.permutation(second)])
    place = np.empty(problem.n_items, dtype=np.int32)
    place[items] = np.arange(problem.n_items, dtype=np.int32)
    sizes = np.diff(problem.indptr)[old]
    indptr = np.append(0, np.cumsum(sizes)).astype(np.int32)
    entries = np.repeat(problem.indptr[:-1][old] - indptr[:-1], sizes) + np.arange(indptr[-1])

    def some(values: npt.NDArray[Any] | None, numbers: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
        return None if values is None else values[numbers]

    # Names and weights are dropped: kernels do not use them, and copying and checking them doubled the time.
    shuffled = Problem(
        tuple(problem.items[i] for i in items),
        problem.n_primary,
        indptr,
        place[problem.indices[entries]],
        colours=some(problem.colours, entries),
        colour_names=problem.colour_names,
        multiplicities=some(problem.multiplicities, items[: problem.n_primary]),
        roles=some(problem.roles, old),
    )
    return shuffled, np.append(old, np.int32(-1))
