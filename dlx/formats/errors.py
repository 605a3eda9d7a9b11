"""The errors of problems in files."""

from __future__ import annotations

from contextlib import AbstractContextManager

from dlx.problem.checks import ProblemError


class FormatError(ValueError):
    """A text is no problem, or a format cannot represent a problem.

    Attributes:
        file: the name of the file, or what stands for it.
        line: the number of the line, from 1; None where the fault is not in a single line.
        reason: what is wrong, with the offending value.

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
    """The place of a reader in a file; within it an error of some types becomes a FormatError with that place."""

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
    """Returns the error of a problem that a format cannot represent."""
    return FormatError("<problem>", None, f"{form} cannot represent it: {reason}" if form else reason)


class FormatWarning(UserWarning):
    """A file has been read or written, but not as it stands; the message says where and why."""

    __module__ = "dlx.formats"


class SenseWarning(FormatWarning):
    """The objective of a file is to be maximised."""
