"""HTML: values out of documents, templates, tables."""

from __future__ import annotations

from collections.abc import Iterator

from ..cases import Document, Family, NodeCase, both_ways

PAGE = """<html><head><title> A page </title></head><body>
<h1 class="top">  Hello <b>you</b>  </h1><ul id="list"><li> one </li><li>two<br>lines</li><li></li></ul>
<a href="https://example.com/?a=1&amp;b=2" title="t">Link</a> <a>bare</a>
<input name="q" value="typed"><select><option value="1">a</option><option value="2" selected>b</option></select>
<p>First   para &amp; more</p><p>Second&nbsp;para</p><table><tr><th>k</th><td>v</td></tr></table></body></html>"""
ITEMS: tuple[Document, ...] = (
    {"json": {"page": PAGE, "text": "Hello", "n": 1, "obj": {"a": 1}, "list": ["<p>x</p>", "<p>y</p>"]}},
    {"json": {"page": "<p>only</p>", "text": "", "n": 2}},
    {"json": {"text": None}},
)


def _extraction(options: Document, *values: Document, **more: object) -> Document:
    return {
        "operation": "extractHtmlContent",
        "dataPropertyName": "page",
        "extractionValues": {"values": list(values)},
        "options": options,
        **more,
    }


def _value(selector: str, returned: str = "text", **more: object) -> Document:
    return {"key": "found", "cssSelector": selector, "returnValue": returned, **more}


SELECTORS = (
    "h1",
    "li",
    "a",
    "p",
    "#list",
    ".none",
    "td, th",
    "ul > li:first-child",
    "input",
    "select",
    "title",
    "body",
)


def _html() -> Iterator[NodeCase]:
    extractions = {}
    for selector in SELECTORS:
        extractions[f"text of {selector}"] = _extraction({}, _value(selector))
        extractions[f"texts of {selector}"] = _extraction({}, _value(selector, returnArray=True))
        extractions[f"html of {selector}"] = _extraction({}, _value(selector, "html"))
        extractions[f"value of {selector}"] = _extraction({}, _value(selector, "value"))
        extractions[f"raw text of {selector}"] = _extraction({"trimValues": False}, _value(selector))
        extractions[f"clean text of {selector}"] = _extraction({"cleanUpText": True}, _value(selector))
    for attribute in ("href", "title", "none"):
        asked = _value("a", "attribute", attribute=attribute)
        extractions[f"attribute {attribute}"] = _extraction({}, asked)
        extractions[f"attributes {attribute}"] = _extraction({}, {**asked, "returnArray": True})
    extractions["skipped selectors"] = _extraction({}, _value("body", skipSelectors="h1, ul, a"))
    extractions["two fields"] = _extraction({}, _value("h1"), {**_value("p"), "key": "other"})
    extractions["no field"] = _extraction({})
    extractions["a field of a list"] = _extraction({}, _value("p"), dataPropertyName="list")
    extractions["a field that is missing"] = _extraction({}, _value("p"), dataPropertyName="gone")
    others: dict[str, Document] = {
        "template": {"operation": "generateHtmlTemplate", "html": "<h1>{{ $json.text }}</h1>{{ $json.n + 1 }}"},
        "template with =": {"operation": "generateHtmlTemplate", "html": "=<h1>{{ $json.text }}</h1>"},
        "template of a value": {"operation": "generateHtmlTemplate", "html": "={{ $json.text }}"},
        "template of an object": {"operation": "generateHtmlTemplate", "html": "={{ $json }}"},
        "template of nothing": {"operation": "generateHtmlTemplate", "html": "={{ $json.missing }}!{{ 0 / 0 }}"},
        "template twice": {"operation": "generateHtmlTemplate", "html": "={{ '{{ 1 }}' }}{{ $json.text }}"},
        "plain template": {"operation": "generateHtmlTemplate", "html": "<h1>plain</h1>"},
        "table": {"operation": "convertToHtmlTable", "options": {}},
        "table with options": {
            "operation": "convertToHtmlTable",
            "options": {"capitalize": True, "customStyling": True, "caption": "C"},
        },
        "table with attributes": {
            "operation": "convertToHtmlTable",
            "options": {"tableAttributes": "border=1", "headerAttributes": "a=b", "rowAttributes": "c=d"},
        },
    }
    yield from both_ways("html", (1, 1.1, 1.2), {**extractions, **others}, ITEMS)
    legacy = {name: {k: v for k, v in one.items() if k != "operation"} for name, one in extractions.items()}
    yield from both_ways("htmlExtract", (1,), legacy, ITEMS)


FAMILIES = (Family("HTML", _html),)
