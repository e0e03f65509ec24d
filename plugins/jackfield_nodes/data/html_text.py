"""HTML as plain text, in n8n's layout: lines of 80 characters, and blank lines around paragraphs.

List items have marks, headings have capitals, and addresses of links and images stand in brackets.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from itertools import count

from selectolax.lexbor import LexborNode

from jackfield_nodes.data.text_lines import BLANKS, LaidOutBlock

WIDTH = 80
NARROWEST = 20
"""Characters of a line, however deep its block is."""
DEEPEST = 250
"""Levels of elements that are laid out; the text of what is deeper comes as it is."""
UNSEEN = frozenset({"script", "style", "-comment", "-document", "-doctype", "!doctype"})
BLOCKS = dict.fromkeys(("article", "aside", "div", "footer", "form", "header", "main", "nav", "section"), (1, 1))
PARAGRAPHS = dict.fromkeys(("p", "pre", "table", "blockquote"), (2, 2))
HEADINGS = {"h1": (3, 2), "h2": (3, 2), "h3": (3, 2), "h4": (2, 2), "h5": (2, 2), "h6": (2, 2)}
AROUND = {**BLOCKS, **PARAGRAPHS, **HEADINGS}
"""Line breaks above and below."""
ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
         (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip


def plain_text(node: LexborNode, skipped: Collection[int] = frozenset()) -> str:
    """The text of what is inside the element. skipped: `mem_id` of elements to leave out."""
    body = node.css_first("body") if node.tag == "html" else None
    layout = _Layout(node.mem_id, skipped)
    layout.walk((body or node).iter(include_text=True), 0)
    return layout.block.text()


class _Layout:
    """block: the one that is open."""

    def __init__(self, root: int, skipped: Collection[int]) -> None:
        """root: `mem_id` of the element that the text is taken of, whose own kind does not matter."""
        self.block = LaidOutBlock(0, WIDTH, verbatim=False)
        self._root = root
        self._skipped = skipped
        self._headings = 0
        self._words = 0

    def walk(self, nodes: Iterable[LexborNode], depth: int) -> None:
        for node in nodes:
            tag = node.tag or ""
            if tag == "-text":
                self._write(node.text_content or "")
            elif depth > DEEPEST:
                self._write(node.text(deep=True))
            elif tag not in UNSEEN and node.mem_id not in self._skipped:
                self._element(node, tag, depth + 1)

    def _write(self, text: str) -> None:
        self._words += self.block.write(text, capitals=self._headings > 0)

    def _element(self, node: LexborNode, tag: str, depth: int) -> None:
        children = node.iter(include_text=True)
        if tag in AROUND:
            self._block(tag, children, depth)
        elif tag == "br":
            self.block.break_line()
        elif tag == "wbr":
            self.block.lines.breakable = True
        elif tag == "hr":
            outer = self._opened(LaidOutBlock(2, self.block.lines.width, verbatim=self.block.verbatim))
            self.block.write("-" * WIDTH, capitals=False)
            self._close(outer, 2)
        elif tag == "img":
            self.block.write(_image(node), capitals=False)
        elif tag in {"ul", "ol"}:
            self._list(node, tag, depth)
        elif tag == "a":
            self._link(node, children, depth)
        else:
            self.walk(children, depth)

    def _opened(self, block: LaidOutBlock) -> LaidOutBlock:
        """Opens a block; returns the one around it."""
        outer, self.block = self.block, block
        return outer

    def _close(self, outer: LaidOutBlock, below: int, written: Callable[[str], str] = str) -> None:
        """written: makes of the block's text what stands in the one around it."""
        ended, self.block = self.block, outer
        outer.put(written(ended.text()), ended.above, max(ended.below, below))

    def _block(self, tag: str, children: Iterable[LexborNode], depth: int) -> None:
        above, below = AROUND[tag]
        width = max(self.block.lines.width - (2 if tag == "blockquote" else 0), NARROWEST)
        outer = self._opened(LaidOutBlock(above, width, verbatim=self.block.verbatim or tag == "pre"))
        self._headings += tag in HEADINGS
        self.walk(children, depth)
        self._headings -= tag in HEADINGS
        self._close(outer, below, _quoted if tag == "blockquote" else str)

    def _link(self, node: LexborNode, children: Iterable[LexborNode], depth: int) -> None:
        address = (node.attributes.get("href") or "").removeprefix("mailto:")
        before = self._words
        self.walk(children, depth)
        if address and not address.startswith("#"):
            self.block.write(f" [{address}]" if self._words > before else address, capitals=False)

    def _list(self, node: LexborNode, tag: str, depth: int) -> None:
        above = node.parent
        inside = above is not None and above.tag == "li" and above.mem_id != self._root
        rows = [child for child in node.iter(include_text=True) if not _is_blank(child)]
        if not rows:
            return
        marks = _marks(node, rows, tag, inside=inside)
        indent = max(map(len, marks))
        around = 1 if inside else 2
        outer = self._opened(LaidOutBlock(around, self.block.lines.width, verbatim=self.block.verbatim))
        width = max(self.block.lines.width - indent, NARROWEST)
        for row, mark in zip(rows, marks, strict=True):
            rows_block = self._opened(LaidOutBlock(1, width, verbatim=self.block.verbatim))
            self.walk([row], depth)
            self._close(rows_block, 1, partial(_indented, mark.ljust(indent)))
        ended, self.block = self.block, outer
        if text := ended.text():
            outer.put(text, ended.above, around)


def _is_blank(node: LexborNode) -> bool:
    return node.tag == "-text" and not (node.text_content or "").strip()


def _indented(mark: str, text: str) -> str:
    return mark + text.replace("\n", "\n" + " " * len(mark))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.strip("\n").split("\n"))


def _image(node: LexborNode) -> str:
    given = node.attributes
    source, text = given.get("src") or "", given.get("alt") or ""
    return f"{text} [{source}]".lstrip(BLANKS) if source else text


def _marks(node: LexborNode, rows: Iterable[LexborNode], tag: str, *, inside: bool) -> list[str]:
    """The marks before each of a list's rows; before anything but an item, nothing. inside: another list."""
    given = node.attributes
    start = given.get("start") or "1"
    numbers = count(int(start) if start.strip().lstrip("+-").isdecimal() else 1)
    marks = []
    for row in rows:
        mark = "" if row.tag != "li" else " * " if tag == "ul" else f" {_numbered(next(numbers), given.get('type'))}. "
        marks.append(mark.lstrip() if inside else mark)
    return marks


def _numbered(number: int, kind: str | None) -> str:
    """kind: `type` of the list: 1, a, A, i or I."""
    if kind in {"a", "A"} and number > 0:
        letters = _letters(number)
        return letters if kind == "a" else letters.upper()
    if kind in {"i", "I"} and 0 < number < 4000:
        roman = _roman(number)
        return roman if kind == "I" else roman.lower()
    return str(number)


def _letters(number: int) -> str:
    """a to z, then aa, ab and so on."""
    made = ""
    while number > 0:
        number, place = divmod(number - 1, 26)
        made = chr(ord("a") + place) + made
    return made


def _roman(number: int) -> str:
    made = ""
    for value, letters in ROMAN:
        times, number = divmod(number, value)
        made += letters * times
    return made
