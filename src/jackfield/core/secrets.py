"""Encryption at rest, keys by name, and the list of values to hide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from .keys import aes_gcm
from .keys.derivation import FINGERPRINT_SIZE, MasterKey
from .keys.files import KeyDirectory
from .keys.ring import KeyRing
from .redaction import Redactor

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
        key = self.ring.current()
        head = _head(key)
        return head + aes_gcm.sealed(key.sealing, plain, head)

    def open(self, sealed: bytes) -> bytes:
        for key, start, head in chain(self._named_by(sealed), self._of_before()):
            plain = aes_gcm.opened(key, sealed[start:], head)
            if plain is not None:
                return plain
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
