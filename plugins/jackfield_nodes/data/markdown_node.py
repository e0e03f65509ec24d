"""Markdown: to HTML (CommonMark, with tables and the like where asked for) and from HTML.

Source: facts/workflow-service.md section 3.2.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeDescription, NodeError, NodeRun, Parameters
from jackfield.api.workflows import Item, Items
from jackfield_nodes.paths import set_path
from jackfield_nodes.per_item import ItemNode, with_json
from jackfield_nodes.values import Unfit, text_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST = 4 * 2**20
"""Characters of a text at most."""
_DEEPEST = 200
"""Levels of elements at most: the conversion calls itself once per level."""


class Options(Parameters):
    tables: Flag = Field(False, description="Tables as GitHub has them.")
    strikethrough: Flag = Field(False, description="~~text~~ is struck through.")
    tasklists: Flag = Field(False, description="`- [x]` is a checkbox.")
    simple_line_breaks: Flag = Field(False, description="A line break is one in HTML as well.")
    simplified_auto_link: Flag = Field(False, description="Addresses become links.")
    open_links_in_new_window: Flag = Field(False, description="Links with target=_blank.")
    no_header_id: Flag = Field(False, description="Headings without an id.")
    prefix_header_id: object = Field("", description="The beginning of every heading's id.")
    header_level_start: int = Field(1, ge=1, le=6, description="The level of `#`.")
    complete_html_document: Flag = Field(False, alias="completeHTMLDocument", description="With html, head and body.")
    bullet_marker: str = Field("*", description="Before the entries of a list.")
    code_fence: str = Field("```", description="Around code.")
    em_delimiter: str = Field("_", description="Around emphasis.")
    strong_delimiter: str = Field("**", description="Around strong emphasis.")
    code_block_style: str = Field("fence", description="fence or indented.")
    ignore: str = Field("", description="Elements to leave out, separated by commas.")
    max_consecutive_newlines: int = Field(3, ge=1, description="Line breaks in a row at most.")
    keep_data_images: Flag = Field(False, description="Whether images inside of the document stay.")


class Markdown(Parameters):
    mode: Literal["htmlToMarkdown", "markdownToHtml"] = Field("htmlToMarkdown", description="Which way.")
    html: object = Field("", description="htmlToMarkdown: the HTML.")
    markdown: object = Field("", description="markdownToHtml: the Markdown.")
    destination_key: str = Field("data", description="The field for the result.")
    options: Options = Field(default_factory=Options)


class MarkdownNode(ItemNode):
    kind = "markdown"
    versions: Sequence[float] = (1,)
    description = NodeDescription("Markdown", "Markdown to HTML and back.", "transform")
    model = Markdown

    async def item(self, run: NodeRun, parameters: Markdown, item: Item, index: int) -> Items:
        to_html = parameters.mode == "markdownToHtml"
        text = text_of(parameters.markdown if to_html else parameters.html)
        if len(text) > LONGEST:
            raise NodeError(f"The text has more than {LONGEST} characters.")
        convert = markdown_to_html if to_html else html_to_markdown
        made: dict[str, Json] = dict(item["json"])
        try:
            set_path(made, parameters.destination_key, await asyncio.to_thread(convert, text, parameters.options))
        except Unfit as exc:
            raise NodeError(f"The result cannot be put into {parameters.destination_key}: {exc}.") from None
        return [with_json(item, made, index)]


def markdown_to_html(text: str, options: Options) -> str:
    """HTML in the Markdown stays as it is."""
    from markdown_it import MarkdownIt

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


def _rendered(parser: MarkdownIt, tokens: list[Token], options: Options) -> str:
    html = str(parser.renderer.render(tokens, parser.options, {})).rstrip("\n")
    if not options.complete_html_document:
        return html
    return f'<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">\n</head>\n<body>\n{html}\n</body>\n</html>'


def _heading_id(title: str, prefix: str, used: dict[str, int]) -> str:
    """Letters and digits of the title in lower case, numbered when it was there already."""
    name = prefix + "".join(char for char in title.lower() if char.isalnum())
    count = used.get(name, 0)
    used[name] = count + 1
    return f"{name}-{count}" if count else name


def _change_inline(token: Token, options: Options) -> None:
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
        from html import escape

        box = f'<input type="checkbox" disabled{"" if match[1] == " " else " checked"}> '
        text.type, text.content = "html_inline", box + escape(text.content[4:])


_ADDRESS = re.compile(r"https?://[^\s<>\"']*[^\s<>\"'.,;:!?)]")


def _link_addresses(children: list[Token]) -> None:
    from html import escape

    linked = 0
    for child in children:
        linked += child.nesting if child.type in {"link_open", "link_close"} else 0
        if child.type == "text" and not linked and _ADDRESS.search(child.content):
            child.type = "html_inline"
            child.content = _ADDRESS.sub(r'<a href="\g<0>">\g<0></a>', escape(child.content, quote=False))


def html_to_markdown(text: str, options: Options) -> str:
    """Without scripts and styles. Raises `NodeError` for elements in too many levels."""
    from markdownify import (  # type: ignore[attr-defined]  # its stubs lack the second
        MarkdownConverter,
        abstract_inline_conversion,
    )

    _check_depth(text)
    ignored = [name.strip() for name in options.ignore.split(",") if name.strip()]

    class Converter(MarkdownConverter):
        convert_em = convert_i = abstract_inline_conversion(lambda _: options.em_delimiter or "_")

    converter = Converter(
        heading_style="ATX",
        bullets=options.bullet_marker or "*",
        strong_em_symbol=(options.strong_delimiter or "**")[:1],
        strip=["script", "style", *ignored],
        escape_underscores=True,
        escape_asterisks=True,
    )
    return _tidied(str(converter.convert(_without(text, ["script", "style", "head", *ignored], options))), options)


def _without(text: str, names: list[str], options: Options) -> str:
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(text)
    tree.strip_tags([name for name in names if re.fullmatch(r"[a-zA-Z][a-zA-Z0-9-]*", name)])
    for image in [] if options.keep_data_images else tree.css("img[src^='data:']"):
        image.decompose()
    body = tree.body
    return (body.inner_html if body is not None else "") or ""


def _tidied(text: str, options: Options) -> str:
    most = options.max_consecutive_newlines
    text = "\n".join(line if line.strip() else "" for line in text.split("\n"))
    text = re.sub(rf"\n{{{most + 1},}}", "\n" * most, text.strip("\n"))
    if options.code_fence != "```":
        text = re.sub(r"^```", options.code_fence.replace("\\", r"\\"), text, flags=re.MULTILINE)
    return text.rstrip()


def _check_depth(text: str) -> None:
    from selectolax.lexbor import LexborHTMLParser

    level = [LexborHTMLParser(text).root]
    for _ in range(_DEEPEST):
        level = [child for node in level if node is not None for child in node.iter()]
        if not level:
            return
    raise NodeError(f"The HTML has elements in more than {_DEEPEST} levels.")


def node(context: PluginContext) -> MarkdownNode:
    return MarkdownNode(context)
