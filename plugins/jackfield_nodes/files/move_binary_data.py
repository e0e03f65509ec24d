"""Move Binary Data, which Extract From File and Convert to File have replaced.

Items that lack what is to be moved are left out.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeDescription, NodeError, NodeResult, NodeRun, Parameters, needed
from jackfield.api.nodes.files import content_of, kept_file
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.running import ItemNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Item, Items
from jackfield_nodes.files.extract import parsed
from jackfield_nodes.files.form import MOVE, MOVE_OPTIONS
from jackfield_nodes.files.formats.charsets import decoded
from jackfield_nodes.files.writing import MARKED, TextForm, base64_content, json_content, named, text_content
from jackfield_nodes.values.conversions import UnfitValue
from jackfield_nodes.values.paths import get_path, remove_path, set_path


class MoveBinaryOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = MOVE_OPTIONS

    encoding: str = Field("", description="UTF-8 unless given.")
    add_bom: Flag = Field(
        False, alias="addBOM", description="jsonToBinary: with a byte order mark, if encoding is utf8, cesu8 or ucs2."
    )
    strip_bom: Flag = Field(True, alias="stripBOM", description="binaryToJson: without a byte order mark.")
    data_is_base64: Flag = Field(False, alias="dataIsBase64", description="jsonToBinary: the field is base64.")
    file_name: str = Field("", description="jsonToBinary: the file's name.")
    mime_type: str = Field("", description="jsonToBinary: the file's media type.")
    use_raw_data: Flag = Field(False, description="jsonToBinary: text as it is, not as JSON.")
    json_parse: Flag = Field(False, description="binaryToJson: the content is JSON.")
    keep_as_base64: Flag = Field(False, alias="keepAsBase64", description="binaryToJson: as base64.")
    keep_source: Flag = Field(False, description="Whether what is moved stays in its place as well.")


class Move(Parameters):
    ui_fields: ClassVar[UiFields] = MOVE

    mode: Literal["binaryToJson", "jsonToBinary"] = Field("binaryToJson", description="Which way.")
    set_all_data: Flag = Field(True, description="binaryToJson: the content takes the place of all fields.")
    convert_all_data: Flag = Field(True, description="jsonToBinary: all fields.")
    source_key: str = Field(
        "data",
        description="The direction of the move.",
        json_schema_extra=needed({"mode": ["binaryToJson"]}, {"mode": ["jsonToBinary"], "convertAllData": [False]}),
    )
    destination_key: str = Field(
        "data",
        description="Where it is moved to.",
        json_schema_extra=needed({"mode": ["binaryToJson"], "setAllData": [False]}, {"mode": ["jsonToBinary"]}),
    )
    options: MoveBinaryOptions = Field(default_factory=MoveBinaryOptions)


class MoveNode(ItemNode):
    kind = "moveBinaryData"
    versions: Sequence[float] = (1, 1.1)
    description = NodeDescription("Convert to/from binary data", "Moves data between fields and files.", "transform")
    model = Move

    async def execute(self, run: NodeRun) -> NodeResult:
        """An item that fails is a failure of the whole node."""
        made: Items = []
        for index, parameters in enumerate(await run.resolve()):
            made += await self.item(run, parameters, run.items[index], index)
        return [made]

    async def item(self, run: NodeRun, parameters: Move, item: Item, index: int) -> Items:
        try:
            if parameters.mode == "binaryToJson":
                return await self._to_json(run, parameters, item, index)
            return await self._to_binary(run, parameters, item, index)
        except UnfitValue as exc:
            raise NodeError(f"The data cannot be put into {parameters.destination_key}: {exc}.") from None

    @staticmethod
    async def _to_json(run: NodeRun, parameters: Move, item: Item, index: int) -> Items:
        source, options = parameters.source_key, parameters.options
        files = dict(item.get("binary") or {})
        if source not in files:
            return []
        content = await content_of(run, item, source, index)
        made = dict(item["json"])
        if parameters.set_all_data:
            value = await asyncio.to_thread(parsed, decoded(content, options.encoding))
            if not isinstance(value, dict):
                raise NodeError("The file's JSON is not an object, so that it cannot take the place of all fields.")
            made = value
        else:
            set_path(made, parameters.destination_key, await asyncio.to_thread(_value, content, options))
        if not options.keep_source:
            del files[source]
        moved = new_item(made, index)
        if files:
            moved["binary"] = files
        return [moved]

    @staticmethod
    async def _to_binary(run: NodeRun, parameters: Move, item: Item, index: int) -> Items:
        options = parameters.options
        found, value = True, item["json"]
        if not parameters.convert_all_data:
            found, value = get_path(item["json"], parameters.source_key)  # type: ignore[assignment]
        if not found:
            return []
        content, kind = await asyncio.to_thread(_content, value, options)
        version = run.node.version or 1
        kind = options.mime_type or kind or ("application/json" if version < 1.1 else "")
        file = await kept_file(run, content, mime_type=kind, file_name=options.file_name)
        if version > 1:
            file = named(file)
        left = dict(item["json"]) if options.keep_source or not parameters.convert_all_data else {}
        if not options.keep_source and not parameters.convert_all_data:
            remove_path(left, parameters.source_key)
        files = {**(item.get("binary") or {}), parameters.destination_key: file}
        return [new_item(left, index, files)]


def _value(content: bytes, options: MoveBinaryOptions) -> Json:
    if options.keep_as_base64:
        return base64.b64encode(content).decode("ascii")
    text = decoded(content, options.encoding)
    return parsed(text) if options.json_parse else text


def _content(value: Json, options: MoveBinaryOptions) -> tuple[bytes, str]:
    """The bytes, and the media type where the data says it."""
    text = TextForm(options.encoding, options.add_bom and options.encoding in MARKED)
    if options.data_is_base64:
        return base64_content(value)
    if options.use_raw_data and value is not None and not isinstance(value, dict | list):
        return text_content(value, text), ""
    return json_content(value, text), "application/json"


def node(context: PluginContext) -> MoveNode:
    return MoveNode(context)
