"""HTML of parsed Markdown, with blanks and line ends where n8n has them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it.tree import SyntaxTreeNode

from jackfield_nodes.data.markdown.parameters import MarkdownOptions
from jackfield_nodes.values.conversions import text_of

_AMPERSAND = re.compile(r"&(?!#?[xX]?(?:[0-9a-fA-F]+|\w+);)")
_ADDRESS = re.compile(r"(?<![\w/.])(?:(?:https?|ftp)://|www\.)[^'\">\s]+\.[^'\">\s]+(?=\s|$)")
_BOX = re.compile(r"\[([ xX]?)\][ \t]")
_OWN_ID = re.compile(r"\s?\{([^{]+?)\}\s*$")
_MARKS = re.compile(r"[&+$,/:;=?@\"#{}|^¨~\[\]`\\*)(%.!'<>]")
_TASK = ' class="task-list-item" style="list-style-type: none;"'
_BOX_STYLE = "margin: 0px 0.35em 0.25em -1.6em; vertical-align: middle;"
_CODE = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class HtmlWriter:
    def __init__(self, options: MarkdownOptions) -> None:
        self._options = options
        self._ids: dict[str, int] = {}

    def blocks(self, nodes: Sequence[SyntaxTreeNode], nested: bool = False) -> str:
        """nested: inside of an entry of a list."""
        made, quote = [], list[SyntaxTreeNode]()
        for index, node in enumerate(nodes):
            if node.type == "blockquote":
                quote += node.children
                follows = index + 1 < len(nodes) and nodes[index + 1].type == "blockquote"
                if follows and not self._options.split_adjacent_blockquotes:
                    continue
                made.append(_indented(self.blocks(quote)))
                quote = []
            else:
                made.append(self._block(node, nested))
        return "\n".join(made)

    def _block(self, node: SyntaxTreeNode, nested: bool) -> str:
        if node.type == "heading":
            return self._heading(node)
        if node.type in ("bullet_list", "ordered_list"):
            return self._list(node, nested)
        if node.type in ("fence", "code_block"):
            return _code(node)
        if node.type == "table":
            return self._table(node)
        if node.type == "paragraph":
            return f"<p>{self._inline(node)}</p>"
        return "<hr />" if node.type == "hr" else node.content.rstrip("\n")

    def _heading(self, node: SyntaxTreeNode) -> str:
        tag = f"h{int(node.tag[1]) + self._options.header_level_start - 1}"
        title, text = node.children[0].content, self._inline(node)
        own = _OWN_ID.search(title) if self._options.customized_header_id else None
        if own:
            title, text = own[1], _OWN_ID.sub("", text)
        name = "" if self._options.no_header_id else f' id="{self._id(title)}"'
        return f"<{tag}{name}>{text}</{tag}>"

    def _id(self, title: str) -> str:
        """The title as the options want it, numbered when it was there already."""
        prefix, raw = text_of(self._options.prefix_header_id), self._options.raw_prefix_header_id
        name = self._plain_id(title if raw else prefix + title)
        name = prefix + name if raw else name
        count = self._ids.get(name, 0)
        self._ids[name] = count + 1
        return f"{name}-{count}" if count else name

    def _plain_id(self, title: str) -> str:
        """In lower case: letters and digits, or all but some marks, with hyphens in place of blanks."""
        if self._options.gh_compatible_header_id:
            return _MARKS.sub("", title.replace(" ", "-").replace("&amp;", "")).lower()
        if self._options.raw_header_id:
            return re.sub("[\"']", "-", title.replace(" ", "-").replace("&amp;", "&")).lower()
        return re.sub(r"\W", "", title, flags=re.ASCII).lower()

    def _list(self, node: SyntaxTreeNode, nested: bool) -> str:
        tag = node.tag
        start = node.attrs.get("start")
        entries = "\n".join(self._entry(entry) for entry in node.children)
        begin = f'<{tag} start="{start}">' if start is not None else f"<{tag}>"
        return f"{begin}\n{entries}</{tag}>" if nested else f"{begin}\n{entries}\n</{tag}>"

    def _entry(self, node: SyntaxTreeNode) -> str:
        tight = [child for child in node.children if child.type == "paragraph" and child.hidden]
        if not tight:
            return f"<li>{self.blocks(node.children, nested=True)}</li>"
        text = self._inline(tight[0])
        kind = ""
        box = _BOX.match(text) if self._options.tasklists else None
        if box:
            checked = " checked" if box[1] in ("x", "X") else ""
            text = f'<input type="checkbox" disabled style="{_BOX_STYLE}"{checked}> {text[box.end() :]}'
            kind = _TASK
        return f"<li{kind}>{text}{self.blocks(node.children[1:], nested=True)}</li>"

    def _table(self, node: SyntaxTreeNode) -> str:
        lines = ["<table>"]
        for part in node.children:
            lines.append(f"<{part.tag}>")
            for row in part.children:
                cells = (
                    f"<{cell.tag}{self._cell_id(cell)}{_style(cell)}>{self._inline(cell)}</{cell.tag}>"
                    for cell in row.children
                )
                lines += ["<tr>", *cells, "</tr>"]
            lines.append(f"</{part.tag}>")
        return "\n".join([*lines, "</table>"])

    def _cell_id(self, cell: SyntaxTreeNode) -> str:
        if cell.tag != "th" or not self._options.tables_header_id:
            return ""
        return f' id="{cell.children[0].content.replace(" ", "_").lower()}"'

    def _inline(self, node: SyntaxTreeNode) -> str:
        return "".join(self._span(child) for inline in node.children for child in inline.children)

    def _spans(self, node: SyntaxTreeNode) -> str:
        return "".join(self._span(child) for child in node.children)

    def _span(self, node: SyntaxTreeNode) -> str:
        if node.type in ("em", "strong", "s"):
            return self._marked(node)
        if node.type == "link":
            return self._link(node)
        if node.type == "image":
            return f'<img src="{_quoted(node.attrs.get("src"))}" alt="{_quoted(node.content)}"{_title(node)} />'
        if node.type == "code_inline":
            return f"<code>{node.content.translate(_CODE)}</code>"
        if node.type == "hardbreak":
            return "  <br />\n" if self._options.simple_line_breaks else "<br />\n"
        if node.type == "softbreak":
            return "<br />\n" if self._options.simple_line_breaks else "\n"
        return node.content if node.type == "html_inline" else self._text(node)

    def _marked(self, node: SyntaxTreeNode) -> str:
        tag = "del" if node.type == "s" else node.type
        inner = [child for child in node.children if child.type != "text" or child.content]
        if node.type == "em" and len(inner) == 1 and inner[0].type == "strong":
            return f"<strong><em>{self._spans(inner[0])}</em></strong>"
        return f"<{tag}>{self._spans(node)}</{tag}>"

    def _link(self, node: SyntaxTreeNode) -> str:
        return f'<a href="{_quoted(node.attrs.get("href"))}"{_title(node)}{self._target()}>{self._spans(node)}</a>'

    def _target(self) -> str:
        return ' rel="noopener noreferrer" target="_blank"' if self._options.open_links_in_new_window else ""

    def _text(self, node: SyntaxTreeNode) -> str:
        text = _AMPERSAND.sub("&amp;", node.content).replace("...", "…")
        inside_link = node.parent is not None and node.parent.type == "link"
        return text if inside_link or not self._options.simplified_auto_link else _ADDRESS.sub(self._address, text)

    def _address(self, found: re.Match[str]) -> str:
        address = f"http://{found[0]}" if found[0].startswith("www.") else found[0]
        return f'<a href="{_quoted(address)}"{self._target()}>{found[0]}</a>'


def _indented(html: str) -> str:
    """A quotation; code in it stays where it is."""
    parts = re.split(r"(<pre>.*?</pre>)", html, flags=re.DOTALL)
    inner = "".join(part if part.startswith("<pre>") else part.replace("\n", "\n  ") for part in parts)
    return f"<blockquote>\n  {inner}\n</blockquote>"


def _code(node: SyntaxTreeNode) -> str:
    language = node.info.split()[0] if node.info.strip() else ""
    kind = f' class="{_quoted(language)} language-{_quoted(language)}"' if language else ""
    return f"<pre><code{kind}>{node.content.translate(_CODE)}</code></pre>"


def _style(cell: SyntaxTreeNode) -> str:
    style = cell.attrs.get("style")
    return f' style="{style};"' if style else ""


def _title(node: SyntaxTreeNode) -> str:
    title = node.attrs.get("title")
    return f' title="{_quoted(title)}"' if title else ""


def _quoted(value: object) -> str:
    return _AMPERSAND.sub("&amp;", str(value or "")).replace('"', "&quot;").replace("<", "&lt;")
