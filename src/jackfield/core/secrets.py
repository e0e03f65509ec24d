"""Keys on disk, encryption at rest, and the list of values to hide."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import secrets
from pathlib import Path

from jackfield.api.errors import ConfigurationError
from jackfield.api.files import private_directory, read_private, write_private

from .redaction import Redactor

NONCE = 12


class FileSecrets:
    """`jackfield.api.context.Secrets` over `keys/` in the configuration directory."""

    def __init__(self, config_dir: Path, redactor: Redactor) -> None:
        self._directory = config_dir / "keys"
        self._redactor = redactor
        self._configured = os.environ.pop("JACKFIELD_ENCRYPTION_KEY", "")
        if self._configured:
            redactor.add(self._configured)
            if len(self._configured.encode()) < 32:
                raise ConfigurationError("JACKFIELD_ENCRYPTION_KEY must have at least 32 bytes.")
        self._encryption: bytes | None = None

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
        return nonce + AESGCM(self._key()).encrypt(nonce, plain, None)

    def open(self, sealed: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        try:
            return AESGCM(self._key()).decrypt(sealed[:NONCE], sealed[NONCE:], None)
        except InvalidTag:
            raise ValueError("the value was sealed with another key or has been changed") from None

    def _key(self) -> bytes:
        if self._encryption is None:
            configured = self._configured
            self._encryption = hashlib.sha256(configured.encode()).digest() if configured else self.key("encryption")
        return self._encryption


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
