"""HTML from version 1.2 on: the text of an element, with lines, lists and blocks laid out."""

from __future__ import annotations

from collections.abc import Iterator

from ..cases import Document, Family, NodeCase

LONG = "Several words that go on and on until they are longer than one line of eighty characters can be, and then more"
PAGES = {
    "one line": "<p>short</p>",
    "long": f"<p>{LONG}</p>{LONG}<div>{LONG} <b>{LONG}</b>!</div>",
    "long word": f"<p>a {'x' * 90} b</p><p>{'y' * 80} c</p><p>{'z' * 79} d</p>",
    "break opportunity": f"<p>{'x' * 60}<wbr>{'y' * 30}<wbr>z</p>",
    "beyond the plane": "<p>" + "\U0001f600 " * 40 + "</p>",
    "inline": "a<b>b</b> <i> c</i>d <span> e </span> f<em></em>g",
    "blanks": "<p> a \n b\t\u200bc\u00a0d </p> <p> </p><p>e</p>",
    "breaks": "a<br>b<br><br>c<p>d<br></p><br>e",
    "blocks": "a<div>b<div>c</div></div>d<section><article>e</article></section><nav>f</nav>g",
    "paragraphs in blocks": "<div><p>a</p><p>b</p></div><main>c<p>d</p></main><p>e</p>f",
    "empty blocks": "a<p></p><p></p>b<div></div><div></div>c<ul></ul>d<ul><li></li></ul>e",
    "headings": "<h1>one</h1>a<h2>two <a href='/x'>li nk</a></h2><h3>three</h3><h4>four</h4><h5>ß</h5><h6>six</h6>b",
    "links": "<a href='/a'>a</a> <a href='#b'>b</a> <a href='mailto:c@d.e'>c</a><a href='f'></a> <a>g</a>"
    " <a href=''>h</a><a href='i'><img src='j'></a> <a href='k'>k</a>",
    "images": "a <img src='b.png'> <img src='c.png' alt='d e'><img alt='f'><img> g",
    "list": "<ul><li>a</li><li>b <b>c</b></li> <li><p>d</p></li><li></li></ul>after",
    "list in list": "<ul><li>a<ul><li>b</li><li>c<ol><li>d</li></ol></li></ul></li><li>e</li></ul>",
    "long in a list": f"<ul><li>{LONG}<ol><li>{LONG}</li></ol></li></ul>",
    "numbers": "<ol><li>a</li><li>b</li></ol><ol start='9'><li>a</li><li>b</li></ol><ol start='-1'><li>a</li></ol>",
    "letters": "<ol type='a' start='25'><li>a</li><li>b</li><li>c</li></ol><ol type='A'><li>a</li></ol>",
    "roman": "<ol type='i'>" + "<li>x</li>" * 14 + "</ol><ol type='I' start='1989'><li>y</li></ol>",
    "not an item": "<ul>text<li>a</li><p>b</p><!-- c --><li>d</li></ul>",
    "items alone": "<li>a</li><li>b</li><dl><dt>c</dt><dd>d</dd></dl>",
    "quote": f"<blockquote>a<br>b<p>{LONG}</p></blockquote>c<blockquote><blockquote>d</blockquote></blockquote>",
    "verbatim": "a<pre> b\n  c <b>d</b><br>e<a href='f'>g</a></pre>h<pre><code>i</code></pre>",
    "rule": "a<hr>b<hr><hr><ul><li>c<hr>d</li></ul>",
    "table": "<table><caption>a</caption><tr><th>b</th><th>c</th></tr><tr><td>d</td><td><p>e</p></td></tr></table>f",
    "unseen": "a<script>b</script><style>c</style><noscript>d</noscript><!-- e -->f"
    "<textarea> g\n h </textarea><button>i</button>",
    "form": "<form><label>a</label><input value='b'><select><option>c</option><option>d</option></select></form>",
    "head": "<html><head><title>a</title></head><body>b</body></html>",
    "deep": "<div>" * 100 + "a" + "</div>" * 100 + "<ul><li>" * 12 + LONG + "</li></ul>" * 12,
    "entities": "<p>&lt;a&gt; &amp;amp; &quot;&#39;&nbsp;&copy;</p>",
}
ITEMS: tuple[Document, ...] = tuple({"json": {"page": f"<div id=all>{page}</div>"}} for page in PAGES.values())


def _cases() -> Iterator[NodeCase]:
    for selector in ("#all", "#all > *", "body", "html", "p", "li", "ul"):
        for skipped in ("", "b, ol", "p"):
            asked = {"key": "text", "cssSelector": selector, "returnValue": "text", "skipSelectors": skipped}
            values = [{**asked, "returnArray": selector != "body"}]
            parameters = {
                "operation": "extractHtmlContent",
                "dataPropertyName": "page",
                "extractionValues": {"values": values},
                "options": {"trimValues": False},
            }
            node = {"type": "n8n-nodes-base.html", "typeVersion": 1.2, "parameters": parameters}
            for title, item in zip(PAGES, ITEMS, strict=True):
                yield NodeCase(f"{title}: {selector} without {skipped or 'nothing'}", node, (item,))


FAMILIES = (Family("HTML: layout of text", _cases),)
