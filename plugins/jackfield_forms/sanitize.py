"""HTML that a form shows, reduced to text, structure, links and pictures. The page's policy forbids scripts anyway;
this keeps what expressions put into it from posing as a form, a style or a frame."""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser
from urllib.parse import urlsplit

_TAGS = frozenset(
    (
        *("a", "abbr", "b", "blockquote", "br", "caption", "code", "dd", "div", "dl", "dt", "em", "figcaption"),
        *("figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "kbd", "li", "mark", "ol", "p", "pre", "q"),
        *(
            "s",
            "small",
            "span",
            "strong",
            "sub",
            "sup",
            "table",
            "tbody",
            "td",
            "tfoot",
            "th",
            "thead",
            "tr",
            "u",
            "ul",
        ),
    )
)
_VOID = frozenset({"br", "hr", "img"})
_HIDDEN = frozenset(
    (
        *("script", "style", "template", "iframe", "object", "noscript"),
        *("textarea", "select", "svg", "math", "title", "head"),
    )
)
_ATTRIBUTES = {
    "a": ("href", "title"),
    "img": ("src", "alt", "title", "width", "height"),
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan", "scope"),
    "ol": ("start",),
    "abbr": ("title",),
}
_SCHEMES = {"href": ("http", "https", "mailto", "tel", ""), "src": ("https", "data")}


class _Reduced(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._open: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        if self._hidden or tag not in _TAGS:
            return
        kept = "".join(_attribute(name, value or "") for name, value in attrs if _allowed(tag, name, value or ""))
        if tag == "a":
            kept += ' rel="noopener noreferrer" target="_blank"'
        self.parts.append(f"<{tag}{kept}>")
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _HIDDEN:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif not self._hidden and tag in self._open:
            while self._open:
                last = self._open.pop()
                self.parts.append(f"</{last}>")
                if last == tag:
                    return

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(escape(data))

    def finish(self) -> str:
        self.close()
        return "".join(self.parts) + "".join(f"</{tag}>" for tag in reversed(self._open))


def _attribute(name: str, value: str) -> str:
    return f' {name}="{escape(value)}"'


def _allowed(tag: str, name: str, value: str) -> bool:
    if name not in _ATTRIBUTES.get(tag, ()):
        return False
    if name not in _SCHEMES:
        return True
    try:
        scheme = urlsplit(value.strip()).scheme.lower()
    except ValueError:
        return False
    picture = scheme != "data" or value.strip().lower().startswith(
        ("data:image/png", "data:image/jpeg", "data:image/gif")
    )
    return scheme in _SCHEMES[name] and picture and value.isprintable()


def sanitized(html: str) -> str:
    """Safe HTML: every tag that is left is closed."""
    reduced = _Reduced()
    reduced.feed(html)
    return reduced.finish()
