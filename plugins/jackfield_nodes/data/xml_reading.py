"""XML to JSON, in the shape of xml2js: attributes and text beside the children, one child as itself and several as a
list. Entities are refused, so that a small text cannot become a large one; names keep their prefixes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import BytesIO
from typing import Protocol
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler

from defusedxml import DefusedXmlException
from defusedxml.sax import make_parser

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record, state

DEEPEST = 200
"""Levels of elements at most."""
_LONGEST_DECLARATION = 200


@record
class ReadOptions:
    """explicit_array: also a single child is a list. explicit_root: with the root element's name. merge_attrs:
    attributes stand beside the children."""

    attrkey: str = "$"
    charkey: str = "_"
    explicit_array: bool = False
    explicit_root: bool = True
    ignore_attrs: bool = False
    merge_attrs: bool = True
    normalize: bool = False
    normalize_tags: bool = False
    trim: bool = False


@state
class Open:
    """An element that is not closed yet."""

    name: str
    fields: dict[str, Json]
    text: list[str]


class XmlAttributes(Protocol):
    def items(self) -> list[tuple[str, str]]: ...


class Reader(ContentHandler):
    """Builds the value while the parser goes through the text."""

    def __init__(self, options: ReadOptions) -> None:
        super().__init__()
        self._options = options
        self._open: list[Open] = []
        self.result: Json = None

    def startElement(self, name: str, attrs: XmlAttributes) -> None:  # noqa: N802
        if len(self._open) >= DEEPEST:
            raise NodeError(f"The XML has elements in more than {DEEPEST} levels.")
        element = Open(name.lower() if self._options.normalize_tags else name, {}, [])
        given: Mapping[str, str] = {} if self._options.ignore_attrs else dict(attrs.items())
        if given and self._options.merge_attrs:
            for key, value in given.items():
                self._add(element.fields, key, value)
        elif given:
            element.fields[self._options.attrkey] = dict(given)
        self._open.append(element)

    def characters(self, content: str) -> None:
        self._open[-1].text.append(content)

    def endElement(self, name: str) -> None:  # noqa: N802
        element = self._open.pop()
        value = self._value(element)
        if self._open:
            self._add(self._open[-1].fields, element.name, value)
        else:
            self.result = {element.name: value} if self._options.explicit_root else value

    def _value(self, element: Open) -> Json:
        text = "".join(element.text)
        blank = not text.strip()
        if self._options.trim:
            text = text.strip()
        if self._options.normalize:
            text = " ".join(text.split())
        if not element.fields:
            return "" if blank else text
        if not blank:
            element.fields[self._options.charkey] = text
        return element.fields

    def _add(self, fields: dict[str, Json], name: str, value: Json) -> None:
        present = fields.get(name)
        if name not in fields:
            fields[name] = [value] if self._options.explicit_array else value
        elif isinstance(present, list):
            present.append(value)
        else:
            fields[name] = [present, value]


def xml_to_json(text: str | bytes, options: ReadOptions) -> Json:
    """Blocks for large texts. Raises `NodeError`."""
    parser = make_parser()
    parser.forbid_external = True
    reader = Reader(options)
    parser.setContentHandler(reader)
    content = _declared_as_utf8(text) if isinstance(text, str) else text
    try:
        parser.parse(BytesIO(content))
    except DefusedXmlException:
        raise NodeError("The XML defines entities, which are not read; remove them.") from None
    except SAXParseException as exc:
        where = f"line {exc.getLineNumber()}, column {exc.getColumnNumber()}"
        raise NodeError(f"The XML is not valid: {exc.getMessage()} ({where}).") from None
    except (ValueError, LookupError):
        raise NodeError("The XML is not valid: its encoding is unknown.") from None
    return reader.result


def _declared_as_utf8(text: str) -> bytes:
    """Whatever encoding the text declares, it is UTF-8 now."""
    text = text.removeprefix("\ufeff").lstrip()
    # Only a declaration of a bearable length is looked at: hostile blanks in it would take the square of their number.
    end = text.find("?>", 0, _LONGEST_DECLARATION) if text.startswith("<?xml") else -1
    declared = re.sub(r"\s+encoding\s*=\s*(\"[^\"]*\"|'[^']*')", "", text[: end + 1], count=1)
    return (declared + text[end + 1 :]).encode("utf-8", "replace")
