"""nauty, and the program of its worker process: this file imports little, so that the process begins in 20 ms."""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
from contextlib import suppress
from functools import cache
from typing import Any


def nauty() -> Any:
    """Returns the package `pynauty`, or raises ImportError."""
    try:
        import pynauty
    except ImportError as error:
        raise ImportError(
            "symmetries are found by pynauty, which is not installed: pip install pynauty",
            name="pynauty",
        ) from error
    return pynauty


def plain_graph(*facts: Any) -> Any:
    """Returns a graph of pynauty by its size, neighbours and cells, or an empty one for others to fill.

    It is undirected, and its attributes are not checked, which would take longer than nauty.
    """
    return _plain()(*facts)


@cache
def _plain() -> Any:
    class PlainGraph(nauty().Graph):  # type: ignore[misc]
        adjacency_dict: dict[int, list[int]]
        vertex_coloring: list[list[int]]

        def __init__(self, size: int = 0, neighbours: Any = None, cells: Any = None) -> None:
            self.directed = False
            self.number_of_vertices, self.adjacency_dict, self.vertex_coloring = size, neighbours, cells

    PlainGraph.adjacency_dict = PlainGraph.vertex_coloring = None  # type: ignore[assignment]  # no longer properties
    return PlainGraph


def serve() -> None:
    """Worker loop: reads module paths, then graphs; replies with an error or nauty's result."""
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    with suppress(EOFError, OSError, pickle.UnpicklingError):  # the program has ended
        sys.path[:] = pickle.load(questions)
        while True:
            question, *facts = pickle.load(questions)
            _end_with_the_program(True)
            answer: tuple[Exception | None, Any]
            try:
                answer = None, getattr(nauty(), question)(plain_graph(*facts))
            except Exception as error:
                answer = error, None
            _end_with_the_program(False)
            pickle.dump(answer, answers)
            answers.flush()


def _end_with_the_program(now: bool) -> None:
    """Has the system end this process at once, or no longer, when its standard input ends.

    While nauty works no Python runs, not even in threads; but a pipe can send a signal, also when there is more to
    read. PR_SET_PDEATHSIG would be sent at the end of the thread that has started this process.
    """
    import fcntl

    if now:
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(0, fcntl.F_GETFL)
    fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC if now else flags & ~os.O_ASYNC)
    ends = select.poll()
    ends.register(0, 0)
    if ends.poll(0):  # it has ended before
        os._exit(1)


if __name__ == "__main__":
    serve()
