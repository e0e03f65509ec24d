"""XML to JSON, in the shape of xml2js: attributes and text beside the children, one child as itself and several as a
list. Entities are refused, so that a small text cannot become a large one; names keep their prefixes."""

from __future__ import annotations

import re
from html.entities import name2codepoint
from io import BytesIO
from typing import Protocol
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler, LexicalHandler, property_lexical_handler

from defusedxml import DefusedXmlException
from defusedxml.sax import make_parser

from jackfield.api.javascript import trimmed
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record, state

DEEPEST = 200
"""Levels of elements at most."""
_LONGEST_DECLARATION = 200
_DANGEROUS = frozenset(("__proto__", "constructor", "prototype"))
"""Names that n8n's scripts could not have as fields; they get another one there."""
_BLANKS = re.compile(r"\s{2,}")
_LINE_END = "&#13;"
"""A carriage return that parsers keep."""
_QUOTED_LINES = re.compile(r"=\s?(?:\"[^\"<\n\t]{0,500}[\n\t]|'[^'<\n\t]{0,500}[\n\t])")
_NAMED = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z]\w{1,9});", re.ASCII)
"""Characters by names that HTML has and XML does not."""
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


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
    """An element that is not closed yet. kept: its text is data also where it is blank."""

    name: str
    fields: dict[str, Json]
    text: list[str]
    kept: bool = False


class XmlAttributes(Protocol):
    def items(self) -> list[tuple[str, str]]: ...


class Reader(ContentHandler, LexicalHandler):
    """Builds the value while the parser goes through the text."""

    def __init__(self, options: ReadOptions) -> None:
        super().__init__()
        self._options = options
        self._open: list[Open] = []
        self.result: Json = None
        self.done = False
        """Whether the root element is closed; nothing after it counts."""

    def startElement(self, name: str, attrs: XmlAttributes) -> None:  # noqa: N802
        if len(self._open) >= DEEPEST:
            raise NodeError(f"The XML has elements in more than {DEEPEST} levels.")
        element = Open(_safe(name.lower() if self._options.normalize_tags else name), {}, [])
        given: list[tuple[str, str]] = [] if self._options.ignore_attrs else list(attrs.items())
        if given and self._options.merge_attrs:
            for key, value in given:
                self._add(element.fields, _safe(key), value)
        elif given:
            self._check_free(self._options.attrkey)
            element.fields[self._options.attrkey] = {_safe(key): value for key, value in given}
        self._open.append(element)

    def characters(self, content: str) -> None:
        self._open[-1].text.append(content)

    def startCDATA(self) -> None:  # noqa: N802 - the name that SAX calls
        self._open[-1].kept = True

    def endElement(self, name: str) -> None:  # noqa: N802
        element = self._open.pop()
        value = self._value(element)
        if self._open:
            self._add(self._open[-1].fields, element.name, value)
        elif not self.done:
            self.done = True
            self.result = {element.name: value} if self._options.explicit_root else value

    def _value(self, element: Open) -> Json:
        text = "".join(element.text)
        if not element.kept and not trimmed(text):
            return element.fields or text
        if self._options.trim:
            text = trimmed(text)
        if self._options.normalize:
            text = trimmed(_BLANKS.sub(" ", text))
        return {**element.fields, self._options.charkey: text} if element.fields else text

    def _add(self, fields: dict[str, Json], name: str, value: Json) -> None:
        self._check_free(name)
        present = fields.get(name)
        if name not in fields:
            fields[name] = [value] if self._options.explicit_array else value
        elif isinstance(present, list):
            present.append(value)
        else:
            fields[name] = [present, value]

    def _check_free(self, name: str) -> None:
        if name == self._options.charkey:
            raise NodeError(f"The field '{name}' is for texts and for something else; see the option charkey.")


def _safe(name: str) -> str:
    return f"sanitized_{name}" if name in _DANGEROUS else name


def xml_to_json(text: str | bytes, options: ReadOptions) -> Json:
    """Blocks for large texts. Raises `NodeError`."""
    parser = make_parser()
    parser.forbid_external = True
    reader = Reader(options)
    parser.setContentHandler(reader)
    content = _declared_as_utf8(text) if isinstance(text, str) else text
    try:
        parser.setProperty(property_lexical_handler, reader)
        parser.parse(BytesIO(content))
    except DefusedXmlException:
        raise NodeError("The XML defines entities, which are not read; remove them.") from None
    except SAXParseException as exc:
        if reader.done:
            return reader.result
        where = f"line {exc.getLineNumber()}, column {exc.getColumnNumber()}"
        raise NodeError(f"The XML is not valid: {exc.getMessage()} ({where}).") from None
    except (ValueError, LookupError):
        raise NodeError("The XML is not valid: its encoding is unknown.") from None
    return reader.result


def _declared_as_utf8(text: str) -> bytes:
    """The text is UTF-8 now, whatever encoding it declares."""
    text = text.removeprefix("\ufeff").lstrip()
    # Only a declaration of a bearable length is looked at: hostile blanks in it would take the square of their number.
    end = text.find("?>", 0, _LONGEST_DECLARATION) if text.startswith("<?xml") else -1
    declared = re.sub(r"\s+encoding\s*=\s*(\"[^\"]*\"|'[^']*')", "", text[: end + 1], count=1)
    return (declared + _with_marks(text[end + 1 :])).encode("utf-8", "replace")


def _with_marks(text: str) -> str:
    """The text with what the parser would lose or refuse: carriage returns, other line ends in attributes, HTML's names
    of characters."""
    if "\r" not in text and not _NAMED.search(text) and not _QUOTED_LINES.search(text):
        return text
    made, place = [], 0
    while (start := text.find("<", place)) >= 0:
        made.append(_NAMED.sub(_as_number, text[place:start]).replace("\r", _LINE_END))
        closing = "]]>" if text.startswith("<![CDATA[", start) else "-->" if text.startswith("<!--", start) else ">"
        place = text.find(closing, start) + len(closing)
        if place < len(closing):
            place = start
            break
        tag = text[start:place]
        kept = tag.replace("\r", f"]]>{_LINE_END}<![CDATA[") if closing == "]]>" else _QUOTED.sub(_lines_kept, tag)
        made.append(kept)
    return "".join([*made, text[place:]])


def _lines_kept(quoted: re.Match[str]) -> str:
    return _NAMED.sub(_as_number, quoted[0]).replace("\r", _LINE_END).replace("\n", "&#10;").replace("\t", "&#9;")


def _as_number(reference: re.Match[str]) -> str:
    code = name2codepoint.get(reference[1])
    return reference[0] if code is None else f"&#{code};"
