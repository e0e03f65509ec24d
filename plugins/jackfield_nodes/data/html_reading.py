"""Finds parts of an HTML document by CSS selectors."""

from __future__ import annotations

import re
from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_nodes.data.html_text import plain_text
from jackfield_nodes.data.html_values import HtmlCleaning, HtmlWanted

_BREAK = re.compile(r"[\r\n]")
_BLANK = re.compile(r"\s+")


def extracted(html: str, wanted: Sequence[tuple[str, HtmlWanted]], cleaning: HtmlCleaning) -> dict[str, Json]:
    """Key -> value, or a list of values; without the keys of which nothing is found. Blocks for large documents. Raises
    `NodeError` for a selector that is not valid."""
    tree = LexborHTMLParser(html)
    found: dict[str, Json] = {}
    for key, each in wanted:
        nodes = _selected(tree, each.selector)
        if each.many:
            found[key] = [_cleaned(_value([node], each, cleaning), cleaning) for node in nodes]
        elif (value := _cleaned(_value(nodes, each, cleaning), cleaning)) is not None:
            found[key] = value
    return found


def _selected(tree: LexborHTMLParser, selector: str) -> list[LexborNode]:
    try:
        return tree.css(selector)
    except (SelectolaxError, ValueError):
        raise NodeError(f"The CSS selector '{selector}' is not valid.") from None


def _value(nodes: Sequence[LexborNode], wanted: HtmlWanted, cleaning: HtmlCleaning) -> str | None:
    """Of the first of them; the text before version 1.2 is that of all. None: there is none."""
    if wanted.returns == "text":
        if not cleaning.layout:
            text = "".join(node.text(deep=True) for node in nodes)
            return text if text or cleaning.empty else None
        return _laid_out(nodes[0], wanted) if nodes else ""
    if not nodes:
        return None
    if wanted.returns == "html":
        return nodes[0].inner_html or None
    if wanted.returns == "value":
        return _form_value(nodes[0])
    found = nodes[0].attributes
    # An attribute without a value, such as `disabled`, is there and empty.
    return (found[wanted.attribute] or "") if wanted.attribute in found else None


def _laid_out(node: LexborNode, wanted: HtmlWanted) -> str:
    return plain_text(node, {found.mem_id for selector in wanted.skip for found in _below(node, selector)})


def _below(node: LexborNode, selector: str) -> list[LexborNode]:
    try:
        return node.css(selector)
    except (SelectolaxError, ValueError):
        raise NodeError(f"The CSS selector '{selector}' in skipSelectors is not valid.") from None


def _form_value(node: LexborNode) -> str | None:
    """The value that a form would send for the element."""
    if node.tag == "textarea":
        return node.text(deep=True)
    if node.tag == "select":
        chosen = node.css_first("option[selected]") or node.css_first("option")
        return None if chosen is None else chosen.attributes.get("value")
    return node.attributes.get("value")


def _cleaned(value: str | None, cleaning: HtmlCleaning) -> str | None:
    if value is None:
        return None
    if cleaning.trim:
        value = value.strip()
    return _BLANK.sub(" ", _BREAK.sub("", value.strip())) if cleaning.clean_up else value
