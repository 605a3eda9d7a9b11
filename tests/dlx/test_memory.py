"""Memory: what an amount of it is, and what becomes of searches and commands where there is too little."""

from __future__ import annotations

import argparse
import io
import re
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from dlx_command import COSTS, DANCE, Feed
from families import build
from processes import run

from dlx import Diagram, classify, count, diagram
from dlx.command import memory

TIGHT = """
import resource
from families import build
from dlx import count, diagram
problem = build("langford", 11)
for small in (build("latin", 4), build("dominoes", 100, 2)):  # whatever is loaded when it is needed
    count(small, merge="same"), diagram(small)
size = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmSize"))
resource.setrlimit(resource.RLIMIT_AS, (size + (2 << 20), resource.RLIM_INFINITY))
try:
    diagram(problem)
except MemoryError as error:
    print(error)
"""


@pytest.mark.posix("/proc/self/status")
def test_little_address_space() -> None:
    """With 2 MB more than it has, a diagram says how far it came."""
    assert re.match(r"the diagram takes .* more than the system has: it has \d+ nodes so far; ", run(TIGHT).stdout)


def test_one_meaning_of_memory() -> None:
    """None stands for 1 GB wherever memory can be given, and what is no amount is refused in the same words."""
    problem = build("toy")
    made = diagram(problem, memory=None)
    made.save(stream := io.BytesIO())
    ways: list[Callable[[Any], object]] = [
        lambda memory: count(problem, memory=memory).covers,
        lambda memory: diagram(problem, memory=memory).memory,
        lambda memory: Diagram.load(io.BytesIO(stream.getvalue()), memory).memory,
        lambda memory: len(classify(problem, memory=memory)),
    ]
    for way in ways:
        with pytest.raises(TypeError, match=r"^memory is 1\.5; it must be a whole number or None$"):
            way(1.5)
        with pytest.raises(ValueError, match=r"^memory is -1; it cannot be negative$"):
            way(-1)
    assert [way(None) for way in ways] == [1, 1 << 30, 1 << 30, 1]


def test_no_memory_while_a_problem_is_read(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lack of memory is an error with status 2, in words: neither a traceback nor numpy's, nor "no cover"."""
    with pytest.raises(MemoryError) as caught:
        np.empty(1 << 62, np.uint8)
    for error in (MemoryError(), caught.value):
        monkeypatch.setattr("dlx.command.task.read", Mock(side_effect=error))
        assert feed_dlx("", "solve", DANCE) == (2, "", f"dlx: {DANCE}: there is not enough memory\n")
        monkeypatch.setattr("dlx.command.cli._run", Mock(side_effect=error))
        assert feed_dlx("", "solve", DANCE) == (2, "", "dlx: there is not enough memory\n")
        monkeypatch.undo()


def test_amounts_of_memory(feed_dlx: Feed) -> None:
    """An amount is read with or without a unit; what is none is wrong usage, and shown."""
    amounts = {"0": 0, "100MB": 10**8, "1e9": 10**9, "2GiB": 2**31, "1.5k": 1500, "1 Ti": 2**40, "7B": 7, "2gib": 2**31}
    assert {text: memory(text) for text in amounts} == amounts
    assert feed_dlx("", "count", "--memory", "100MB", DANCE)[:2] == (0, "1\n")
    for text in ("-7", "100 bytes", "GB", "1e", "1e999", "inf", "", "9" * 30):
        with pytest.raises(SystemExit) as ended:
            feed_dlx("", "count", f"--memory={text}", DANCE)
        assert ended.value.code == 2
        with pytest.raises(argparse.ArgumentTypeError, match=re.escape(repr(text)[:40])):
            memory(text)


@pytest.mark.posix("/dev/full")
def test_a_certificate_that_cannot_be_written(feed_dlx: Feed) -> None:
    """The message names the file of the certificate, and the answer is printed all the same."""
    status, out, err = feed_dlx("", "best", COSTS, "--certificate", "/dev/full")
    assert (status, err) == (2, "dlx: /dev/full: No space left on device\n")
    assert out
