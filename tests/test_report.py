"""The reports of the benchmarks say what was measured, and refuse to measure what says nothing about speed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import report


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which `setup.py` notes how it compiled the kernels; it is not there yet."""
    monkeypatch.setattr(report, "BUILT", tmp_path / "built.json")
    return tmp_path / "built.json"


def test_a_release_is_measured(built: Path) -> None:
    """The flags and the commit of a release are told."""
    built.write_text(json.dumps({"way": "release", "flags": "-O3 -g0"}))
    told = report.build()
    assert (told["way"], told["flags"]) == ("release", "-O3 -g0")
    assert told["commit"] == "unknown" or len(told["commit"].removesuffix(", dirty")) == 40


@pytest.mark.parametrize("way", ["debug", "profile", "sanitize"])
def test_nothing_else_is_measured(built: Path, way: str) -> None:
    """Other builds are refused before a suite is run, with what to do."""
    built.write_text(json.dumps({"way": way, "flags": "-Og"}))
    with pytest.raises(SystemExit, match=f"the kernels are a {way} build.*make build"):
        report.measure("bench_strategies.py")


def test_nothing_built(built: Path) -> None:
    """Without a build beside the sources nobody knows how the kernels were compiled."""
    with pytest.raises(SystemExit, match="make build"):
        report.build()
