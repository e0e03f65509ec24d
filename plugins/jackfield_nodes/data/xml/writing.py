"""JSON to XML, in the shape of xml2js' builder: two blanks per level, lists as repeated elements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import cast
from xml.sax.saxutils import escape

from jackfield.api.javascript import to_string
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record, state
from jackfield_nodes.data.xml.reading import DEEPEST

_START = (
    r":A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    r"\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = re.compile(rf"[{_START}][-.0-9\xb7\u0300-\u036f\u203f-\u2040{_START}]*")
"""XML 1.0, production 5."""
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@record
class WriteOptions:
    """cdata: texts with markup stand in CDATA sections. headless: without the declaration."""

    attrkey: str = "$"
    charkey: str = "_"
    root_name: str = "root"
    cdata: bool = False
    headless: bool = False


@state
class Element:
    """children: elements, and texts that are escaped already."""

    name: str
    attributes: dict[str, str]
    children: list[str | Element]


def json_to_xml(value: Mapping[str, Json], options: WriteOptions) -> str:
    """The object's only field is the root element, unless a name for the root is given. Raises `NodeError` for what XML
    does not have, such as names with blanks."""
    root, content = options.root_name, cast("Json", value)
    if len(value) == 1 and options.root_name == "root":
        ((root, content),) = value.items()
    element = Element(_checked(root), {}, [])
    _fill(element, content, options, 1)
    lines = [] if options.headless else ['<?xml version="1.0" encoding="UTF-8" standalone="yes"?>']
    return "\n".join((*lines, *_lines(element, "")))


def _fill(element: Element, value: Json, options: WriteOptions, depth: int) -> None:
    """A list as such gives the fields of what is in it."""
    if depth >= DEEPEST:
        raise NodeError(f"The data is nested in more than {DEEPEST} levels.")
    if isinstance(value, list):
        for each in value:
            for name, entry in _fields(each):
                _fill(_added(element, name), entry, options, depth + 1)
    elif isinstance(value, dict):
        for name, child in value.items():
            _fill_field(element, name, child, options, depth)
    elif value is not None:
        element.children.append(_text(value, options))


def _fill_field(element: Element, name: str, child: Json, options: WriteOptions, depth: int) -> None:
    if name == options.attrkey:
        given = _fields(child) if isinstance(child, dict | list) else ()
        element.attributes |= {_checked(key): _quoted(to_string(one)) for key, one in given if one is not None}
    elif name == options.charkey:
        if child is None:
            raise NodeError(f"The field '{name}' is for an element's text, and is null.")
        element.children.append(_text(child, options))
    else:
        for each in child if isinstance(child, list) else [child]:
            _fill(_added(element, name), each, options, depth + 1)


def _fields(value: Json) -> Iterable[tuple[str, Json]]:
    """Lists and texts have numbers for names, which XML does not."""
    if isinstance(value, dict):
        return value.items()
    return ((str(index), each) for index, each in enumerate(value)) if isinstance(value, list | str) else ()


def _added(parent: Element, name: str) -> Element:
    element = Element(_checked(name), {}, [])
    parent.children.append(element)
    return element


def _lines(element: Element, indent: str) -> Iterator[str]:
    name = element.name
    tag = name + "".join(f' {key}="{value}"' for key, value in element.attributes.items())
    first = element.children[0] if element.children else ""
    if not any(element.children):
        yield f"{indent}<{tag}/>"
    elif len(element.children) == 1 and isinstance(first, str):
        yield f"{indent}<{tag}>{first}</{name}>"
    else:
        yield f"{indent}<{tag}>"
        for child in element.children:
            if isinstance(child, str):
                yield f"{indent}  {child}"
            else:
                yield from _lines(child, f"{indent}  ")
        yield f"{indent}</{name}>"


def _quoted(text: str) -> str:
    """Line ends and tabs would be read as blanks otherwise."""
    marks = {'"': "&quot;", "\n": "&#xA;", "\r": "&#xD;", "\t": "&#x9;"}
    return escape(_legal(text), marks).replace("&gt;", ">")


def _text(value: Json, options: WriteOptions) -> str:
    text = _legal(to_string(value))
    if options.cdata and isinstance(value, str) and any(char in text for char in "<>&"):
        return "<![CDATA[" + text.replace("]]>", "]]]]><![CDATA[>") + "]]>"
    return escape(text, {"\r": "&#xD;"})


def _legal(text: str) -> str:
    """Raises `NodeError` for control characters, which XML cannot have."""
    found = _FORBIDDEN.search(text)
    if found:
        raise NodeError(f"XML cannot have the character U+{ord(found[0]):04X}, which is in a text; remove it.")
    return text


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise NodeError(f"'{name[:80]}' cannot be the name of an XML element or attribute; rename the field.")
    return name
