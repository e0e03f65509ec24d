"""The text of an HTML mail that brings its own none."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

_WIDTH = 80
_SKIPPED = frozenset({"script", "style", "head", "title", "-comment"})
_BLOCKS = frozenset({"p", "div", "table", "tr", "ul", "ol", "li", "section", "article", "blockquote", "pre", "form"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_APART = frozenset({"p", "ul", "ol", "table", "blockquote", "pre"}) | _HEADINGS
_DEEPEST = 200


def text_of_html(html: str) -> str:
    """Paragraphs apart by an empty line, lines of 80 characters at most, links behind their text in brackets."""
    body = LexborHTMLParser(html).body
    if body is None:
        return ""
    text = "".join(_pieces(body, 0))
    lines = [_wrapped(re.sub(r"[ \t\r\f]+", " ", line).strip()) for line in text.split("\n")]
    lines = [f" {line}" if line.startswith("* ") else line for line in lines]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _wrapped(line: str) -> str:
    return "\n".join(textwrap.wrap(line, _WIDTH, break_long_words=False, break_on_hyphens=False)) if line else ""


def _pieces(node: LexborNode, depth: int) -> Iterator[str]:
    for child in node.iter(include_text=True):
        tag = child.tag or ""
        if tag == "-text":
            yield re.sub(r"\s+", " ", child.text_content or "")
        elif tag == "br":
            yield "\n"
        elif tag == "hr":
            yield "\n\n" + "-" * 40 + "\n\n"
        elif tag not in _SKIPPED and depth < _DEEPEST:
            yield from _element(child, tag, depth)


def _element(node: LexborNode, tag: str, depth: int) -> Iterator[str]:
    inner = "".join(_pieces(node, depth + 1))
    if tag == "a":
        url = node.attributes.get("href") or ""
        inner = inner if not url or url == inner.strip() else f"{inner} [{url}]"
    elif tag == "img":
        inner = f"[{source}]" if (source := node.attributes.get("src")) else ""
    elif tag in _HEADINGS:
        inner = inner.upper()
    elif tag == "li":
        inner = f" * {inner.strip()}"
    apart = "\n\n" if tag in _APART else "\n" if tag in _BLOCKS else ""
    yield f"{apart}{inner}{apart}"
