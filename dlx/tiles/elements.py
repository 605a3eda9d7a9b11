"""The elements of an XML file, each with its line, within limits: nothing in a file can fill the memory."""

from __future__ import annotations

import gzip
import re
import zlib
from io import BytesIO
from itertools import count
from typing import NamedTuple
from xml.parsers import expat

from dlx.formats.errors import FormatError

PACKED = b"\x1f\x8b"  # how a file begins that gzip has packed
UNPACKED = 1 << 26  # bytes of the XML
KEPT = 1 << 17  # elements


class Element(NamedTuple):
    """An element: its name, attributes, file, line, children, and its own text in parts."""

    name: str
    attributes: dict[str, str]
    file: str
    line: int
    children: list[Element]
    parts: list[str]

    def find(self, *names: str) -> list[Element]:
        """Returns the elements on a path of names below it."""
        found = [self]
        for name in names:
            found = [child for parent in found for child in parent.children if child.name == name]
        return found

    def fault(self, reason: str) -> FormatError:
        """Returns an error at its line."""
        return FormatError(self.file, self.line, reason)

    def number(self, attribute: str, default: int | None = None) -> int:
        """Returns a whole number in an attribute; raises FormatError if it is none."""
        text = self.attributes.get(attribute)
        if text is None and default is not None:
            return default
        if text is None:
            raise self.fault(f"<{self.name}> has no attribute {attribute!r}")
        if not re.fullmatch("[0-9]{1,6}", text):
            raise self.fault(f"{attribute}={text!r} of <{self.name}> is no whole number up to 999999")
        return int(text)


def parsed(data: bytes, file: str, without: tuple[str, ...]) -> Element:
    """Returns the outermost element of a file, without elements of some names in it.

    A text that is neither UTF-8 nor says its encoding is Latin-1. Raises FormatError for broken XML, for what is too
    large, and for a DOCTYPE: without one there are no entities, which could grow.
    """
    xml = _unpacked(data, file)
    parser = expat.ParserCreate(None if b"encoding=" in xml[:200] or _is_utf8(xml) else "iso-8859-1")
    top, numbers = Element("", {}, file, 1, [], []), count(1)
    path: list[Element | None] = [top]  # None in what is left out

    def start(name: str, attributes: dict[str, str]) -> None:
        parent = path[-1]
        if parent is None or (parent is not top and name in without):
            path.append(None)
            return
        path.append(element := Element(name, attributes, file, parser.CurrentLineNumber, [], []))
        parent.children.append(element)
        if next(numbers) > KEPT:
            raise element.fault(f"there are more than {KEPT} elements")

    def characters(text: str) -> None:
        if path[-1] is not None:
            path[-1].parts.append(text)

    def doctype(*_: object) -> None:
        raise FormatError(file, parser.CurrentLineNumber, "there is a DOCTYPE, which no such file has")

    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, lambda _: path.pop()
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = characters, doctype
    try:
        parser.Parse(xml, True)
    except expat.ExpatError as error:
        raise FormatError(file, error.lineno, f"the XML is broken: {expat.ErrorString(error.code)}") from None
    except FormatError:
        raise
    except (LookupError, ValueError) as error:  # expat knows no encodings with several bytes but UTF-8 and UTF-16
        raise FormatError(file, 1, f"the encoding is unknown: {error}") from None
    return top.children[0]


def _unpacked(data: bytes, file: str) -> bytes:
    """The XML of a file."""
    try:
        stream = gzip.GzipFile(fileobj=BytesIO(data)) if data.startswith(PACKED) else BytesIO(data)
        xml = stream.read(UNPACKED + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(file, None, f"what gzip has packed is broken: {error}") from None
    if len(xml) > UNPACKED:
        raise FormatError(file, None, f"the XML has more than {UNPACKED} bytes")
    return xml


def _is_utf8(xml: bytes) -> bool:
    try:
        return xml.decode() is not None
    except UnicodeDecodeError:
        return False
