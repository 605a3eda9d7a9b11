"""nauty, asked so that a limit or Ctrl-C can stop it."""

from __future__ import annotations

import os
import pickle
import select
import sys
import threading
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

from dlx.engine.limits import Over, look, never
from dlx.symmetry import aside

if TYPE_CHECKING:
    from subprocess import Popen

SMALL = 1_000  # vertices of graphs that are not worth a process: most take 5 to 70 ms, it begins in 25, a question 1
WAIT = 20  # milliseconds between two looks at the clock and at Ctrl-C


class Nauty:
    """The source of all canonical forms and automorphisms, until it is over.

    nauty holds the interpreter's lock, and nothing stops it. So graphs that are not small go to a process of its own,
    which begins with the first of them, ends with `with` or with this process, and is killed when it is over. Where
    there is nobody to ask whether it is, as behind `with`, in a copy, or in a process that has been forked, and where
    no process can be started, all is done here.
    """

    def __init__(self, over: Over = never) -> None:
        self._package = aside.nauty()
        self.over = over
        self._at = None if over is never else os.getpid()
        self._one = threading.Lock()  # a question at a time
        self._process: Popen[bytes] | None = None

    def __reduce__(self) -> tuple[type[Nauty], tuple[()]]:
        return Nauty, ()

    def __enter__(self) -> Nauty:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.over, self._at = never, None
        self._kill()

    def certificate(self, graph: Any) -> bytes:
        """The adjacency matrix of the canonical form of a `plain_graph`."""
        if graph.number_of_vertices <= SMALL:  # as most are, and some take a few microseconds
            return self._package.certificate(graph)  # type: ignore[no-any-return]
        return self._ask("certificate", graph)  # type: ignore[no-any-return]

    def canon_label(self, graph: Any) -> list[int]:
        """The vertices in canonical order."""
        return self._ask("canon_label", graph)  # type: ignore[no-any-return]

    def autgrp(self, graph: Any) -> tuple[list[list[int]], float, int, list[int], int]:
        """Generators, the mantissa and the exponent of their group's order, the orbits, and how many there are."""
        return self._ask("autgrp", graph)  # type: ignore[no-any-return]

    def _ask(self, question: str, graph: Any) -> Any:
        """Asks nauty; raises StoppedError once it is over, MemoryError if its process has been killed."""
        look(self.over)
        if graph.number_of_vertices > SMALL and self._at == os.getpid() and hasattr(select, "poll"):
            with self._one, suppress(OSError, EOFError, pickle.UnpicklingError):
                return self._answer(question, graph)
            self._at = None  # no process begins, or it has ended by itself
        return getattr(self._package, question)(graph)

    def _answer(self, question: str, graph: Any) -> Any:
        """Returns the answer of the process."""
        try:
            if self._process is None:
                self._process = _begin()
            _send(self._process, (question, graph.number_of_vertices, graph.adjacency_dict, graph.vertex_coloring))
            answer: Any = self._process.stdout
            ready = select.poll()
            ready.register(answer, select.POLLIN)
            while not ready.poll(WAIT):
                look(self.over)
            wrong, told = pickle.load(answer)
        except (OSError, EOFError, pickle.UnpicklingError):
            killed = self._process is not None and self._process.wait() < 0
            self._kill()
            if killed:
                raise MemoryError(f"nauty was killed at a graph with {graph.number_of_vertices} vertices") from None
            raise
        except BaseException:
            self._kill()
            raise
        if wrong is not None:
            raise wrong
        return told

    def _kill(self) -> None:
        """Ends the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError), process:  # what has not been read cannot be sent any more
                pass


def _begin() -> Popen[bytes]:
    """Starts a process, to which no terminal sends Ctrl-C."""
    import subprocess  # costs 5 ms, and most graphs are small

    python = "" if getattr(sys, "frozen", False) else sys.executable or ""  # else there would be no end of programs
    process = subprocess.Popen(
        [python, "-S", aside.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    _send(process, [place for place in sys.path if isinstance(place, str)])
    return process


def _send(process: Popen[bytes], message: object) -> None:
    stream: Any = process.stdin
    pickle.dump(message, stream)
    stream.flush()
