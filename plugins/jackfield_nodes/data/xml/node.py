"""XML: to JSON and from JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.javascript import to_string
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeDescription, NodeError, NodeResult, NodeRun, Parameters, needed
from jackfield.api.nodes.items import goes_on, has_error_output, new_item
from jackfield.api.nodes.running import ModelNode, made_per_item
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Item, Items
from jackfield_nodes.data.form import XML, XML_OPTIONS
from jackfield_nodes.data.xml.reading import ReadOptions, xml_to_json
from jackfield_nodes.data.xml.writing import WriteOptions, json_to_xml

LARGE = 64 * 1024
"""Texts from that many characters on are read on a thread."""
MANY = 500
"""Values from that many on are written on a thread."""


class XmlOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = XML_OPTIONS

    attrkey: str = Field("$", description="The field with an element's attributes.")
    charkey: str = Field("_", description="The field with an element's text, beside children or attributes.")
    explicit_array: Flag = Field(False, description="xmlToJson: a list also for a single child.")
    explicit_root: Flag = Field(True, description="xmlToJson: with the root element's name.")
    ignore_attrs: Flag = Field(False, description="xmlToJson: without attributes.")
    merge_attrs: Flag = Field(True, description="xmlToJson: attributes beside the children.")
    normalize: Flag = Field(False, description="xmlToJson: one blank for several in texts.")
    normalize_tags: Flag = Field(False, description="xmlToJson: names in lower case.")
    trim: Flag = Field(False, description="xmlToJson: texts without blanks at the ends.")
    cdata: Flag = Field(False, description="jsonToxml: texts with markup in CDATA sections.")
    headless: Flag = Field(False, description="jsonToxml: without the XML declaration.")
    root_name: str = Field("root", description="jsonToxml: the root element's name.")

    def reading(self) -> ReadOptions:
        return ReadOptions(
            self.attrkey,
            self.charkey,
            self.explicit_array,
            self.explicit_root,
            self.ignore_attrs,
            self.merge_attrs,
            self.normalize,
            self.normalize_tags,
            self.trim,
        )

    def writing(self) -> WriteOptions:
        return WriteOptions(self.attrkey, self.charkey, self.root_name, self.cdata, self.headless)


class Xml(Parameters):
    ui_fields: ClassVar[UiFields] = XML

    mode: Literal["xmlToJson", "jsonToxml", "jsonToXml"] = Field("xmlToJson", description="Which way.")
    data_property_name: str = Field(
        "data", description="The field that has the XML, or gets the XML.", json_schema_extra=needed()
    )
    options: XmlOptions = Field(default_factory=XmlOptions)


def large(value: Json) -> bool:
    """Whether writing the value takes so long that others would wait for the event loop."""
    open_, values, characters = [value], 0, 0
    while open_ and values < MANY and characters < LARGE:
        found = open_.pop()
        values += 1
        if isinstance(found, str):
            characters += len(found)
        elif isinstance(found, dict | list):
            values += len(found)
            if values < MANY:
                open_ += found.values() if isinstance(found, dict) else found
    return bool(open_) or values >= MANY or characters >= LARGE


_FORBIDDEN = frozenset(("__proto__", "constructor", "prototype"))


class XmlNode(ModelNode):
    """Mode, field and options are those of the first item. A node that goes on after errors leaves out the items that
    fail, unless it has an output for them."""

    kind = "xml"
    versions: Sequence[float] = (1,)
    description = NodeDescription("XML", "XML to JSON and back.", "transform")
    model = Xml

    async def execute(self, run: NodeRun) -> NodeResult:
        parameters: Xml = await run.resolve_first()
        for field, key in (("attrkey", parameters.options.attrkey), ("charkey", parameters.options.charkey)):
            if key in _FORBIDDEN:
                raise NodeError(f"The option {field} cannot be '{key}'; choose another name.")
        if not parameters.data_property_name:
            raise NodeError("The parameter dataPropertyName is empty; name the field with the XML, or for it.")
        convert = _read if parameters.mode == "xmlToJson" else _written
        left_out = goes_on(run) and not has_error_output(run)

        async def work(index: int, item: Item) -> Items:
            try:
                return [new_item(await convert(parameters, item, index), index)]
            except NodeError as exc:
                if not left_out:
                    raise
                run.log.warning("item %d is left out: %s", index, exc.message)
                return []

        return [await made_per_item(run, run.items, work)]


async def _read(parameters: Xml, item: Item, index: int) -> dict[str, Json]:
    """A root that is only a text stands in the field that the XML was in."""
    name = parameters.data_property_name
    if item["json"].get(name) is None:
        raise NodeError(f"Item {index} has no field '{name}' with a text; see the parameter dataPropertyName.")
    text, reading = to_string(item["json"][name]), parameters.options.reading()
    value = xml_to_json(text, reading) if len(text) < LARGE else await asyncio.to_thread(xml_to_json, text, reading)
    return value if isinstance(value, dict) else {name: value}


async def _written(parameters: Xml, item: Item, index: int) -> dict[str, Json]:
    json, writing = item["json"], parameters.options.writing()
    made = await asyncio.to_thread(json_to_xml, json, writing) if large(json) else json_to_xml(json, writing)
    return {parameters.data_property_name: made}


def node(context: PluginContext) -> XmlNode:
    return XmlNode()
