"""Private files: 0600 in 0700 directories whatever the umask says, replaced atomically."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from jackfield.api.errors import ConfigurationError


def private_directory(path: Path) -> Path:
    """Make the directory (and its parents) and close it to others. Raises `ConfigurationError`."""
    with _named("The directory", path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_mode & 0o077:
            path.chmod(0o700)
    return path


def write_private(path: Path, content: bytes) -> None:
    """Write through a new file of mode 0600 in the same directory, then rename: never half written, never readable.
    Raises `ConfigurationError`."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with _named("The file", path):
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise


def read_private(path: Path) -> bytes | None:
    """The content; None when absent. Links are not followed. Raises `ConfigurationError`."""
    with _named("The file", path):
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            return None
        try:
            return _all_of(descriptor)
        finally:
            os.close(descriptor)


def append_private(path: Path) -> int:
    """A descriptor that appends to a file of mode 0600, made if absent. Links are not followed. Raises
    `ConfigurationError`."""
    with _named("The file", path):
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)


def _all_of(descriptor: int) -> bytes:
    parts = []
    while part := os.read(descriptor, 65536):
        parts.append(part)
    return b"".join(parts)


@contextlib.contextmanager
def _named(kind: str, path: Path) -> Iterator[None]:
    """What the system refuses, with the name of the file: it is the operator's to mend."""
    try:
        yield
    except OSError as exc:
        link = " is a symbolic link, which is not followed: put the file itself there" if path.is_symlink() else ""
        raise ConfigurationError(f"{kind} {path}{link or f' cannot be used: {exc.strerror}'}.") from None
