"""`registry/registry.lock`: when what was synced, and what is pinned."""

from __future__ import annotations

from pathlib import Path

from jackfield.api import jsontext
from jackfield.api.clock import from_iso
from jackfield.api.errors import ConfigurationError, JackfieldError
from jackfield.api.files import read_private, write_private
from jackfield.api.records import record

NAME = "registry.lock"
TEXTS = ("channel", "commit", "last_sync", "pinned_ref", "etag", "source")


class DamagedLock(Exception):
    """The file cannot be read. The message is a sentence with the remedy."""


@record
class Lock:
    """`last_sync`: ISO 8601 UTC. `sequence`: the highest one taken of this source and channel. `etag`: of the index.
    `source`: the URL. `stale`: the next sync looks at the content again, however young it is.
    """

    channel: str | None = None
    commit: str | None = None
    last_sync: str | None = None
    pinned_ref: str | None = None
    sequence: int | None = None
    etag: str | None = None
    source: str | None = None
    stale: bool = False

    @property
    def synced_ms(self) -> int | None:
        """last_sync as Unix ms."""
        return None if self.last_sync is None else from_iso(self.last_sync)


def read_lock(root: Path) -> Lock:
    """An empty one when there is no file. Raises `DamagedLock`."""
    path = root / NAME
    try:
        content = read_private(path)
    except ConfigurationError as exc:
        raise DamagedLock(exc.message) from None
    if content is None:
        return Lock()
    try:
        return _lock(jsontext.loads(content))
    except (JackfieldError, ValueError) as exc:
        reason = exc.message if isinstance(exc, JackfieldError) else str(exc)
        raise DamagedLock(
            f"{path} is damaged ({reason.rstrip('.')}); when the registry was synced, and what is pinned, is not known "
            "until the next sync."
        ) from None


def _lock(found: jsontext.Json) -> Lock:
    """Raises ValueError."""
    if not isinstance(found, dict):
        raise ValueError("it is no object")  # noqa: TRY004 - of the text in the file
    texts: dict[str, str | None] = {}
    for name in TEXTS:
        value = found.get(name)
        if value is not None and not isinstance(value, str):
            raise ValueError(f"{name} is no text")
        texts[name] = value
    sequence = found.get("sequence")
    if sequence is not None and type(sequence) is not int:
        raise ValueError("sequence is no whole number")
    lock = Lock(**texts, sequence=sequence, stale=found.get("stale") is True)
    _ = lock.synced_ms  # a time that is none is found here, and not by whoever asks
    return lock


def write_lock(root: Path, lock: Lock) -> None:
    """Raises `ConfigurationError`."""
    content: dict[str, object] = {name: getattr(lock, name) for name in (*TEXTS, "sequence", "stale")}
    write_private(root / NAME, jsontext.dumps(content) + b"\n")
