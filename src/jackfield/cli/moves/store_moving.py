"""`jackfield store copy`: every table of one store into another, batch by batch, and a comparison of both.

The target notes with each batch how far it is, in the same transaction. So a copy that ends anywhere goes on there, and
no row is in it twice. The copy sums up each row that it reads of the source, and reads the whole target at the end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from pathlib import Path

import orjson

from jackfield.api.binary import BinarySettings
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.records import record, replace
from jackfield.api.storage import Store
from jackfield.api.store_copies import StoreCopies
from jackfield.api.store_forms import FORMS, Cell, Checksum, Row, StoreForm, forms_of_rows, size_of
from jackfield.api.store_moves import MovableStore, TableReader, TableWriter
from jackfield.core.kernel import Kernel
from jackfield.core.process.lock import DirectoryLock
from jackfield.core.settings import Settings, keys

from ..runtime import Runtime
from .file_copies import CopiedFiles
from .file_moving import FileChoice, file_plan

BATCH_ROWS = 5000
BATCH_BYTES = 8 * 2**20
"""Of rows that are in memory at a time; a larger row is a separate batch."""
_TOLD = 20
"""Damaged records that are named."""
_SOURCE = "source"
"""Name of the note that says which store is copied; those of tables begin with `table `."""
Tell = Callable[[str], None]


@record
class CopiedTable:
    """The sums of the rows read of the source, and of those in the copy."""

    name: str
    source: Checksum
    target: Checksum

    @property
    def is_equal(self) -> bool:
        return self.source == self.target


@record
class Moved:
    """`source`, `target`: for people.

    `files`: a sentence about files beside the store. `copied`: those that were copied too. `sufficient`: whether enough
    of them were. `seconds`: that this run took.
    """

    source: str
    target: str
    tables: Sequence[CopiedTable]
    fingerprint: str
    files: str
    seconds: float
    copied: CopiedFiles | None = None
    sufficient: bool = True

    @property
    def is_equal(self) -> bool:
        return self.sufficient and all(one.is_equal for one in self.tables)


@record
class _Progress:
    """Of one table: what is in the target, and the last row's key. is_whole: nothing follows."""

    checksum: Checksum = Checksum()
    after: Sequence[Cell] | None = None
    is_whole: bool = False

    def text(self) -> str:
        return orjson.dumps([self.checksum.rows, self.checksum.text, self.after, self.is_whole]).decode()


def _progress(text: str) -> _Progress:
    rows, total, after, is_whole = orjson.loads(text)
    return _Progress(Checksum(rows, int(total, 16)), after, is_whole)


def copy_only_files(runtime: Runtime, config_dir: Path | None, choice: FileChoice, tell: Tell) -> Moved:
    """The store stays. Raises as `copy`."""
    began = time.monotonic()
    kernel = runtime.kernel(config_dir)
    plan, store = file_plan(runtime, config_dir, choice), _movable(kernel)
    lock = DirectoryLock(kernel.config_dir)
    lock.acquire()
    try:
        with store.reading():
            pass
        asyncio.run(plan.refer(kernel))
        with store.reading() as reader:
            files = plan.copied(reader, tell)
    finally:
        lock.release()
    told = f"Now set binary.name to {choice.target}. Nothing was deleted in {plan.source.place}."
    seconds = time.monotonic() - began
    return Moved(plan.source.place, plan.target.place, [], "", told, seconds, files, plan.suffices(files))


def copy(
    runtime: Runtime,
    config_dir: Path | None,
    source: str | None,
    target: str,
    restart: bool,
    tell: Tell,
    choice: FileChoice | None = None,
) -> Moved:
    """`source`, `target`: addresses; None: the store of the settings. `tell`: hears of each table. `choice`: of files
    that go along.

    Raises `ConfigurationError`, also while a daemon runs or when the store is sealed with another master key;
    `Conflict`, `InvalidInput`, `StoreUnavailable`, `BinaryStoreUnavailable`.
    """
    began = time.monotonic()
    settings = runtime.settings(config_dir, {})
    kernel = runtime.kernel(config_dir, _overrides(settings, source))
    other = runtime.kernel(config_dir, _overrides(settings, target))
    read, written = _movable(kernel), _movable(other)
    if read.place == written.place:
        raise InvalidInput("The source and the target are one store.", details={"to": f"it is {read.place}"})
    plan = None if choice is None else file_plan(runtime, config_dir, choice)
    files: CopiedFiles | None = None
    sufficient, tables = True, list[CopiedTable]()
    lock = DirectoryLock(kernel.config_dir)
    lock.acquire()
    try:
        with read.reading():
            pass  # it is there, and no daemon uses it: opening it would make another one
        fingerprint = asyncio.run(_checked(kernel))
        if restart:
            written.discard_unfinished()
        with read.reading() as reader:
            referring: TableReader = reader
            if plan is not None:
                referring, files = plan.with_references(reader), plan.copied(reader, tell)
                sufficient = plan.suffices(files)
            if sufficient:
                with written.filling() as writer:
                    tables = copied_tables(referring, writer, tell)
    finally:
        lock.release()
    told = _files(kernel) if choice is None else f"With it, set binary.name to {choice.target}."
    seconds = time.monotonic() - began
    return Moved(read.place, written.place, tables, fingerprint, told, seconds, files, sufficient)


def _overrides(settings: Settings, address: str | None) -> dict[str, str]:
    """Settings that choose the store of an address. Raises `InvalidInput`."""
    if address is None:
        return {}
    if not address:
        raise InvalidInput("The address of a store is empty.", details={"to": "name a database or a file"})
    best: tuple[int, str, str] | None = None
    for table in settings.tables:
        name = table.path.removeprefix("store.")
        if name != table.path and name == address:
            return {"store.name": name}
        for key in keys(table.path, table.model):
            for beginning in key.addresses:
                if address.startswith(beginning) and (best is None or len(beginning) > best[0]):
                    best = len(beginning), name, key.path
    if best is None or (best[0] == 0 and "://" in address):
        raise InvalidInput("No plugin has a store for this address.", details={"to": "name a database or a file"})
    length, name, path = best
    return {"store.name": name, path: address if length else str(Path(address).expanduser().absolute())}


def _movable(kernel: Kernel) -> MovableStore:
    store: object = kernel.ports.get(Store)
    if not isinstance(store, MovableStore):
        raise Conflict(f"The store {getattr(store, 'name', '')} cannot be copied.")
    return store


async def _checked(kernel: Kernel) -> str:
    """The source's schema and key are those of this installation, and its data is whole; the key's fingerprint."""
    kernel.secrets.check()
    store = kernel.ports.get(Store)
    kernel.claim_store()
    await kernel.open_store()
    try:
        found = await store.damage() if isinstance(store, StoreCopies) else []
        if found:
            told = " ".join(found[:_TOLD])
            raise Conflict(f"The store is damaged, and is not copied. {told} Delete what is damaged, or restore it.")
        return kernel.key_record.fingerprint if kernel.key_record is not None else ""
    finally:
        await kernel.tasks.close()
        await store.close()


def copied_tables(reader: TableReader, writer: TableWriter, tell: Tell) -> list[CopiedTable]:
    """Copy what is not there yet, compare, and end the copy when all is equal.

    Raises `Conflict`, `StoreUnavailable`."""
    notes = writer.notes()
    if notes.get(_SOURCE, reader.identity) != reader.identity:
        raise Conflict("The target holds the beginning of a copy of another store; --restart discards it.")
    if _SOURCE not in notes:
        writer.put(FORMS[0], [], _SOURCE, reader.identity)
    earlier = {name: _progress(text) for name, text in notes.items() if name != _SOURCE}
    forms = [*FORMS, *_forms_of_rows(reader)]
    sums: dict[str, Checksum] = {}
    for form in forms:
        sums[form.name] = _table(reader, writer, form, earlier.get(_note(form), _Progress()))
        tell(f"{form.name}: {sums[form.name].rows} rows")
    for form in (each for each in forms if _note(each) in earlier):
        # What an earlier attempt has read may have been changed since.
        sums[form.name] = Checksum().and_of(reader.rows(form, None))
    reader.expect_alone()
    tables = [CopiedTable(form.name, sums[form.name], Checksum().and_of(writer.rows(form, None))) for form in forms]
    if all(one.is_equal for one in tables):
        writer.finish()
    return tables


def _note(form: StoreForm) -> str:
    return f"table {form.name}"


def _forms_of_rows(reader: TableReader) -> list[StoreForm]:
    tables, columns = (form for form in FORMS if form.name in ("data_tables", "data_table_columns"))
    return forms_of_rows(list(reader.rows(tables, None)), list(reader.rows(columns, None)))


def _table(reader: TableReader, writer: TableWriter, form: StoreForm, progress: _Progress) -> Checksum:
    if progress.is_whole:
        return progress.checksum
    with closing(_batches(reader.rows(form, progress.after))) as batches:
        for batch in batches:
            progress = _Progress(progress.checksum.and_of(batch), form.key_of(batch[-1]))
            writer.put(form, batch, _note(form), progress.text())
    writer.put(form, [], _note(form), replace(progress, is_whole=True).text())
    return progress.checksum


def _batches(rows: Iterable[Row]) -> Generator[list[Row], None, None]:
    batch: list[Row] = []
    size = 0
    for row in rows:
        own = size_of(row)
        if batch and (size + own > BATCH_BYTES or len(batch) >= BATCH_ROWS):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += own
    if batch:
        yield batch


def _files(kernel: Kernel) -> str:
    """The fate of files of items."""
    name = kernel.settings.get(BinarySettings).name
    if name == "disk":
        place = kernel.config_dir / "binary"
        return f"Files of items stay in {place}, for `binary.name` is disk; --files-to s3 brings them into a bucket."
    return f"Files of items stay where they are, for `binary.name` is {name}."
