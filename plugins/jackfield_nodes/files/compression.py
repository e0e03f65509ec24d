"""Compression: files into a zip, gzip or tar file, and out of one. Source: n8n's documentation, Compression.

The ending of a packed file's name tells its kind. An item keeps its fields; its files are those that were made.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.binary import BinarySettings, stream_of
from jackfield.api.context import PluginContext
from jackfield.api.media_types import ending_of_type, type_of_name
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun, Parameters, needed
from jackfield.api.nodes.files import chunks_of, content_of, file_of, kept_file
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.running import ItemNode, made_per_item
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import BinaryData, Item, Items
from jackfield_nodes.files.form import COMPRESSION
from jackfield_nodes.files.formats.archives import (
    directory,
    gunzipped,
    gzipped,
    member,
    tarred,
    unique,
    untarred,
    zipped,
)
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.settings import FilesSettings
from jackfield_nodes.files.threads import run_to_end

_HUGE = 2**31
_GZIP_ENDINGS = ("gz", "gzip")
_OF_MACOS = "__MACOSX"
_LONGEST = 1000
"""Characters of a name in an archive."""


class Compression(Parameters):
    ui_fields: ClassVar[UiFields] = COMPRESSION

    operation: Literal["compress", "decompress"] = Field("decompress", description="The work that the node does.")
    binary_property_name: str = Field(
        "data", description="The fields with the files, separated by commas.", json_schema_extra=needed()
    )
    output_format: Literal["zip", "gzip", "tar", "targz", ""] = Field(
        "zip", description="compress: the packed file's form."
    )
    file_name: str = Field(
        "",
        description="compress: the packed file's name.",
        json_schema_extra=needed({"operation": ["compress"], "outputFormat": ["zip", "tar", "targz"]}),
    )
    binary_property_output: str = Field("data", description="compress: the field for the packed file.")
    output_prefix: str = Field(
        "",
        description="Begins the names of the fields for several files: file_, before version 1.1 data.",
    )


class CompressionNode(ItemNode):
    kind = "compression"
    versions: Sequence[float] = (1, 1.1)
    description = NodeDescription("Compression", "Packs files into zip or gzip, and unpacks them.", "transform")
    model = Compression

    async def execute(self, run: NodeRun) -> NodeResult:
        """Packing has parameters for each item; unpacking, and version 1, those of the first for all."""
        if not run.items:
            return [[]]
        first: Compression = await run.resolve_first()
        if first.operation == "compress" and not _is_old(run):
            return await super().execute(run)

        async def work(index: int, parameters: Compression) -> Items:
            return await self.item(run, parameters, run.items[index], index)

        return [await made_per_item(run, [first] * len(run.items), work)]

    async def item(self, run: NodeRun, parameters: Compression, item: Item, index: int) -> Items:
        names = [name.strip() for name in parameters.binary_property_name.split(",") if name.strip()]
        if not names:
            raise NodeError("The parameter binaryPropertyName is empty; name the field with the file.")
        if parameters.operation == "decompress":
            files = await self._unpacked(run, parameters, item, index, names)
        elif parameters.output_format == "gzip":
            files = await self._gzipped(run, parameters, item, index, names)
        else:
            pack = self._tar if parameters.output_format in ("tar", "targz") else self._zipped
            files = {parameters.binary_property_output: await pack(run, parameters, item, index, names)}
        return [new_item(item["json"], index, files)]

    async def _zipped(
        self, run: NodeRun, parameters: Compression, item: Item, index: int, names: list[str]
    ) -> BinaryData:
        inside = unique(_packable(file_of(item, name, index).get("fileName") or name) for name in names)
        files = {title: chunks_of(run, item, name, index) for title, name in zip(inside, names, strict=True)}
        huge = self._context.settings(BinarySettings).file_limit >= _HUGE
        return await kept_file(
            run, zipped(files, huge=huge), mime_type="", file_name=parameters.file_name or "data.zip"
        )

    async def _tar(self, run: NodeRun, parameters: Compression, item: Item, index: int, names: list[str]) -> BinaryData:
        limit = self._context.settings(FilesSettings).parse_limit
        inside = unique(_packable(file_of(item, name, index).get("fileName") or name) for name in names)
        files = {
            title: await content_of(run, item, name, index, limit=limit)
            for title, name in zip(inside, names, strict=True)
        }
        content = await asyncio.to_thread(tarred, files)
        if parameters.output_format == "tar":
            return await kept_file(run, content, mime_type="", file_name=parameters.file_name)
        return await kept_file(run, gzipped(stream_of(content)), mime_type="", file_name=parameters.file_name)

    async def _gzipped(
        self, run: NodeRun, parameters: Compression, item: Item, index: int, names: list[str]
    ) -> dict[str, BinaryData]:
        files: dict[str, BinaryData] = {}
        for number, name in enumerate(names):
            file = file_of(item, name, index)
            if _is_old(run):
                title, field = f"{_stem(file)}.gzip", f"{_prefix(run, parameters)}{number}"
            else:
                given = parameters.file_name.replace(".gz", "", 1).replace(".gzip", "", 1) or _stem(file)
                ending = f".{file['fileExtension'].lower()}" if file.get("fileExtension") else ""
                title, field = f"{given}{ending}.gz", f"{parameters.binary_property_output}{number or ''}"
            content = gzipped(chunks_of(run, item, name, index))
            files[field] = await kept_file(run, content, mime_type="", file_name=title)
        return files

    async def _unpacked(
        self, run: NodeRun, parameters: Compression, item: Item, index: int, names: list[str]
    ) -> dict[str, BinaryData]:
        files: dict[str, BinaryData] = {}
        prefix = _prefix(run, parameters)
        for number, name in enumerate(names):
            file = file_of(item, name, index)
            ending = _ending(file, name)
            if ending in _GZIP_ENDINGS:
                field = f"{prefix}{number}"
                field = f"{prefix}{len(files)}" if field in files else field  # nothing is lost
                files[field] = await self._gunzipped(run, item, index, name)
                continue
            inside = self._members if ending == "zip" else self._tar_members
            async for title, content in inside(run, item, index, name):
                files[f"{prefix}{len(files)}"] = await kept_file(run, content, mime_type="", file_name=title)
        return files

    async def _gunzipped(self, run: NodeRun, item: Item, index: int, name: str) -> BinaryData:
        """The only file in a gzip file: it is called after the packed one."""
        budget = FileBudget(self._context.settings(FilesSettings))
        given = file_of(item, name, index).get("fileName") or "file"
        inner = given.replace(".gz", "", 1).split(".") if given.endswith(".gz") else []
        content = gunzipped(chunks_of(run, item, name, index), budget)
        if len(inner) > 1:
            title = f"{given.split('.')[0]}.{inner[-1]}"
            return await kept_file(run, content, mime_type=type_of_name(inner[-1]), file_name=title)
        file = await kept_file(run, content, mime_type="", file_name=given.split(".")[0])
        ending = ending_of_type(file["mimeType"])
        return {**file, "fileName": f"{file.get('fileName', '')}.{ending}", "fileExtension": ending}

    async def _members(
        self, run: NodeRun, item: Item, index: int, name: str
    ) -> AsyncIterator[tuple[str, AsyncIterator[bytes]]]:
        """Name and content of every file in a zip file."""
        settings = self._context.settings(FilesSettings)
        budget = FileBudget(settings)
        content = await content_of(run, item, name, index, limit=settings.parse_limit)
        archive, found = await run_to_end(directory, content, settings.archive_files, budget)
        with archive:
            for info in found:
                if _OF_MACOS not in info.filename:
                    yield _plain(info.filename), member(archive, info, budget)

    async def _tar_members(
        self, run: NodeRun, item: Item, index: int, name: str
    ) -> AsyncIterator[tuple[str, AsyncIterator[bytes]]]:
        """The same of a tar file, which may be packed by gzip."""
        settings = self._context.settings(FilesSettings)
        content = await content_of(run, item, name, index, limit=settings.parse_limit)
        for title, inside in await run_to_end(untarred, content, settings.archive_files, FileBudget(settings)):
            if _OF_MACOS not in title:
                yield title, stream_of(inside)


def _ending(file: BinaryData, name: str) -> str:
    """The kind of a packed file: zip, tar or gz, by its name. Raises `NodeError`."""
    ending = (file.get("fileExtension") or "").lower()
    if ending in ("tar", "tgz") or (file.get("fileName") or "").lower().endswith(".tar.gz"):
        return "tar"
    if ending == "zip" or ending in _GZIP_ENDINGS:
        return ending
    raise NodeError(f"The file in the binary field '{name}' ends in none of .zip, .gz, .gzip, .tar, .tar.gz, .tgz.")


def _stem(file: BinaryData) -> str:
    return (file.get("fileName") or "file").split(".")[0]


def _is_old(run: NodeRun) -> bool:
    return run.node.version is not None and run.node.version < 1.1


def _prefix(run: NodeRun, parameters: Compression) -> str:
    return parameters.output_prefix or ("data" if _is_old(run) and parameters.operation == "compress" else "file_")


def _plain(name: str) -> str:
    """The name below the archive, without ways out of it."""
    parts = name.replace("\\", "/").split("/")
    return "/".join(part for part in parts if part not in ("", ".", "..")) or "file"


def _packable(name: str) -> str:
    """The same for a name that goes into an archive, whose format takes up to 64 KiB of Unicode."""
    return _plain(name).encode("utf-8", "replace").decode().replace("\0", "")[:_LONGEST] or "file"


def node(context: PluginContext) -> CompressionNode:
    return CompressionNode(context)
