"""Which stores of files `jackfield store copy` copies from and to, and what knows then who refers to what."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

from jackfield.api.binary import BinarySettings, BinaryStore
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.file_moves import FileMover, HeldFile, MovableFiles
from jackfield.api.records import record
from jackfield.api.storage import Store
from jackfield.api.store_moves import TableReader
from jackfield.core.kernel import Kernel

from ..runtime import Runtime
from .file_copies import CopiedFiles, ReferredReader, copy_files, referred

Tell = Callable[[str], None]


@record
class FileChoice:
    """The files that somebody asks for.

    `source`: empty: the store of the settings. `leaves_out`: whether files that are damaged or missing keep nothing
    from going on.
    """

    target: str
    source: str = ""
    leaves_out: bool = False


@record
class FilePlan:
    """Two stores of files."""

    source: FileMover
    target: FileMover
    leaves_out: bool

    def copied(self, reader: TableReader, tell: Tell) -> CopiedFiles:
        """Raises `BinaryStoreUnavailable`, `StoreUnavailable`."""
        held = referred(reader) if self.source.by_rows else self.source.held()
        return asyncio.run(copy_files(self.source, self.target, held, tell))

    def suffices(self, done: CopiedFiles) -> bool:
        return done.is_equal and (done.is_whole or self.leaves_out)

    def with_references(self, reader: TableReader) -> TableReader:
        """The store's rows, as they have to be beside the target."""
        return ReferredReader(reader, self.source.held) if self._makes_rows else reader

    async def refer(self, kernel: Kernel) -> None:
        """The same for a store that stays. Raises `ConfigurationError`, `StoreUnavailable`."""
        if not self._makes_rows:
            return
        store = kernel.ports.get(Store)
        kernel.claim_store()
        await kernel.open_store()
        try:
            for execution_id, held in groupby(self.source.held(), lambda one: one.execution_id):
                await _refer(store, execution_id, list(held))
        finally:
            await kernel.tasks.close()
            await store.close()

    @property
    def _makes_rows(self) -> bool:
        return self.target.by_rows and not self.source.by_rows


async def _refer(store: Store, execution_id: str, held: list[HeldFile]) -> None:
    """No daemon lives: one that had begun to delete a file does not go on, and the file comes anew."""
    files, now = [one.file_id for one in held], max(one.made_at for one in held)
    if claimed := await store.refer_to_files(execution_id, files, now):
        await store.forget_files(claimed)
        await store.refer_to_files(execution_id, claimed, now)


def file_plan(runtime: Runtime, config_dir: Path | None, choice: FileChoice) -> FilePlan:
    """Raises `ConfigurationError`, `Conflict`, `InvalidInput`."""
    source = _mover(runtime, config_dir, {"binary.name": choice.source} if choice.source else {})
    target = _mover(runtime, config_dir, {"binary.name": choice.target})
    if source.place == target.place:
        raise InvalidInput(
            f"The files would be copied from {source.place} to itself.",
            details={"files-to": "name the other store of files, or with --files-from the one that they are in"},
        )
    return FilePlan(source, target, choice.leaves_out)


def _mover(runtime: Runtime, config_dir: Path | None, overrides: dict[str, str]) -> FileMover:
    kernel = runtime.kernel(config_dir, overrides)
    store: object = kernel.ports.get(BinaryStore)
    if not isinstance(store, MovableFiles):
        raise Conflict(f"The store of files {kernel.settings.get(BinarySettings).name} cannot be copied.")
    return store.mover()
