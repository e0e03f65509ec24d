"""A tool's result, as items and as an agent gets it. Source: n8n's nodes mcpClient and mcpClientTool."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Protocol

from jackfield.api.binary import DEFAULT_TYPE
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError
from jackfield.api.nodes.files import FileRun, kept_file
from jackfield.api.nodes.items import new_item
from jackfield.api.workflows import BinaryData, Item
from jackfield_ai.mcp_client.targets import McpResult

_FILES = ("image", "audio")


class Failing(Protocol):
    """The part of a result that tells whether the tool failed."""

    @property
    def failed(self) -> bool: ...

    @property
    def text(self) -> str: ...


def require_success(result: Failing, name: str) -> None:
    """Raises `NodeError` with what the tool says."""
    if result.failed:
        raise NodeError(result.text or f'Tool "{name}" returned an error')


async def item_of(run: FileRun, result: McpResult, index: int, *, files: bool) -> Item:
    """files: whether images and audio become files. Raises `NodeError`."""
    content: list[Json] = []
    binary: dict[str, BinaryData] = {}
    for block in result.content:
        if block.get("type") == "text":
            content.append({**block, "text": _parsed(str(block.get("text", "")))})
        elif files and block.get("type") in _FILES:
            binary[f"data_{len(binary)}"] = await _file(run, block)
        else:
            content.append(block)
    json: dict[str, Json] = {}
    if result.object is not None:
        json["structuredContent"] = result.object
    if content:
        json["content"] = content
    made = new_item(json, index)
    return {**made, "binary": binary} if binary else made


def _parsed(text: str) -> Json:
    try:
        return loads(text)
    except InvalidInput:
        return text


async def _file(run: FileRun, block: Mapping[str, Json]) -> BinaryData:
    try:
        data = base64.b64decode(str(block.get("data", "")))
    except (binascii.Error, ValueError):
        raise NodeError("The MCP server sent a file that is not base64.") from None
    return await kept_file(run, data, mime_type=str(block.get("mimeType") or DEFAULT_TYPE))


def told(result: McpResult) -> Json:
    """For a model. A file's content, which it cannot read as text and pays for, is left out."""
    if result.object is not None:
        return result.object
    return [_without_data(block) for block in result.content]


def _without_data(block: dict[str, Json]) -> dict[str, Json]:
    data = block.get("data")
    if block.get("type") in _FILES and isinstance(data, str):
        return {**block, "data": f"[{len(data)} characters of base64 left out]"}
    resource = block.get("resource")
    if isinstance(resource, dict) and isinstance(blob := resource.get("blob"), str):
        return {**block, "resource": {**resource, "blob": f"[{len(blob)} characters of base64 left out]"}}
    return block
