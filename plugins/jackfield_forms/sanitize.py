"""HTML that a form shows, reduced to text, structure, links and pictures. The page's policy forbids scripts anyway;
this keeps what expressions put into it from posing as a form, a style or a frame.

`nh3` reads as a browser does, HTML5 error recovery included; the policy is ours.
"""

from __future__ import annotations

import re
from html import escape
from typing import Final

import nh3

_TAGS: Final = {
    *("a", "abbr", "b", "blockquote", "br", "caption", "code", "dd", "div", "dl", "dt", "em", "figcaption", "figure"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "small"),
    *("span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul"),
}
_DROPPED: Final = {
    *("script", "style", "template", "iframe", "object", "noscript"),
    *("textarea", "select", "svg", "math", "title", "head"),
}
"""With all that they hold."""
_ATTRIBUTES: Final = {
    "a": {"href", "title"},
    "img": {"src", "alt", "title", "width", "height"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "ol": {"start"},
    "abbr": {"title"},
}
_ADDRESSES: Final = {
    "href": re.compile(r"(https?|mailto|tel):|[^:/?#]*([/?#]|$)", re.IGNORECASE),
    "src": re.compile(r"https:|data:image/(png|jpeg|gif)[;,]", re.IGNORECASE),
}
"""Links may be relative: no colon then comes before the first of `/?#`. Pictures may not."""


def _address_checked(_: str, name: str, value: str) -> str | None:
    pattern = _ADDRESSES.get(name)
    if pattern is None:
        return value
    text = value.strip()
    return text if text.isprintable() and pattern.match(text) else None


_CLEANER: Final = nh3.Cleaner(
    tags=_TAGS,
    clean_content_tags=_DROPPED,
    attributes=_ATTRIBUTES,
    attribute_filter=_address_checked,
    url_schemes={"http", "https", "mailto", "tel", "data"},
    set_tag_attribute_values={"a": {"target": "_blank"}},
    link_rel="noopener noreferrer",
)


def sanitized(html: str, tags: int) -> str:
    """Safe HTML: every tag that is left is closed. With more than that many tags it is shown as text. The time that
    HTML5's rules for broken markup ask for grows with the square of their number."""
    text = html.encode("utf-8", "replace").decode()  # JSON may bring halves of characters
    return escape(text) if text.count("<") > tags else _CLEANER.clean(text)
