"""Private files: 0600 in 0700 directories whatever the umask says, replaced atomically. All of it blocks; on the event
loop let a thread do it.

Everything the daemon writes is 0600 in 0700.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from .errors import ConfigurationError

_FRESH = ".jackfield-"
_LEFT = re.compile(r"\..+\.jackfield-[0-9a-f]{8}", re.DOTALL)
OLD = 60.0
"""Seconds after which a new file that was not renamed counts as left by a writer who was killed."""


def private_directory(path: Path) -> Path:
    """Make the directory and those above it that are missing, and close it to others. Raises `ConfigurationError`."""
    with _named("The directory", path):
        _make(path)
        if path.stat().st_mode & 0o077:
            path.chmod(0o700)
    return path


def write_private(path: Path, content: bytes) -> None:
    """Write through a new file of mode 0600 in the same directory, then rename.

    The file is never half written, never readable, and still there after a power cut. Raises `ConfigurationError`.
    """
    with _named("The file", path), _fresh(path, content) as fresh:
        fresh.replace(path)
        sync_directory(path.parent)


def create_private(path: Path, content: bytes) -> bool:
    """As `write_private`, for a file that must not be there yet: of many at once, in several processes too, one wins.
    False: there is one already, and it was left alone. Raises `ConfigurationError`."""
    with _named("The file", path), _fresh(path, content) as fresh:
        try:
            os.link(fresh, path, follow_symlinks=False)
        except FileExistsError:
            return False
        sync_directory(path.parent)
        return True


def remove_private(path: Path) -> None:
    """Remove the file for good; what is not there is removed already. Raises `ConfigurationError`."""
    with _named("The file", path):
        try:
            path.unlink()
        except FileNotFoundError:
            return
        sync_directory(path.parent)


def read_private(path: Path) -> bytes | None:
    """The content; None when absent. Links are not followed, and what is no plain file is not waited for. Raises
    `ConfigurationError`."""
    with _named("The file", path):
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        try:
            return _all_of(_plain(descriptor))
        finally:
            os.close(descriptor)


def append_private(path: Path) -> int:
    """A descriptor that appends to a file of mode 0600, made if absent. Links are not followed, and what is no plain
    file is not waited for. Raises `ConfigurationError`."""
    with _named("The file", path):
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        try:
            return _plain(descriptor)
        except OSError:
            os.close(descriptor)
            raise


def sweep_private(directory: Path, depth: int) -> int:
    """Remove leftovers of killed writers in the directory and this many levels below.

    These are files with the name of a new one, of our own user, untouched for `OLD` seconds. Links are not followed.
    Gives how many; what cannot be looked at or removed is left.
    """
    swept = 0
    with contextlib.suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if depth and entry.is_dir(follow_symlinks=False):
                swept += sweep_private(Path(entry.path), depth - 1)
            elif _LEFT.fullmatch(entry.name) and _is_left(entry):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)  # noqa: PTH108 - a text
                    swept += 1
    return swept


def _is_left(entry: os.DirEntry[str]) -> bool:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and time.time() - found.st_mtime > OLD


def _make(path: Path) -> None:
    """`mkdir(parents=True)` would give the mode to the last directory only."""
    if path.is_dir():
        return
    _make(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)


@contextlib.contextmanager
def _fresh(path: Path, content: bytes) -> Iterator[Path]:
    """A new file beside `path` that has the content, on the disk; gone at the end unless it was renamed."""
    fresh = path.with_name(f".{path.name}{_FRESH}{os.urandom(4).hex()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield fresh
    finally:
        fresh.unlink(missing_ok=True)


def sync_directory(directory: Path) -> None:
    """A rename is on the disk once its directory is."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _plain(descriptor: int) -> int:
    """The same descriptor. Raises OSError for a pipe, a device or a directory, which may never end."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "it is no plain file")
    return descriptor


def _all_of(descriptor: int) -> bytes:
    parts = []
    while part := os.read(descriptor, 65536):
        parts.append(part)
    return b"".join(parts)


@contextlib.contextmanager
def _named(kind: str, path: Path) -> Iterator[None]:
    """The refusal of the system, with the name of the file, for the operator to repair."""
    try:
        yield
    except OSError as exc:
        link = " is a symbolic link, which is not followed: put the file itself there" if path.is_symlink() else ""
        raise ConfigurationError(f"{kind} {path}{link or f' cannot be used: {exc.strerror}'}.") from None
