"""Markdown: from HTML and to HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..cases import Document, Family, NodeCase
from ..modes import EITHER, GOES_ON, MODES, in_modes
from .fields import FILE

HTML: Mapping[str, object] = {
    "paragraph": "<p>One</p>",
    "paragraphs": "<p>One</p>\n<p>Two <b>bold</b> and <i>italic</i></p><p>Three</p>",
    "headings": "<h1>A</h1><h2>B <em>c</em></h2><h3>C</h3><p>t</p><h6>F</h6>",
    "break": "one<br>two<br/>three",
    "rule": "<p>a</p><hr><p>b</p>",
    "bold": "<strong>a</strong> <b>b</b><b> c </b>d",
    "nested bold": "<b>a <b>b</b> c</b>",
    "empty bold": "a<b> </b>b<i></i>c",
    "bold italic": "<b><i>both</i></b> <i>x <b>y</b></i>",
    "lines in bold": "<b>one<br>two</b>",
    "struck": "<del>a</del> <s>b</s> <strike>c</strike>",
    "code": "<code>a*b</code> <code>a`b</code>",
    "code block": "<pre><code>x = 1\n  y = 2\n</code></pre>",
    "language": '<pre><code class="language-js">let a;</code></pre>',
    "pre": "<pre>one\n  two</pre>",
    "list": "<ul><li>a</li><li>b</li></ul>",
    "ordered": "<ol><li>a</li><li>b</li><li> </li><li>c</li></ol>",
    "nested list": "<ul><li>a<ul><li>b</li><li>c<ol><li>d</li></ol></li></ul></li><li>e</li></ul>",
    "list with lines": "<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n",
    "list of paragraphs": "<ul><li><p>a</p><p>b</p></li><li><p>c</p></li></ul>",
    "list and text": "<p>before</p><ul><li>a</li></ul><p>after</p>",
    "quote": "<blockquote>one<br>two</blockquote>",
    "quote of paragraphs": "<blockquote><p>one</p><p>two</p></blockquote>",
    "nested quote": "<blockquote>a<blockquote>b</blockquote></blockquote>",
    "link": '<a href="https://example.com/a_b(c)">text</a>',
    "titled link": '<a href="/x" title="T">text <b>b</b></a>',
    "address": '<a href="https://example.com">https://example.com</a>',
    "no address": "<a>bare</a> <a href=''>empty</a>",
    "links": '<p><a href="/a">a</a> and <a href="/b">b</a>, <a href="/a">again</a></p>',
    "link of a heading": '<a href="/x"><h2>Head</h2><p>text</p></a>',
    "image": '<img src="/a.png" alt="A" title="T"><img src="b.png"><img>',
    "data image": '<p>a<img src="data:image/png;base64,AAAA" alt="d">b</p>',
    "linked image": '<a href="/x"><img src="a.png" alt="A"></a>',
    "table": "<table><thead><tr><th>A</th><th>Bee</th></tr></thead><tbody><tr><td>1<"
    "/td><td>2</td></tr></tbody></table>",
    "uneven table": "<table><tr><td>1</td></tr><tr><td>two</td><td>3</td><td>a|b</td></tr></table>",
    "table with caption": "<table><caption>C</caption><tr><th>A</th></tr><tr><td><b>x</b> <a href"
    "='/y'>y</a></td></tr></table>",
    "empty table": "<table></table><p>x</p>",
    "lines in cells": "<table><tr><td>a<br>b</td><td><p>c</p><p>d</p></td></tr></table>",
    "escapes": "<p>a*b_c `d` [e] ~f~ \\g</p>",
    "starts": "<p># no</p><p>- no</p><p>+ no</p><p>1. no</p><p>> no</p><p>= no</p>",
    "entities": "<p>a &amp; b &lt;c&gt; &nbsp; &copy; &eacute;</p>",
    "blanks": "<p>  a   b\n c  </p>   <p>\td</p>",
    "divs": "<div>a<div>b</div>c</div><span>d</span> <span>e</span>",
    "document": "<!DOCTYPE html><html><head><title>T</title><style>x{}</style></head><b"
    "ody><h1>H</h1><p>t</p></body></html>",
    "scripts": "<p>a</p><script>var x;</script><style>p{}</style><p>b</p>",
    "comments": "a<!-- no -->b",
    "forms": "<form><label>L</label><input value='v'><button>Go</button><select><option>1</option></select></form>",
    "definitions": "<dl><dt>a</dt><dd>b</dd></dl>",
    "figure": "<figure><img src='a.png' alt='A'><figcaption>Cap</figcaption></figure>",
    "article": "<article><header><h1>T</h1></header><section><p>a</p></section><footer>f</footer></article>",
    "unknown": "<x-y>a</x-y><u>b</u><sup>c</sup><mark>d</mark>",
    "unclosed": "<p>a<p>b",
    "text": "just text",
    "lines": "one\ntwo\n\nthree",
    "empty": "",
    "blank": "  ",
    "deep": "<div><div><div><p>a</p></div></div></div>",
    "mail": "<p>Hi <b>Ann</b>,</p><p>see <a href='https://x.example/a?b=1&amp;c=2'>"
    "here</a>:</p><ul><li>one</li><li>two "
    "<i>more</i></li></ul><p>Bye<br>Bob</p>",
}
WRONG: Mapping[str, object] = {"number": 5, "null": None, "truth": True, "object": {"a": 1}, "list": ["<b>x</b>"]}
FROM: Mapping[str, Document] = {
    "nothing": {},
    "bullet": {"bulletMarker": "-"},
    "fence": {"codeFence": "~~~"},
    "delimiters": {"emDelimiter": "*", "strongDelimiter": "__"},
    "indented": {"codeBlockStyle": "indented"},
    "fenced": {"codeBlockStyle": "fence"},
    "ignore": {"ignore": "h1, b,table"},
    "blocks": {"blockElements": "span, b"},
    "lines": {"maxConsecutiveNewlines": 1},
    "two lines": {"maxConsecutiveNewlines": 2},
    "references": {"useLinkReferenceDefinitions": True},
    "images": {"keepDataImages": True},
    "replaced": {
        "textReplace": {"values": [{"pattern": "a", "replacement": "A"}, {"pattern": "b", "replacement": ""}]}
    },
    "escaped": {"globalEscape": {"value": {"pattern": "a", "replacement": "\\$&"}}},
}
MARKDOWN: Mapping[str, object] = {
    "paragraph": "One",
    "paragraphs": "One\ntwo\n\nThree  \nfour\n",
    "headings": "# A\n\n## B *c*\n### C ###\n\nt\n\n###### F",
    "underlined": "A\n=\n\nB\n---\n\nt",
    "same headings": "# A b!\n# A b!\n# Ä-é_1",
    "emphasis": "*a* **b** ***c*** _d_ __e__ ___f___",
    "middle": "a*b*c a_b_c a__b__c",
    "struck": "~~a~~ b",
    "code": "`a` ``b`c`` `<x>`",
    "fence": "```js\nlet a = '<b>';\n```",
    "plain fence": "t\n\n```\na\n  b\n```\n\nt",
    "waves": "~~~\na\n~~~",
    "indented": "t\n\n    a = 1\n    b\n\nt",
    "list": "- a\n- b",
    "stars": "* a\n* b\n",
    "ordered": "1. a\n2. b\n\nt",
    "from five": "5. a\n6. b",
    "nested": "- a\n    - b\n    - c\n- d",
    "two blanks": "- a\n  - b\n- c",
    "loose": "- a\n\n- b\n\n- c",
    "mixed lists": "- a\n\n1. b",
    "text and list": "t\n- a\n- b",
    "tasks": "- [x] a\n- [ ] b",
    "quote": "> a\n> b",
    "quotes": "> a\n\n> b",
    "nested quote": "> a\n>> b",
    "quoted list": "> - a\n> - b",
    "rule": "a\n\n---\n\nb\n\n***",
    "link": '[a](https://x.example/b_c) [d](/e "T") <https://x.example>',
    "reference": '[a][1] [b]\n\n[1]: https://x.example "T"\n[b]: /b',
    "image": '![a](b.png) ![](c.png "T")',
    "linked image": "[![a](b.png)](/c)",
    "bare": "see https://x.example/a, www.x.example",
    "mail": "<a@x.example>",
    "table": "| A | B |\n|---|:-:|\n| 1 | 2 |\n| *3* | |",
    "aligned table": "| A | B | C |\n| --- | :--- | ---: |\n| 1 | *2* | 3 |\n\nt",
    "HTML": "<div>a *b*</div>\n\nt <b>c</b> <br> d",
    "comment": "<!-- a -->\n\nb",
    "escapes": "\\*a\\* \\# \\_ 1\\. \\`",
    "entities": 'a & b &amp; < > "q" &copy;',
    "break": "a  \nb",
    "dots": "a... b -- c",
    "windows": "# A\r\n\r\n- a\r\n- b\r\n",
    "article": "# Title\n\nSome *text* with a [link](/x).\n\n## Part\n\n- one\n- two\n"
    "\n> quote\n\n```py\nx = 1\n```\n\nEnd.",
    "emoji": ":smile: 😀",
    "mention": "hi @name",
    "underline": "__a__ and ___b___",
    "dollar": "costs $5 and ¨a",
    "empty": "",
    "blank": " \n ",
}
TO: Mapping[str, Document] = {
    "nothing": {},
    "tables": {"tables": True},
    "strikethrough": {"strikethrough": True},
    "tasks": {"tasklists": True},
    "breaks": {"simpleLineBreaks": True},
    "links": {"simplifiedAutoLink": True},
    "windows": {"openLinksInNewWindow": True},
    "no ids": {"noHeaderId": True},
    "prefix": {"prefixHeaderId": "section"},
    "level": {"headerLevelStart": 3},
    "document": {"completeHTMLDocument": True},
    "no fences": {"ghCodeBlocks": False},
    "sublists": {"disableForced4SpacesIndentedSublists": True},
    "middle": {"literalMidWordUnderscores": True, "literalMidWordAsterisks": True},
    "no mails": {"encodeEmails": False},
    "all": {"tables": True, "strikethrough": True, "tasklists": True, "noHeaderId": True},
}


def _node(mode: str, **parameters: object) -> Document:
    return {"type": "n8n-nodes-base.markdown", "typeVersion": 1, "parameters": {"mode": mode, **parameters}}


def _cases(
    mode: str, field: str, texts: Mapping[str, object], options: Mapping[str, Document], wanted: Sequence[str]
) -> Iterator[NodeCase]:
    given = {field: "={{ $json.v }}"}
    for name, chosen in options.items():
        for label, text in texts.items():
            if label == "mail" and mode == "markdownToHtml" and chosen.get("encodeEmails", True):
                continue  # n8n writes the address with random entities
            yield from in_modes(
                f"{name}: {label}", _node(mode, **given, options=chosen), ({"json": {"v": text}},), wanted
            )
    for label, text in WRONG.items():
        yield from in_modes(f"wrong: {label}", _node(mode, **given), ({"json": {"v": text}},), EITHER)
    yield from in_modes("undefined", _node(mode, **{field: "={{ $json.gone }}"}), ({"json": {"v": 1}},), EITHER)
    items: Sequence[Document] = (
        {"json": {"v": "one", "o": {"a": 1}}, "binary": {"file": FILE}},
        {"json": {"v": None}},
        {"json": {"v": "*three*", "data": "old"}},
    )
    yield from in_modes("several", _node(mode, **given), items, MODES)
    for key in ("made", "o.made", "o['x y']", "p[1].q"):
        yield from in_modes(f"field {key}", _node(mode, **given, destinationKey=key), items[::2], EITHER)


def _from_html() -> Iterator[NodeCase]:
    yield from _cases("htmlToMarkdown", "html", HTML, FROM, GOES_ON)


def _to_html() -> Iterator[NodeCase]:
    yield from _cases("markdownToHtml", "markdown", MARKDOWN, TO, GOES_ON)


OTHER_OPTIONS: Mapping[str, tuple[Document, str]] = {
    "emoji": ({"emoji": True}, ":smile: and :+1:"),
    "customizedHeaderId": ({"customizedHeaderId": True}, "# Title {own}"),
    "rawHeaderId": ({"rawHeaderId": True}, "# A title: *b*"),
    "rawPrefixHeaderId": ({"rawPrefixHeaderId": True, "prefixHeaderId": "a b "}, "# Title"),
    "ghCompatibleHeaderId": ({"ghCompatibleHeaderId": True}, "# A title: b"),
    "parseImgDimensions": ({"parseImgDimensions": True}, "![a](b.png =10x20)"),
    "splitAdjacentBlockquotes": ({"splitAdjacentBlockquotes": True}, "> a\n\n> b"),
    "smartIndentationFix": ({"smartIndentationFix": True}, "   # a\n\n   b"),
    "tablesHeaderId": ({"tablesHeaderId": True, "tables": True}, "| A b |\n|---|\n| 1 |"),
    "backslashEscapesHTMLTags": ({"backslashEscapesHTMLTags": True}, "\\<div>a\\</div>"),
    "requireSpaceBeforeHeadingText": ({"requireSpaceBeforeHeadingText": True}, "#a\n\n# b"),
    "ghCodeBlocks": ({"ghCodeBlocks": False}, "```\na\n```"),
    "ghMentions": ({"ghMentions": True}, "hi @name"),
    "ghMentionsLink": ({"ghMentions": True, "ghMentionsLink": "https://x.example/{u}"}, "hi @name"),
    "excludeTrailingPunctuationFromURLs": (
        {"excludeTrailingPunctuationFromURLs": True, "simplifiedAutoLink": True},
        "see https://x.example.",
    ),
}


def _other_options() -> Iterator[NodeCase]:
    """Each with a text on which it works."""
    for name, (options, text) in OTHER_OPTIONS.items():
        node = _node("markdownToHtml", markdown="={{ $json.v }}", options=options)
        yield from in_modes(name, node, ({"json": {"v": text}},), GOES_ON)


FAMILIES = (
    Family("HTML to Markdown", _from_html),
    Family("Markdown to HTML", _to_html),
    Family("Markdown to HTML: further options", _other_options),
)
