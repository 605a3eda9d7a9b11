"""Values that notebooks show as pictures or tables; the drawing code is loaded when it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar


class Shown:
    """A value that a notebook shows as a picture in SVG.

    Attributes:
        drawer: the name of the module with the function `picture`, which returns the SVG, or None without a picture.
    """

    __slots__ = ()

    drawer: ClassVar[str] = "dlx.show.problems"

    def _repr_svg_(self) -> str | None:
        picture: str | None = import_module(self.drawer).picture(self)
        return picture


class Tabled:
    """A result that a notebook shows as a table.

    Attributes:
        tabler: the name of the module with the function `table`, which returns the HTML.
    """

    __slots__ = ()

    tabler: ClassVar[str] = "dlx.show.tables"

    def _repr_html_(self) -> str:
        table: str = import_module(self.tabler).table(self)
        return table
