"""Keeps pytest from importing the kernels' sources, interpreted, while it looks for examples in docstrings."""

from pathlib import Path

HERE = Path(__file__).parent

collect_ignore = [HERE / "docs" / "conf.py"]  # which needs Sphinx
collect_ignore += [
    path
    for package in ("dlx", "sudoku")
    for path in (HERE / package).rglob("*.py")
    if path.read_text(encoding="utf-8").startswith("# cython:")
]
