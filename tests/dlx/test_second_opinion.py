"""HiGHS beside the search for the best cover: what it says against enumeration, its mistakes, limits and ends.

HiGHS is in a process of its own here, too: ortools, which other tests import, does not load behind highspy.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
import weighted_families
from processes import children, run
from seeds import tries
from weighted import stuck, watched

from dlx import Problem, Progress, best
from dlx.engine.dispatch import build
from dlx.optimum.highs import Highs
from dlx.optimum.search import Search
from dlx.parallel import program

needs_highs = pytest.mark.skipif(find_spec("highspy") is None, reason="highspy is not installed: pip install '.[mip]'")

# HiGHS has ended before ours begins, which does nothing but look.
ALONE = """
from collections import deque

import numpy as np
from oracle import KINDS
from weighted import WEIGHTS, compare, possible, random_case

from dlx import best
from dlx.optimum.components import Components
from dlx.optimum.highs import Highs, solve
from dlx.engine.dispatch import build
from dlx.optimum.search import Search

def at_once(self):
    news = []
    solve(self.asked, deque(), news.append)
    self._news += news
    return self

Highs.__enter__ = at_once
Search.run = Components.run = lambda self: self._loop.over()
proven = 0
for weights in WEIGHTS:
    for kind in KINDS:
        for seed in range(int(input())) if possible(kind, weights) else ():
            rng = np.random.default_rng([seed, *map(ord, kind[:2] + weights[-2:])])
            problem, scored = random_case(rng, weights, kind)
            if not problem.n_options:  # which HiGHS does not look at
                continue
            sense = rng.choice(["max", "min"])
            result = best(problem, sense, mip=True)
            try:
                if result.proven or weights != "huge":  # whose scores are no floats
                    known = {cover: score for score, cover in scored}
                    compare(result, known, 1 if sense == "max" else -1, 1)
                assert result.proven == (not result.covers or weights not in ("large", "huge")), "as far as it is heard"
                assert result.proof == "highs" or not result.proven
                assert result.tolerance < 0.5 or not result.covers or problem.weights.dtype.kind == "f"
            except AssertionError as error:
                error.add_note(f"{kind}, {weights}, seed {seed}: {result}, {scored}")
                raise
            proven += result.proven
print(proven)
"""


@needs_highs
@pytest.mark.slow
def test_highs_alone_is_what_enumeration_says() -> None:
    """What HiGHS proves is right, for weights and problems of every kind, and where there is no cover."""
    program = ALONE.replace("int(input())", str(tries(40)))
    done = run(program)
    assert not done.returncode, done.stderr
    assert int(done.stdout.split()[-1]) > 100


# What HiGHS may say


def heard(problem: Problem, *news: tuple[list[int] | None, float]) -> Highs:
    """HiGHS after it has said something."""
    second = Highs(problem, 1)
    second._news += news
    second.settled()
    return second


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Is HiGHS' place where it is not needed."""
    monkeypatch.setattr("dlx.optimum.highs.find_spec", lambda name: name)


PAIRS = Problem.from_options(["ab", "cd", "ac", "bd"], weights=[3, 4, 5, 1])


@pytest.mark.usefixtures("there")
def test_a_bound_is_believed_as_far_as_it_is_right() -> None:
    """A bound is rounded down to a whole score; below a true score, or after no cover, it counts for nothing."""
    assert heard(PAIRS, (None, 8.7)).tighter(12) == 8
    assert heard(PAIRS, (None, 7.0 - 1e-10)).tighter(12) == 7
    assert heard(PAIRS, ([0, 1], 7.4)).settled()
    assert not heard(PAIRS, ([0, 1], 8.0)).settled()
    assert not heard(PAIRS, ([0, 1], 6.9)).settled(), "there is a cover of 7"
    assert not heard(PAIRS, ([0, 1], -math.inf)).settled(), "there is a cover"
    assert heard(PAIRS, (None, -math.inf)).settled()
    wrong = heard(PAIRS, ([0, 2], 8.0), (None, 7.0))
    assert (wrong.score, wrong.tighter(12)) == (None, 12), "options 0 and 2 are no cover"
    large = Problem.from_options(["a", "a"], weights=[10**9, 10**9 - 1])
    assert heard(large, ([0], 1e9)).tighter(10**10) == 10**10, "it may be off by one"
    real = Problem.from_options(["a", "a"], weights=[0.3, 0.2])
    assert heard(real, ([0], 0.3 * 2**11)).settled()
    assert heard(real, (None, 0.25 * 2**11)).tighter(1.0) == pytest.approx(0.25)


@pytest.mark.usefixtures("there")
def test_finds_are_exchanged() -> None:
    """A cover of HiGHS is an incumbent of the search with our score, and one of ours a cover that it knows."""
    second = heard(PAIRS, ([0, 1], math.inf))
    incumbents = Highs(PAIRS, 1).incumbents
    assert second.confer(incumbents)
    assert incumbents.covers == [(7, (0, 1))]
    assert not second.confer(incumbents)
    worse = heard(PAIRS, ([2, 3], math.inf))
    assert not worse.confer(incumbents)
    assert worse.score == 7


KNOWN = """
from collections import deque

from families import build

from dlx import best
from dlx.optimum.highs import Highs, solve

problem = build("queens", 8)
known = deque([list(best(problem).covers[0].options)])
solve(Highs(problem, 1).asked, known, lambda news: None)
assert not known
"""


@needs_highs
def test_highs_takes_a_known_cover() -> None:
    """HiGHS asks for covers that are known."""
    done = run(KNOWN)
    assert not done.returncode, done.stderr


# Beside ours


@needs_highs
@pytest.mark.slow
def test_highs_proves_what_prices_do_not_know() -> None:
    """HiGHS ends a search that prices would not end; every bound and score seen on the way is true."""
    result, _ = watched(stuck(), 60, mip=True)
    assert (result.score, result.bound, result.proven, result.proof, result.stopped) == (60, 60, True, "highs", None)
    assert 0 < result.tolerance < 1e-6
    assert best(PAIRS, mip=True, certificate=True).certificate is not None, "that is ours"


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leaves all to HiGHS, for which nothing is done but to look; nobody is left afterwards."""

    def look(self: Search) -> None:
        kernel = build(self._priced, room=1)
        self._loop.join(kernel)
        while not self._loop.over():
            self._loop.report(kernel)
            self._take(kernel)

    monkeypatch.setattr(Search, "run", look)
    before = children(os.getpid())
    yield
    assert children(os.getpid()) == before


@needs_highs
@pytest.mark.usefixtures("endless")
def test_highs_is_told_and_tells(capfd: pytest.CaptureFixture[str]) -> None:
    """What HiGHS finds and proves is in the progress, not in the output; a gap, or its proof of no cover, ends both."""
    problem, sense = weighted_families.build("transport 5 to 20")
    seen: list[Progress] = []
    result = best(problem, sense, mip=True, progress=seen.append)
    assert (result.score, result.proof, result.proven) == (21370, "highs", True)
    assert seen[-1].score == seen[-1].bound == 21370
    assert best(problem, sense, mip=True, start=result.covers[0].options).score == 21370
    rough = best(problem, sense, mip=True, gap=0.5)
    assert rough.stopped in ("gap", None)
    nothing = best(Problem.from_options(["ab", "bc", "ac"]), mip=True)
    assert (nothing.score, nothing.bound, nothing.proven, nothing.proof) == (None, None, True, "highs")
    assert capfd.readouterr() == ("", "")


@needs_highs
@pytest.mark.usefixtures("endless")
def test_highs_proves_a_problem_that_falls_apart() -> None:
    """The parts are searched one by one, and HiGHS proves the whole; its proof has no certificate."""
    one = weighted_families.build("transport 5 to 20")
    result = best(weighted_families.together([one, one]).problem, one.sense, mip=True, certificate=True)
    assert (result.score, result.proven, result.proof, result.certificate) == (2 * 21370, True, "highs", None)


@pytest.mark.usefixtures("endless", "there")
def test_limits_end_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit ends HiGHS, too, however deaf it is; a process that dies or cannot begin harms nobody."""
    for text in ("import time; time.sleep(1000)", "raise SystemExit"):
        monkeypatch.setattr("dlx.optimum.highs.PROGRAM", text)
        assert best(PAIRS, mip=True, timeout=0.1).stopped == "timeout"
    with monkeypatch.context() as patch:
        begun = [program.begin("-c", "import time; time.sleep(1000)")]
        patch.setattr(program, "begin", lambda *given: begun[0])
        result = best(PAIRS, mip=True, progress=lambda seen: os.kill(begun[0].pid, signal.SIGKILL), timeout=0.1)
        assert (result.stopped, result.proof, result.bound) == ("timeout", "dlx", 9)
    monkeypatch.setattr(sys, "executable", "")
    assert best(PAIRS, mip=True, timeout=0.01).stopped == "timeout"


@pytest.mark.posix("/proc/self/stat")
@needs_highs
def test_highs_ends_with_its_program() -> None:
    """HiGHS does not outlive a program that is killed."""
    started = (
        "best(stuck(301), mip=True, progress=lambda seen: print(*children(os.getpid())) or os.kill(os.getpid(), 9))"
    )
    done = run(
        f"import os\nfrom dlx import best\nfrom processes import children\nfrom weighted import stuck\n{started}"
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error without highspy names the extra; HiGHS looks for one cover."""
    with pytest.raises(ValueError, match="k is 2; HiGHS"):
        best(PAIRS, k=2, mip=True)
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(ImportError, match=r"dancing-cover\[mip\]"):
        best(PAIRS, mip=True)


@pytest.mark.posix
def test_a_program_that_cannot_be_sent_anything_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the first message fails, nothing of the program is left."""
    begun: list[subprocess.Popen[bytes]] = []

    def fail(process: subprocess.Popen[bytes], message: object) -> None:
        begun.append(process)
        raise BrokenPipeError

    monkeypatch.setattr(program, "send", fail)
    with pytest.raises(BrokenPipeError):
        program.begin("-c", "import time; time.sleep(1000)")
    assert begun[0].returncode == -signal.SIGKILL
