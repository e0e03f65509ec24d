"""The store of items' files: a directory for each execution, files shared by hard links."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from jackfield.api.binary import BinaryError, BinarySettings
from jackfield.api.context import PluginContext
from jackfield.api.workflows import Items
from jackfield_binary.files import DiskFiles
from jackfield_binary.layout import Layout, is_execution_id, is_file_id


class DiskStore:
    """`jackfield.api.binary.BinaryStore` in a directory."""

    name = "disk"

    def __init__(self, root: Path, settings: BinarySettings) -> None:
        self.layout = Layout(root)
        self._settings = settings

    def files(self, execution_id: str) -> DiskFiles:
        return DiskFiles(self.layout, _checked(execution_id), self._settings)

    async def adopt(self, execution_id: str, items: Items) -> None:
        _checked(execution_id)
        if wanted := referred(items):
            await asyncio.to_thread(self.layout.adopt, execution_id, wanted)

    async def release(self, execution_ids: Sequence[str]) -> None:
        for execution_id in execution_ids:
            await asyncio.to_thread(self.layout.release, _checked(execution_id))


def disk_store(context: PluginContext) -> DiskStore:
    return DiskStore(context.service.config_dir / "binary", context.settings(BinarySettings))


def referred(items: Iterable[object]) -> list[str]:
    """The ids of the files that items refer to, each once. Items of scripts may have anything in their place."""
    found: dict[str, None] = {}
    for item in items:
        files = item.get("binary") if isinstance(item, dict) else None
        for file in files.values() if isinstance(files, dict) else ():
            if isinstance(file, dict) and is_file_id(file.get("id")):
                found[file["id"]] = None
    return list(found)


def _checked(execution_id: str) -> str:
    if not is_execution_id(execution_id):
        raise BinaryError("This is no id of an execution.")
    return execution_id
