"""Ed25519 signatures of the index (RFC 8032), over its bytes as they are published."""

from __future__ import annotations

import base64
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from jackfield.api.errors import ConfigurationError
from jackfield_registry.settings import PUBLIC_KEY_SIZE, decoded

SIGNATURE_SIZE = 64


def is_signature(index: bytes, signature: bytes, public_key: str) -> bool:
    """Whether the signature, base64 or hex, is the key's for this index."""
    key = Ed25519PublicKey.from_public_bytes(decoded(public_key, PUBLIC_KEY_SIZE))
    try:
        key.verify(decoded(signature.decode("ascii"), SIGNATURE_SIZE), index)
    except (InvalidSignature, ValueError):
        return False
    return True


class Signer:
    """The private key of whoever publishes."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key

    def sign(self, index: bytes) -> bytes:
        """The content of `registry.json.sig`."""
        return base64.b64encode(self._key.sign(index)) + b"\n"

    @property
    def public_key(self) -> str:
        """The value for `registry.public_key`."""
        return base64.b64encode(self._key.public_key().public_bytes_raw()).decode()


def signer(path: Path) -> Signer:
    """The key in a file: PEM (PKCS 8, not encrypted), or 32 bytes as base64 or hex. Raises `ConfigurationError`."""
    try:
        content = path.read_bytes()
        if b"-----BEGIN" not in content:
            return Signer(Ed25519PrivateKey.from_private_bytes(decoded(content.decode("ascii"), 32)))
        key = load_pem_private_key(content, password=None)
    except OSError as exc:
        raise ConfigurationError(f"The key {path} cannot be read: {exc.strerror}.") from None
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise ConfigurationError(
            f"{path} has no Ed25519 private key without a password; make one with "
            "`openssl genpkey -algorithm ed25519 -out FILE`."
        )
    return Signer(key)
