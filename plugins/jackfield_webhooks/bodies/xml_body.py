"""XML as plain data: `<a><b>x</b></a>` is {"a": {"b": "x"}}.

Repeated children become a list, attributes stand under `$`, and text beside either of them under `_`. Document type
declarations, and with them entities, are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl

from defusedxml import DefusedXmlException
from defusedxml.expatreader import create_parser

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import MAX_DEPTH, Json

MAX_ELEMENTS = 200_000


def parse(body: bytes) -> Json:
    """Raises `InvalidInput`."""
    builder = _Builder()
    reader = create_parser(forbid_dtd=True)
    reader.setContentHandler(builder)
    try:
        reader.feed(body)
        reader.close()
    except DefusedXmlException:
        raise _refused("document type declarations and entities are not accepted") from None
    except SAXParseException as exc:
        raise _refused(f"it breaks in line {exc.getLineNumber()}") from None
    except (SAXException, ValueError, LookupError):
        raise _refused("its encoding is not known or does not fit") from None
    return {builder.name: builder.value}


def _refused(reason: str) -> InvalidInput:
    return InvalidInput("The body is not XML that this address reads.", details={"body": reason})


class _Element:
    __slots__ = ("children", "text")

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self.children: dict[str, Json] = {"$": dict[str, Json](attributes)} if attributes else {}
        self.text: list[str] = []

    def add(self, name: str, value: Json) -> None:
        if name not in self.children:
            self.children[name] = value
            return
        present = self.children[name]
        # An element's own value is a text or an object, so that a list is always ours.
        if isinstance(present, list):
            present.append(value)
        else:
            self.children[name] = [present, value]

    def value(self) -> Json:
        text = "".join(self.text).strip()
        if not self.children:
            return text
        if text:
            self.children["_"] = text
        return self.children


class _Builder(ContentHandler):
    def __init__(self) -> None:
        super().__init__()
        self.name = ""
        self.value: Json = ""
        self._open: list[_Element] = []
        self._names: list[str] = []
        self._elements = 0

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802
        self._elements += 1
        if len(self._open) >= MAX_DEPTH or self._elements > MAX_ELEMENTS:
            raise _refused(f"at most {MAX_DEPTH} levels and {MAX_ELEMENTS} elements are accepted")
        self._open.append(_Element(dict(attrs.items())))
        self._names.append(name)

    def endElement(self, name: str) -> None:  # noqa: N802
        value = self._open.pop().value()
        self._names.pop()
        if self._open:
            self._open[-1].add(name, value)
        else:
            self.name, self.value = name, value

    def characters(self, content: str) -> None:
        if self._open:
            self._open[-1].text.append(content)
