"""Read/Write Files from Disk, and the three older nodes that it replaced: below one allowed directory only.

A run that a crash interrupts writes its files again.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.auth import MACHINE_WRITE
from jackfield.api.binary import CHUNK, extension_of
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.media_types import PLAIN, type_of_name
from jackfield.api.nodes import (
    Flag,
    NodeDescription,
    NodeError,
    NodeParameters,
    NodeResult,
    NodeRun,
    Parameters,
    needed,
)
from jackfield.api.nodes.files import chunks_of, kept_file, with_file
from jackfield.api.nodes.items import new_item, pairs, with_json
from jackfield.api.nodes.running import ItemNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import BinaryData, Item, Items
from jackfield_nodes.files.allowed_root import AllowedRoot, FileReplacement
from jackfield_nodes.files.form import DISK_OPTIONS, READ_MANY, READ_ONE, READ_WRITE, WRITE_ONE
from jackfield_nodes.files.settings import FilesSettings
from jackfield_nodes.files.threads import opened, run_to_end

_TOLD = ("mimeType", "fileType", "fileName", "fileExtension", "fileSize")


class DiskFileOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = DISK_OPTIONS

    data_property_name: str = Field("data", description="read: the field for the file.")
    file_extension: str | None = Field(None, description="read: another extension than the file's own.")
    file_name: str | None = Field(None, description="read: another name than the file's own.")
    mime_type: str | None = Field(None, description="read: another media type than the name's.")
    literal_brackets: Flag = Field(True, description="read: whether brackets in the pattern stand for themselves.")
    append: Flag = Field(False, description="write: at the end of the file instead of in its place.")


class ReadWrite(Parameters):
    ui_fields: ClassVar[UiFields] = READ_WRITE

    operation: Literal["read", "write"] = Field("read", description="The work that the node does.")
    file_selector: str = Field(
        "",
        description="read: a path, or a pattern with *, ? and **.",
        json_schema_extra=needed({"operation": ["read"]}),
    )
    file_name: str = Field("", description="write: the path.", json_schema_extra=needed({"operation": ["write"]}))
    data_property_name: str = Field(
        "data", description="write: the field with the file.", json_schema_extra=needed({"operation": ["write"]})
    )
    options: DiskFileOptions = Field(default_factory=DiskFileOptions)


class ReadOne(Parameters):
    ui_fields: ClassVar[UiFields] = READ_ONE

    file_path: str = Field("", description="The path.", json_schema_extra=needed())
    data_property_name: str = Field("data", description="The field for the file.", json_schema_extra=needed())


class ReadMany(Parameters):
    ui_fields: ClassVar[UiFields] = READ_MANY

    file_selector: str = Field("", description="A path, or a pattern with *, ? and **.", json_schema_extra=needed())
    data_property_name: str = Field("data", description="The field for the file.", json_schema_extra=needed())


class WriteOne(Parameters):
    ui_fields: ClassVar[UiFields] = WRITE_ONE

    file_name: str = Field("", description="The path.", json_schema_extra=needed())
    data_property_name: str = Field("data", description="The field with the file.", json_schema_extra=needed())
    options: DiskFileOptions = Field(default_factory=DiskFileOptions)


class DiskNode(ItemNode):
    """The part that these nodes have in common."""

    def _allowed(self) -> AllowedRoot:
        return AllowedRoot(self._context.settings(FilesSettings))

    async def read(self, run: NodeRun, path: str, options: DiskFileOptions) -> BinaryData:
        """Keep a file of the disk as a file of the execution. Raises `NodeError`."""
        kind = type_of_name(path)
        descriptor = await opened(self._allowed().open_to_read, os.close, path)
        try:
            file = await kept_file(run, _chunks(descriptor, path), mime_type=kind or PLAIN, file_name=path)
        finally:
            os.close(descriptor)
        if not kind and not extension_of(path):
            file.pop("fileExtension", None)
        if options.file_name is not None:
            file["fileName"] = options.file_name
        if options.file_extension is not None:
            file["fileExtension"] = options.file_extension
        if options.mime_type is not None:
            file["mimeType"] = options.mime_type
        return file

    async def write(self, run: NodeRun, path: str, item: Item, field: str, index: int, *, append: bool) -> Item:
        """Write the item's file to the disk. Raises `NodeError`."""
        allowed, chunks = self._allowed(), chunks_of(run, item, field, index)
        try:
            if append:
                await _append(await opened(allowed.open_to_append, os.close, path), chunks)
            else:
                await _replace(await opened(allowed.replace, FileReplacement.close, path), chunks)
        except OSError as exc:
            raise NodeError(f"{path} cannot be written: {exc.strerror}.") from None
        return with_json(item, {**item["json"], "fileName": path}, index)

    async def found(self, pattern: str) -> list[str]:
        return await asyncio.to_thread(self._allowed().matching, pattern)


class ReadWriteNode(DiskNode):
    kind = "readWriteFile"
    versions: Sequence[float] = (1, 1.1)
    description = NodeDescription(
        "Read/Write Files from Disk", "Reads and writes files of the machine.", "output", scopes=(MACHINE_WRITE,)
    )
    effect = True
    model = ReadWrite

    async def item(self, run: NodeRun, parameters: ReadWrite, item: Item, index: int) -> Items:
        options = parameters.options
        if parameters.operation == "write":
            field = parameters.data_property_name
            return [await self.write(run, parameters.file_name, item, field, index, append=options.append)]
        made: Items = []
        found = await self.found(
            _literal(parameters.file_selector) if options.literal_brackets else parameters.file_selector
        )
        if not found and (run.node.version or 1) > 1:
            raise NodeError(f"No file matches {parameters.file_selector}.")
        for path in found:
            file = await self.read(run, path, options)
            files = {options.data_property_name or "data": file}
            made.append(new_item(described(file), index, files))
        return made


class ReadOneNode(DiskNode):
    kind = "readBinaryFile"
    versions: Sequence[float] = (1,)
    description = NodeDescription("Read Binary File", "Reads a file of the machine.", "input", scopes=(MACHINE_WRITE,))
    model: type[NodeParameters] = ReadOne

    async def item(self, run: NodeRun, parameters: ReadOne, item: Item, index: int) -> Items:
        file = await self.read(run, parameters.file_path, DiskFileOptions())
        files = with_file(item, parameters.data_property_name, file)
        return [new_item(item["json"], index, dict(files))]


class ReadManyNode(DiskNode):
    kind = "readBinaryFiles"
    versions: Sequence[float] = (1,)
    description = NodeDescription("Read Binary Files", "Reads files of the machine.", "input", scopes=(MACHINE_WRITE,))
    model: type[NodeParameters] = ReadMany

    async def execute(self, run: NodeRun) -> NodeResult:
        """Once for all items, which every file is paired with."""
        if not run.items:
            return [[]]
        parameters: ReadMany = await run.resolve_first()
        made: Items = []
        for path in await self.found(parameters.file_selector):
            file = await self.read(run, path, DiskFileOptions())
            made.append(new_item({}, pairs(range(len(run.items))), {parameters.data_property_name: file}))
        return [made]


class WriteOneNode(DiskNode):
    kind = "writeBinaryFile"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "Write Binary File", "Writes a file of the machine.", "output", scopes=(MACHINE_WRITE,)
    )
    effect = True
    model: type[NodeParameters] = WriteOne

    async def item(self, run: NodeRun, parameters: WriteOne, item: Item, index: int) -> Items:
        field, append = parameters.data_property_name, parameters.options.append
        return [await self.write(run, parameters.file_name, item, field, index, append=append)]


def described(file: BinaryData) -> dict[str, Json]:
    """The facts about a file, as fields."""
    known: Mapping[str, Json] = {key: value for key, value in file.items() if isinstance(value, str)}
    return {key: known[key] for key in _TOLD if key in known}


def _literal(selector: str) -> str:
    """A pattern in which brackets stand for themselves."""
    return selector.replace("[", "[[]")


async def _chunks(descriptor: int, path: str) -> AsyncIterator[bytes]:
    try:
        while chunk := await run_to_end(os.read, descriptor, CHUNK):
            yield chunk
    except OSError as exc:
        raise NodeError(f"{path} cannot be read: {exc.strerror}.") from None


async def _append(descriptor: int, chunks: AsyncIterator[bytes]) -> None:
    try:
        async for chunk in chunks:
            await run_to_end(_write_all, descriptor, chunk)
        await run_to_end(os.fsync, descriptor)
    finally:
        os.close(descriptor)


async def _replace(fresh: FileReplacement, chunks: AsyncIterator[bytes]) -> None:
    try:
        async for chunk in chunks:
            await run_to_end(_write_all, fresh.descriptor, chunk)
        await run_to_end(fresh.commit)
    finally:
        await run_to_end(fresh.close)


def _write_all(descriptor: int, chunk: bytes) -> None:
    left = memoryview(chunk)
    while left:
        left = left[os.write(descriptor, left) :]


def node(context: PluginContext) -> ReadWriteNode:
    return ReadWriteNode(context)
