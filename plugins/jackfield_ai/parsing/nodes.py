"""The nodes that are output parsers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field, JsonValue

from jackfield.api.ai import LANGUAGE_MODEL, OUTPUT_PARSER, OutputParser
from jackfield.api.context import PluginContext
from jackfield.api.json_schemas import schema_of
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeDescription, NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.form import FIXING, ITEM_LIST, OLD_STRUCTURED, STRUCTURED
from jackfield_ai.nodes import ServingNode
from jackfield_ai.parsing.parsers import FIX_PROMPT, FixingParser, ListParser, StructuredParser
from jackfield_ai.parsing.schemas import read_json, read_schema
from jackfield_ai.serving import model_of, parser_of
from jackfield_ai.shapes import PARSER_SHAPES

EXAMPLE = '{\n\t"state": "California",\n\t"cities": ["Los Angeles", "San Francisco", "San Diego"]\n}'
ALL_REQUIRED_SINCE = 1.3


class Structured(Parameters):
    ui_fields: ClassVar[UiFields] = STRUCTURED

    schema_type: Literal["fromJson", "manual"] = "fromJson"
    json_schema_example: JsonValue = Field(EXAMPLE, description="With fromJson: an example of the JSON.")
    input_schema: JsonValue = Field(None, description="With manual: a JSON Schema.")
    auto_fix: bool = Field(False, description="Let an attached model repair answers that do not fit.")
    customize_retry_prompt: bool = False
    prompt: str = ""


class OldStructured(Parameters):
    """Versions 1 and 1.1 have a schema only."""

    ui_fields: ClassVar[UiFields] = {**STRUCTURED, **OLD_STRUCTURED}

    json_schema: JsonValue = Field('{"type": "object"}', description="A JSON Schema.")
    auto_fix: bool = False
    prompt: str = ""


def schema_in(parameters: Structured | OldStructured, version: float | None) -> dict[str, Json]:
    """Raises `NodeError`."""
    if isinstance(parameters, OldStructured):
        return read_schema(parameters.json_schema, "jsonSchema")
    if parameters.schema_type == "manual":
        return read_schema(parameters.input_schema, "inputSchema")
    example = read_json(parameters.json_schema_example, "jsonSchemaExample")
    return schema_of(example, required=version is None or version >= ALL_REQUIRED_SINCE)


class StructuredNode(ServingNode):
    kind = "langchain.outputParserStructured"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3)
    description = NodeDescription(
        "Structured Output Parser",
        "Makes JSON of a schema from a model's answer.",
        "ai",
        inputs=0,
        provides=OUTPUT_PARSER,
        accepts=(LANGUAGE_MODEL,),
        shapes=PARSER_SHAPES,
    )

    def parameters(self, version: float | None) -> type[Parameters]:
        return OldStructured if version is not None and version < 1.2 else Structured

    async def supply(self, node: AttachedNode, item: int) -> OutputParser:
        parameters: Structured | OldStructured = await node.parameters(item)
        parser = StructuredParser(schema_in(parameters, node.node.version))
        if not parameters.auto_fix:
            return parser
        return FixingParser(parser, await model_of(node, item), parameters.prompt)


class FixingOptions(Parameters):
    ui_fields: ClassVar[UiFields] = FIXING

    prompt: str = FIX_PROMPT


class Fixing(Parameters):
    options: FixingOptions = Field(default_factory=FixingOptions)


class FixingNode(ServingNode):
    kind = "langchain.outputParserAutofixing"
    versions: Sequence[float] = (1,)
    model = Fixing
    description = NodeDescription(
        "Auto-fixing Output Parser",
        "Lets a model repair answers that another parser refuses.",
        "ai",
        inputs=0,
        provides=OUTPUT_PARSER,
        accepts=(LANGUAGE_MODEL, OUTPUT_PARSER),
        needs=(LANGUAGE_MODEL, OUTPUT_PARSER),
    )

    async def supply(self, node: AttachedNode, item: int) -> OutputParser:
        parameters: Fixing = await node.parameters(item)
        inner = await parser_of(node, item)
        if inner is None:
            raise NodeError(f"The node '{node.node.name}' needs an output parser; attach one.")
        return FixingParser(inner, await model_of(node, item), parameters.options.prompt)


class ListOptions(Parameters):
    ui_fields: ClassVar[UiFields] = ITEM_LIST

    number_of_items: int = Field(-1, description="-1: all.")
    separator: str = "\n"


class ItemList(Parameters):
    options: ListOptions = Field(default_factory=ListOptions)


class ListNode(ServingNode):
    kind = "langchain.outputParserItemList"
    versions: Sequence[float] = (1,)
    model = ItemList
    description = NodeDescription(
        "Item List Output Parser", "Makes a list from a model's answer.", "ai", inputs=0, provides=OUTPUT_PARSER
    )

    async def supply(self, node: AttachedNode, item: int) -> OutputParser:
        parameters: ItemList = await node.parameters(item)
        return ListParser(parameters.options.number_of_items, parameters.options.separator)


def structured(context: PluginContext, kind: str) -> StructuredNode:
    return StructuredNode(context)


def fixing(context: PluginContext, kind: str) -> FixingNode:
    return FixingNode(context)


def item_list(context: PluginContext, kind: str) -> ListNode:
    return ListNode(context)
