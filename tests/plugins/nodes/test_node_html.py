"""HTML: values out of documents by CSS selectors, in each version's manner; documents and tables."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_fakes import Bench, items
from selectolax.lexbor import LexborHTMLParser

from jackfield.api.nodes import NodeError
from jackfield_nodes.data.html_reading import extracted
from jackfield_nodes.data.html_table import TableRow, TableStyle, html_table
from jackfield_nodes.data.html_text import plain_text
from jackfield_nodes.data.html_values import HtmlCleaning, HtmlWanted

PAGE = """<html><head><title> The
 title </title></head><body>
<h1 class="big">Hello <b>World</b></h1>
<ul><li>one <a href="https://a.example/x">link</a></li><li class="b" data-n="2">two</li></ul>
<p>first<br>second</p><p class="skip">third</p><a href="#top">up</a><script>var x = 1;</script>
<form><input name="i" value="5" disabled><textarea>long
text</textarea><select><option value="a">A</option><option value="b" selected>B</option></select></form>
</body></html>"""


async def extract(bench: Bench, version: float, *wanted: dict[str, Any], kind: str = "html", **options: Any) -> Any:
    parameters = {
        "operation": "extractHtmlContent",
        "extractionValues": {"values": [{"key": "x", **each} for each in wanted]},
        "options": options,
    }
    if kind == "htmlExtract":
        del parameters["operation"]
    ((json,),) = await bench.json(kind, version, parameters, items({"data": PAGE}))
    return json.get("x")


VALUES: list[tuple[dict[str, Any], Any]] = [
    ({"cssSelector": "title"}, " The\n title "),
    ({"cssSelector": "h1"}, "Hello World"),
    ({"cssSelector": "li", "returnArray": True}, ["one link", "two"]),
    ({"cssSelector": "ul > li:nth-child(2)"}, "two"),
    ({"cssSelector": "a", "returnValue": "attribute", "attribute": "href"}, "https://a.example/x"),
    ({"cssSelector": "input", "returnValue": "attribute", "attribute": "disabled"}, ""),
    ({"cssSelector": "input", "returnValue": "attribute", "attribute": "none"}, None),
    ({"cssSelector": "h1", "returnValue": "html"}, "Hello <b>World</b>"),
    ({"cssSelector": "input", "returnValue": "value"}, "5"),
    ({"cssSelector": "select", "returnValue": "value"}, "b"),
    ({"cssSelector": "textarea", "returnValue": "value"}, "long\ntext"),
    ({"cssSelector": ".none"}, None),
    ({"cssSelector": ".none", "returnArray": True}, []),
]


@pytest.mark.parametrize(("wanted", "expected"), VALUES)
async def test_values(bench: Bench, wanted: dict[str, Any], expected: Any) -> None:
    assert await extract(bench, 1.1, wanted) == expected


async def test_up_to_version_1_1_the_texts_of_all_elements_are_joined(bench: Bench) -> None:
    assert await extract(bench, 1.1, {"cssSelector": "li"}) == "one linktwo"
    assert await extract(bench, 1.2, {"cssSelector": "li"}) == "one link [https://a.example/x]"


async def test_from_version_1_2_on_text_has_a_layout(bench: Bench) -> None:
    body = {"cssSelector": "body", "skipSelectors": "form, .skip"}
    text = await extract(bench, 1.2, body)
    expected = "HELLO WORLD\n\n * one link [https://a.example/x]\n * two\n\nfirst\nsecond\n\nup"
    assert text == expected
    assert await extract(bench, 1.2, body, cleanUpText=True) == expected.replace("\n", "")


def test_elements_in_each_other_without_end_keep_their_text() -> None:
    tree = LexborHTMLParser("<ul><li>" * 5_000 + "deep" + "</li></ul>" * 5_000)
    assert "deep" in plain_text(tree.css_first("body"))


def test_many_blocks_cost_no_more_each_than_few() -> None:
    tree = LexborHTMLParser("<p>paragraph</p>" * 20_000)
    assert plain_text(tree.css_first("body")).count("\n\n") == 19_999


async def test_cleaning(bench: Bench) -> None:
    title = {"cssSelector": "title"}
    assert await extract(bench, 1.1, title, trimValues=True) == "The\n title"
    assert await extract(bench, 1.1, title) == " The\n title "
    assert await extract(bench, 1, title, cleanUpText=True) == "The title"
    assert await extract(bench, 1, title, kind="htmlExtract") == "The\n title"


async def test_a_list_of_documents_gives_an_item_each(bench: Bench) -> None:
    parameters = {
        "operation": "extractHtmlContent",
        "dataPropertyName": "a.pages",
        "extractionValues": {"values": [{"key": "x", "cssSelector": "b"}]},
    }
    given = items({"a": {"pages": ["<b>1</b>", "<b>2</b>"]}})
    assert await bench.json("html", 1.2, parameters, given) == [[{"x": "1"}, {"x": "2"}]]


async def test_a_document_in_a_file(bench: Bench) -> None:
    file: Any = {"data": base64.b64encode(b"<b>in a file</b>").decode(), "mimeType": "text/html"}
    parameters = {
        "operation": "extractHtmlContent",
        "sourceData": "binary",
        "extractionValues": {"values": [{"key": "x", "cssSelector": "b"}]},
    }
    given: Any = [{"json": {}, "binary": {"data": file}}]
    assert await bench.json("html", 1.2, parameters, given) == [[{"x": "in a file"}]]


async def test_errors_name_what_to_mend(bench: Bench) -> None:
    with pytest.raises(NodeError, match=r"CSS selector 'a\[\[' is not valid"):
        await extract(bench, 1.2, {"cssSelector": "a[["})
    with pytest.raises(NodeError, match="in skipSelectors is not valid"):
        await extract(bench, 1.2, {"cssSelector": "body", "skipSelectors": "]"})
    with pytest.raises(NodeError, match="no field 'data' with HTML"):
        await bench.json("html", 1, {"operation": "extractHtmlContent"}, items({"b": 1}))
    with pytest.raises(NodeError, match="is not text with HTML"):
        await bench.json("html", 1, {"operation": "extractHtmlContent"}, items({"data": 5}))


@given(st.text(max_size=200))
def test_any_text_is_a_document(text: str) -> None:
    found = extracted(text, [("x", HtmlWanted("*", "text", "", True))], HtmlCleaning(True, True, True))
    assert isinstance(found["x"], list)


def test_deeply_nested_documents() -> None:
    page = "<div>" * 5000 + "deep"
    found = extracted(page, [("x", HtmlWanted("body", "text", "", False))], HtmlCleaning(True, True, True))
    assert "deep" in str(found["x"])


async def test_a_template_is_its_own_result(bench: Bench) -> None:
    assert await bench.json("html", 1.2, {"html": "<b>5</b>"}, items({"a": 1})) == [[{"html": "<b>5</b>"}]]


async def test_all_items_become_one_table(bench: Bench) -> None:
    run = bench.run("html", 1.2, {"operation": "convertToHtmlTable"}, items({"a": "<b>&"}, {"b": True, "a": None}))
    ((item,),) = await bench.outputs(run)
    table = str(item["json"]["table"])
    assert ">undefined</td>" in table
    assert 'type="checkbox" checked="checked"/>' in table
    assert table.count("<tr") == 3
    assert item["pairedItem"] == [{"item": 0}, {"item": 1}]
    assert await bench.outputs(bench.run("html", 1, {"operation": "convertToHtmlTable"}, [])) == [[]]


async def test_a_template_has_expressions_without_being_one(bench: Bench) -> None:
    run = bench.run("html", 1.2, {"html": "<b>{{ $json.a }}</b>{{ 1 }}"}, items({"a": 1}), late=lambda given, _: given)
    ((item,),) = await bench.outputs(run)
    assert item["json"]["html"] == "<b>={{ $json.a }}</b>={{ 1 }}"


def test_the_style_of_a_table() -> None:
    style = TableStyle(plain=True, capitalize=True, caption="A & B")
    assert html_table([{"first_name": "x"}], [TableRow(cells='class="c"')], style) == (
        "<table  ><caption>A & B</caption><thead  ><tr><th>First Name</th></tr></thead>"
        '<tbody><tr  ><td  class="c">x</td></tr></tbody></table>'
    )
