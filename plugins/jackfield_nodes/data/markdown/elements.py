"""Which Markdown stands for which element of HTML. The elements around decide which rule applies."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from selectolax.lexbor import LexborNode

from jackfield.api.nodes import NodeError
from jackfield.api.records import record, replace, state
from jackfield_nodes.data.markdown.parameters import MarkdownOptions

_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "audio",
        "blockquote",
        "body",
        "canvas",
        "center",
        "dd",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "frameset",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "html",
        "isindex",
        "li",
        "main",
        "menu",
        "nav",
        "noframes",
        "noscript",
        "ol",
        "output",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
_IGNORED = frozenset(
    [
        "area",
        "base",
        "col",
        "command",
        "embed",
        "head",
        "input",
        "keygen",
        "link",
        "meta",
        "param",
        "script",
        "source",
        "style",
        "track",
        "wbr",
    ]
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
ALWAYS_KEPT = frozenset(("br", "hr", "img", *_HEADINGS, "ol", "ul", "li", "code", "table", "a"))
"""Elements that count also when nothing is in them."""
_STRONG, _STRUCK, _EMPHASIS = ("strong", "b"), ("del", "s", "strike"), ("em", "i")
_LARGEST = 2**24
"""Characters of a table at most."""
_INDENT = "   "
_ENCODED = str.maketrans({"(": "%28", ")": "%29", "_": "%5F", "*": "%2A"})


@record
class ElementRule:
    """`newlines`: line ends around, at least. `content`: in place of the children's. `change`: of the children's text,
    None removes the element. `apart`: see `Writer._append`. `room`: the rules for the elements inside.
    """

    newlines: int = 0
    prefix: str = ""
    postfix: str = ""
    content: str | None = None
    change: Callable[[str], str | None] | None = None
    recurses: bool = True
    ignored: bool = False
    apart: bool = False
    unescaped: bool = False
    room: str = ""


@state
class Listing:
    """A list that is being written. level: 0 for the outermost; number: of its last entry."""

    ordered: bool
    level: int
    number: int = 0


@state
class MarkdownTable:
    caption: str = ""


@record
class Around:
    """The state of the elements around. `room`: whose rules apply: all, code, link, table, row, cell."""

    room: str = "all"
    listing: Listing | None = None
    table: MarkdownTable | None = None
    preserves: bool = False
    unescaped: bool = False

    def having(self, **changes: Any) -> Around:  # fields of this class
        return replace(self, **changes)

    def within(self, rule: ElementRule) -> Around:
        if not rule.room and (self.unescaped or not rule.unescaped):
            return self
        return replace(self, room=rule.room or self.room, unescaped=self.unescaped or rule.unescaped)


class ElementRules:
    """addresses: of links, where they stand at the end of the document."""

    def __init__(self, options: MarkdownOptions) -> None:
        self._options = options
        self._blocks = _BLOCKS | _names(options.block_elements)
        self._ignored = (_IGNORED | _names(options.ignore)) - self._blocks
        self.addresses: list[str] = []
        everywhere: Mapping[str, Callable[[LexborNode, Around], ElementRule]] = {
            **dict.fromkeys(_STRONG, lambda *_: self._marked(options.strong_delimiter or "**")),
            **dict.fromkeys(_STRUCK, lambda *_: self._marked("~~")),
            **dict.fromkeys(_EMPHASIS, lambda *_: self._marked(options.em_delimiter or "_")),
            "img": lambda node, _: self._image(node),
        }
        cells: Mapping[str, Callable[[LexborNode, Around], ElementRule]] = dict.fromkeys(
            ("th", "td"), lambda *_: ElementRule(prefix=" ", postfix=" |", change=_cell, room="cell")
        )
        lists: Mapping[str, Callable[[LexborNode, Around], ElementRule]] = {
            **dict.fromkeys(("ol", "ul"), lambda *_: ElementRule(newlines=1)),
            "li": lambda _, around: self._entry(around),
        }
        self._rooms: Mapping[str, Mapping[str, Callable[[LexborNode, Around], ElementRule]]] = {
            "all": {
                **everywhere,
                **lists,
                **dict.fromkeys(_HEADINGS, lambda node, _: ElementRule(prefix="#" * int((node.tag or "h1")[1]) + " ")),
                "pre": lambda *_: ElementRule(unescaped=True),
                "br": lambda *_: ElementRule(content="  \n"),
                "hr": lambda *_: ElementRule(content="---"),
                "blockquote": lambda *_: ElementRule(change=_quoted),
                "code": lambda node, _: self._code(node),
                "table": lambda _, around: ElementRule(
                    newlines=2, change=lambda text: _table(text, around.table), room="table"
                ),
                "a": lambda node, _: self._link(node),
            },
            "code": {
                **lists,
                **dict.fromkeys(_HEADINGS, lambda *_: ElementRule(prefix="[", postfix="]")),
                "br": lambda *_: ElementRule(content="\n"),
                "hr": lambda *_: ElementRule(content="---"),
                "tr": lambda *_: ElementRule(newlines=1),
                "img": lambda *_: ElementRule(recurses=False),
            },
            "link": {
                **everywhere,
                "br": lambda *_: ElementRule(content="\n"),
                "hr": lambda *_: ElementRule(content="\n"),
                "pre": lambda *_: ElementRule(unescaped=True),
            },
            "table": {
                **cells,
                "caption": lambda _, around: ElementRule(change=lambda text: _caption(text, around.table), room="cell"),
                "tr": lambda *_: ElementRule(prefix="| ", postfix="\n", change=_row, room="row"),
            },
            "row": cells,
            "cell": {**everywhere, "a": lambda node, _: self._link(node)},
        }

    def rule(self, node: LexborNode, around: Around) -> ElementRule | None:
        name = node.tag or ""
        make = self._rooms[around.room].get(name)
        found = make(node, around) if make else None
        if around.room not in ("all", "code"):
            return found
        if name in self._ignored:
            return ElementRule(ignored=True)
        if name not in self._blocks:
            return found
        return ElementRule(newlines=2) if found is None else found if found.newlines else replace(found, newlines=2)

    def _marked(self, mark: str) -> ElementRule:
        return ElementRule(apart=True, change=lambda text: _surrounded(text, mark) if text.strip() else None)

    def _entry(self, around: Around) -> ElementRule:
        listing = around.listing
        indent = _INDENT * (listing.level if listing else 0)
        numbered = listing is not None and listing.ordered
        mark = f"{listing.number}." if numbered and listing else self._options.bullet_marker or "*"
        return ElementRule(newlines=1, prefix=f"{indent}{mark} ", change=lambda text: _entry(text, indent))

    def _code(self, node: LexborNode) -> ElementRule:
        parent = node.parent
        if parent is None or parent.tag != "pre" or len(list(parent.iter(include_text=True))) > 1:
            return ElementRule(apart=True, unescaped=True, change=_code_span)
        if self._options.code_block_style not in ("", "fenced"):
            return ElementRule(
                unescaped=True, room="code", change=lambda text: re.sub("^", "    ", text, flags=re.MULTILINE)
            )
        language = re.search(r"language-(\S+)", node.attributes.get("class") or "")
        fence = self._options.code_fence or "```"
        begin = f"{fence}{language[1] if language else ''}\n"
        return ElementRule(unescaped=True, prefix=begin, postfix=f"\n{fence}", room="code")

    def _link(self, node: LexborNode) -> ElementRule:
        address = node.attributes.get("href") or ""
        if not address:
            return ElementRule()
        shown, title = address.translate(_ENCODED), node.attributes.get("title")
        if node.text() == address:
            return ElementRule(content=f"<{shown}>")
        place = f'({shown} "{title}")' if title else f"({shown})"
        if self._options.use_link_reference_definitions:
            if shown not in self.addresses:
                self.addresses.append(shown)
            place = f"[{self.addresses.index(shown) + 1}]"
        return ElementRule(prefix="[", postfix=f"]{place}", change=_in_one_line, room="link")

    def _image(self, node: LexborNode) -> ElementRule:
        source = node.attributes.get("src") or ""
        if not source or (not self._options.keep_data_images and source[:5].lower() == "data:"):
            return ElementRule(ignored=True)
        title = node.attributes.get("title")
        more = f' "{title}"' if title else ""
        return ElementRule(content=f"![{node.attributes.get('alt') or ''}]({source}{more})")


def _names(given: str) -> frozenset[str]:
    return frozenset(name.strip().lower() for name in given.split(",") if name.strip())


def _surrounded(text: str, mark: str) -> str:
    """Each line between marks; a blank at its ends stays outside of them."""
    if mark in text:
        text = re.sub(rf"([^\\]){re.escape(mark)}", r"\1", text)
    return "".join(_line_surrounded(line, mark) for line in re.split(r"(\r?\n|\r)", text))


def _line_surrounded(line: str, mark: str) -> str:
    inner = line.strip()
    if not inner:
        return line
    start = line.index(inner)
    return line[:start][-1:] + mark + inner + mark + line[start + len(inner) :][:1]


def _entry(text: str, indent: str) -> str | None:
    if not text.strip():
        return None
    text = re.sub(r"([^\r\n])(?:\r?\n)+", rf"\1  \n{indent}", text.strip())
    return "\n".join(_with_break(line) for line in text.split("\n"))


def _with_break(line: str) -> str:
    """Blanks at the end become two, which break the line."""
    bare = line.rstrip(" \t\f\v\xa0")
    return f"{bare}  " if bare and bare != line else line


def _quoted(text: str) -> str:
    return re.sub(r"^(>*)[^\S\r\n]?", r">\1 ", text.strip("\n"), flags=re.MULTILINE)


def _code_span(text: str) -> str:
    mark = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    blank = " " if len(mark) > 1 else ""
    return f"{mark}{blank}{text}{blank}{mark}"


def _in_one_line(text: str) -> str:
    return re.sub(r"(?:\r?\n)+", " ", text)


def _cell(text: str) -> str:
    return _in_one_line(text.strip("\n").replace("|", "\\|", 1)).strip()


def _row(text: str) -> str | None:
    return text if text.rstrip().endswith(" |") else None


def _caption(text: str, table: MarkdownTable | None) -> None:
    caption = _in_one_line(text).strip()
    if caption and table is not None:
        table.caption = f"__{caption}__"


def _table(text: str, table: MarkdownTable | None) -> str | None:
    rows: list[list[str]] = []
    for line in re.split(r"\r?\n|\r", text):
        bare = re.sub(r"^(?:\|\s+)?(.+)\|\s*$", r"\1", line)
        if bare:
            rows.append([column.strip() for column in bare.split(" |")])
    if not rows:
        return None
    columns = max(map(len, rows))
    widths = [max(len(row[index]) if index < len(row) else 0 for row in rows) for index in range(columns)]
    if len(rows) * (sum(widths) + 3 * columns) > _LARGEST:
        raise NodeError(f"A table of the HTML would take more than {_LARGEST} characters, with columns of equal width.")
    lines = [table.caption] if table is not None and table.caption else []
    for number, row in enumerate(rows):
        lines.append(_table_line([*row, *[""] * (columns - len(row))], widths))
        if number == 0:
            lines.append(_table_line(["-" * width for width in widths], widths))
    return "".join(f"{line}\n" for line in lines)


def _table_line(row: list[str], widths: list[int]) -> str:
    return "|" + "".join(f" {text.ljust(width)} |" for text, width in zip(row, widths, strict=True))
