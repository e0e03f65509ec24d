"""Making a backup: the store first, then the files. Files that the store's copy refers to are on the disk by then."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

from jackfield.api.clock import from_iso, iso
from jackfield.api.context import PluginContext
from jackfield.api.records import record, state
from jackfield.api.store_copies import StoreCopies
from jackfield_backup.manifest import FORMAT, BackupError, BackupManifest, SavedFile, SavedLink, leads_inside
from jackfield_backup.progress import ShowProgress, hidden
from jackfield_backup.repository import BackupRepository, empty_file, refused
from jackfield_backup.settings import BackupSettings
from jackfield_backup.sources import DirectoryEntry, entries, is_text

PIECE = 1_048_576
"""Bytes of a file that are kept as one: of a database only the pieces that changed are copied again."""


@record
class MadeBackup:
    """added: bytes that no earlier backup had. removed: older backups that were given up. damaged: a sentence for each
    damaged record that it holds. Then no older backup is given up for it."""

    manifest: BackupManifest
    added: int
    removed: int
    damaged: Sequence[str]


@state
class _Making:
    """One backup while it is made, on a thread."""

    root: Path
    repository: BackupRepository
    stopped: threading.Event
    keys: bool
    directories: list[str]
    files: list[SavedFile]
    links: list[SavedLink]
    left_out: list[str]
    linked: dict[tuple[int, int], str]

    def take(self, found: DirectoryEntry) -> None:
        if found.kind == "directory":
            self.directories.append(found.name)
        elif found.kind == "link":
            self._take_link(found)
        elif found.kind == "unnamed":
            self.left_out.append(f"{os.fsencode(found.name)!r}: a name that is no UTF-8; rename it")
        elif found.kind == "other":
            self.left_out.append(f"{found.name}: no plain file")
        elif found.kind == "database":
            self._take_database(found)
        else:
            self._take_file(found)

    def _take_link(self, found: DirectoryEntry) -> None:
        link = SavedLink(found.name, str(found.path.readlink()))
        if not is_text(link.target):
            self.left_out.append(f"{found.name}: a link to a name that is no UTF-8")
        elif leads_inside(link):
            self.links.append(link)
        else:
            self.left_out.append(f"{found.name}: a link that leads out of the directory")

    def _take_database(self, found: DirectoryEntry) -> None:
        """Some other database than the store, of one moment; one that SQLite cannot read is taken as it is."""
        with self.repository.fresh() as copy:
            empty_file(copy)
            try:
                _copy_database(found.path, copy)
            except sqlite3.Error as exc:
                self.left_out.append(f"{found.name}: damaged ({exc}), copied as it is")
            else:
                self.files.append(self.saved(copy, found.name))
                return
        self._take_file(found)

    def _take_file(self, found: DirectoryEntry) -> None:
        place = (found.status.st_dev, found.status.st_ino)
        if found.status.st_nlink > 1 and place in self.linked:
            self.files.append(SavedFile(found.name, found.status.st_size, same_as=self.linked[place]))
            return
        try:
            self.files.append(self.saved(found.path, found.name))
        except FileNotFoundError:
            return
        self.linked[place] = found.name

    def saved(self, path: Path, name: str) -> SavedFile:
        """Keep the content as it is now. Raises OSError, `BackupError`."""
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            parts = [self.repository.put(piece) for piece in self._pieces(file.read, status.st_size)]
        return SavedFile(name, status.st_size, parts, executable=bool(status.st_mode & 0o100))

    def _pieces(self, read: Callable[[int], bytes], size: int) -> Iterator[bytes]:
        while size > 0:
            if self.stopped.is_set():
                raise BackupError("The backup was broken off; nothing of it counts.")
            piece = read(min(PIECE, size))
            if len(piece) != min(PIECE, size):
                raise BackupError("A file became shorter while it was read; make the backup again.")
            size -= len(piece)
            yield piece


async def make_backup(
    context: PluginContext, place: Path, *, keys: bool, keep: int, show: ShowProgress = hidden
) -> MadeBackup:
    """Raises `BackupError`, `StoreUnavailable`, `ConfigurationError`."""
    store = context.store
    if not isinstance(store, StoreCopies):
        raise BackupError(f"The store {store.name} gives no copies of itself; back it up with its own tools.")
    root = context.service.config_dir
    repository = BackupRepository(place)
    stopped = threading.Event()
    making = _Making(root, repository, stopped, keys, [], [], [], [], {})
    loop = asyncio.get_running_loop()
    copying: list[Future[Sequence[str]]] = []

    def work() -> MadeBackup:
        if root.resolve().is_relative_to(place.resolve()):
            raise BackupError(f"{place} holds the configuration directory; name another directory for the backups.")
        repository.create()
        with repository.locked(alone=True):
            repository.sweep()
            with repository.fresh() as copy:
                empty_file(copy)
                copying.append(asyncio.run_coroutine_threadsafe(store.copy_to(copy), loop))
                damaged = copying[0].result()
                return _make(making, context, store, copy, keep, damaged, show)

    try:
        return await asyncio.to_thread(work)
    except OSError as exc:
        raise refused(exc, "The backup failed") from exc
    finally:
        stopped.set()
        for future in copying:
            future.cancel()


def _make(
    making: _Making, context: PluginContext, store: StoreCopies, copy: Path, keep: int, damaged: Sequence[str],
    show: ShowProgress,
) -> MadeBackup:  # fmt: skip
    now = context.clock.now_ms()
    own = [path.absolute() for path in store.files()]
    inside = own[0].is_relative_to(making.root)
    name = own[0].relative_to(making.root).as_posix() if inside else own[0].name
    leave_out = [*own, *_places(making.repository.root, making.root), *([] if making.keys else [making.root / "keys"])]
    whole = [*entries(making.root, leave_out)]
    size = copy.stat().st_size
    with show(size + sum(found.status.st_size for found in whole), "Backing up") as bar:
        making.files.append(making.saved(copy, name))
        bar.update(size)
        for found in whole:
            making.take(found)
            bar.update(found.status.st_size)
    manifest = BackupManifest(
        FORMAT, _id(now, making.repository.ids()), iso(now), context.service.version, name,
        None if inside else str(own[0]), making.keys, making.directories, making.files, making.links, making.left_out,
    )  # fmt: skip
    making.repository.seal(manifest)
    removed = 0 if damaged else making.repository.thin_out(keep)
    return MadeBackup(manifest, making.repository.added, removed, damaged)


def _places(backups: Path, root: Path) -> list[Path]:
    """As `entries` comes upon the backups, whatever links lead to them: a backup holds no backups."""
    real, above = backups.resolve(), root.resolve()
    inside = [root / real.relative_to(above)] if real.is_relative_to(above) else []
    return [backups.absolute(), *inside]


def _id(now: int, taken: list[str]) -> str:
    """A name that comes after every other one, also when the clock went back."""
    return _named(max([now, *(_moment(each) + 1 for each in taken[-1:])]))


def _named(moment: int) -> str:
    return iso(moment).translate(str.maketrans("T", "-", "-:.Z"))


def _moment(backup: str) -> int:
    """When it was made, Unix milliseconds; 0 for a name that is not of ours."""
    with suppress(ValueError):
        return from_iso(f"{datetime.strptime(backup, '%Y%m%d-%H%M%S%f'):%Y-%m-%dT%H:%M:%S.%f}")  # noqa: DTZ007 - UTC
    return 0


def _copy_database(source: Path, target: Path) -> None:
    """Raises sqlite3.Error."""
    uri = f"{source.absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(uri, uri=True, timeout=5)) as origin, closing(sqlite3.connect(target)) as copy:
        copy.execute("PRAGMA synchronous = OFF")
        origin.backup(copy)


def settings_place(context: PluginContext, given: Path | None) -> Path:
    """The directory that was given, else that of the settings."""
    place = given or context.settings(BackupSettings).place(context.service.config_dir)
    return place.expanduser().absolute()


async def backup_now(
    context: PluginContext, given: Path | None, keys: bool | None, keep: int | None, show: ShowProgress
) -> MadeBackup:
    """The work of `jackfield backup`. Raises `JackfieldError`."""
    settings = context.settings(BackupSettings)
    keys = settings.keys if keys is None else keys
    place = settings_place(context, given)
    return await make_backup(context, place, keys=keys, keep=keep or settings.keep, show=show)
