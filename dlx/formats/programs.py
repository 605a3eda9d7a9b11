"""MPS and LP, the files of integer programs, read and written by HiGHS (extra `mip`).

An exact-cover problem is an integer program whose columns are 0 or 1, and whose coefficients are all 1:

    columns    options
    rows       items: `= 1` primary, `<= 1` secondary, other sums an item with multiplicities
    objective  weights, to be minimised: `best(problem, "min")`

The columns of an LP file are ordered by their first appearance, so that reading may change the order of options.
`dlx.formats.linear` makes the program of a problem, and `dlx.formats.constraints` the problem of a program.
"""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dlx.formats import highs
from dlx.formats.constraints import EXACT, problem_of
from dlx.formats.errors import Place, refusal
from dlx.formats.linear import linear, words
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem

PATIENCE = 60.0  # seconds for HiGHS to read a file; some damaged files it reads for ever
COMMENTS = {"mps": "*", "lp": "\\"}  # how a comment begins
# HiGHS's messages: `ERROR: reason`, or `WARNING: reason: ignored`; in LP files the next line has `path:line:column`.
FAULT = re.compile(r"^(?:ERROR|WARNING): +(?P<reason>.*)(?:\n +--> .*:(?P<line>\d+):\d+)?", re.MULTILINE)


class ProgramFormat:
    """One of the two formats of integer programs, "mps" or "lp"."""

    def __init__(self, name: str) -> None:
        self.name = name

    def loads(self, data: str | bytes, file: str = "<string>") -> Problem:
        """Reads a problem from a text.

        Weights are int64 if all costs are whole, else float64; None if all costs are 0. If the objective is to be
        maximised, the weights change their signs, with a FormatWarning. Columns that are fixed are chosen or left out.

        Raises:
            FormatError: HiGHS cannot read the text, or the program is no exact-cover problem; the message names the
                row and the column.
            ImportError: highspy is not installed.
        """
        with Place(file) as place, TemporaryDirectory() as folder:
            path = Path(folder, f"program.{self.name}")
            path.write_bytes(data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data)
            program = _in_highs("read", str(path))
            log = Path(f"{path}.log")
            found = FAULT.finditer(log.read_text(errors="replace") if log.exists() else "")
            faults = [fault for fault in found if program is None or "ignored" in fault["reason"]]
            named = [fault for fault in faults if '"' in fault["reason"]]  # a row or a column
            for fault in (named or faults)[:1]:
                place.line = int(fault["line"]) if fault["line"] else None
                raise ProblemError(fault["reason"].replace(str(path), f"the {self.name.upper()} file"))
            if program is None:
                raise ProblemError(f"HiGHS cannot read this as {self.name.upper()}")
            return problem_of(program, file)

    def dumps(self, problem: Problem) -> bytes:
        """Writes a problem; comments explain numbers that stand for names.

        Raises:
            FormatError: a whole weight is 2^53 or more, and HiGHS would round it.
            ImportError: highspy is not installed.
        """
        weights = problem.weights
        if weights is not None and weights.dtype.kind == "i" and (large := weights[np.abs(weights) >= EXACT]).size:
            raise refusal(f"HiGHS would round the weight {large[0]}: it keeps whole numbers below 2^53")
        program = linear(problem)
        rows, columns, legend = words(program)
        with Place("<problem>"), TemporaryDirectory() as folder:
            path = Path(folder, f"program.{self.name}")
            _in_highs("write", str(path), program, rows, columns)
            text = path.read_bytes()
        return "".join(f"{COMMENTS[self.name]} {line}\n" for line in legend).encode() + text


mps, lp = ProgramFormat("mps"), ProgramFormat("lp")


def _in_highs(work: str, *given: object) -> Any:
    """Calls a function of `dlx.formats.highs` in a process of its own."""
    if find_spec("highspy") is None:
        raise ImportError("MPS and LP files take highspy: pip install 'dancing-cover[mip]'", name="highspy")
    answer = Path(f"{given[0]}.answer")
    command = [sys.executable, "-P", highs.__file__, str(answer)]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    limit = PATIENCE if work == "read" else None
    try:
        subprocess.run(
            command, input=pickle.dumps((work, given)), capture_output=True, timeout=limit, check=True, env=environ
        )
    except subprocess.TimeoutExpired:
        raise ProblemError(f"HiGHS has not read this in {PATIENCE:.0f} seconds; a line is damaged") from None
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise ProblemError(f"HiGHS has failed with status {error.returncode}: {last[:200]}") from None
    return pickle.loads(answer.read_bytes())
