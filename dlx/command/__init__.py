"""The command `dlx`, and the names that commands of other packages share with it: output, the progress line, Ctrl-C."""

from __future__ import annotations

from dlx.command.arguments import (
    Parser,
    add_command,
    add_sense,
    add_version,
    adder,
    at_least,
    begun,
    exit_line,
    jobs,
    memory,
    page_name,
    picture_name,
    seconds,
    seed,
)
from dlx.command.console import (
    NONE,
    UNFINISHED,
    Console,
    conduct,
    interrupt_waits,
    lack_of_memory,
    need_stdout,
    so_far,
    standard_input,
    write,
)
from dlx.engine.line import StatusLine, how_far, in_words
from dlx.problem.words import plural

__all__ = [
    "NONE", "UNFINISHED", "Console", "Parser", "StatusLine", "add_command", "add_sense", "add_version",
    "adder", "at_least", "begun", "conduct", "exit_line", "how_far", "in_words", "interrupt_waits", "jobs",
    "lack_of_memory", "memory", "need_stdout", "page_name", "picture_name", "plural",
    "seconds", "seed", "so_far", "standard_input", "write",
]  # fmt: skip
