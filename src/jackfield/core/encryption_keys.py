"""The key that seals, and those that still open what was sealed before it was replaced."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from jackfield.api.errors import ConfigurationError
from jackfield.api.files import read_private, remove_private, write_private

CURRENT = "encryption"
PREVIOUS = "encryption-previous"
_VARIABLE = "JACKFIELD_ENCRYPTION_KEY"
_PREVIOUS_VARIABLE = "JACKFIELD_PREVIOUS_ENCRYPTION_KEY"
_SHORTEST = 32


class EncryptionKeys:
    """From the environment, else from `keys/`. Child processes inherit none of them."""

    def __init__(
        self,
        directory: Path,
        stored: Callable[[str], bytes],
        redact: Callable[[str], None],
        environment: Mapping[str, str],
    ) -> None:
        """stored: makes or reads the key of a name in `directory`."""
        self._directory = directory
        self._stored = stored
        self._given = _taken(_VARIABLE, environment, redact)
        self._given_before = _taken(_PREVIOUS_VARIABLE, environment, redact)
        self._current: bytes | None = None

    def current(self) -> bytes:
        """The key that seals. Raises `ConfigurationError`."""
        if self._current is None:
            self._current = self._given or self._stored(CURRENT)
        return self._current

    def earlier(self) -> Iterator[bytes]:
        """Keys that open only. One in the environment takes the place of the stored one, which then is such a key."""
        if self._given_before is not None:
            yield self._given_before
        names = (PREVIOUS,) if self._given is None else (PREVIOUS, CURRENT)
        yield from (self._stored(name) for name in names if self._path(name).exists())

    @property
    def replaced(self) -> bool:
        """Whether something may still be sealed with an earlier key."""
        return self._given_before is not None or self._path(PREVIOUS).exists()

    def replace(self) -> None:
        """Make a new key, and keep the present one beside it until `forget`. One in the environment is the operator's
        to replace. Nothing happens when a replacement has begun before. Raises `ConfigurationError`."""
        if self._given is not None:
            if self._given_before is None and not self._path(CURRENT).exists():
                raise ConfigurationError(
                    f"The encryption key is in the environment: put it into {_PREVIOUS_VARIABLE} and a new one of at "
                    f"least {_SHORTEST} bytes into {_VARIABLE}, then run this again."
                )
            return
        present = self._path(CURRENT)
        self._stored(CURRENT)  # there is one, and it is whole
        before, now = read_private(self._path(PREVIOUS)), read_private(present)
        if before is not None and before != now:
            return
        write_private(self._path(PREVIOUS), now or b"")
        # Only now: from here on both files are there, whatever happens.
        remove_private(present)
        self._current = None
        self._stored(CURRENT)

    def forget(self) -> None:
        """Nothing is sealed with an earlier key any more. Raises `ConfigurationError`."""
        remove_private(self._path(PREVIOUS))
        if self._given is not None:
            remove_private(self._path(CURRENT))

    def _path(self, name: str) -> Path:
        return self._directory / f"{name}.key"


def _taken(variable: str, environment: Mapping[str, str], redact: Callable[[str], None]) -> bytes | None:
    value = environment.get(variable, "")
    os.environ.pop(variable, None)
    if not value:
        return None
    redact(value)
    if len(value.encode()) < _SHORTEST:
        raise ConfigurationError(f"{variable} must have at least {_SHORTEST} bytes.")
    return hashlib.sha256(value.encode()).digest()
