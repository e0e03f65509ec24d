"""Items of an answer."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Mapping
from math import isfinite

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.nodes.files import FileRun, kept_file
from jackfield.api.nodes.items import new_item
from jackfield.api.records import replace
from jackfield.api.workflows import BinaryData, Item, Items
from jackfield_vendors.described.description import ContentFile
from jackfield_vendors.operations import CompiledOperation
from jackfield_vendors.shapes import Shape
from jackfield_vendors.templates import TemplateScope, at


async def items_of(
    run: NodeRun, operation: CompiledOperation, scope: TemplateScope, value: Json, item: Item, index: int
) -> Items:
    """One item per element of a list. value: the answer, or rows of several pages. Raises `NodeError`."""
    response = operation.described.response
    if response.format == "none":
        return [new_item({"success": True}, index)]
    if response.file is not None:
        return [await _content_item(run, response.file, scope, response.property, value, item, index)]
    if operation.described.paging is None and response.path:
        value = at(value, response.path.split("."))
    shape = operation.simple if operation.simple and scope.parameters.get("simple") is not False else operation.output
    rows = _limited(value, scope.parameters) if isinstance(value, list) else [value]
    made: Items = [new_item(shaped(shape, row, scope), index) for row in rows]
    if response.attachments:
        return [await with_attachments(run, one, response.attachments) for one in made]
    return made


def _limited(rows: list[Json], given: Mapping[str, Json]) -> list[Json]:
    """As many as the node asks for, for services that always give all of a list."""
    limit = given.get("limit")
    if given.get("returnAll") is not False or isinstance(limit, bool) or not isinstance(limit, int | float):
        return rows
    if not isfinite(limit):
        return rows
    return rows[: max(1, int(limit))]


def shaped(shape: Shape | None, row: Json, scope: TemplateScope) -> dict[str, Json]:
    """The JSON of an item for a row."""
    made = row if shape is None else shape(replace(scope, element=row, inside=True))
    if isinstance(made, dict):
        return made
    return {"data": row} if row is not None else {}


async def _content_item(
    run: NodeRun, file: ContentFile, scope: TemplateScope, property_name: str, value: Json, item: Item, index: int
) -> Item:
    written = at(value, file.content.split("."))
    try:
        content = base64.b64decode(written) if isinstance(written, str) else None
    except ValueError:
        content = None
    if content is None:
        raise NodeError("The service's answer holds no file; it may be a directory, or too large.")
    name = at(value, file.name.split(".")) if file.name else None
    known = name if isinstance(name, str) else None
    kept = await kept_file(run, content, mime_type=_media_type(known), file_name=known)
    wanted = scope.parameters.get(property_name) if property_name else None
    return new_item(item["json"], index, {str(wanted or "data"): kept})


async def with_attachments(run: FileRun, item: Item, key: str) -> Item:
    """The item with the files of its JSON as binary fields."""
    json = dict(item["json"])
    files = json.pop(key, None)
    binary: dict[str, BinaryData] = {}
    for file in files if isinstance(files, list) else []:
        if isinstance(file, dict):
            content = base64.b64decode(str(file.get("content") or ""))
            name, kind = str(file.get("name") or "file"), str(file.get("type") or "application/octet-stream")
            kept = await kept_file(run, content, mime_type=kind, file_name=name)
            binary[str(file.get("field") or f"attachment_{len(binary)}")] = kept
    made: Item = {**item, "json": json}
    if binary:
        made["binary"] = binary
    return made


def _media_type(name: str | None) -> str:
    return mimetypes.guess_type(name or "")[0] or "application/octet-stream"
