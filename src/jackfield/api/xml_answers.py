"""Answers in XML as JSON, as n8n's nodes give them: texts, objects by the names of elements, lists where one repeats.

Attributes are under `$`, and the text of an element that has some is under `_` (xml2js with `explicitArray: false`).
"""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from .jsontext import Json
from .nodes.types import NodeError

MAX_DEPTH = 200
"""Elements inside one another, as in answers in JSON: a server could exhaust the stack with more."""


def parsed(content: bytes) -> dict[str, Json]:
    """The answer's root by its name; empty: there is no body. Raises `NodeError`, also for more than `MAX_DEPTH`
    elements inside one another."""
    if not content.strip():
        return {}
    try:
        root, spaces = _read(content)
    except (ParseError, DefusedXmlException, ValueError):
        raise NodeError("The server's answer is no XML.") from None
    return {_name(root): _value(root, spaces)}


Spaces = Mapping[Element, Mapping[str, str]]
"""The namespaces that an element names, as attributes: the library does not count them among those."""


def _read(content: bytes) -> tuple[Element, Spaces]:
    found: dict[Element, Mapping[str, str]] = {}
    named: dict[str, str] = {}
    root: Element | None = None
    depth = 0
    for event, value in iterparse(BytesIO(content), events=("start", "end", "start-ns")):
        if event == "end":
            depth -= 1
            continue
        if event == "start-ns":
            named[f"xmlns:{value[0]}" if value[0] else "xmlns"] = value[1]
            continue
        root = value if root is None else root
        depth += 1
        if depth > MAX_DEPTH:
            raise ValueError("its elements are too deep")
        if named:
            found[value], named = named, {}
    if root is None:
        raise ValueError("there is no element")
    return root, found


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _value(element: Element, spaces: Spaces) -> Json:
    named: dict[str, list[Json]] = {}
    for child in element:
        named.setdefault(_name(child), []).append(_value(child, spaces))
    made: dict[str, Json] = {name: values[0] if len(values) == 1 else values for name, values in named.items()}
    attributes: dict[str, Json] = dict(spaces.get(element, {}))
    attributes |= {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
    text = (element.text or "").strip()
    if not made and not attributes:
        return text
    if attributes:
        made = {"$": attributes, **made}
    return {"_": text, **made} if text else made


def rows(found: Json) -> list[dict[str, Json]]:
    """The elements of one name: none, one, or several."""
    listed = found if isinstance(found, list) else [found]
    return [row for row in listed if isinstance(row, dict)]
