"""The outputs of the two commands, by transcripts."""

from __future__ import annotations

from pathlib import Path

import pytest
import transcripts
from transcripts import Transcript

PATHS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
SHOWN = [pytest.param(shown, id=f"{path.stem}: {shown.claim}") for path in PATHS for shown in transcripts.read(path)]


@pytest.mark.parametrize("shown", SHOWN)
def test_transcripts(shown: Transcript, tmp_path: Path) -> None:
    """Commands print the lines of their transcripts, and end with the status there."""
    with transcripts.folder(tmp_path):
        for command in shown.commands:
            printed = transcripts.run(command)
            assert transcripts.alike(command.printed, printed), f"$ {command.line}\n" + "\n".join(printed)
