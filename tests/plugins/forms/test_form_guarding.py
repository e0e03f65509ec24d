"""Who may send a form, and what is left of HTML that it shows."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.errors import AccessDenied
from jackfield.api.workflows import Node
from jackfield_forms.guarding import check_caller, check_own_page
from jackfield_forms.sanitize import sanitized


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "same-origin", "origin": "null"},
        {"origin": "http://127.0.0.1:8765", "host": "127.0.0.1:8765"},
        {"origin": "https://forms.example.com", "host": "forms.example.com"},
        {"origin": "https://forms.example.com", "host": "forms.example.com:443"} | {"sec-fetch-site": "same-origin"},
    ],
)
def test_the_own_page_and_programs_may_send(headers: dict[str, str]) -> None:
    check_own_page(headers)


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": "http://127.0.0.1:8765", "host": "127.0.0.1:8765"},
        {"origin": "https://evil.example", "host": "127.0.0.1:8765"},
        {"origin": "http://127.0.0.1:9999", "host": "127.0.0.1:8765"},
        {"origin": "null", "host": "127.0.0.1:8765"},
        {"origin": "", "host": ""},
    ],
)
def test_pages_of_other_sites_may_not(headers: dict[str, str]) -> None:
    with pytest.raises(AccessDenied):
        check_own_page(headers)


def form(**options: object) -> Node:
    return Node("1", "F", "formTrigger", "formTrigger", 2.2, {"options": options})  # type: ignore[dict-item]


def test_addresses_and_robots() -> None:
    listed = form(ipWhitelist="10.0.0.0/8, 192.0.2.1")
    check_caller(listed, "10.1.2.3", {})
    check_caller(listed, "::ffff:192.0.2.1", {})
    for client in ("192.0.2.2", "unknown"):
        with pytest.raises(AccessDenied):
            check_caller(listed, client, {})
    with pytest.raises(AccessDenied):
        check_caller(form(ipWhitelist=["not", "a", "list"]), "10.1.2.3", {})  # closed, not open, by mistake
    with pytest.raises(AccessDenied):
        check_caller(form(ignoreBots=True), "10.1.2.3", {"user-agent": "Googlebot/2.1"})
    check_caller(form(ignoreBots=True), "10.1.2.3", {"user-agent": "Mozilla/5.0"})


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("<p>a<b>b</b></p>", "<p>a<b>b</b></p>"),
        ("<script>alert(1)</script>x", "x"),
        ("<p onclick=x style=y>a", "<p>a</p>"),
        ('<a href="javascript:x">a</a>', '<a rel="noopener noreferrer" target="_blank">a</a>'),
        ('<img src="https://a.b/c.png" onerror=x>', '<img src="https://a.b/c.png">'),
        ('<img src="data:text/html,x">', "<img>"),
        ("<form action=/x><input name=a>t</form>", "t"),
        ("<svg><p>x</p></svg>y", "y"),
        ("a < b &amp; c", "a &lt; b &amp; c"),
        ("</main></body>x", "x"),
    ],
)
def test_html_is_reduced(given: str, kept: str) -> None:
    assert sanitized(given) == kept


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        assert not [name for name, value in attrs if name.startswith("on") or "script:" in (value or "").lower()]


_PIECE = st.sampled_from(
    ["<", ">", '"', "'", "script", "<script>", "</script>", "<svg/onload=x>", "<a href='", "javascript:x", "<!--",
     "-->", "<![CDATA[", "]]>", "<p ", "onclick=", "&lt;", "&#x3c;script&#x3e;", "<style>", "</style", "\0", " ", "a"]
)  # fmt: skip


@given(st.lists(_PIECE, max_size=12).map("".join))
def test_nothing_gets_through(text: str) -> None:
    parser = _Tags()
    parser.feed(sanitized(text))
    parser.close()
    assert not parser.found & {"script", "style", "svg", "form", "input", "iframe"}
