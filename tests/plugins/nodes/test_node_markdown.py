"""Markdown: to HTML with what is asked for, and from HTML."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield_nodes.data.markdown.from_html import html_to_markdown
from jackfield_nodes.data.markdown.parameters import MarkdownOptions
from jackfield_nodes.data.markdown.to_html import markdown_to_html

TASK = (
    'class="task-list-item" style="list-style-type: none;"><input type="checkbox" disabled'
    ' style="margin: 0px 0.35em 0.25em -1.6em; vertical-align: middle;" checked'
)
TO_HTML: list[tuple[str, dict[str, Any], str]] = [
    ("# Hello World", {}, '<h1 id="helloworld">Hello World</h1>'),
    ("# A\n\n# A", {}, '<h1 id="a">A</h1>\n<h1 id="a-1">A</h1>'),
    ("# A", {"noHeaderId": True, "headerLevelStart": 3}, "<h3>A</h3>"),
    ("# A", {"prefixHeaderId": "p-"}, '<h1 id="pa">A</h1>'),
    ("**b** _i_ `c`", {}, "<p><strong>b</strong> <em>i</em> <code>c</code></p>"),
    ("a\nb", {}, "<p>a\nb</p>"),
    ("a\nb", {"simpleLineBreaks": True}, "<p>a<br />\nb</p>"),
    ("~~x~~", {}, "<p>~~x~~</p>"),
    ("~~x~~", {"strikethrough": True}, "<p><del>x</del></p>"),
    ("|a|\n|-|\n|1|", {}, "<p>|a|\n|-|\n|1|</p>"),
    ("- [x] done", {"tasklists": True}, f"<ul>\n<li {TASK}> done</li>\n</ul>"),
    ("- [ ] <open>", {}, "<ul>\n<li>[ ] <open></li>\n</ul>"),
    ("see https://a.example/x.", {"simplifiedAutoLink": True},
     '<p>see <a href="https://a.example/x.">https://a.example/x.</a></p>'),
    ("[x](https://a.example)", {"openLinksInNewWindow": True},
     '<p><a href="https://a.example" rel="noopener noreferrer" target="_blank">x</a></p>'),
    ("<u>html</u>", {}, "<p><u>html</u></p>"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options", "expected"), TO_HTML)
def test_to_html(text: str, options: dict[str, Any], expected: str) -> None:
    """Tables, strikethrough, task lists and bare links only where they are asked for; HTML stays."""
    assert markdown_to_html(text, MarkdownOptions.model_validate(options)) == expected


def test_a_table_and_a_whole_document() -> None:
    made = markdown_to_html("|a|\n|-|\n|1|", MarkdownOptions(tables=True, complete_html_document=True))
    assert made.startswith("<!DOCTYPE HTML>")
    assert "<td>1</td>" in made


TO_MARKDOWN: list[tuple[str, dict[str, Any], str]] = [
    ("<h2>Title</h2><p>Some <b>bold</b> and <em>soft</em></p>", {}, "## Title\n\nSome **bold** and _soft_"),
    ("<em>x</em>", {"emDelimiter": "*"}, "*x*"),
    ("<ul><li>a</li><li>b</li></ul>", {}, "* a\n* b"),
    ("<ul><li>a</li></ul>", {"bulletMarker": "-"}, "- a"),
    ('<a href="https://a.example">link</a>', {}, "[link](https://a.example)"),
    ("<pre><code>x\ny</code></pre>", {}, "```\nx\ny\n```"),
    ("<p>a</p><script>evil()</script><style>x{}</style>", {}, "a"),
    ("<p>a</p><button>menu</button>", {"ignore": "button"}, "a"),
    ('<img alt="i" src="data:image/png;base64,AAAA">b', {}, "b"),
    ("plain", {}, "plain"),
    ("", {}, ""),
]


@pytest.mark.parametrize(("text", "options", "expected"), TO_MARKDOWN)
def test_to_markdown(text: str, options: dict[str, Any], expected: str) -> None:
    assert html_to_markdown(text, MarkdownOptions.model_validate(options)) == expected


async def test_the_node(bench: Bench) -> None:
    given = items({"a": 1})
    parameters = {"mode": "markdownToHtml", "markdown": "*x*", "destinationKey": "out.html"}
    assert await bench.json("markdown", 1, parameters, given) == [[{"a": 1, "out": {"html": "<p><em>x</em></p>"}}]]
    assert await bench.json("markdown", 1, {"html": "<b>x</b>"}, given) == [[{"a": 1, "data": "**x**"}]]


async def test_limits(bench: Bench) -> None:
    with pytest.raises(NodeError, match="more than 4194304 characters"):
        await bench.json("markdown", 1, {"html": "x" * 5_000_000})
    with pytest.raises(NodeError, match="more than 200 levels"):
        await bench.json("markdown", 1, {"html": "<div>" * 1000})


@given(st.text(max_size=100))
def test_any_text_is_taken(text: str) -> None:
    every = MarkdownOptions(tables=True, strikethrough=True, tasklists=True, simplified_auto_link=True)
    assert isinstance(html_to_markdown(markdown_to_html(text, every), every), str)


async def test_a_table_that_would_grow_without_end_is_an_error(bench: Bench) -> None:
    html = "<table><tr><td>" + "x" * 100_000 + "</td></tr>" + "<tr><td>y</td></tr>" * 1000 + "</table>"
    with pytest.raises(NodeError, match="A table of the HTML"):
        await bench.json("markdown", 1, {"html": html}, items({}))
