"""HTML as Markdown."""

from __future__ import annotations

import re

from markdownify import (  # type: ignore[attr-defined]  # its stubs lack the second
    MarkdownConverter,
    abstract_inline_conversion,
)
from selectolax.lexbor import LexborHTMLParser

from jackfield.api.nodes import NodeError
from jackfield_nodes.data.markdown_parameters import MarkdownOptions

_DEEPEST = 200
"""Levels of elements at most: the conversion calls itself once per level."""


def html_to_markdown(text: str, options: MarkdownOptions) -> str:
    """Without scripts and styles. Raises `NodeError` for elements in too many levels."""
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


def _without(text: str, names: list[str], options: MarkdownOptions) -> str:
    tree = LexborHTMLParser(text)
    tree.strip_tags([name for name in names if re.fullmatch(r"[a-zA-Z][a-zA-Z0-9-]*", name)])
    for image in [] if options.keep_data_images else tree.css("img[src^='data:']"):
        image.decompose()
    body = tree.body
    return (body.inner_html if body is not None else "") or ""


def _tidied(text: str, options: MarkdownOptions) -> str:
    most = options.max_consecutive_newlines
    text = "\n".join(line if line.strip() else "" for line in text.split("\n"))
    text = re.sub(rf"\n{{{most + 1},}}", "\n" * most, text.strip("\n"))
    if options.code_fence != "```":
        text = re.sub(r"^```", options.code_fence.replace("\\", r"\\"), text, flags=re.MULTILINE)
    return text.rstrip()


def _check_depth(text: str) -> None:
    level = [LexborHTMLParser(text).root]
    for _ in range(_DEEPEST):
        level = [child for node in level if node is not None for child in node.iter()]
        if not level:
            return
    raise NodeError(f"The HTML has elements in more than {_DEEPEST} levels.")
