"""The package `keyring`, of which not every backend counts. It is loaded when a key is first looked for. All of it
blocks."""

from __future__ import annotations

from collections.abc import Sequence

import keyring
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

SERVICE = "jackfield"
_SYSTEMS = ("keyring.backends.SecretService", "keyring.backends.libsecret", "keyring.backends.kwallet",
            "keyring.backends.macOS", "keyring.backends.Windows")  # fmt: skip
_NONE = ("keyring.backends.fail", "keyring.backends.null")


class UsableKeyring:
    """One that has answered."""

    def __init__(self, backend: KeyringBackend) -> None:
        self._backend = backend

    def get(self, account: str) -> str | None:
        return self._backend.get_password(SERVICE, account)

    def put(self, account: str, key: str) -> None:
        self._backend.set_password(SERVICE, account, key)

    def remove(self, account: str) -> None:
        """A key that is not there is removed already."""
        try:
            self._backend.delete_password(SERVICE, account)
        except PasswordDeleteError:
            if self.get(account) is not None:
                raise


def usable_keyring(probe: str, any_backend: bool) -> UsableKeyring | None:
    """The one that would be stored with, after it was asked for the account `probe`; None: there is none."""
    chosen = keyring.get_keyring()
    # A chain asks its members in turn; what counts is the one that it would store with.
    members: Sequence[KeyringBackend] = getattr(chosen, "backends", (chosen,))
    backend = next((each for each in members if _counts(each, any_backend)), None)
    if backend is None:
        return None
    found = UsableKeyring(backend)
    found.get(probe)
    return found


def _counts(backend: KeyringBackend, any_backend: bool) -> bool:
    module = type(backend).__module__
    return not module.startswith(_NONE) if any_backend else module.startswith(_SYSTEMS)
