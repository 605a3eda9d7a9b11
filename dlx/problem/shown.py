"""Values of which notebooks show a picture; the pictures are of a floor above, and handed down to here."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar


class Shown:
    """A value that a notebook shows as a picture in SVG.

    Attributes:
        picture: draws a value; None where there is no picture of it. The package sets it when it is imported.
    """

    __slots__ = ()

    picture: ClassVar[Callable[[Shown], str | None]]

    def _repr_svg_(self) -> str | None:
        return type(self).picture(self)
