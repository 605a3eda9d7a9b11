"""Values that notebooks show as pictures or tables; these are of a floor above, and handed down to here."""

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


class Tabled:
    """A result that a notebook shows as a table.

    Attributes:
        table: makes the HTML. The package sets it when it is imported.
    """

    __slots__ = ()

    table: ClassVar[Callable[[object], str]]

    def _repr_html_(self) -> str:
        return type(self).table(self)
