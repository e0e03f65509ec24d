"""An HTML page as an agent sees it."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from jackfield.api.nodes import NodeError


def shown(text: str, selector: str, omitted: str, *, only_content: bool) -> str:
    """The part that the CSS selector finds, without the elements of the comma-separated selectors `omitted`. Raises
    `NodeError` for a selector that is not valid."""
    try:
        tree = LexborHTMLParser(text)
        for one in (one.strip() for one in omitted.split(",")):
            for node in tree.css(one) if one else ():
                node.decompose()
        found = tree.css(selector or "body")
    except (SelectolaxError, ValueError):
        raise NodeError("A CSS selector of the tool is not valid.") from None
    return "\n".join((node.text() if only_content else node.html) or "" for node in found)
