"""Finds parts of an HTML document by CSS selectors, and turns HTML into plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_nodes.data.html_values import HtmlCleaning, HtmlWanted

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BLOCKS = _HEADINGS | {
    "address", "article", "aside", "blockquote", "dd", "details", "dialog", "div", "dl", "dt", "fieldset", "figcaption",
    "figure", "footer", "form", "header", "hgroup", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table",
    "tbody", "tfoot", "thead", "tr", "ul",
}  # fmt: skip
_UNSEEN = frozenset({"script", "style", "template", "noscript", "img", "svg", "head", "-comment"})
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_DEEPEST = 400
"""Levels of elements that plain text is made of; what is deeper is taken as it is."""


def extracted(html: str, wanted: Sequence[tuple[str, HtmlWanted]], cleaning: HtmlCleaning) -> dict[str, Json]:
    """Key -> value, or a list of values; null where nothing is found. Blocks for large documents. Raises `NodeError`
    for a selector that is not valid."""
    tree = LexborHTMLParser(html)
    return {key: _extract(tree, each, cleaning) for key, each in wanted}


def _extract(tree: LexborHTMLParser, wanted: HtmlWanted, cleaning: HtmlCleaning) -> Json:
    nodes = _selected(tree, wanted.selector)
    if wanted.many:
        return [_cleaned(_value(node, wanted, cleaning), cleaning) for node in nodes]
    if not nodes:
        return None
    if wanted.returns == "text" and not cleaning.layout:
        return _cleaned("".join(node.text(deep=True) for node in nodes), cleaning)
    return _cleaned(_value(nodes[0], wanted, cleaning), cleaning)


def _selected(tree: LexborHTMLParser, selector: str) -> list[LexborNode]:
    try:
        return tree.css(selector)
    except (SelectolaxError, ValueError):
        raise NodeError(f"The CSS selector '{selector}' is not valid.") from None


def _value(node: LexborNode, wanted: HtmlWanted, cleaning: HtmlCleaning) -> str | None:
    match wanted.returns:
        case "attribute":
            found = node.attributes
            # An attribute without a value, such as `disabled`, is there and empty.
            return (found[wanted.attribute] or "") if wanted.attribute in found else None
        case "html":
            return node.inner_html or ""
        case "value":
            return _form_value(node)
    if not cleaning.layout:
        return node.text(deep=True)
    skipped = {found.mem_id for selector in wanted.skip for found in _below(node, selector)}
    return plain_text(node, skipped)


def _below(node: LexborNode, selector: str) -> list[LexborNode]:
    try:
        return node.css(selector)
    except (SelectolaxError, ValueError):
        raise NodeError(f"The CSS selector '{selector}' in skipSelectors is not valid.") from None


def _form_value(node: LexborNode) -> str | None:
    """What a form would send for the element."""
    if node.tag == "textarea":
        return node.text(deep=True)
    if node.tag == "select":
        chosen = node.css_first("option[selected]") or node.css_first("option")
        return None if chosen is None else chosen.attributes.get("value") or chosen.text(deep=True)
    return node.attributes.get("value")


def _cleaned(value: str | None, cleaning: HtmlCleaning) -> str | None:
    if value is None:
        return None
    if cleaning.trim:
        value = value.strip()
    return " ".join(value.split()) if cleaning.clean_up else value


def plain_text(node: LexborNode, skipped: set[int] | frozenset[int] = frozenset()) -> str:
    """The text of what is inside the element: blocks on lines of their own, the address of a link behind it in
    brackets, headings in capitals. skipped: `mem_id` of elements to leave out."""
    text = "".join(_pieces(node, skipped, 0))
    lines = (_BLANKS.sub(" ", line).strip() for line in text.split("\0"))
    return "\n".join(line.replace("\1", "\n") for line in lines if line)


def _pieces(parent: LexborNode, skipped: set[int] | frozenset[int], depth: int) -> Iterator[str]:
    """Texts; \\0 stands for the end of a block and \\1 for a line break."""
    if depth > _DEEPEST:
        yield parent.text(deep=True)
        return
    for node in parent.iter(include_text=True):
        tag = node.tag or ""
        if tag == "-text":
            yield (node.text_content or "").replace("\0", "").replace("\1", "")
        elif tag == "br":
            yield "\1"
        elif tag not in _UNSEEN and node.mem_id not in skipped:
            inner = "".join(_pieces(node, skipped, depth + 1))
            yield from _framed(node, tag, inner.upper() if tag in _HEADINGS else inner)


def _framed(node: LexborNode, tag: str, inner: str) -> Iterator[str]:
    if tag in _BLOCKS:
        yield "\0 * " if tag == "li" else "\0"
        yield inner
        yield "\0"
    elif tag in {"td", "th"}:
        yield f"{inner} "
    else:
        yield inner
        address = (node.attributes.get("href") or "") if tag == "a" else ""
        if address and not address.startswith("#") and address != inner.strip():
            yield f" [{address}]" if inner.strip() else f"[{address}]"
