"""What is left of HTML that a form shows."""

from __future__ import annotations

import re
import threading
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield_forms import rendering
from jackfield_forms.pages import read_page
from jackfield_forms.sanitize import sanitized

TAGS = 2_000
NAMES = {"href", "src", "title", "alt", "width", "height", "colspan", "rowspan", "scope", "start", "target", "rel"}
FORBIDDEN = {
    "script",
    "style",
    "svg",
    "math",
    "form",
    "input",
    "button",
    "iframe",
    "object",
    "embed",
    "link",
    "meta",
    "base",
}
_SCRIPT = re.compile(r"\w*script:", re.IGNORECASE)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        assert {name for name, _ in attrs} <= NAMES
        # As browsers read an address: without control characters, its scheme at the very beginning.
        assert not [value for _, value in attrs if _SCRIPT.match(re.sub(r"[\x00-\x20]", "", value or ""))]


def harmless(text: str) -> list[tuple[str, dict[str, str | None]]]:
    """The text's tags with their attributes."""
    parser = _Tags()
    parser.feed(text)
    parser.close()
    assert not {tag for tag, _ in parser.found} & FORBIDDEN, text
    return parser.found


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("<p>a<b>b</b></p>", "<p>a<b>b</b></p>"),
        ("<script>alert(1)</script>x", "x"),
        ("<p onclick=x style=y>a", "<p>a</p>"),
        ('<a href="javascript:x">a</a>', '<a target="_blank" rel="noopener noreferrer">a</a>'),
        ('<img src="https://a.b/c.png" onerror=x>', '<img src="https://a.b/c.png">'),
        ('<img src="data:text/html,x">', "<img>"),
        ("<form action=/x><input name=a>t</form>", "t"),
        ("<svg><text>x</text></svg>y", "y"),
        ("<svg><p>x</p></svg>y", "<p>x</p>y"),  # a paragraph ends a drawing, as it does in a browser
        ("a < b &amp; c", "a &lt; b &amp; c"),
        ("</main></body>x", "x"),
    ],
)
def test_html_is_reduced(given: str, kept: str) -> None:
    assert sanitized(given, TAGS) == kept


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        " JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        "jav&#x0A;ascript:alert(1)",
        "&#106;avascript&colon;alert(1)",
        "\x01javascript:alert(1)",
        '"javascript:alert(1)',
        "vbscript:x",
        "data:text/html,<script>alert(1)</script>",
        "data:image/svg+xml,<svg onload=alert(1)>",
        "data:image/png,x",
        "blob:https://a.b/c",
        "file:///etc/passwd",
        "https://[bad",
    ],
)
def test_links_go_to_pages_and_mailboxes_alone(address: str) -> None:
    left = sanitized(f"<a href='{address}'>a</a>", TAGS)
    assert harmless(left) == [("a", {"target": "_blank", "rel": "noopener noreferrer"})]


@pytest.mark.parametrize(
    "address", ["https://a.b/?c=d:e", "HTTP://a.b", "mailto:a@b.c", "tel:+1", "/a:b", "?a:b", "#a", ""]
)
def test_such_links_stay(address: str) -> None:
    kept = f'<a href="{address}" target="_blank" rel="noopener noreferrer">a</a>'
    assert sanitized(f'<a href="{address}" target="_self" rel="opener">a</a>', TAGS) == kept


@pytest.mark.parametrize(
    "address",
    [
        "javascript:x",
        "data:text/html,x",
        "data:image/svg+xml,x",
        "data:image/pngx,x",
        "http://a.b/c",
        "/c",
        "//a.b",
        "cid:x",
    ],
)
def test_other_pictures_are_not_loaded(address: str) -> None:
    assert sanitized(f'<img src="{address}">', TAGS) == "<img>"


def test_pictures_in_the_page_stay() -> None:
    picture = '<img src="data:image/png;base64,AAAA" alt="a" width="1" srcset="x" style="x">'
    assert sanitized(picture, TAGS) == '<img src="data:image/png;base64,AAAA" alt="a" width="1">'


MUTATIONS = (
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
    "<svg><style><![CDATA[</style><img src=x onerror=alert(1)>]]></style></svg>",
    '<math><annotation-xml encoding="text/html"><style><img src=x onerror=alert(1)></style></annotation-xml></math>',
    "<table><td><style><!--</style></td><img src=x onerror=alert(1)>--></table>",
    "<xmp><script>alert(1)</script></xmp>",
    "<noembed><img src=x onerror=alert(1)></noembed>",
    "<plaintext><img src=x onerror=alert(1)>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<!--a--!><img src=x onerror=alert(1)>",
    "<![CDATA[><img src=x onerror=alert(1)>]]>",
    "<?x ><img src=x onerror=alert(1)>",
    "<img/src=x/onerror=alert(1)>",
    "<img src=`x`onerror=alert(1)>",
    '<p title="<script>alert(1)</script>" title=x onmouseover=alert(1)>',
    "<select><template><style><!--</style><img src=x onerror=alert(1)>",
    "<svg><animate xlink:href=#a attributeName=href values=javascript:alert(1) /><a id=a><text>x",
    "<body onload=alert(1)><meta http-equiv=refresh content='0;javascript:alert(1)'><base href=//a.b/>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe><object data=x></object>",
    "<embed src=x><link rel=stylesheet href=x>",
    "<button formaction=javascript:alert(1)>a</button><isindex type=image src=1 onerror=alert(1)>",
    "<details open ontoggle=alert(1)><summary>a</summary></details><video><source onerror=alert(1)></video>",
)
"""Published ways past sanitizers: what one parser takes for text, another takes for a tag."""


@pytest.mark.parametrize("text", MUTATIONS)
def test_what_is_left_means_the_same_when_it_is_read_again(text: str) -> None:
    once = sanitized(text, TAGS)
    harmless(once)
    assert sanitized(once, TAGS) == once


def test_html_with_too_many_tags_is_text() -> None:
    assert sanitized("<b>a</b><b>c</b>", 4) == "<b>a</b><b>c</b>"
    assert sanitized("<b>a</b><b>c</b>", 3) == "&lt;b&gt;a&lt;/b&gt;&lt;b&gt;c&lt;/b&gt;"


def test_half_a_character_is_a_question_mark() -> None:
    assert sanitized("<b>\ud800</b>", TAGS) == "<b>?</b>"


_PIECE = st.sampled_from(
    ["<", ">", '"', "'", "script", "<script>", "</script>", "<svg/onload=x>", "<a href='", "javascript:x", "<!--",
     "-->", "<![CDATA[", "]]>", "<p ", "onclick=", "&lt;", "&#x3c;script&#x3e;", "<style>", "</style", "\0", " ", "a"]
)  # fmt: skip


@given(st.lists(_PIECE, max_size=12).map("".join))
def test_nothing_gets_through(text: str) -> None:
    harmless(sanitized(text, TAGS))


async def test_html_is_cleaned_off_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []

    def cleaned(html: str, tags: int) -> str:
        threads.append(threading.get_ident())
        return sanitized(html, tags)

    monkeypatch.setattr(rendering, "sanitized", cleaned)
    fields = {"values": [{"fieldType": "html", "html": f"<b>{n}</b><script>"} for n in range(3)]}
    shown = await rendering.form(read_page({"formFields": fields}), "/form/a", html_tags=TAGS)
    assert all(f"<b>{n}</b>" in shown.body for n in range(3))
    assert "<script" not in shown.body
    assert len(threads) == 3
    assert threading.get_ident() not in threads
