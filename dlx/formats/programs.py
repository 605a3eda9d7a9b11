"""MPS and LP, the files of integer programs, read and written by HiGHS (extra `mip`).

An exact-cover problem is an integer program with 0-1 columns whose coefficients are all 1:

    columns    options
    rows       items: `= 1` primary, `<= 1` secondary, other sums with multiplicities
    objective  weights, minimised by `best(problem, "min")`, maximised by `best(problem, "max")`

The columns of an LP file are ordered by their first appearance, so the order of options may change.

HiGHS runs in a separate process (`dlx.formats.highs`), because HiGHS prints its version to standard output, hangs on
some damaged files, and cannot be loaded together with OR-Tools.
"""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dlx.formats import highs
from dlx.formats.errors import FormatError, Place, SenseWarning, refusal
from dlx.formats.text import legend
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem

PATIENCE = 60.0  # seconds for HiGHS to read a file, since it hangs on some damaged files
COMMENTS = {"mps": "*", "lp": "\\"}  # the beginning of a comment
# Names that HiGHS preserves in MPS and LP files. In an LP file, a range becomes two rows with the suffixes lo and up
KEYWORDS = (
    r"min|minimi[sz]e|minimum|max|maximi[sz]e|maximum|subject|such|st|bounds?|bin|binary|binaries|int|integers?|gen"
    r"|generals?|semi|semis|sos[12]?|end|free|inf|infinity|nan|.*lo|.*up"
)
NAME = re.compile(rf"(?!(?:{KEYWORDS})\Z)[a-z_][a-z0-9_.,()#]{{0,250}}", re.IGNORECASE | re.ASCII)


class ProgramFormat:
    """One of the two formats of integer programs, "mps" or "lp"."""

    def __init__(self, name: str) -> None:
        self.name = name

    def loads(self, data: str | bytes, file: str = "<string>") -> Problem:
        """Reads a problem from a text.

        Weights are int64 if all costs are whole, else float64; None if all costs are 0. A FormatWarning says if the
        objective is maximised. A constant is added to the weights of the options of the first item that is covered
        exactly once. A column fixed at 1 is chosen, a column fixed at 0 is omitted.

        Raises:
            FormatError: HiGHS cannot read the text, or the program is no exact-cover problem; the message names the
                row and the column.
            ImportError: highspy is not installed.
        """
        text = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
        with Place(file):
            problem, is_maximised = _in_highs(highs.read, self.name, text, file)
        if is_maximised and problem.weights is not None:
            reason = "the objective is to be maximised, so call best(problem, 'max'); written files are minimised"
            warnings.warn(f"{file}: {reason}", SenseWarning, stacklevel=3)
        return problem  # type: ignore[no-any-return]

    def dumps(self, problem: Problem) -> bytes:
        """Returns a problem as text; comments explain names such as x1.

        Raises:
            FormatError: the problem has colours; or a whole weight is 2^53 or more, and HiGHS would round it.
            ImportError: highspy is not installed.
        """
        weights = np.zeros(problem.n_options) if problem.weights is None else problem.weights
        if problem.colours is not None:
            raise refusal("options have colours; a CNF file can represent these", "an integer program")
        if weights.dtype.kind == "i" and (large := weights[np.abs(weights) >= highs.EXACT]).size:
            raise refusal(f"HiGHS would round the weight {large[0]}: it keeps whole numbers below 2^53")
        rows, of_rows = _words(problem.items, "r")
        columns, of_columns = _words(problem.names or [f"x{k + 1}" for k in range(problem.n_options)], "x")
        with Place("<problem>"):
            text: bytes = _in_highs(highs.write, self.name, b"", problem, weights, rows, columns)
        comments = "".join(f"{COMMENTS[self.name]} {line}\n" for line in of_rows + of_columns)
        return comments.encode() + text


mps, lp = ProgramFormat("mps"), ProgramFormat("lp")


def _in_highs(work: Callable[..., object], name: str, text: bytes, *given: object) -> Any:
    """Calls `read` or `write` in a new process, with the path of a temporary file with a text."""
    if find_spec("highspy") is None:
        raise ImportError("MPS and LP files need highspy, which is not installed: pip install highspy", name="highspy")
    with TemporaryDirectory() as folder:
        path = Path(folder, f"program.{name}")
        path.write_bytes(text)
        return _called(work, str(path), *given)


def _called(work: Callable[..., object], path: str, *given: object) -> Any:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-P", "-m", "dlx.formats.highs", path]
    call, limit = pickle.dumps((work, given)), PATIENCE if work is highs.read else None
    try:
        subprocess.run(command, input=call, capture_output=True, timeout=limit, check=True, env=environ)
    except subprocess.TimeoutExpired:
        raise ProblemError(f"HiGHS has not read this in {PATIENCE:.0f} seconds; a line is damaged") from None
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise ProblemError(f"HiGHS has failed with status {error.returncode}: {last[:200]}") from None
    answer = pickle.loads(Path(f"{path}.answer").read_bytes())
    if isinstance(answer, FormatError):
        raise answer
    return answer


def _words(names: Sequence[object], letter: str) -> tuple[list[str], list[str]]:
    """Returns the names of rows or columns, and comments; numbered names unless all names match `NAME` and differ."""
    words = [name for name in names if isinstance(name, str) and NAME.fullmatch(name)]
    if len({*words}) == len(names):
        return words, []
    numbers = [f"{letter}{k}" for k in range(1, len(names) + 1)]
    return numbers, legend(numbers, names)
