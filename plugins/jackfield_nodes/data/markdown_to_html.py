"""Markdown as HTML: CommonMark, with tables and the like where asked for."""

from __future__ import annotations

import re
from html import escape

from markdown_it import MarkdownIt
from markdown_it.token import Token

from jackfield_nodes.data.markdown_parameters import MarkdownOptions
from jackfield_nodes.values.conversions import text_of


def markdown_to_html(text: str, options: MarkdownOptions) -> str:
    """HTML in the Markdown stays as it is."""
    parser = MarkdownIt("commonmark", {"html": True, "breaks": options.simple_line_breaks})
    chosen = {"table": options.tables, "strikethrough": options.strikethrough}
    parser.enable([name for name, wanted in chosen.items() if wanted])
    tokens = parser.parse(text)
    used: dict[str, int] = {}
    for number, token in enumerate(tokens):
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + options.header_level_start - 1, 6)}"
            if token.type == "heading_open" and not options.no_header_id:
                token.attrSet("id", _heading_id(tokens[number + 1].content, text_of(options.prefix_header_id), used))
        _change_inline(token, options)
    return _rendered(parser, tokens, options)


def _rendered(parser: MarkdownIt, tokens: list[Token], options: MarkdownOptions) -> str:
    html = str(parser.renderer.render(tokens, parser.options, {})).rstrip("\n")
    if not options.complete_html_document:
        return html
    return f'<!DOCTYPE HTML>\n<html>\n<head>\n<meta charset="utf-8">\n</head>\n<body>\n{html}\n</body>\n</html>'


def _heading_id(title: str, prefix: str, used: dict[str, int]) -> str:
    """Letters and digits of the title in lower case, numbered when it was there already."""
    name = prefix + "".join(char for char in title.lower() if char.isalnum())
    count = used.get(name, 0)
    used[name] = count + 1
    return f"{name}-{count}" if count else name


def _change_inline(token: Token, options: MarkdownOptions) -> None:
    """What the parser has no rule for: task lists, bare addresses, links that open a new window."""
    children = token.children
    if not children:
        return
    if options.tasklists and token.level >= 2 and children[0].type == "text":
        _make_task(children[0])
    if options.simplified_auto_link:
        _link_addresses(children)
    if options.open_links_in_new_window:
        for child in children:
            if child.type == "link_open":
                child.attrSet("target", "_blank")
                child.attrSet("rel", "noopener noreferrer")


def _make_task(text: Token) -> None:
    match = re.match(r"\[([ xX])\] ", text.content)
    if match:
        box = f'<input type="checkbox" disabled{"" if match[1] == " " else " checked"}> '
        text.type, text.content = "html_inline", box + escape(text.content[4:])


_ADDRESS = re.compile(r"https?://[^\s<>\"']*[^\s<>\"'.,;:!?)]")


def _link_addresses(children: list[Token]) -> None:
    linked = 0
    for child in children:
        linked += child.nesting if child.type in {"link_open", "link_close"} else 0
        if child.type == "text" and not linked and _ADDRESS.search(child.content):
            child.type = "html_inline"
            child.content = _ADDRESS.sub(r'<a href="\g<0>">\g<0></a>', escape(child.content, quote=False))
