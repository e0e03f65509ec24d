"""HTML as Markdown: goes through the elements and writes what their rules say, with blank lines where they belong."""

from __future__ import annotations

import re
from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from jackfield.api.nodes import NodeError
from jackfield.api.records import state
from jackfield_nodes.data.markdown.elements import (
    ALWAYS_KEPT,
    Around,
    ElementRule,
    ElementRules,
    Listing,
    MarkdownTable,
)
from jackfield_nodes.data.markdown.parameters import MarkdownOptions, Replacement

_DEEPEST = 200
"""Levels of elements at most: the conversion calls itself once per level."""
_ESCAPED = re.compile(r"[\\`*_~\[\]]")
_LINE_START = re.compile(r"^(\s*?)((?:\+\s)|(?:[=>-])|(?:#{1,6}\s))|(?:(?<!\d)(\d+)(\.\s))", re.MULTILINE)
_BLANKS = re.compile(r"\s+")
_TAIL = 10
"""Characters at the end of the text that are looked at for blanks."""
_DEFAULT_NEWLINES = 3
TEXT = "-text"


def html_to_markdown(text: str, options: MarkdownOptions) -> str:
    """Without scripts and styles. Raises `NodeError` for elements in too many levels."""
    _check_depth(text)
    body = LexborHTMLParser(text).body
    writer = Writer(options)
    for child in _children(body) if body is not None else ():
        writer.visit(child, Around())
    return writer.finished()


def _check_depth(text: str) -> None:
    level = [LexborHTMLParser(text).root]
    for _ in range(_DEEPEST):
        level = [child for node in level if node is not None for child in node.iter()]
        if not level:
            return
    raise NodeError(f"The HTML has elements in more than {_DEEPEST} levels.")


def _children(node: LexborNode) -> Sequence[LexborNode]:
    return [child for child in node.iter(include_text=True) if child.tag == TEXT or (child.tag or "")[:1].isalpha()]


@state
class WrittenSoFar:
    """A place in the text. tail: what stood before it."""

    pieces: int
    tail: str


class Writer:
    """Text in pieces, as long documents have many."""

    def __init__(self, options: MarkdownOptions) -> None:
        self._options = options
        self._rules = ElementRules(options)
        self._pieces: list[str] = []
        self._tail = ""
        self._kept: dict[int, bool] = {}

    def finished(self) -> str:
        text = "".join(self._pieces)
        if self._options.use_link_reference_definitions:
            text += "\n" if text[-1:].strip("\r\n") else ""
            text += "".join(f"\n[{index}]: {url}" for index, url in enumerate(self._rules.addresses, 1))
        most = self._options.max_consecutive_newlines or _DEFAULT_NEWLINES
        return re.sub(r"\n\s*", lambda found: _last_lines(found[0], most), text).strip("\n")

    def visit(self, node: LexborNode, around: Around, *, texts_only: bool = False) -> None:
        if node.tag == TEXT:
            self._write_text(node.text_content or "", around)
        elif not texts_only and self._is_kept(node):
            around = _inside(node, around)
            rule = self._rules.rule(node, around)
            if rule is None:
                for child in _children(node):
                    self.visit(child, around)
            elif not rule.ignored:
                self._write(node, rule, around)

    def _write(self, node: LexborNode, rule: ElementRule, around: Around) -> None:
        around = around.within(rule)
        outer = self._mark()
        self._newlines(rule.newlines)
        self._append(rule.prefix)
        if rule.content is not None:
            self._append(rule.content, apart=rule.apart)
        else:
            inner = self._mark()
            for child in _children(node):
                self.visit(child, around, texts_only=not rule.recurses)
            if rule.change is not None:
                made = rule.change("".join(self._pieces[inner.pieces :]))
                if made is None:
                    if node.tag == "li" and around.listing is not None and around.listing.number:
                        around.listing.number -= 1
                    self._back(outer)
                    return
                self._back(inner)
                self._append(made, apart=rule.apart)
        self._append(rule.postfix)
        self._newlines(rule.newlines)

    def _write_text(self, text: str, around: Around) -> None:
        if around.preserves:
            self._append(self._processed(text, around))
        elif text.strip():
            self._append(self._processed(_trimmed(text), around))
        elif self._tail and not self._tail[-1].isspace():
            self._append(" ")

    def _processed(self, text: str, around: Around) -> str:
        if not around.preserves:
            text = _BLANKS.sub(" ", text)
        if around.unescaped:
            return text
        options = self._options
        everywhere, at_starts = options.global_escape.value, options.line_start_escape.value
        text = _replaced(text, everywhere) if everywhere.given else _ESCAPED.sub(r"\\\g<0>", text)
        text = _replaced(text, at_starts) if at_starts.given else _LINE_START.sub(r"\1\3\\\2\4", text)
        for one in options.text_replace.values:
            text = _replaced(text, one)
        return text

    def _is_kept(self, node: LexborNode) -> bool:
        """Whether there is something in the element."""
        known = self._kept.get(node.mem_id)
        if known is None:
            children = _children(node)
            known = any(map(self._is_kept_child, children)) if children else node.tag in ALWAYS_KEPT
            self._kept[node.mem_id] = known
        return known

    def _is_kept_child(self, node: LexborNode) -> bool:
        return node.tag == TEXT or self._is_kept(node)

    def _append(self, text: str, *, apart: bool = False) -> None:
        """apart: a blank goes first where the text would begin with the character that is there."""
        if text:
            if apart and self._tail[-1:] == text[0]:
                text = f" {text}"
            self._pieces.append(text)
            self._tail = (self._tail + text[-_TAIL:])[-_TAIL:]

    def _newlines(self, count: int) -> None:
        """As many at the end of the text, at least."""
        blanks = self._tail[len(self._tail.rstrip()) :]
        self._append("\n" * (count - blanks.count("\n") - blanks.count("\r")))

    def _mark(self) -> WrittenSoFar:
        return WrittenSoFar(len(self._pieces), self._tail)

    def _back(self, mark: WrittenSoFar) -> None:
        del self._pieces[mark.pieces :]
        self._tail = mark.tail


def _inside(node: LexborNode, around: Around) -> Around:
    if node.tag in ("ul", "ol"):
        level = around.listing.level + 1 if around.listing else 0
        return around.having(listing=Listing(node.tag == "ol", level))
    if node.tag == "li" and around.listing is not None and around.listing.ordered:
        around.listing.number += 1
    elif node.tag == "pre":
        return around.having(preserves=True)
    elif node.tag == "table":
        return around.having(table=MarkdownTable())
    return around


def _trimmed(text: str) -> str:
    """Without blanks at the ends, but for one that is not a line end."""
    inner = text.strip()
    start = text.index(inner)
    before, behind = text[:start][-1:], text[start + len(inner) :][:1]
    return _one_blank(before) + inner + _one_blank(behind)


def _one_blank(found: str) -> str:
    return " " if found and found not in "\r\n" else ""


def _replaced(text: str, one: Replacement) -> str:
    """The first place of the pattern, which is a text. `$&` in the replacement stands for it."""
    made = re.sub(r"\$[$&]", lambda found: "$" if found[0] == "$$" else one.pattern, one.replacement)
    return text.replace(one.pattern, made, 1)


def _last_lines(blanks: str, most: int) -> str:
    parts = blanks.rsplit("\n", most)
    return "\n" + "\n".join(parts[1:]) if len(parts) > most else blanks
