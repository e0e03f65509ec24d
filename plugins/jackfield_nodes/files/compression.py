"""Compression: files into a zip or gzip file, and out of one. Source: n8n's documentation, Compression.

What a packed file is, its content tells, not its name. An item keeps its fields; its files are those that were made.
"""

from __future__ import annotations

import mimetypes
from collections.abc import AsyncIterator, Sequence
from typing import Literal

from pydantic import Field

from jackfield.api.binary import DEFAULT_TYPE, BinarySettings
from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeError, NodeRun, Parameters
from jackfield.api.nodes.files import chunks_of, content_of, file_of, kept_file
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.running import ItemNode
from jackfield.api.workflows import BinaryData, Item, Items
from jackfield_nodes.files.formats.archives import (
    EMPTY_ZIP,
    GZIP,
    ZIP,
    directory,
    gunzipped,
    gzipped,
    member,
    unique,
    zipped,
)
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.settings import FilesSettings
from jackfield_nodes.files.threads import run_to_end

_HUGE = 2**31
_LONGEST = 1000
"""Characters of a name in an archive."""


class Compression(Parameters):
    operation: Literal["compress", "decompress"] = Field("decompress", description="What to do.")
    binary_property_name: str = Field("data", description="The fields with the files, separated by commas.")
    output_format: Literal["zip", "gzip", ""] = Field("zip", description="compress: the packed file's form.")
    file_name: str = Field("", description="compress: the packed file's name.")
    binary_property_output: str = Field("data", description="compress: the field for the packed file.")
    output_prefix: str = Field(
        "", description="Begins the names of the fields for several files: file_, before version 1.1 data."
    )


class CompressionNode(ItemNode):
    kind = "compression"
    versions: Sequence[float] = (1, 1.1)
    description = NodeDescription("Compression", "Packs files into zip or gzip, and unpacks them.", "transform")
    model = Compression

    async def item(self, run: NodeRun, parameters: Compression, item: Item, index: int) -> Items:
        names = [name.strip() for name in parameters.binary_property_name.split(",") if name.strip()]
        if not names:
            raise NodeError("The parameter binaryPropertyName is empty; name the field with the file.")
        if parameters.operation == "decompress":
            files = await self._unpacked(run, parameters, item, index, names)
        elif parameters.output_format == "gzip":
            files = await self._gzipped(run, parameters, item, index, names)
        else:
            files = {parameters.binary_property_output: await self._zipped(run, parameters, item, index, names)}
        return [new_item(item["json"], index, files)]

    async def _zipped(
        self, run: NodeRun, parameters: Compression, item: Item, index: int, names: list[str]
    ) -> BinaryData:
        inside = unique(_packable(file_of(item, name, index).get("fileName") or name) for name in names)
        files = {title: chunks_of(run, item, name, index) for title, name in zip(inside, names, strict=True)}
        huge = self._context.settings(BinarySettings).file_limit >= _HUGE
        title = parameters.file_name or "data.zip"
        return await kept_file(run, zipped(files, huge=huge), mime_type="application/zip", file_name=title)

    async def _gzipped(
        self, run: NodeRun, parameters: Compression, item: Item, index: int, names: list[str]
    ) -> dict[str, BinaryData]:
        old = _is_old(run)
        if not old and len(names) > 1:
            raise NodeError("A gzip file holds one file; name one field, or choose zip.")
        files: dict[str, BinaryData] = {}
        for number, name in enumerate(names):
            title = parameters.file_name or f"{file_of(item, name, index).get('fileName') or name}.gz"
            content = gzipped(chunks_of(run, item, name, index))
            field = f"{_prefix(run, parameters)}{number}" if old else parameters.binary_property_output
            files[field] = await kept_file(run, content, mime_type="application/gzip", file_name=title)
        return files

    async def _unpacked(
        self, run: NodeRun, parameters: Compression, item: Item, index: int, names: list[str]
    ) -> dict[str, BinaryData]:
        files: dict[str, BinaryData] = {}
        prefix = _prefix(run, parameters)
        for name in names:
            async for title, content in self._contents(run, item, index, name):
                kind = mimetypes.guess_type(title)[0] or DEFAULT_TYPE
                files[f"{prefix}{len(files)}"] = await kept_file(run, content, mime_type=kind, file_name=title)
        return files

    async def _contents(
        self, run: NodeRun, item: Item, index: int, name: str
    ) -> AsyncIterator[tuple[str, AsyncIterator[bytes]]]:
        """Name and content of every file in a packed one."""
        settings = self._context.settings(FilesSettings)
        budget = FileBudget(settings)
        given = file_of(item, name, index).get("fileName") or ""
        head = await _head(run, item, name, index)
        if head.startswith(GZIP):
            yield _without_gz(given), gunzipped(chunks_of(run, item, name, index), budget)
        elif head.startswith((ZIP, EMPTY_ZIP)):
            content = await content_of(run, item, name, index, limit=settings.parse_limit)
            archive, found = await run_to_end(directory, content, settings.archive_files, budget)
            with archive:
                for info in found:
                    yield _plain(info.filename), member(archive, info, budget)
        else:
            raise NodeError(f"The file in the binary field '{name}' is neither zip nor gzip.")


async def _head(run: NodeRun, item: Item, name: str, index: int) -> bytes:
    async for chunk in chunks_of(run, item, name, index):
        return chunk[: len(ZIP)]
    return b""


def _is_old(run: NodeRun) -> bool:
    return run.node.version is not None and run.node.version < 1.1


def _prefix(run: NodeRun, parameters: Compression) -> str:
    return parameters.output_prefix or ("data" if _is_old(run) and parameters.operation == "compress" else "file_")


def _without_gz(name: str) -> str:
    if name.lower().endswith(".tgz"):
        return f"{name[:-4]}.tar"
    return (name[:-3] if name.lower().endswith(".gz") else name) or "file"


def _plain(name: str) -> str:
    """The name below the archive, without ways out of it."""
    parts = name.replace("\\", "/").split("/")
    return "/".join(part for part in parts if part not in ("", ".", "..")) or "file"


def _packable(name: str) -> str:
    """The same for a name that goes into an archive, whose format takes up to 64 KiB of Unicode."""
    return _plain(name).encode("utf-8", "replace").decode().replace("\0", "")[:_LONGEST] or "file"


def node(context: PluginContext) -> CompressionNode:
    return CompressionNode(context)
