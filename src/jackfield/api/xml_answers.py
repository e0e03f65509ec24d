"""Answers in XML as JSON, as n8n's nodes give them: texts, objects by the names of elements, lists where one repeats.

Attributes are under `$`, and the text of an element that has some is under `_` (xml2js with `explicitArray: false`).
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from .jsontext import Json
from .nodes.types import NodeError


def parsed(content: bytes) -> dict[str, Json]:
    """The answer's root by its name; empty: there is no body. Raises `NodeError`."""
    if not content.strip():
        return {}
    try:
        root = fromstring(content)
    except (ParseError, DefusedXmlException, ValueError):
        raise NodeError("The server's answer is no XML.") from None
    return {_name(root): _value(root)}


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _value(element: Element) -> Json:
    made: dict[str, Json] = {}
    for child in element:
        name, value = _name(child), _value(child)
        if name not in made:
            made[name] = value
            continue
        known = made[name]
        made[name] = [*known, value] if isinstance(known, list) else [known, value]
    attributes: dict[str, Json] = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
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
