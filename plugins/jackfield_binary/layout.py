"""The directory of files, with blocking operations; callers run them on threads.

        content/<first 2 digits>/<sha256>   every file once, by the SHA-256 of its content
        executions/<execution id>/<sha256>  hard links to content: their number is the count of references
        digests/<first 2 digits>/<id>       the SHA-256 of a file that has another id, as it came from another store
        incoming/                           files while they are written

A content file without a further link belongs to no execution. Links are made and counted under one lock, so that a file
is not deleted while an execution takes it up.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from jackfield.api.binary import BinaryError
from jackfield.api.binary_drivers import is_execution_id, is_file_id

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def reported(what: str) -> Iterator[None]:
    """A refusal of the system, in words for the user. Raises `BinaryError`."""
    try:
        yield
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT):
            raise BinaryError(f"{what}: the disk is full.") from exc
        if exc.errno in (errno.EPERM, errno.ENOTSUP, errno.EXDEV):
            raise BinaryError(f"{what}: the directory binary/ needs a file system with hard links.") from exc
        raise BinaryError(f"{what}: {exc.strerror or type(exc).__name__}.") from exc


class StagedFile:
    """A file while it is written. Not safe for two threads at once."""

    def __init__(self, layout: Layout, file_id: str | None = None) -> None:
        """file_id: that it has already; None: its digest is its id."""
        self._layout = layout
        self._id = file_id
        self._hash = hashlib.sha256()
        self._descriptor: int | None = None
        self.path = layout.incoming / secrets.token_hex(16)
        self.size = 0

    def write(self, chunk: bytes) -> None:
        """Raises `BinaryError`."""
        with reported("The file could not be kept"):
            if self._descriptor is None:
                self._layout.prepare(self._layout.incoming)
                self._descriptor = os.open(self.path, _NEW, 0o600)
            left = memoryview(chunk)
            while left:
                left = left[os.write(self._descriptor, left) :]
        self._hash.update(chunk)
        self.size += len(chunk)

    def commit(self, execution_id: str) -> str:
        """Make it durable and give it to the execution; its id. Raises `BinaryError`."""
        self.write(b"")
        digest = self._hash.hexdigest()
        file_id = self._id or digest
        with reported("The file could not be kept"):
            if self._descriptor is not None:
                os.fsync(self._descriptor)
            if file_id != digest:
                self._layout.note_digest(file_id, digest)
            self._layout.put(self.path, file_id, self.size, execution_id)
        return file_id

    def close(self) -> None:
        """Give up what is left; the committed file stays."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
            with suppress(OSError):
                self.path.unlink()


class Layout:
    """The directory. Safe for threads."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.content = root / "content"
        self.executions = root / "executions"
        self.digests = root / "digests"
        self.incoming = root / "incoming"
        self._links = threading.Lock()

    def prepare(self, directory: Path) -> None:
        """Make a directory below the root, closed to others."""
        missing = []
        while not directory.is_dir() and directory != self.root.parent:
            missing.append(directory)
            directory = directory.parent
        for path in reversed(missing):
            path.mkdir(mode=0o700, exist_ok=True)
            path.chmod(0o700)
            _sync(path.parent)

    def put(self, fresh: Path, file_id: str, size: int, execution_id: str) -> None:
        """Make a finished file the content of this id, unless it is there, and link it to the execution."""
        content, owned = self._content(file_id), self._owned(execution_id, file_id)
        self.prepare(content.parent)
        self.prepare(owned.parent)
        with self._links:
            if not _link(fresh, content) and content.stat().st_size != size:
                fresh.replace(content)  # damaged
            self._own(content, owned, lambda: fresh.replace(content))
        _sync(content.parent)
        _sync(owned.parent)

    def adopt(self, execution_id: str, file_ids: Iterable[str]) -> None:
        """Link those of the files that are there to the execution too. Raises `BinaryError`."""
        with reported("The file could not be kept"):
            for file_id in file_ids:
                self._adopt(execution_id, file_id)

    def withdraw(self, execution_id: str, file_id: str) -> None:
        """Take the execution's file away, so that another content may come; other executions keep theirs. Raises
        `BinaryError`."""
        with reported("The file could not be replaced"), self._links:
            self._owned(execution_id, file_id).unlink(missing_ok=True)
            self._content(file_id).unlink(missing_ok=True)

    def renew(self, execution_id: str, file_id: str) -> None:
        """Link the execution to the content that is there now, whatever it had. Raises `BinaryError`."""
        owned = self._owned(execution_id, file_id)
        with reported("The file could not be kept"):
            with suppress(FileNotFoundError), self._links:
                if not owned.samefile(self._content(file_id)):
                    owned.unlink()
            self._adopt(execution_id, file_id)

    def open(self, execution_id: str, file_id: str) -> tuple[int, int]:
        """A descriptor of the execution's file, and its size in bytes; a file that only others have becomes its own as
        well. Raises `BinaryError`."""
        with reported("The file could not be read"):
            try:
                descriptor = os.open(self._owned(execution_id, file_id), _READ)
            except FileNotFoundError:
                if not self._adopt(execution_id, file_id):
                    raise BinaryError("The file does not exist any more.") from None
                descriptor = os.open(self._owned(execution_id, file_id), _READ)
            return descriptor, os.fstat(descriptor).st_size

    def release(self, execution_id: str) -> None:
        """Take the execution's files away, and their content when no other has it. Raises `BinaryError`."""
        directory = self.executions / execution_id
        with reported("The execution's files could not be deleted"):
            for name in _names(directory):
                with self._links:
                    (directory / name).unlink(missing_ok=True)
                    if is_file_id(name):
                        self._drop_unless_linked(self._content(name))
            with suppress(FileNotFoundError):
                directory.rmdir()

    def old_executions(self, before: float, size: int) -> Iterator[list[str]]:
        """Ids of the executions whose files did not change since then (Unix seconds), in lists of at most that many."""
        found = (name for name in _names(self.executions) if is_execution_id(name))
        old = (name for name in found if _changed(self.executions / name) < before)
        while part := list(islice(old, size)):
            yield part

    def remove_orphans(self, before: float) -> int:
        """Delete content that belongs to no execution, and unfinished files, that did not change since then (Unix
        seconds); how many."""
        gone = 0
        for name in _names(self.incoming):
            if _changed(self.incoming / name) < before:
                (self.incoming / name).unlink(missing_ok=True)
                gone += 1
        for part in _names(self.content):
            for name in _names(self.content / part):
                if _changed(self.content / part / name) < before:
                    with self._links:
                        gone += self._drop_unless_linked(self.content / part / name)
        return gone

    def names_of(self, execution_id: str) -> list[str]:
        """Of its files, sorted; empty: names of executions."""
        return sorted(_names(self.executions / execution_id if execution_id else self.executions))

    def note_digest(self, file_id: str, digest: str) -> None:
        """Before the file is put. Raises OSError."""
        path = self._digest(file_id)
        self.prepare(path.parent)
        fresh = path.with_name(secrets.token_hex(16))
        with os.fdopen(os.open(fresh, _NEW, 0o600), "w") as target:
            target.write(digest)
            target.flush()
            os.fsync(target.fileno())
        fresh.replace(path)
        _sync(path.parent)

    def digest_of(self, file_id: str) -> str:
        """The SHA-256 that its content must have: its id, unless another was noted."""
        try:
            return self._digest(file_id).read_text()
        except OSError:
            return file_id

    def _digest(self, file_id: str) -> Path:
        return self.digests / file_id[:2] / file_id

    def _content(self, file_id: str) -> Path:
        return self.content / file_id[:2] / file_id

    def _owned(self, execution_id: str, file_id: str) -> Path:
        return self.executions / execution_id / file_id

    def _adopt(self, execution_id: str, file_id: str) -> bool:
        content, owned = self._content(file_id), self._owned(execution_id, file_id)
        if not content.exists():
            return owned.exists()
        self.prepare(owned.parent)
        with self._links:
            try:
                self._own(content, owned, lambda: self._copy(content))
            except FileNotFoundError:
                return False
        _sync(owned.parent)
        return True

    @staticmethod
    def _own(content: Path, owned: Path, renew: Callable[[], object]) -> None:
        """Link; content with as many links as the file system allows is replaced by a new file first."""
        try:
            _link(content, owned)
        except OSError as exc:
            if exc.errno != errno.EMLINK:
                raise
            renew()
            _link(content, owned)

    def _copy(self, content: Path) -> None:
        """Put a copy in the place of the file."""
        self.prepare(self.incoming)
        fresh = self.incoming / secrets.token_hex(16)
        try:
            with content.open("rb") as source, os.fdopen(os.open(fresh, _NEW, 0o600), "wb") as target:
                shutil.copyfileobj(source, target)
                target.flush()
                os.fsync(target.fileno())
            fresh.replace(content)
        finally:
            fresh.unlink(missing_ok=True)

    def _drop_unless_linked(self, content: Path) -> bool:
        try:
            if content.stat().st_nlink > 1:
                return False
            content.unlink()
            self._digest(content.name).unlink(missing_ok=True)
        except FileNotFoundError:
            return False
        return True


def _link(source: Path, target: Path) -> bool:
    """False when the target is there already."""
    try:
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        return False
    return True


def _names(directory: Path) -> list[str]:
    try:
        return os.listdir(directory)  # noqa: PTH208 - names alone, of maybe many
    except (FileNotFoundError, NotADirectoryError):
        return []


def _changed(path: Path) -> float:
    """When it was changed, Unix seconds; never, when it is gone."""
    try:
        return path.stat(follow_symlinks=False).st_mtime
    except FileNotFoundError:
        return float("inf")


def _sync(directory: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
