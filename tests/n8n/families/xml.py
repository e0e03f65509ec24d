"""XML: to JSON and from JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..cases import Document, Family, NodeCase
from ..modes import EITHER, GOES_ON, in_modes
from .fields import FILE

TEXTS: Mapping[str, object] = {
    "one": "<a>1</a>",
    "children": "<a><b>1</b><c>x</c></a>",
    "list": "<a><b>1</b><b>2</b><b/></a>",
    "attributes": '<a id="1" x:y="2"><b k="v">t</b><b k="w"/></a>',
    "clash": '<a b="attribute"><b>child</b></a>',
    "mixed": "<a>before<b>in</b>after</a>",
    "blank": "<a>  </a>",
    "blanks": "<a>\n  <b>  x   y  </b>\n  <c>\n</c>\n</a>",
    "blank list": "<a><b> </b><b></b></a>",
    "cdata": "<a><![CDATA[<x> & y]]></a>",
    "empty cdata": "<a><b><![CDATA[]]></b><b><![CDATA[ ]]></b></a>",
    "split": "<a>one<![CDATA[two]]>three<!-- no -->four</a>",
    "entities": "<a t='&quot;q&quot;'>&lt;&amp;&gt;&apos; &#65;&#x42; &#128512;</a>",
    "declaration": '<?xml version="1.0" encoding="ISO-8859-1"?>\n<a>é</a>',
    "later declaration": '\n  <?xml version="1.0"?><a>1</a>',
    "instructions": '<?xml version="1.0"?><?style a="b"?><a><?inside x?>1</a><?after x?>',
    "comments": "<!-- first --><a><!-- in -->1</a><!-- last -->",
    "doctype": "<!DOCTYPE a><a>1</a>",
    "prefix": '<x:a xmlns:x="urn:x"><x:b>1</x:b></x:a>',
    "unbound prefix": "<x:a><x:b>1</x:b></x:a>",
    "default namespace": '<a xmlns="urn:a"><b/></a>',
    "case": "<A><B>1</B><b>2</b></A>",
    "mark": "\ufeff<a>1</a>",
    "unusual": "<a-b.c><_d>1</_d><é>2</é></a-b.c>",
    "dangerous": "<a><constructor>1</constructor><prototype>2</prototype><__proto__>3</__proto__></a>",
    "dangerous attributes": '<a constructor="1" prototype="2"/>',
    "newline attribute": '<a t="1\n2\t3"/>',
    "windows": "<a>1\r\n2</a>",
    "text around": "<a>1</a>\n\n",
    "deep": "<a><b><c><d><e>1</e></d></c></b></a>",
    "feed": '<?xml version="1.0"?>\n<rss version="2.0" xmlns:dc="urn:dc"><channel><title>News &amp; more</title>'
    "<link>https://example.com/?a=1&amp;b=2</link>\n<item><title><![CDATA[One <b>bold</b>]]></title>"
    "<dc:creator>A</dc:creator>"
    '<guid isPermaLink="false">1</guid></item>\n<item><title>Two</title><category>x</category><category>y</category>'
    "</item></channel></rss>",
    "envelope": '<s:Envelope xmlns:s="urn:s"><s:Header/><s:Body><m:Get xmlns:m="urn:m"><m:Id xsi:nil="true"/>'
    "<m:Amount currency='EUR'>1.50</m:Amount></m:Get></s:Body></s:Envelope>",
    "sitemap": "<urlset>\n  <url>\n    <loc>https://a.example/</loc>\n    <priority>0.5</priority>\n  </url>\n"
    "  <url>\n    <loc>https://b.example/</loc>\n  </url>\n</urlset>\n",
    "picture": '<svg width="10" height="10"><g id="a"><path d="M0 0\nL1 1"/><path d="M1 1"/></g>'
    '<text x="1">t<tspan>u</tspan></text></svg>',
    "table": "<rows><row id='1'><c>a</c><c>b</c></row><row id='2'><c>c</c><c/></row></rows>",
    "settings": "<plist><dict><key>a</key><true/><key>b</key><integer>1</integer></dict></plist>",
    "invoice": "<Invoice>\r\n\t<Id>7</Id>\r\n\t<Line n='1'>\r\n\t\t<Price>1.00</Price>\r\n\t</Line>\r\n"
    "\t<Line n='2'><Price>2.00</Price><Note>  two   words </Note></Line>\r\n</Invoice>",
    "page": "<html><head><title>T</title></head><body><p>One <b>two</b> three</p><p/><br/></body></html>",
    "names": "<a t='&eacute;'>1&nbsp;2 &hellip;</a>",
}
BROKEN: Mapping[str, object] = {
    "two attributes": '<a t="1" t="2"/>',
    "underscore": '<a _="1"><_>2</_>text</a>',
    "root list": "<a>1</a><b>2</b>",
    "text after": "<a>1</a>tail",
    "text before": "head<a>1</a>",
    "unclosed": "<a><b></a>",
    "unclosed root": "<a>",
    "open tag": "<a",
    "no quotes": "<a b=c/>",
    "bare attribute": "<a b/>",
    "ampersand": "<a>1 & 2</a>",
    "unknown entity": "<a>&nope;</a>",
    "no XML": "just text",
    "JSON": '{"a": 1}',
    "empty": "",
    "spaces": "   ",
    "number": 5,
    "truth": True,
    "null": None,
    "object": {"a": 1},
    "array": ["<a>1</a>"],
}
"""Options mean nothing for these: they fail, or fail in part."""
PLAIN = (
    "cdata",
    "split",
    "declaration",
    "later declaration",
    "instructions",
    "comments",
    "doctype",
    "mark",
    "windows",
    "text around",
)
"""Roots that are only a text."""
READING: Mapping[str, Document] = {
    "nothing": {},
    "lists": {"explicitArray": True},
    "no root": {"explicitRoot": False},
    "no attributes": {"ignoreAttrs": True},
    "apart": {"mergeAttrs": False},
    "keys": {"mergeAttrs": False, "attrkey": "@", "charkey": "#"},
    "merged keys": {"attrkey": "@", "charkey": "#"},
    "empty keys": {"mergeAttrs": False, "attrkey": "", "charkey": ""},
    "same keys": {"mergeAttrs": False, "attrkey": "x", "charkey": "x"},
    "forbidden key": {"attrkey": "constructor"},
    "forbidden text key": {"charkey": "__proto__"},
    "normalize": {"normalize": True},
    "lower": {"normalizeTags": True},
    "trim": {"trim": True},
    "all": {
        "explicitArray": True,
        "explicitRoot": False,
        "mergeAttrs": False,
        "normalize": True,
        "normalizeTags": True,
        "trim": True,
    },
}
WRITTEN: Mapping[str, Document] = {
    "one": {"a": 1},
    "two": {"a": 1, "b": "x"},
    "nothing": {},
    "null": {"a": None},
    "nulls": {"a": None, "b": None},
    "empty": {"a": ""},
    "empties": {"a": "", "b": {}, "c": []},
    "empty root": {"a": {}},
    "empty list root": {"a": []},
    "truths": {"a": True, "b": False, "c": 0, "d": 1.5, "e": 1e21, "f": -0.0},
    "false root": {"a": False},
    "zero root": {"a": 0},
    "list": {"a": [1, 2], "b": ["x", "y"]},
    "only list": {"a": [1, 2]},
    "list of texts": {"a": ["xy", "z"]},
    "list of objects": {"a": [{"b": 1}, {"b": 2, "c": "x"}]},
    "list below": {"r": {"a": [{"b": 1}, {"b": [2, 3]}]}},
    "mixed list": {"r": {"a": [1, "x", None, True, {"b": 1}, [], ["q", {"k": 1}]]}},
    "list of lists": {"r": {"a": [[1, 2], [{"b": 1}]]}},
    "deep": {"r": {"a": {"b": {"c": 1}}}},
    "attributes": {"r": {"$": {"id": "1", "n": 2, "no": None, "q": "a\"b'<>&"}, "a": "x"}},
    "only attributes": {"$": {"id": "1"}},
    "only attributes below": {"r": {"a": {"$": {"id": 1}}}},
    "attributes and text": {"r": {"$": {"id": "1"}, "_": "text"}},
    "text and children": {"r": {"_": "text", "a": 1, "b": {"_": "t", "c": 2}}},
    "text last": {"r": {"a": 1, "_": "text"}},
    "text alone": {"_": "text"},
    "text of root": {"_": "text", "a": 1},
    "text is an object": {"r": {"_": {"a": 1}}},
    "text is null": {"r": {"_": None}},
    "text is a number": {"r": {"_": 5}},
    "attributes are text": {"r": {"$": "x"}},
    "attributes are null": {"r": {"$": None, "a": 1}},
    "attributes are a list": {"r": {"$": ["x"]}},
    "attribute is an object": {"r": {"$": {"o": {"a": 1}, "l": [1, 2]}}},
    "escapes": {"r": {"a": "<b>&\"'</b>", "c": "]]>", "d": "a\r\nb\tc"}},
    "control": {"r": {"a": "x\u0001y"}},
    "control attribute": {"r": {"$": {"a": "x\u0001y"}}},
    "emoji": {"r": {"a": "\U0001f600"}},
    "names with blanks": {"a b": 1},
    "names below": {"r": {"a b": 1}},
    "digits": {"1": "x", "2": "y"},
    "digit": {"1": "x"},
    "list of digits": {"r": {"1": [1]}},
    "empty name": {"": 1},
    "dots and colons": {"r": {"a.b": 1, "a:b": 2, "a-b": 3, "-a": 4}},
    "dollars": {"r": {"$a": 1}},
    "new lines": {"r": {"a": "x\ny"}},
    "root": {"root": {"a": 1}},
    "hash": {"r": {"#text": "x"}},
    "at": {"r": {"@x": "x"}},
    "special": {"r": {"?pi": "x", "#comment": "x"}},
}
WRITING: Mapping[str, Document] = {
    "nothing": {},
    "cdata": {"cdata": True},
    "headless": {"headless": True},
    "root": {"rootName": "top"},
    "bad root": {"rootName": "a b"},
    "empty root": {"rootName": ""},
    "keys": {"attrkey": "@", "charkey": "#"},
    "surrogates": {"allowSurrogateChars": True},
    "forbidden key": {"attrkey": "prototype"},
}
ALL = tuple({"json": {"data": value}} for name, value in TEXTS.items() if name not in PLAIN)
SOME: tuple[Document, ...] = (
    {"json": {"data": "<a>1</a>", "other": "<b/>", "keep": 1}, "binary": {"file": FILE}},
    {"json": {"data": "<a>"}},
    {"json": {"other": 1}},
    {"json": {"data": "<c>3</c>"}},
)
GOOD: tuple[Document, ...] = (
    {"json": {"data": "<a>1</a>", "other": "<b>1</b>", "a.b": "<y/>", "keep": 1}, "binary": {"file": FILE}},
    {"json": {"data": "<a><c/></a>", "other": "<b/>", "a.b": "<z/>", "a": {"b": "<x/>"}}},
)


def _node(parameters: Document) -> Document:
    return {"type": "n8n-nodes-base.xml", "typeVersion": 1, "parameters": parameters}


def _reading() -> Iterator[NodeCase]:
    for name, options in READING.items():
        node = _node({"options": options})
        for label, value in TEXTS.items():
            if label not in PLAIN or options.get("explicitRoot", True):
                one = ({"json": {"data": value}},)
                yield from in_modes(f"{name}: {label}", node, one, EITHER if name == "nothing" else GOES_ON)
        yield from in_modes(f"{name}: all", node, ALL, GOES_ON)
    for label, value in BROKEN.items():
        yield from in_modes(f"broken: {label}", _node({}), ({"json": {"data": value}},), EITHER)
    yield from in_modes("some", _node({}), SOME)
    yield from in_modes("good", _node({}), GOOD)
    others: dict[str, Document] = {
        "no options": {},
        "other field": {"dataPropertyName": "other"},
        "no field": {"dataPropertyName": ""},
        "path": {"dataPropertyName": "a.b"},
        "computed field": {"dataPropertyName": "={{ $json.keep ? 'data' : 'other' }}"},
        "unknown mode": {"mode": "xml"},
        "text options": {"options": {"explicitArray": "yes", "trim": 1, "attrkey": 5, "mergeAttrs": ""}},
    }
    for label, parameters in others.items():
        yield from in_modes(label, _node(parameters), GOOD, EITHER)


def _writing() -> Iterator[NodeCase]:
    for name, options in WRITING.items():
        node = _node({"mode": "jsonToxml", "options": options})
        for label, value in WRITTEN.items():
            yield from in_modes(f"{name}: {label}", node, ({"json": value},), EITHER if name == "nothing" else GOES_ON)
        yield from in_modes(f"{name}: several", node, GOOD)
    others: dict[str, Document] = {
        "no options": {},
        "field": {"dataPropertyName": "made"},
        "no field": {"dataPropertyName": ""},
        "path": {"dataPropertyName": "a.b"},
        "computed field": {"dataPropertyName": "={{ 'n' + $itemIndex }}"},
    }
    for label, parameters in others.items():
        yield from in_modes(label, _node({"mode": "jsonToxml", **parameters}), GOOD, EITHER)
    node = _node({"mode": "jsonToxml"})
    yield from in_modes("some", node, (*SOME, {"json": {"a b": 1}}, {"json": {"ok": 1}}))


FAMILIES = (Family("XML to JSON", _reading), Family("JSON to XML", _writing))
