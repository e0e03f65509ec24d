"""Keys on disk, encryption at rest, and the list of values to hide."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from jackfield.api.errors import ConfigurationError
from jackfield.api.files import private_directory, read_private, write_private

from .encryption_keys import EncryptionKeys
from .redaction import Redactor

NONCE = 12


class FileSecrets:
    """`jackfield.api.context.Secrets` over `keys/` in the configuration directory."""

    def __init__(
        self, config_dir: Path, redactor: Redactor, environment: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._directory = config_dir / "keys"
        self._redactor = redactor
        self.encryption = EncryptionKeys(self._directory, self.key, redactor.add, environment)

    def redact(self, *values: str) -> None:
        self._redactor.add(*values)

    def hide(self, text: str) -> str:
        return self._redactor(text)

    def key(self, name: str, size: int = 32) -> bytes:
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
            raise ValueError(f"not a key name: {name!r}")
        path = private_directory(self._directory) / f"{name}.key"
        found = read_private(path)
        if found is None:
            found = _encoded(secrets.token_bytes(size))
            write_private(path, found)
        key = _decoded(found)
        if len(key) != size:
            raise ConfigurationError(
                f"{path} is damaged: it must hold {size} bytes as base64. Restore it from a backup."
            )
        return key

    def check(self) -> None:
        """Look at every key that there is. Raises `ConfigurationError` for one that cannot be used, so that it is found
        at the start and not at its first use."""
        for path in sorted(self._directory.glob("*.key")):
            if not _decoded(read_private(path) or b""):
                raise ConfigurationError(f"{path} is damaged: it must hold a key as base64. Restore it from a backup.")

    def seal(self, plain: bytes) -> bytes:
        # Loaded with the first secret: a start without one does not wait for the library.
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = secrets.token_bytes(NONCE)
        return nonce + AESGCM(self.encryption.current()).encrypt(nonce, plain, None)

    def open(self, sealed: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        for key in chain([self.encryption.current()], self.encryption.earlier()):
            try:
                return AESGCM(key).decrypt(sealed[:NONCE], sealed[NONCE:], None)
            except InvalidTag:
                continue
        raise ValueError("the value was sealed with another key or has been changed")


def _encoded(key: bytes) -> bytes:
    """The key, and on a second line what tells whether it is still the same: another key that is as good as any would
    open nothing that was sealed, and nobody would know why."""
    return base64.b64encode(key) + b"\n" + _mark(key) + b"\n"


def _mark(key: bytes) -> bytes:
    return hashlib.sha256(b"jackfield key" + key).hexdigest()[:8].encode()


def _decoded(found: bytes) -> bytes:
    """The key in a file's text; empty for what is none. A key of the operator's own needs no second line."""
    text, _, mark = found.partition(b"\n")
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        return b""
    # Base64 that was cut off is still base64, but not of a size that keys have.
    whole = found == _encoded(key) or (not mark and len(key) % 16 == 0)
    return key if whole else b""
