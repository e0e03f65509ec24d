"""One item of the OpenAI node."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.multipart import FormFile
from jackfield.api.nodes import NodeRun
from jackfield.api.nodes.files import form_file, kept_file
from jackfield.api.nodes.items import new_item
from jackfield.api.records import record
from jackfield.api.urls import joined
from jackfield.api.workflows import BinaryData, Item
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.openai.parameters import OpenAiNodeParameters
from jackfield_ai.parameters import chosen
from jackfield_ai.settings import AiSettings


@record
class OpenAiItem:
    """index: of the item."""

    context: PluginContext
    run: NodeRun
    index: int
    parameters: OpenAiNodeParameters
    client: ProviderClient
    settings: AiSettings

    def model(self, default: str) -> str:
        return chosen(self.parameters.model_id) or chosen(self.parameters.model, default)

    async def url(self, path: str) -> str:
        return joined((await self.client.values()).get("url", ""), path)

    async def post(self, path: str, body: Mapping[str, Json]) -> dict[str, Json]:
        return await self.client.post(await self.url(path), body)

    @property
    def item(self) -> Item:
        return self.run.items[self.index]

    def made(self, json: dict[str, Json]) -> Item:
        return new_item(json, self.index)

    async def file(self, field: str, name: str) -> FormFile:
        """The item's file for this field of a form. Raises `NodeError`."""
        return await form_file(self.run, self.item, name, self.index, field=field)

    async def item_with(self, content: bytes, media_type: str, file_name: str, json: dict[str, Json]) -> Item:
        kept = await kept_file(self.run, content, mime_type=media_type, file_name=file_name)
        return self.with_file(kept, json)

    def with_file(self, file: BinaryData, json: dict[str, Json]) -> Item:
        """An item with this file."""
        return new_item(json, self.index, {self.parameters.options.binary_property_output or "data": file})
