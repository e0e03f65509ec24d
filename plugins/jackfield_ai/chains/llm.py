"""Basic LLM Chain: one prompt, one answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.ai import LANGUAGE_MODEL, OUTPUT_PARSER, Message, Picture
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.ui import UiFields
from jackfield.api.nodes.unresolved import first_resolved
from jackfield.api.workflows import Item, Items
from jackfield_ai.asking import CountedModel, asked_for
from jackfield_ai.chains.form import CHAIN, CHAIN_MESSAGE
from jackfield_ai.nodes import AiNode, SideBySide, each_item
from jackfield_ai.parameters import Text
from jackfield_ai.pictures import picture_of
from jackfield_ai.prompts import prompt_of
from jackfield_ai.serving import fallback_model_of, model_of, parser_of
from jackfield_ai.shapes import CHAIN_SHAPES

_ROLES = {"SystemMessagePromptTemplate": "system", "AIMessagePromptTemplate": "assistant"}
_DEFINE_SINCE = 1.4


class ChainMessage(Parameters):
    ui_fields: ClassVar[UiFields] = CHAIN_MESSAGE

    type: str = "SystemMessagePromptTemplate"
    message: Text = ""
    message_type: Literal["text", "imageUrl", "imageBinary"] = "text"
    image_url: Text = ""
    binary_image_data_key: str = "data"
    image_detail: str = "auto"


class ChainMessages(Parameters):
    message_values: list[ChainMessage] = Field(default_factory=list)


class ChainLlm(Parameters):
    ui_fields: ClassVar[UiFields] = CHAIN

    prompt_type: Literal["auto", "define", "guardrails"] = Field(
        "auto", description="auto: the item's chatInput; define: text."
    )
    text: Text = Field("", description="The prompt.")
    prompt: Text = Field("", description="The same in the first version.")
    has_output_parser: bool = Field(False, description="Whether an attached output parser counts.")
    needs_fallback: bool = False
    messages: ChainMessages = Field(default_factory=ChainMessages, description="Messages before the prompt.")
    batching: SideBySide = Field(default_factory=lambda: SideBySide(batchSize=5))


class ChainLlmNode(AiNode):
    kind = "langchain.chainLlm"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9)
    model = ChainLlm
    description = NodeDescription(
        "Basic LLM Chain",
        "Asks a model once for each item.",
        "ai",
        accepts=(LANGUAGE_MODEL, OUTPUT_PARSER),
        shapes=CHAIN_SHAPES,
        needs=(LANGUAGE_MODEL,),
    )

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[ChainLlm] = await run.resolve()

        async def one(index: int) -> Items:
            return [await self._one(run, resolved[index], index)]

        first = first_resolved(resolved)
        batching = None if first is None else first.batching
        return [await each_item(run, one, batching, self._context.clock)]

    async def _one(self, run: NodeRun, parameters: ChainLlm, index: int) -> Item:
        version = run.node.version
        given = parameters.text or parameters.prompt
        prompt = prompt_of(run, parameters.prompt_type, given, index, version, _DEFINE_SINCE)
        fallback = await fallback_model_of(run, index) if parameters.needs_fallback else None
        model = CountedModel(await model_of(run, index), fallback)
        parser = await parser_of(run, index) if parameters.has_output_parser else None
        rows = parameters.messages.message_values
        messages = [await message_of(run, row, index) for row in rows]
        messages.append(Message("user", prompt))
        try:
            if parser is None:
                json: dict[str, Json] = text_json((await model.complete(messages)).message.text, version)
            else:
                told = Message("user", f"{prompt}\n\n{parser.instructions}")
                value = await asked_for(model, [*messages[:-1], told], parser)
                json = {"data": value} if parser.schema is None else {"output": value}
        finally:
            model.log(run)
        return new_item(json, index)


def text_json(text: str, version: float | None) -> dict[str, Json]:
    return {"response": {"text": text.strip()}} if version == 1 else {"text": text.strip()}


async def message_of(run: NodeRun, row: ChainMessage, index: int) -> Message:
    """Raises `NodeError`."""
    role = _ROLES.get(row.type, "user")
    if role == "user" and row.message_type == "imageUrl":
        if not row.image_url:
            raise NodeError("A message has the type imageUrl and no imageUrl; fill it in.")
        return Message("user", pictures=[Picture(url=row.image_url, detail=row.image_detail)])
    if role == "user" and row.message_type == "imageBinary":
        return Message("user", pictures=[await picture_of(run, index, row.binary_image_data_key, row.image_detail)])
    return Message(role, row.message)  # type: ignore[arg-type]  # one of the roles


def llm(context: PluginContext, kind: str) -> ChainLlmNode:
    return ChainLlmNode(context)
