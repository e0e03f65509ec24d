"""Private files: 0600 in 0700 directories whatever the umask says, replaced atomically."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def private_directory(path: Path) -> Path:
    """Make the directory (and its parents) and close it to others."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.stat().st_mode & 0o077:
        path.chmod(0o700)
    return path


def write_private(path: Path, content: bytes) -> None:
    """Write through a new file of mode 0600 in the same directory, then rename: never half written, never readable."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
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
    """The content; None when absent. Links are not followed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()
