"""Summarization Chain: a text, or documents, made short."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.ai import DOCUMENT, LANGUAGE_MODEL, TEXT_SPLITTER, ChatModel, Message
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.files import content_of, file_of
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.ui import UiFields
from jackfield.api.nodes.unresolved import first_resolved
from jackfield.api.workflows import Item, Items
from jackfield_ai.asking import CountedModel
from jackfield_ai.chains.form import SUMMARY_METHOD, SUMMARY_UI
from jackfield_ai.nodes import AiNode, SideBySide, each_item
from jackfield_ai.parameters import Text
from jackfield_ai.parsing.parsers import filled
from jackfield_ai.retrieval.file_texts import text_of_file
from jackfield_ai.retrieval.splitting import RecursiveSplitter
from jackfield_ai.serving import documents_of, model_of, splitter_of
from jackfield_ai.tools.toolbox import as_text

SUMMARY = 'Write a concise summary of the following:\n\n\n"{text}"\n\n\nCONCISE SUMMARY:'
REFINE = (
    "Your job is to produce a final summary\nWe have provided an existing summary up to a certain point: "
    '"{existing_answer}"\nWe have the opportunity to refine the existing summary\n(only if needed) with some more '
    'context below.\n------------\n"{text}"\n------------\n\nGiven the new context, refine the original summary\nIf '
    "the context isn't useful, return the original summary.\n\nREFINED SUMMARY:"
)
_SIDE_BY_SIDE = 4


class Values(Parameters):
    ui_fields: ClassVar[UiFields] = SUMMARY_METHOD

    summarization_method: Literal["map_reduce", "stuff", "refine"] = "map_reduce"
    prompt: Text = SUMMARY
    combine_map_prompt: Text = SUMMARY
    refine_question_prompt: Text = SUMMARY
    refine_prompt: Text = REFINE


class Prompts(Parameters):
    values: Values = Field(default_factory=Values)


class SummaryOptions(Parameters):
    summarization_method_and_prompts: Prompts = Field(default_factory=Prompts)
    binary_data_key: str = "data"
    batching: SideBySide = Field(default_factory=SideBySide)


class SummaryParameters(Parameters):
    ui_fields: ClassVar[UiFields] = SUMMARY_UI

    operation_mode: Literal["nodeInputJson", "nodeInputBinary", "documentLoader"] = "nodeInputJson"
    chunking_mode: Literal["simple", "advanced", "none"] = "simple"
    chunk_size: int = Field(1000, ge=1, description="Characters.")
    chunk_overlap: int = Field(200, ge=0, description="Characters.")
    options: SummaryOptions = Field(default_factory=SummaryOptions)


class SummaryNode(AiNode):
    kind = "langchain.chainSummarization"
    versions: Sequence[float] = (1, 2, 2.1)
    model = SummaryParameters
    description = NodeDescription(
        "Summarization Chain",
        "Lets a model make texts short.",
        "ai",
        accepts=(LANGUAGE_MODEL, DOCUMENT, TEXT_SPLITTER),
        needs=(LANGUAGE_MODEL,),
    )

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[SummaryParameters] = await run.resolve()

        async def one(index: int) -> Items:
            return [await self._one(run, resolved[index], index)]

        first = first_resolved(resolved)
        batching = None if first is None else first.options.batching
        return [await each_item(run, one, batching, self._context.clock)]

    async def _one(self, run: NodeRun, parameters: SummaryParameters, index: int) -> Item:
        model = CountedModel(await model_of(run, index))
        pieces = await _pieces(run, parameters, index)
        if not pieces:
            raise NodeError("There is no text to make short.")
        try:
            text = await _short(model, pieces, parameters.options.summarization_method_and_prompts.values)
        finally:
            model.log(run)
        name = "output" if (run.node.version or 2.1) >= 2.1 else "response"
        json: dict[str, Json] = {name: {"text": text.strip()}}
        return new_item(json, index)


async def _pieces(run: NodeRun, parameters: SummaryParameters, index: int) -> Sequence[str]:
    if parameters.operation_mode == "documentLoader":
        return [document.text for document in await (await documents_of(run, index)).load()]
    item = run.items[index]
    if parameters.operation_mode == "nodeInputBinary":
        name = parameters.options.binary_data_key
        content = await content_of(run, item, name, index)
        text = await asyncio.to_thread(text_of_file, content, file_of(item, name, index).get("mimeType", ""))
    else:
        text = as_text(item["json"])
    if parameters.chunking_mode == "none":
        return [text]
    splitter = await splitter_of(run, index) if parameters.chunking_mode == "advanced" else None
    return (splitter or RecursiveSplitter(parameters.chunk_size, parameters.chunk_overlap)).split(text)


async def _short(model: ChatModel, pieces: Sequence[str], values: Values) -> str:
    if values.summarization_method == "stuff":
        return await _ask(model, filled(values.prompt, text="\n\n".join(pieces)))
    if values.summarization_method == "refine":
        answer = await _ask(model, filled(values.refine_question_prompt, text=pieces[0]))
        for piece in pieces[1:]:
            answer = await _ask(model, filled(values.refine_prompt, existing_answer=answer, text=piece))
        return answer
    turns = asyncio.Semaphore(_SIDE_BY_SIDE)

    async def one(piece: str) -> str:
        async with turns:
            return await _ask(model, filled(values.combine_map_prompt, text=piece))

    parts = await asyncio.gather(*(one(piece) for piece in pieces))
    return await _ask(model, filled(values.prompt, text="\n\n".join(parts)))


async def _ask(model: ChatModel, prompt: str) -> str:
    return (await model.complete([Message("user", prompt)])).message.text


def summary(context: PluginContext, kind: str) -> SummaryNode:
    return SummaryNode(context)
