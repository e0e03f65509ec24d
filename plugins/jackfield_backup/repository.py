"""A directory of backups, with blocking operations.

        jackfield-backups           what this directory is, and the lock of whoever writes it
        objects/<2 digits>/<sha256> pieces of files, each once, whichever backups hold it
        manifests/<id>              one per backup, written when all its pieces are on the disk
        incoming/                   files while they are written

A backup that was killed leaves files in `incoming/`. The next backup sweeps them.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jackfield.api.errors import ConfigurationError
from jackfield.api.files import private_directory, sync_directory, write_private
from jackfield_backup.manifest import BackupError, BackupManifest, read, written

MARK = "jackfield-backups"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class BackupRepository:
    """One such directory. `locked` around everything else."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.objects = root / "objects"
        self.manifests = root / "manifests"
        self.incoming = root / "incoming"
        self.added = 0
        """Bytes that were written anew."""
        self._touched: set[Path] = set()

    def is_there(self) -> bool:
        return (self.root / MARK).is_file()

    def create(self) -> None:
        """Make it unless it is there. Raises `BackupError` for a directory that holds something else."""
        if not self.is_there():
            if self.root.exists() and any(self.root.iterdir()):
                raise BackupError(f"{self.root} holds something else than backups; name an empty directory.")
            private_directory(self.root)
            write_private(self.root / MARK, b"1\n")
        for directory in (self.root, self.objects, self.manifests, self.incoming):
            private_directory(directory)

    @contextmanager
    def locked(self, *, alone: bool) -> Iterator[None]:
        """alone: to write. Raises `BackupError` when somebody else works here, or there are no backups."""
        try:
            descriptor = os.open(self.root / MARK, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as exc:
            raise BackupError(f"{self.root} holds no backups: {MARK} cannot be read ({exc.strerror}).") from None
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            yield
        except BlockingIOError:
            raise BackupError(f"Somebody else works on the backups in {self.root}; try again later.") from None
        finally:
            os.close(descriptor)

    def ids(self) -> list[str]:
        """Of all backups, the oldest first."""
        try:
            return sorted(path.name for path in self.manifests.iterdir() if not path.name.startswith("."))
        except FileNotFoundError:
            return []

    def manifest(self, backup: str) -> BackupManifest:
        """Raises `BackupError`."""
        ids = self.ids()
        if backup not in ids:
            raise BackupError(f"There is no backup {backup!r} in {self.root}; it has: {', '.join(ids) or 'none'}.")
        return read((self.manifests / backup).read_bytes(), str(self.manifests / backup))

    def put(self, piece: bytes) -> str:
        """Keep a piece unless it is there; its name. It reads a piece that is there, so that no backup rests on a
        damaged piece of an earlier one. A damaged piece is written anew."""
        name = hashlib.sha256(piece).hexdigest()
        target = self._object(name)
        if _holds(target, piece):
            return name
        if target.parent not in self._touched:
            target.parent.mkdir(mode=0o700, exist_ok=True)
            self._touched.add(target.parent)
        with self.fresh() as fresh:
            _write(fresh, piece)
            fresh.replace(target)
        self.added += len(piece)
        return name

    def get(self, name: str) -> bytes | None:
        """The piece; None when it is missing or damaged."""
        try:
            piece = self._object(name).read_bytes()
        except OSError:
            return None
        return piece if hashlib.sha256(piece).hexdigest() == name else None

    def path(self, name: str) -> Path:
        """Where a piece is, for messages."""
        return self._object(name)

    @contextmanager
    def fresh(self) -> Iterator[Path]:
        """A name for something unfinished; gone at the end unless it was renamed."""
        path = self.incoming / secrets.token_hex(16)
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)

    def seal(self, manifest: BackupManifest) -> None:
        """From now on the backup is one: its pieces are on the disk, then its manifest."""
        for directory in [*self._touched, self.objects]:
            sync_directory(directory)
        write_private(self.manifests / manifest.id, written(manifest))

    def sweep(self) -> None:
        """Remove what broken-off backups have left."""
        for path in self.incoming.iterdir():
            path.unlink(missing_ok=True)

    def thin_out(self, keep: int) -> int:
        """Remove all but the newest that many, and the pieces that no other has; how many backups went. With a manifest
        that cannot be read every piece stays."""
        gone = self.ids()[:-keep]
        for backup in gone:
            (self.manifests / backup).unlink(missing_ok=True)
        sync_directory(self.manifests)
        try:
            used = {part for backup in self.ids() for part in self.manifest(backup).parts()}
        except BackupError:
            return len(gone)
        for directory in self.objects.iterdir():
            for path in directory.iterdir():
                if path.name not in used:
                    path.unlink(missing_ok=True)
        return len(gone)

    def _object(self, name: str) -> Path:
        return self.objects / name[:2] / name


def opened(root: Path) -> BackupRepository:
    """Backups that are there. Raises `BackupError`."""
    repository = BackupRepository(root)
    if not repository.is_there():
        raise BackupError(f"{root} holds no backups; name a directory that `jackfield backup` has written.")
    return repository


def newest(repository: BackupRepository, wanted: str | None) -> BackupManifest:
    """The named backup or the newest. Raises `BackupError`."""
    ids = repository.ids()
    if not ids:
        raise BackupError(f"{repository.root} holds no whole backup; make one with `jackfield backup`.")
    return repository.manifest(wanted or ids[-1])


def empty_file(path: Path) -> None:
    """Make a new file, 0600."""
    os.close(os.open(path, _NEW, 0o600))


def _write(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, _NEW, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _holds(path: Path, content: bytes) -> bool:
    """Whether the file is whole and has this content. One that cannot be read has not."""
    try:
        if path.stat(follow_symlinks=False).st_size != len(content):
            return False
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
            return file.read() == content
    except OSError:
        return False


def refused(exc: OSError, what: str) -> ConfigurationError:
    """A refusal of the system, for whoever has to repair it."""
    return ConfigurationError(f"{what}: {exc.filename or ''} {exc.strerror}.")
