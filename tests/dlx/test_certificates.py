"""Certificates: the checker accepts the proofs of searches, and nothing that would prove too much."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from gates import FAMILIES, WEIGHTS, compare, stuck, weighted, with_low_gates
from seeds import for_seeds
from waiting import WAIT

from dlx import Best, Certificate, CertificateError, Problem, best
from dlx.engine.limits import Limits
from dlx.optimum import certificate as module
from dlx.optimum.cuts import Cut
from dlx.optimum.loop import BestLoop
from dlx.optimum.root import Root
from dlx.optimum.search import BestSearch, Request

Sense = Literal["max", "min"]
Step = tuple[str, list[int]]
PENTAGON = Problem.from_options([(k, (k + 1) % 5) for k in range(5)], multiplicities=dict.fromkeys(range(5), (0, 1)))
PAIRS = stuck(5)


def certified(problem: Problem, sense: Sense = "max", **given: Any) -> tuple[Best, Certificate]:
    """The result, with its certificate."""
    result = best(problem, sense, certificate=True, **given)
    assert result.proven
    assert result.stopped is None
    assert result.certificate is not None
    return result, result.certificate


def with_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the search that is written down divide by pairs of items, which others do after seconds only."""
    begin_again = Root.begin_again

    def begin(root: Root) -> None:
        begin_again(root)
        root.kernel.configure(0, 9, 3.0, 99, 99)

    monkeypatch.setattr(Root, "begin_again", begin)


def proves(problem: Problem, sense: Sense, result: Best, proof: Certificate) -> None:
    """Holds what the checker says against the result: the bound is the score, or as near as units can tell."""
    bound = proof.check(problem, sense)
    if result.score is None:
        assert bound is None
        return
    assert bound is not None
    sign = 1 if sense == "max" else -1
    over = sign * (bound - Fraction(result.score))
    whole = problem.weights is None or problem.weights.dtype.kind == "i"
    if whole and proof.bits >= 0:
        assert over == 0
    else:
        assert -Fraction(result.tolerance) <= over <= (problem.max_level + 1) / Fraction(2) ** proof.bits


@pytest.mark.parametrize("family", FAMILIES)
@for_seeds(150)
def test_certificates_prove_what_enumeration_says(monkeypatch: pytest.MonkeyPatch, family: str, seed: int) -> None:
    """Certificates prove the best scores of problems of all kinds, by weights of any size, whatever a search does.

    Options may have been chosen or left out; the steps are taken out often.
    """
    rng = np.random.default_rng([seed, len(family), 7])
    problem, known = weighted(rng, family, WEIGHTS)
    sense: Sense = rng.choice(["max", "min"])
    with monkeypatch.context() as patch:
        if seed % 3:
            with_low_gates(patch, rng)
        if seed % 2:
            with_pairs(patch)
        patch.setattr("dlx.optimum.search.LOG", int(rng.choice([0, 1 << 16])))
        result, proof = certified(problem, sense, seed=seed)
    compare(result, known, 1 if sense == "max" else -1, 1)
    proves(problem, sense, result, proof)


def rewritten(proof: Certificate, steps: list[Step]) -> Certificate:
    """The certificate with other steps."""
    numbers = [[list(module.KINDS).index(kind), len(step), *step] for kind, step in steps]
    return replace(proof, record=np.array([n for step in numbers for n in step], dtype=np.int64))


def with_item(proof: Certificate, some: Cut) -> Certificate:
    """The certificate with one more item, at no price."""
    more = replace(proof, added=(*proof.added, some), prices=np.append(proof.prices, 0))
    return rewritten(more, [(k, [*step, 0] if k == "prices" else step) for k, step in proof.steps()])


def refused(problem: Problem, proof: Certificate) -> bool:
    """Returns whether the checker finds anything wrong."""
    try:
        proof.check(problem, "max" if proof.sign == 1 else "min")
    except CertificateError:
        return True
    return False


def test_nothing_better_is_claimed() -> None:
    """A proof proves nothing with a target, weights or prices below the true ones."""
    result, proof = certified(PAIRS)
    unit, lower = 1 << proof.bits, proof.weights.copy()
    lower[result.covers[0].options[0]] -= 1
    assert result.score is not None
    cheaper = [(kind, [n - unit for n in step] if kind == "prices" else step) for kind, step in proof.steps()]
    for better in (
        replace(proof, target=int(result.score) * unit),
        replace(proof, weights=lower),
        replace(proof, prices=proof.prices - unit),
        rewritten(proof, cheaper),
    ):
        assert refused(PAIRS, better)


def test_a_wrong_claim_ends_the_search_for_its_proof() -> None:
    """A cover better than the one that is to be proven best is named; the search once went on for ever."""
    wrong = BestSearch(Request(PAIRS, 1, 1, 0, BestLoop(Limits.of(timeout=WAIT))))
    wrong.run()
    score, options = wrong.incumbents.covers[0]
    wrong.incumbents.covers = [(score - 1, options)]
    with pytest.raises(RuntimeError, match=r"bug in dlx: the options \[.*\] score better"):
        wrong.certify()


@pytest.mark.parametrize(
    "wrong",
    [
        Cut((0, 2)),  # they do not clash
        Cut((0, 1), 0, 0),
        Cut((0, 1), 1, 1),
        Cut((0, 1, 2, 3, 4), 0, 1, (0, 1, 2, 3, 4)),
        Cut((0, 1, 2, 3, 4), 0, 1, (0, 1, 2, 3, 4), (0, 0)),
        Cut((0, 1, 2), 0, 1, (0, 1, 2)),
        Cut((0, 1, 2, 3, 4), 1, 5, (0, 1, 2, 3, 4)),
        Cut((0, 1), 0, 1, (0, 9)),
        Cut((0, 1, 2, 3, 4), 0, 1, (0, 1, 2, 3, 4), (), 1),
        Cut((0, 1, 2, 3, 4), 0, 2, (0, 1, 2, 3, 4), (), 3),
        Cut((0, 1, 2, 3, 4), 2, 5, (0, 1, 2, 3, 4), (), 3),
        Cut((0, 1, 2, 3, 4), 1, 5, (0, 1, 2, 3, 4), (0, 1, 2, 3, 4), -1),
        Cut((0, 1, 2, 3, 4), 0, 2, (0, 1, 2, 3, 4), (), 2, (1, 1, 1, 1, 2)),
        Cut((0, 1, 2, 3, 4), 0, 2, (0, 1, 2, 3, 4), (), 6, (3, 3, 3, 3, 2)),
        Cut((0, 1, 2, 3, 4), 0, 2, (0, 1, 2, 3, 4), (), 2, (1, 1, 1, 1)),
        Cut((3, 4), 0, 1, (0, 3, 4), (), 4, (5, 5, -1)),
        Cut((3, 4), 0, 1, (0, 3, 4), (), 4, (5, -1, 5)),
    ],
)
def test_items_that_do_not_follow_are_refused(wrong: Cut) -> None:
    """Options that do not clash, too low a most, too high a least, an item that is not there; what follows is not."""
    problem = replace(PENTAGON, weights=np.array([3, 5, 4, 7, 6]))
    _, proof = certified(problem)

    five = 0, 1, 2, 3, 4
    for true in (Cut((0, 1)), Cut(five, 0, 2, five), Cut(five, 0, 2, five, (), 6, (3, 3, 3, 3, 3))):
        assert not refused(problem, with_item(proof, true))
    assert refused(problem, with_item(proof, wrong))


@pytest.mark.parametrize("copies", [1, 2])
def test_an_option_that_is_there_twice_is_bounded_by_two(copies: int) -> None:
    """An item of its own is for all copies, and only what is chosen once at most is added to the bounds of a cut."""
    problem = Problem.from_options(
        ["ab"] * copies + ["b"], weights=[2] * copies + [5], multiplicities=dict.fromkeys("ab", (0, 3))
    )
    _, proof = certified(problem)
    assert [refused(problem, with_item(proof, Cut((0,), 0, most))) for most in (1, 2)] == [copies == 2, False]
    assert refused(problem, with_item(proof, Cut((0,), 0, 2, (0,), (0,), 2))) == (copies == 2)


@for_seeds(150)
def test_no_certificate_proves_what_is_not_true(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """The checker refuses a certificate with any number changed, or its claim is true all the same."""
    rng = np.random.default_rng([seed, 10])
    family = list(FAMILIES)[seed % len(FAMILIES)]
    problem, _ = weighted(rng, family)
    with monkeypatch.context() as patch:
        with_low_gates(patch, rng)
        result, proof = certified(problem)
    for _ in range(20):
        changed = _changed(rng, proof)
        if not refused(problem, changed):
            bound = changed.check(problem)
            assert result.score is None or (bound is not None and bound >= Fraction(result.score - result.tolerance))


def _changed(rng: np.random.Generator, proof: Certificate) -> Certificate:
    """The certificate with one of its numbers changed, or without a stretch of its steps."""
    record, added, target = proof.record.copy(), list(proof.added), proof.target
    what = int(rng.integers(5))
    at = int(rng.integers(len(record)))
    if what == 0:
        record[at] += rng.choice([-1, 1])
    elif what == 1:
        record[at] = rng.integers(-1, 9)
    elif what == 2:
        record = np.delete(record, slice(at, at + int(rng.integers(1, 9))))
    elif what == 3 and target is not None:
        target -= 1 << int(rng.integers(max(1, proof.bits + 4)))
    elif added:
        k = int(rng.integers(len(added)))
        least, most = added[k].least + int(rng.integers(2)), added[k].most - int(rng.integers(2))
        added[k] = added[k]._replace(options=(*added[k].options, 0), least=least, most=most)
    return replace(proof, record=record, added=tuple(added), target=target)


def test_a_certificate_is_what_it_was_when_it_is_read_from_a_file(tmp_path: Path) -> None:
    """Every field; and a file that is none is refused by its name."""
    _, proof = certified(PAIRS)
    proof.save(tmp_path / "proof.json")
    again = Certificate.load(tmp_path / "proof.json")
    assert list(again.steps()) == list(proof.steps())
    assert (again.sign, again.bits, again.target, again.added) == (proof.sign, proof.bits, proof.target, proof.added)
    assert np.array_equal(again.weights, proof.weights)
    assert np.array_equal(again.prices, proof.prices)
    (tmp_path / "other.json").write_text('{"sign": 1}')
    with pytest.raises(CertificateError, match=r"other.json is no certificate"):
        Certificate.load(tmp_path / "other.json")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with pytest.raises(CertificateError, match=r"deep.json is no certificate"):
        Certificate.load(tmp_path / "deep.json")


DAMAGED: list[tuple[dict[str, Any], str]] = [
    ({"record": [0, -2]}, r"record\[0\] begins a step of kind 0 with -2 numbers"),
    ({"record": [-1, 0]}, r"record\[0\] begins a step of kind -1 with 0 numbers"),
    ({"record": [5, 0]}, r"record\[0\] begins a step of kind 5 with 0 numbers"),
    ({"record": [4]}, r"record\[0\] begins a step of kind 4 with -1 numbers"),
    ({"record": [3, 3, 1, 2]}, r"record\[0\] begins a step of kind 3 with 3 numbers"),
    ({"record": [3, 2, 1, 2]}, r"record\[0\] begins a step of kind 3 with 2 numbers"),
    ({"record": [1, 0]}, r"step 0 \(item\): there is no item or option"),
    ({"sign": 0}, r"sign is 0"),
    ({"bits": 1.5}, r"bits is 1.5"),
    ({"target": "7"}, r"target is '7'"),
    ({"weights": [[1]]}, r"weights is no list of numbers"),
    ({"sign": True}, r"sign is True"),
    # NaN compares as neither less nor more, so it would drop every option, and prove any bound
    ({"added": [[[0], 0, float("nan"), [], [], 1, []]]}, r"added item 0 is Cut.*its fields must be whole numbers"),
    ({"added": [[[0], 0, None, [], [], 1, []]]}, r"added item 0 is"),
    ({"added": [[[[0]], 0, 1, [], [], 1, []]]}, r"added item 0 is"),
    ({"added": [[[0], 0, 1.5, [], [], 1, []]]}, r"added item 0 is"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGED)
def test_a_damaged_file_is_refused(damage: dict[str, Any], message: str, tmp_path: Path) -> None:
    """A file with a wrong field is not read; with steps that have no form it proves nothing. The error says where."""
    _, proof = certified(PAIRS)
    proof.save(tmp_path / "proof.json")
    facts = json.loads((tmp_path / "proof.json").read_text())
    (tmp_path / "proof.json").write_text(json.dumps(facts | damage))
    with pytest.raises(CertificateError, match=message):
        Certificate.load(tmp_path / "proof.json").check(PAIRS)


def test_a_certificate_is_of_one_sense_and_one_problem() -> None:
    """A proof for the largest score is no proof for the smallest; nor is one with a sign of 0 or with other weights."""
    _, proof = certified(PAIRS)
    with pytest.raises(CertificateError, match="sign is 1; a certificate for sense='min' has the sign -1"):
        proof.check(PAIRS, "min")
    with pytest.raises(CertificateError, match="sign is 0"):
        replace(proof, sign=0).check(PAIRS)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="sense is 'best'; it must be 'max' or 'min'"):
        proof.check(PAIRS, "best")  # type: ignore[arg-type]
    with pytest.raises(CertificateError, match=r"bits is 1000000000000; it must be from -4096 to 4096"):
        replace(proof, bits=10**12).check(PAIRS)
    with pytest.raises(CertificateError, match=r"weights for 5 options"):
        proof.check(PENTAGON)
    with pytest.raises(CertificateError, match=r"the certificate has 0 prices for"):
        replace(proof, prices=proof.prices[:0]).check(PAIRS)
    with pytest.raises(CertificateError, match=r"there is no item or option 99999"):
        rewritten(proof, [("item", [99999]), *proof.steps()]).check(PAIRS)
    with pytest.raises(CertificateError, match=r"step \d+ \(end\) comes after the end of the proof"):
        rewritten(proof, [*proof.steps(), ("end", [])]).check(PAIRS)


@pytest.mark.parametrize("family", FAMILIES)
@for_seeds(20)
def test_a_limit_leaves_a_proof_or_none(monkeypatch: pytest.MonkeyPatch, family: str, seed: int) -> None:
    """A certificate of a search with a limit is as true as any; without one the answer is no worse than its bound."""
    rng = np.random.default_rng([seed, len(family), 13])
    problem, known = weighted(rng, family)
    with monkeypatch.context() as patch:
        with_low_gates(patch, rng)
        result = best(problem, "min", certificate=True, max_nodes=int(rng.integers(1, 60)))
    compare(result, known, -1, 1)
    if result.certificate is not None:
        proves(problem, "min", result, result.certificate)


def test_a_proof_that_is_stopped_leaves_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit that comes after the answer is proven is told; too long a certificate is no certificate."""
    whole = best(PAIRS)
    stopped = best(PAIRS, certificate=True, max_nodes=whole.nodes + 3)
    assert (stopped.score, stopped.proven, stopped.bound) == (whole.score, True, whole.bound)
    assert (stopped.stopped, stopped.certificate) == ("max_nodes", None)
    assert best(PAIRS, certificate=True, max_nodes=whole.nodes // 2).certificate is None
    assert whole.certificate is None
    certified(PAIRS, gap=1e-9)  # which a proven answer has at once
    monkeypatch.setattr("dlx.optimum.search.LONGEST_LOG", 10)
    long = best(PAIRS, certificate=True)
    assert (long.score, long.proven, long.stopped, long.certificate) == (whole.score, True, None, None)
