"""The import of pynauty, and the worker process for it; this file imports little, so the process starts in 20 ms."""

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
            "symmetries need pynauty, which is not installed: pip install pynauty",
            name="pynauty",
        ) from error
    return pynauty


def plain_graph(*facts: Any) -> Any:
    """Returns a pynauty graph from its size, neighbours and cells; without arguments, an empty graph.

    The graph is undirected. Its attributes are not checked: that would take longer than nauty itself.
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
    """Worker loop: reads graphs, each with the module paths; replies with an error or nauty's result."""
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    with suppress(EOFError, OSError, pickle.UnpicklingError):  # the main program has ended
        while True:
            sys.path[:], question, *facts = pickle.load(questions)
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
    """Makes the end of standard input kill this process (`now`), or no longer.

    While nauty works, no Python code runs, not even in threads. But the pipe can send a signal when it is closed, and
    also when there is more to read. (PR_SET_PDEATHSIG would be sent when the thread that started this process ends.)
    """
    import fcntl

    if now:
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(0, fcntl.F_GETFL)
    fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC if now else flags & ~os.O_ASYNC)
    ends = select.poll()
    ends.register(0, 0)
    if ends.poll(0):  # the input has ended already
        os._exit(1)


if __name__ == "__main__":
    serve()
