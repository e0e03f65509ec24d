"""Markdown: to HTML (CommonMark, with tables and the like where asked for) and from HTML."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeRun
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.running import ItemNode
from jackfield.api.object_references import load
from jackfield.api.workflows import Item, Items
from jackfield_nodes.data.markdown.parameters import Markdown, MarkdownOptions
from jackfield_nodes.values.conversions import UnfitValue, text_of, type_name, with_article
from jackfield_nodes.values.paths import set_path

LONGEST = 4 * 2**20
"""Characters of a text at most."""
CONVERTERS: Mapping[str, str] = {
    "htmlToMarkdown": "jackfield_nodes.data.markdown.from_html:html_to_markdown",
    "markdownToHtml": "jackfield_nodes.data.markdown.to_html:markdown_to_html",
}
"""Mode -> place of the conversion, whose library is loaded with it."""


class MarkdownNode(ItemNode):
    """An item goes on without its files."""

    kind = "markdown"
    versions: Sequence[float] = (1,)
    description = NodeDescription("Markdown", "Markdown to HTML and back.", "transform")
    model = Markdown

    async def item(self, run: NodeRun, parameters: Markdown, item: Item, index: int) -> Items:
        to_html = parameters.mode == "markdownToHtml"
        given = parameters.markdown if to_html else parameters.html
        if given is None and not to_html:
            raise NodeError("The parameter html is null; give it a text.")
        if to_html and not isinstance(given, str | type(None)):
            raise NodeError(f"The parameter markdown must be a text; it is {with_article(type_name(given))}.")
        text = text_of(given)
        if len(text) > LONGEST:
            raise NodeError(f"The text has more than {LONGEST} characters.")
        made: dict[str, Json] = dict(item["json"])
        try:
            result = None if given is None else await self._converted(parameters, text)
            set_path(made, parameters.destination_key, result)
        except UnfitValue as exc:
            raise NodeError(f"The result cannot be put into {parameters.destination_key}: {exc}.") from None
        return [new_item(made, index)]

    @staticmethod
    async def _converted(parameters: Markdown, text: str) -> str:
        return await asyncio.to_thread(converted, parameters.mode, text, parameters.options)


def converted(mode: str, text: str, options: MarkdownOptions) -> str:
    """Blocks. Raises `NodeError`."""
    convert = cast("Callable[[str, MarkdownOptions], str]", load(CONVERTERS[mode]))
    return convert(text, options)


def node(context: PluginContext) -> MarkdownNode:
    return MarkdownNode(context)
