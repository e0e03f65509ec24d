"""Markdown as HTML: CommonMark, with tables and the like where asked for, written as n8n writes it."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.tree import SyntaxTreeNode

from jackfield_nodes.data.markdown.blocks import HtmlWriter
from jackfield_nodes.data.markdown.parameters import MarkdownOptions

_FENCE = re.compile(r" {0,3}(```|~~~)")
_ENTRY = re.compile(r" {1,3}(?=(?:[-*+]|\d{1,9}\.)[ \t])")
_SPLIT = "splits"


def markdown_to_html(text: str, options: MarkdownOptions) -> str:
    """HTML in the Markdown stays as it is."""
    parser = MarkdownIt("commonmark", {"html": True, "breaks": options.simple_line_breaks})
    chosen = {"table": options.tables, "strikethrough": options.strikethrough}
    parser.enable([name for name, wanted in chosen.items() if wanted])
    parser.disable("entity")
    parser.inline.ruler.at("emphasis", _emphasis)
    splits = {"_": not options.literal_mid_word_underscores, "*": not options.literal_mid_word_asterisks}
    if not options.disable_forced4_spaces_indented_sublists:
        text = _with_deep_sublists(text)
    made = HtmlWriter(options).blocks(SyntaxTreeNode(parser.parse(text, {_SPLIT: splits})).children)
    if not options.complete_html_document or not text:
        return made
    return f'<!DOCTYPE HTML>\n<html>\n<head>\n<meta charset="utf-8">\n</head>\n<body>\n{made.strip()}\n</body>\n</html>'


def _emphasis(state: StateInline, silent: bool) -> bool:
    """As the parser's own rule, but for `_` inside of words."""
    mark = state.src[state.pos]
    if silent or mark not in "_*":
        return False
    found = state.scanDelims(state.pos, state.env[_SPLIT][mark])
    for _ in range(found.length):
        state.push("text", "", 0).content = mark
        place = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord(mark), found.length, place, -1, found.can_open, found.can_close))
    state.pos += found.length
    return True


def _with_deep_sublists(text: str) -> str:
    """Entries of lists that are less than four blanks deep are those of the outermost list."""
    lines, fence = text.split("\n"), ""
    for number, line in enumerate(lines):
        found = _FENCE.match(line)
        if found and fence in ("", found[1]):
            fence = "" if fence else found[1]
        elif not fence:
            lines[number] = _ENTRY.sub("", line, count=1) if _ENTRY.match(line) else line
    return "\n".join(lines)
