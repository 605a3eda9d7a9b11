"""The errors of problems in files."""

from __future__ import annotations

from contextlib import AbstractContextManager

from dlx.problem.checks import ProblemError


class FormatError(ValueError):
    """Raised if a file does not contain a valid problem, or if a format cannot represent a problem.

    Attributes:
        file: the name of the file, or a description such as "<stream>".
        line: the number of the line, from 1; None if the fault is not in a single line.
        reason: the fault, with the wrong value.

    >>> str(FormatError("toy.dlx", 3, "the item 'x' is unknown"))
    "toy.dlx:3: the item 'x' is unknown"
    """

    __module__ = "dlx.formats"

    def __init__(self, file: str, line: int | None, reason: str) -> None:
        super().__init__(file, line, reason)
        self.file = file
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.file}: {self.reason}" if self.line is None else f"{self.file}:{self.line}: {self.reason}"


class Place(AbstractContextManager["Place"]):
    """The current position of a reader; errors of some types inside `with` become a FormatError with this position."""

    def __init__(
        self,
        file: str,
        line: int | None = None,
        errors: tuple[type[Exception], ...] = (ProblemError, OverflowError),
    ) -> None:
        self.file, self.line, self.errors = file, line, errors

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, self.errors):
            raise FormatError(self.file, self.line, str(error)) from None


def refusal(reason: str, form: str = "") -> FormatError:
    """Returns the error for a problem that a format cannot represent."""
    return FormatError("<problem>", None, f"{form} cannot represent it: {reason}" if form else reason)


class FormatWarning(UserWarning):
    """A file was read or written with a change; the message says where and why."""

    __module__ = "dlx.formats"


class SenseWarning(FormatWarning):
    """The objective of a file is maximised."""
