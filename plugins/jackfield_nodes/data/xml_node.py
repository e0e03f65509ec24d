"""XML: to JSON and from JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeDescription, NodeError, NodeRun, Parameters
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.running import ItemNode
from jackfield.api.workflows import Item, Items
from jackfield_nodes.data.xml_reading import ReadOptions, xml_to_json
from jackfield_nodes.data.xml_writing import WriteOptions, json_to_xml
from jackfield_nodes.values.paths import get_path

LARGE = 64 * 1024
"""Texts from so many characters on are read on a thread."""
MANY = 500
"""Values from so many on are written on a thread."""


class XmlOptions(Parameters, title="Options"):
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
    mode: Literal["xmlToJson", "jsonToxml", "jsonToXml"] = Field("xmlToJson", description="Which way.")
    data_property_name: str = Field("data", description="The field with the XML, or for it.")
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


class XmlNode(ItemNode):
    kind = "xml"
    versions: Sequence[float] = (1,)
    description = NodeDescription("XML", "XML to JSON and back.", "transform")
    model = Xml

    async def item(self, run: NodeRun, parameters: Xml, item: Item, index: int) -> Items:
        name = parameters.data_property_name
        if parameters.mode != "xmlToJson":
            writing = parameters.options.writing()
            if large(item["json"]):
                made = await asyncio.to_thread(json_to_xml, item["json"], writing)
            else:
                made = json_to_xml(item["json"], writing)
            return [new_item({name: made}, index)]
        found, text = get_path(item["json"], name)
        if not found or not isinstance(text, str):
            raise NodeError(f"Item {index} has no field '{name}' with a text; see the parameter dataPropertyName.")
        reading = parameters.options.reading()
        value = xml_to_json(text, reading) if len(text) < LARGE else await asyncio.to_thread(xml_to_json, text, reading)
        return [new_item(value if isinstance(value, dict) else {name: value}, index)]


def node(context: PluginContext) -> XmlNode:
    return XmlNode(context)
