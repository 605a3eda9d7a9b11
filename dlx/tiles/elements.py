"""The elements of an XML file, each with its line, within limits: nothing in a file can fill the memory."""

from __future__ import annotations

import gzip
import re
import zlib
from io import BytesIO
from typing import NamedTuple
from xml.parsers import expat

from dlx.formats.errors import FormatError

PACKED = b"\x1f\x8b"  # how a file begins that gzip has packed
UNPACKED = 1 << 26  # bytes of the XML
KEPT = 1 << 17  # elements


class Element(NamedTuple):
    """An element: its name, attributes, line, children, and its own text in parts."""

    name: str
    attributes: dict[str, str]
    line: int
    children: list[Element]
    parts: list[str]

    @property
    def text(self) -> str:
        """Its own text."""
        return "".join(self.parts)

    def find(self, *names: str) -> list[Element]:
        """Returns the elements on a path of names below it."""
        found = [self]
        for name in names:
            found = [child for parent in found for child in parent.children if child.name == name]
        return found


class Tree:
    """The elements of a file, without those of some names, and the errors about them.

    Raises FormatError for broken XML, for what is too large, and for a DOCTYPE: without one there are no entities,
    which could grow. A text that is neither UTF-8 nor says its encoding is Latin-1.
    """

    def __init__(self, data: bytes, file: str, without: tuple[str, ...]) -> None:
        self.file = file
        self.without = without
        self.outside = 0  # the depth in an element that is left out
        self.kept = 0
        self.open = [Element("", {}, 1, [], [])]
        xml = self._unpacked(data)
        self.parser = expat.ParserCreate(None if b"encoding=" in xml[:200] or _is_utf8(xml) else "iso-8859-1")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        try:
            self.parser.Parse(xml, True)
        except expat.ExpatError as error:
            raise FormatError(file, error.lineno, f"the XML is broken: {expat.ErrorString(error.code)}") from None
        except FormatError:
            raise
        except (LookupError, ValueError) as error:  # expat knows no encodings with several bytes but UTF-8 and UTF-16
            raise FormatError(file, 1, f"the encoding is unknown: {error}") from None
        self.root = self.open[0].children[0]

    def _unpacked(self, data: bytes) -> bytes:
        """The XML of a file."""
        try:
            stream = gzip.GzipFile(fileobj=BytesIO(data)) if data.startswith(PACKED) else BytesIO(data)
            xml = stream.read(UNPACKED + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise FormatError(self.file, None, f"what gzip has packed is broken: {error}") from None
        if len(xml) > UNPACKED:
            raise FormatError(self.file, None, f"the XML has more than {UNPACKED} bytes")
        return xml

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self.outside or name in self.without:
            self.outside += 1
            return
        element = Element(name, attributes, self.parser.CurrentLineNumber, [], [])
        self.kept += 1
        if self.kept > KEPT:
            raise self.fault(element, f"there are more than {KEPT} elements")
        self.open[-1].children.append(element)
        self.open.append(element)

    def _end(self, name: str) -> None:
        if self.outside:
            self.outside -= 1
        else:
            self.open.pop()

    def _text(self, text: str) -> None:
        if not self.outside:
            self.open[-1].parts.append(text)

    def _doctype(self, *_: object) -> None:
        raise FormatError(self.file, self.parser.CurrentLineNumber, "there is a DOCTYPE, which no such file has")

    def fault(self, element: Element, reason: str) -> FormatError:
        """Returns the error of an element."""
        return FormatError(self.file, element.line, reason)

    def number(self, element: Element, attribute: str, default: int | None = None) -> int:
        """Returns a whole number in an attribute; raises FormatError if it is none."""
        text = element.attributes.get(attribute)
        if text is None and default is not None:
            return default
        if text is None:
            raise self.fault(element, f"<{element.name}> has no attribute {attribute!r}")
        if not re.fullmatch("[0-9]{1,6}", text):
            raise self.fault(element, f"{attribute}={text!r} of <{element.name}> is no whole number up to 999999")
        return int(text)


def _is_utf8(xml: bytes) -> bool:
    try:
        xml.decode()
    except UnicodeDecodeError:
        return False
    return True
