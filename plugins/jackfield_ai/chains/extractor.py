"""Information Extractor: fields of a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field, JsonValue

from jackfield.api.ai import LANGUAGE_MODEL, Message
from jackfield.api.context import PluginContext
from jackfield.api.json_schemas import schema_of
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.ui import UiFields
from jackfield.api.nodes.unresolved import first_resolved
from jackfield.api.workflows import Item, Items
from jackfield_ai.asking import CountedModel, asked_for
from jackfield_ai.chains.form import ATTRIBUTE, EXTRACTOR
from jackfield_ai.nodes import AiNode, SideBySide, each_item
from jackfield_ai.parameters import Text, required
from jackfield_ai.parsing.nodes import EXAMPLE
from jackfield_ai.parsing.parsers import FixingParser, StructuredParser
from jackfield_ai.parsing.schemas import read_json, read_schema
from jackfield_ai.serving import model_of

SYSTEM = """You are an expert extraction algorithm.
Only extract relevant information from the text.
If you do not know the value of an attribute asked to extract, you may omit the attribute's value."""
_ATTRIBUTE_TYPES: dict[str, str] = {"string": "string", "number": "number", "boolean": "boolean", "date": "string"}
ALL_REQUIRED_SINCE = 1.2


class Attribute(Parameters):
    ui_fields: ClassVar[UiFields] = ATTRIBUTE

    name: str = ""
    type: Literal["string", "number", "boolean", "date"] = "string"
    description: str = ""
    required: bool = False


class ExtractedAttributes(Parameters):
    attributes: list[Attribute] = Field(default_factory=list)


class ExtractorOptions(Parameters):
    system_prompt_template: Text = SYSTEM
    batching: SideBySide = Field(default_factory=lambda: SideBySide(batchSize=5))


class Extractor(Parameters):
    ui_fields: ClassVar[UiFields] = EXTRACTOR

    text: Text = Field("", description="The text to extract from.")
    schema_type: Literal["fromAttributes", "fromJson", "manual"] = "fromAttributes"
    attributes: ExtractedAttributes = Field(default_factory=ExtractedAttributes)
    json_schema_example: JsonValue = EXAMPLE
    input_schema: JsonValue = None
    options: ExtractorOptions = Field(default_factory=ExtractorOptions)


def schema_for(parameters: Extractor, version: float | None) -> dict[str, Json]:
    """Raises `NodeError`."""
    if parameters.schema_type == "manual":
        return read_schema(parameters.input_schema, "inputSchema")
    if parameters.schema_type == "fromJson":
        example = read_json(parameters.json_schema_example, "jsonSchemaExample")
        return schema_of(example, required=version is not None and version >= ALL_REQUIRED_SINCE)
    rows = [row for row in parameters.attributes.attributes if row.name]
    if not rows:
        raise NodeError("The node has no attributes to extract; add one, or give a schema.")
    needed: list[Json] = [row.name for row in rows if row.required]
    made: dict[str, Json] = {"type": "object", "properties": {row.name: _described(row) for row in rows}}
    return {**made, "required": needed} if needed else made


def _described(row: Attribute) -> Json:
    made: dict[str, Json] = {"type": _ATTRIBUTE_TYPES[row.type]}
    if not row.required:
        made["type"] = [_ATTRIBUTE_TYPES[row.type], "null"]
    if row.description:
        made["description"] = row.description
    if row.type == "date":
        made["format"] = "date-time"
    return made


class ExtractorNode(AiNode):
    kind = "langchain.informationExtractor"
    versions: Sequence[float] = (1, 1.1, 1.2)
    model = Extractor
    description = NodeDescription(
        "Information Extractor",
        "Lets a model find fields in a text.",
        "ai",
        accepts=(LANGUAGE_MODEL,),
        needs=(LANGUAGE_MODEL,),
    )

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[Extractor] = await run.resolve()

        async def one(index: int) -> Items:
            return [await self._one(run, resolved[index], index)]

        first = first_resolved(resolved)
        batching = None if first is None else first.options.batching
        return [await each_item(run, one, batching, self._context.clock)]

    async def _one(self, run: NodeRun, parameters: Extractor, index: int) -> Item:
        text = required(parameters.text, "text")
        model = CountedModel(await model_of(run, index))
        parser = FixingParser(StructuredParser(schema_for(parameters, run.node.version)), model)
        system = f"{parameters.options.system_prompt_template or SYSTEM}\n\n{parser.instructions}"
        try:
            value = await asked_for(model, [Message("system", system), Message("user", text)], parser)
        finally:
            model.log(run)
        return new_item({"output": value}, index)


def extractor(context: PluginContext, kind: str) -> ExtractorNode:
    return ExtractorNode(context)
