"""Our own format: the arrays of a problem in a numpy .npz file, and its names in JSON; it loses nothing.

The names of items, options and colours may be str, int, float, bool, None, and tuples of these, nested or not. There is
no pickle in the file, so that reading one from a stranger runs no code of theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlx.formats.archive import HEADER, most, opened, pack
from dlx.formats.names import as_json, of_json, parsed, quoted
from dlx.problem.problem import Problem

VERSION = 2
ARRAYS = ("indptr", "indices", "weights", "colours", "multiplicities", "roles", "implied")
NAMES = {"items": "item", "names": "name", "colour_names": "colour"}

VERSIONS = {  # for each, what it calls the arrays
    1: {"bounds" if name == "multiplicities" else name: name for name in ARRAYS},
    2: {name: name for name in ARRAYS},
}

WIDEST = 8  # bytes for a number


def dumps(problem: Problem) -> bytes:
    """Writes a problem as a numpy .npz file; `loads` gives an equal one.

    Parameters:
        problem: what to write.

    Returns:
        The bytes of the file, which `numpy.load(..., allow_pickle=False)` opens as well. It is compressed, unless the
        names are so much alike that a reader would take it for a file made to fill the memory.

    Raises:
        FormatError: a name is not of the types that can be written.

    >>> problem = Problem.from_options({("left", 1): "ab", ("right", None): "c"}, weights=[0.5, 2])
    >>> loads(dumps(problem)) == problem
    True
    """
    arrays = {kind: array for kind in ARRAYS if (array := getattr(problem, kind)) is not None}
    head: dict[str, Any] = {"version": VERSION, "n_primary": problem.n_primary}
    for kind, called in NAMES.items():
        values = getattr(problem, kind)
        head[kind] = None if values is None else as_json(values, called)
    names = np.frombuffer(quoted(head).encode(), dtype=np.uint8)
    return pack(max(names.nbytes, problem.indptr.nbytes), problem=names, **arrays)


def loads(data: bytes, file: str = "<bytes>") -> Problem:
    """Reads a problem from the bytes of a numpy .npz file that `dumps` has made.

    Parameters:
        data: the bytes.
        file: what errors call it.

    Returns:
        The problem, equal to the one that was written.

    Raises:
        FormatError: this is no such file, or it is damaged.
    """
    longest = most(len(data))
    with opened(data, file, "problem") as files:
        for name in ("problem", "indptr", "indices"):
            if name not in files:
                raise ValueError(f"it has no {name}.npy")
        head = parsed(files.pop("problem")(longest).tobytes())
        if head["version"] not in VERSIONS:
            raise ValueError(f"its version is {head['version']!r} instead of {VERSION}, or an older one")
        if type(head["n_primary"]) is not int:
            raise ValueError(f"the number of primary items is {head['n_primary']!r}")
        known = VERSIONS[head["version"]]
        if not files.keys() <= known.keys():
            raise ValueError(f"it has {', '.join(files.keys() - known.keys())} besides {', '.join(known)}")
        unpack = {known[name]: get for name, get in files.items()}
        # Names and pointers come first, for these say how long all the rest can be.
        names = {kind: None if head[kind] is None else tuple(map(of_json, head[kind])) for kind in NAMES}
        indptr = unpack.pop("indptr")(longest)
        n_items, n_options = len(names["items"] or ()), len(indptr) - 1
        n_entries = min(int(indptr[-1]), n_options * n_items)
        need = {"weights": n_options, "multiplicities": 2 * n_items, "roles": n_options, "implied": n_items}
        rest = {name: get(HEADER + WIDEST * need.get(name, n_entries)) for name, get in unpack.items()}
        problem = Problem(n_primary=head["n_primary"], indptr=indptr, **names, **rest)  # type: ignore[arg-type]
    return problem
