"""Programs in interpreters of their own, for what a test cannot do in its own process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(program: str, folder: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in a fresh interpreter that finds the packages of a folder first."""
    path = os.pathsep.join(map(str, [folder, ROOT / "benchmarks", ROOT / "tests" / "shared", ROOT / "tests" / "dlx"]))
    clean = {key: value for key, value in os.environ.items() if key != "DLX_INTERPRETED"}
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
        env=clean | {"PYTHONPATH": path} | environment,
    )
