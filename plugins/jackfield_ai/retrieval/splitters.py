"""The nodes that are text splitters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.ai import TEXT_SPLITTER, TextSplitter
from jackfield.api.context import PluginContext
from jackfield.api.nodes import AttachedNode, NodeDescription, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield.api.records import record
from jackfield_ai.nodes import ServingNode
from jackfield_ai.retrieval.form import SPLITTER, SPLITTER_KIND
from jackfield_ai.retrieval.splitting import RecursiveSplitter, SeparatorSplitter, token_splitter


class SplitterOptions(Parameters):
    ui_fields: ClassVar[UiFields] = SPLITTER_KIND

    split_code: str = "markdown"


class Splitter(Parameters):
    ui_fields: ClassVar[UiFields] = SPLITTER

    chunk_size: int = Field(1000, ge=1)
    chunk_overlap: int = Field(0, ge=0)
    separator: str = "\n\n"
    options: SplitterOptions = Field(default_factory=SplitterOptions)


@record
class Form:
    title: str
    summary: str
    make: Callable[[Splitter], TextSplitter]


FORMS: Mapping[str, Form] = {
    "langchain.textSplitterRecursiveCharacterTextSplitter": Form(
        "Recursive Character Text Splitter",
        "Splits at paragraphs, lines and words.",
        lambda p: RecursiveSplitter(p.chunk_size, p.chunk_overlap),
    ),
    "langchain.textSplitterCharacterTextSplitter": Form(
        "Character Text Splitter",
        "Splits at one separator.",
        lambda p: SeparatorSplitter(p.chunk_size, p.chunk_overlap, p.separator),
    ),
    "langchain.textSplitterTokenSplitter": Form(
        "Token Splitter",
        "Splits by tokens, of which each counts as four characters.",
        lambda p: token_splitter(p.chunk_size, p.chunk_overlap),
    ),
}


class SplitterNode(ServingNode):
    versions: Sequence[float] = (1,)
    model = Splitter

    def __init__(self, context: PluginContext, kind: str) -> None:
        super().__init__(context)
        self.kind = kind
        self._form = FORMS[kind]
        self.description = NodeDescription(self._form.title, self._form.summary, "ai", inputs=0, provides=TEXT_SPLITTER)

    async def supply(self, node: AttachedNode, item: int) -> TextSplitter:
        parameters: Splitter = await node.parameters(item)
        return self._form.make(parameters)


def splitter(context: PluginContext, kind: str) -> SplitterNode:
    return SplitterNode(context, kind)
