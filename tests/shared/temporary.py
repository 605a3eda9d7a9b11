"""A record of the temporary files of a test."""

from __future__ import annotations

import tempfile
from typing import Any

import pytest


def temporary_files(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Returns a list that gets every temporary file from now on."""
    files: list[Any] = []
    temporary = tempfile.TemporaryFile

    def noted(**given: Any) -> Any:
        files.append(temporary(**given))
        return files[-1]

    monkeypatch.setattr(tempfile, "TemporaryFile", noted)
    return files
