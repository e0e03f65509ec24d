"""The store of items' files: a directory for each execution, files shared by hard links."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from jackfield.api.binary import BinarySettings
from jackfield.api.binary_drivers import checked_execution, referred
from jackfield.api.context import PluginContext
from jackfield.api.workflows import Items
from jackfield_binary.files import DiskFiles
from jackfield_binary.layout import Layout
from jackfield_binary.moving import DirectoryMover


class DiskStore:
    """`jackfield.api.binary.BinaryStore` in a directory."""

    name = "disk"

    def __init__(self, root: Path, settings: BinarySettings) -> None:
        self.layout = Layout(root)
        self._settings = settings

    def files(self, execution_id: str) -> DiskFiles:
        return DiskFiles(self.layout, checked_execution(execution_id), self._settings)

    def mover(self) -> DirectoryMover:
        return DirectoryMover(self.layout)

    async def adopt(self, execution_id: str, items: Items) -> None:
        checked_execution(execution_id)
        if wanted := referred(items):
            await asyncio.to_thread(self.layout.adopt, execution_id, wanted)

    async def release(self, execution_ids: Sequence[str]) -> None:
        for execution_id in execution_ids:
            await asyncio.to_thread(self.layout.release, checked_execution(execution_id))


def disk_store(context: PluginContext) -> DiskStore:
    return DiskStore(context.service.config_dir / "binary", context.settings(BinarySettings))
