"""Encryption at rest, keys by name, and the list of values to hide."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from .keys.derivation import FINGERPRINT_SIZE, MasterKey
from .keys.files import KeyDirectory
from .keys.ring import KeyRing
from .redaction import Redactor

NONCE = 12
_FORM = b"JF1"
_HEAD = len(_FORM) + FINGERPRINT_SIZE
"""Bytes before the nonce: the form, and the fingerprint of the key."""


class FileSecrets:
    """`jackfield.api.context.Secrets` over a master key."""

    def __init__(
        self, config_dir: Path, redactor: Redactor, environment: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._redactor = redactor
        self._directory = KeyDirectory(config_dir / "keys")
        self.ring = KeyRing(self._directory, redactor.add, environment)

    def redact(self, *values: str) -> None:
        self._redactor.add(*values)

    def hide(self, text: str) -> str:
        return self._redactor(text)

    def key(self, name: str, size: int = 32) -> bytes:
        return self.ring.named(name, size)[0]

    def earlier_keys(self, name: str, size: int = 32) -> Sequence[bytes]:
        return self.ring.named(name, size)[1:]

    def check(self) -> None:
        """Look at every key that there is. Raises `ConfigurationError` for one that cannot be used, so that it is found
        at the start and not at its first use."""
        self._directory.check()

    def seal(self, plain: bytes) -> bytes:
        # Loaded with the first secret: a start without one does not wait for the library.
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        key, nonce = self.ring.current(), secrets.token_bytes(NONCE)
        head = _head(key)
        return head + nonce + AESGCM(key.sealing).encrypt(nonce, plain, head)

    def open(self, sealed: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        for key, start, head in chain(self._named_by(sealed), self._of_before()):
            try:
                return AESGCM(key).decrypt(sealed[start : start + NONCE], sealed[start + NONCE :], head)
            except (InvalidTag, ValueError):  # ValueError: too short
                continue
        raise ValueError("the value was sealed with another key or has been changed")

    def is_current(self, sealed: bytes) -> bool:
        return sealed.startswith(_head(self.ring.current()))

    def _named_by(self, sealed: bytes) -> Iterator[tuple[bytes, int, bytes | None]]:
        """The key that the value names, where the nonce begins, and what is authenticated beside it."""
        if sealed.startswith(_FORM) and (key := self.ring.find(sealed[len(_FORM) : _HEAD].hex())) is not None:
            yield key.sealing, _HEAD, sealed[:_HEAD]

    def _of_before(self) -> Iterator[tuple[bytes, int, bytes | None]]:
        """Versions before sealed with the master key itself, and named none."""
        yield from ((key.raw, 0, None) for key in (self.ring.current(), *self.ring.earlier()))


def _head(key: MasterKey) -> bytes:
    return _FORM + bytes.fromhex(key.fingerprint)
