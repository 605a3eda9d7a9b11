"""The covers that a command draws in a file, besides printing them."""

from __future__ import annotations

from dlx.command import write_file
from dlx.command.run import Run
from dlx.problem.problem import Problem
from dlx.search.covers import Block

MOST = 12  # covers in a picture
WIDEST = 1200  # pixels, if each cover has less


class Drawn:
    """The first covers that are found, if they are to be drawn."""

    def __init__(self, run: Run, problem: Problem) -> None:
        self.run, self.problem, self.file = run, problem, run.options.svg
        self.covers: dict[int, list[int]] = {}
        self.seen = 0

    def add(self, block: Block, numbers: range) -> None:
        """Keeps the covers of a block, of the given numbers, until there are enough."""
        self.seen += len(block)
        if self.file is not None:
            room = MOST - len(self.covers)
            self.covers |= zip(numbers[:room], block[:room].tolist(), strict=True)

    def write(self) -> int:
        """Draws what there is to draw, and returns the exit status; without a cover the file stays as it is."""
        if not self.covers:
            return 0
        try:
            write_file(self.file, self._picture().encode())
        except ValueError as error:
            return self.run.fail(f"{self.file}: {error}")
        except OSError as error:
            return self.run.fail(f"{self.file}: {error.strerror}")
        if self.seen > len(self.covers):
            self.run.say(f"{self.file} shows the first {len(self.covers)} of {self.seen:,} covers")
        return 0

    def _picture(self) -> str:
        from dlx.show import draw, panels

        pictures = [draw(self.problem, cover) for cover in self.covers.values()]
        if len(pictures) == 1:
            return pictures[0]
        wide = max(picture.width for picture in pictures)
        return panels(pictures, max(1, min(4, int(WIDEST / wide))), titles=[f"cover {k}" for k in self.covers])
