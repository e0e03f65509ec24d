"""The keys of this daemon: the one that seals and signs, and those that only open and verify.

The store says which one seals (`key_agreement`), so that all daemons of a store change to another key at the same
moment. Until the store is asked, it is the configured one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence

from jackfield.api.errors import ConfigurationError

from .derivation import MasterKey
from .files import KeyDirectory, check_name

VARIABLE = "JACKFIELD_ENCRYPTION_KEY"
PREVIOUS_VARIABLE = "JACKFIELD_PREVIOUS_ENCRYPTION_KEY"
_SHORTEST = 32
"""Bytes of a key in the environment."""


class KeyRing:
    """From the environment, else from `keys/`. Child processes inherit none of them."""

    def __init__(self, directory: KeyDirectory, redact: Callable[[str], None], environment: Mapping[str, str]) -> None:
        """Raises `ConfigurationError` for a key of the environment that is too short."""
        self.directory = directory
        self._given = _taken(VARIABLE, environment, redact)
        self._given_before = _taken(PREVIOUS_VARIABLE, environment, redact)
        self._chosen: str | None = None
        self._keys: tuple[MasterKey, ...] = ()
        self._named: dict[tuple[str, int], tuple[bytes, ...]] = {}

    @property
    def is_given(self) -> bool:
        """Whether the environment has the master key, which then is the operator's to replace."""
        return self._given is not None

    @property
    def has_previous_variable(self) -> bool:
        return self._given_before is not None

    def is_there(self) -> bool:
        """Whether there is a master key, or one would have to be made. Raises `ConfigurationError`."""
        return self.is_given or self.directory.master() is not None

    def configured(self) -> MasterKey:
        """The key of the environment or of `keys/`, where it is made if it is missing. Raises `ConfigurationError`."""
        return self._given or self.directory.master() or self.directory.make_master()

    def current(self) -> MasterKey:
        """The one that seals and signs. Raises `ConfigurationError`."""
        return self._all()[0]

    def earlier(self) -> Sequence[MasterKey]:
        """Those that only open and verify, the next one among them while a rotation begins. Raises
        `ConfigurationError`."""
        return self._all()[1:]

    def find(self, fingerprint: str) -> MasterKey | None:
        """It also finds keys that `keys/` has got meanwhile. Raises `ConfigurationError`."""
        found = self._among(fingerprint)
        if found is None and self._keys:
            self.reload()
            found = self._among(fingerprint)
        return found

    def choose(self, fingerprint: str) -> bool:
        """From now on this one seals; False: it is not here, and nothing changed. Raises `ConfigurationError`."""
        if self.find(fingerprint) is None:
            return False
        self._chosen = fingerprint
        self.reload()
        return True

    def reload(self) -> None:
        """Look at `keys/` again."""
        self._keys = ()
        self._named.clear()

    def named(self, name: str, size: int) -> tuple[bytes, ...]:
        """The key of this name, and behind it what it was before. Raises `ConfigurationError`, ValueError."""
        found = self._named.get((name, size))
        if found is None:
            check_name(name)
            made = [key.named(name, size) for key in self._all()]
            former = self.directory.former(name)
            found = self._named[name, size] = (*made, *([former] if former else []))
        return found

    def _among(self, fingerprint: str) -> MasterKey | None:
        return next((key for key in self._all() if key.fingerprint == fingerprint), None)

    def _all(self) -> tuple[MasterKey, ...]:
        if not self._keys:
            configured = self.configured()
            replaced = self.directory.master() if self.is_given else None
            every = [configured, self._given_before, replaced, *self.directory.earlier()]
            known = {key.fingerprint: key for key in every if key is not None}
            first = known.get(self._chosen or "", configured)
            self._keys = (first, *(key for key in known.values() if key is not first))
        return self._keys


def _taken(variable: str, environment: Mapping[str, str], redact: Callable[[str], None]) -> MasterKey | None:
    value = environment.get(variable, "")
    os.environ.pop(variable, None)
    if not value:
        return None
    redact(value)
    if len(value.encode()) < _SHORTEST:
        raise ConfigurationError(f"{variable} must have at least {_SHORTEST} bytes.")
    return MasterKey(hashlib.sha256(value.encode()).digest())
