"""Question and Answer Chain: an answer from what a retriever finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.ai import LANGUAGE_MODEL, RETRIEVER
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.ui import UiFields
from jackfield.api.nodes.unresolved import first_resolved
from jackfield.api.workflows import Item, Items
from jackfield_ai.asking import CountedModel
from jackfield_ai.chains.form import QA
from jackfield_ai.nodes import AiNode, SideBySide, each_item
from jackfield_ai.parameters import Text
from jackfield_ai.prompts import prompt_of
from jackfield_ai.retrieval.answering import SYSTEM, answered
from jackfield_ai.serving import model_of, retriever_of

_DEFINE_SINCE = 1.3
_PLAIN_SINCE = 1.5


class QaOptions(Parameters):
    system_prompt_template: Text = SYSTEM
    batching: SideBySide = Field(default_factory=SideBySide)


class Qa(Parameters):
    ui_fields: ClassVar[UiFields] = QA

    prompt_type: Literal["auto", "define", "guardrails"] = "auto"
    text: Text = ""
    query: Text = Field("", description="The same in the first versions.")
    options: QaOptions = Field(default_factory=QaOptions)


class QaNode(AiNode):
    kind = "langchain.chainRetrievalQa"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7)
    model = Qa
    description = NodeDescription(
        "Question and Answer Chain",
        "Answers questions from documents.",
        "ai",
        accepts=(LANGUAGE_MODEL, RETRIEVER),
        needs=(LANGUAGE_MODEL, RETRIEVER),
    )

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[Qa] = await run.resolve()

        async def one(index: int) -> Items:
            return [await self._one(run, resolved[index], index)]

        first = first_resolved(resolved)
        batching = None if first is None else first.options.batching
        return [await each_item(run, one, batching, self._context.clock)]

    async def _one(self, run: NodeRun, parameters: Qa, index: int) -> Item:
        version = run.node.version
        given = parameters.text or parameters.query
        question = prompt_of(run, parameters.prompt_type, given, index, version, _DEFINE_SINCE)
        retriever = await retriever_of(run, index)
        model = CountedModel(await model_of(run, index))
        try:
            found = await retriever.find(question)
            text = await answered(model, question, found, parameters.options.system_prompt_template)
        finally:
            model.log(run)
        plain = version is None or version >= _PLAIN_SINCE
        json: dict[str, Json] = {"response": text if plain else {"text": text}}
        return new_item(json, index)


def retrieval_qa(context: PluginContext, kind: str) -> QaNode:
    return QaNode(context)
