"""JSON to XML, in the shape of xml2js' builder: two blanks per level, lists as repeated elements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield_nodes.data.xml_reading import DEEPEST
from jackfield_nodes.values.conversions import text_of

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


def json_to_xml(value: Mapping[str, Json], options: WriteOptions) -> str:
    """The object's only field is the root element, unless a name for the root is given. Raises `NodeError` for names
    that XML does not have."""
    root, content = options.root_name, value
    if len(value) == 1 and options.root_name == "root":
        ((name, only),) = value.items()
        if not isinstance(only, list):
            root, content = name, only  # type: ignore[assignment]
    lines = [] if options.headless else ['<?xml version="1.0" encoding="UTF-8" standalone="yes"?>']
    lines += _element(root, content, options, 0)  # type: ignore[arg-type]
    return "\n".join(lines)


def _element(name: str, value: Json, options: WriteOptions, depth: int) -> Iterator[str]:
    if depth >= DEEPEST:
        raise NodeError(f"The data is nested in more than {DEEPEST} levels.")
    if isinstance(value, list):
        for each in value:
            yield from _element(name, each, options, depth)
        return
    indent, tag = "  " * depth, _checked(name)
    if not isinstance(value, dict):
        text = _text(value, options)
        yield f"{indent}<{tag}>{text}</{tag}>" if text else f"{indent}<{tag}/>"
        return
    attributes = _attributes(value.get(options.attrkey))
    text = _text(value.get(options.charkey), options)
    children = [
        line
        for key, child in value.items()
        if key not in (options.attrkey, options.charkey)
        for line in _element(key, child, options, depth + 1)
    ]
    if children:
        yield f"{indent}<{tag}{attributes}>{text}"
        yield from children
        yield f"{indent}</{tag}>"
    else:
        yield f"{indent}<{tag}{attributes}>{text}</{tag}>" if text else f"{indent}<{tag}{attributes}/>"


def _attributes(value: Json) -> str:
    if not isinstance(value, dict):
        return ""
    return "".join(f' {_checked(name)}="{_quoted(text_of(each))}"' for name, each in value.items())


def _quoted(text: str) -> str:
    """Line ends and tabs would be read as blanks otherwise."""
    return escape(_legal(text), {'"': "&quot;", "\n": "&#xA;", "\r": "&#xD;", "\t": "&#x9;"})


def _text(value: Json, options: WriteOptions) -> str:
    text = _legal(text_of(value))
    if options.cdata and any(char in text for char in "<>&"):
        return "<![CDATA[" + text.replace("]]>", "]]]]><![CDATA[>") + "]]>"
    return escape(text, {"\r": "&#xD;"})


def _legal(text: str) -> str:
    """Without the control characters that XML cannot have."""
    return _FORBIDDEN.sub("", text)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise NodeError(f"'{name[:80]}' cannot be the name of an XML element or attribute; rename the field.")
    return name
