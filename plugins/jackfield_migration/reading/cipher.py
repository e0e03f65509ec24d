"""n8n's encryption of credentials. Source: n8n-core, `encryption`.

The older form is OpenSSL's `Salted__` one: AES-256-CBC, whose key and initial vector are three rounds of MD5 over the
instance's key and the salt. Newer versions keep keys of data in the database, each sealed with AES-256-GCM under the
instance's key, and write `<id of the key>:<sealed>`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.records import record

FoundT = TypeVar("FoundT")
_PREFIX = re.compile(r"([A-Za-z0-9_-]{1,36}):(.*)", re.DOTALL)
_GCM_VERSION = 1
_SALT, _IV, _KEY, _TAG = 32, 12, 32, 16
_INFO = b"n8n-encryption-v1"


class WrongKey(InvalidInput):
    """The key does not open what was sealed."""


@record
class DataKey:
    """A key of the database's table deployment_key. sealed: as it stands there; algorithm: of what it seals."""

    id: str
    sealed: str
    algorithm: str


class N8nCipher:
    """Opens what an n8n installation has sealed. keys: of the installation (`N8N_ENCRYPTION_KEY`), and others that its
    exports may be sealed with; the first that gives JSON counts: by chance, the padding fits one of 256 keys."""

    def __init__(self, keys: Sequence[str], data_keys: Mapping[str, DataKey] | None = None) -> None:
        self._keys = keys
        self._data_keys = data_keys or {}

    def with_data_keys(self, found: Sequence[DataKey]) -> N8nCipher:
        """The same, knowing keys of a database."""
        return N8nCipher(self._keys, {**self._data_keys, **{each.id: each for each in found}})

    def lines(self, sealed: str) -> list[Json]:
        """Values of JSON, one in a line. Raises `WrongKey`."""
        return self._first(sealed, lambda text: [jsontext.loads(line) for line in text.splitlines() if line.strip()])

    def values(self, sealed: str) -> dict[str, Json]:
        """A credential's data. Raises `WrongKey`."""
        return self._first(sealed, _object)

    def _first(self, sealed: str, read: Callable[[str], FoundT]) -> FoundT:
        """What `read` makes of the text that the first key gives which it can read."""
        failed = _wrong()
        for key in self._keys:
            try:
                return read(self._open(sealed, key))
            except WrongKey as exc:
                failed = exc
            except InvalidInput:
                failed = _wrong()
        raise failed

    def _open(self, sealed: str, key: str) -> str:
        found = _PREFIX.fullmatch(sealed)
        if found is None:
            return open_cbc(sealed, key)
        data_key = self._data_keys.get(found[1])
        if data_key is None:
            raise WrongKey(
                f"It is sealed with the data key {found[1]}, which only n8n's database holds; import the database, or "
                "export the credentials with --decrypted."
            )
        inner = open_gcm(data_key.sealed, hashlib.sha256(key.encode()).hexdigest())
        return open_gcm(found[2], inner) if data_key.algorithm == "aes-256-gcm" else open_cbc(found[2], inner)


def _object(text: str) -> dict[str, Json]:
    """Raises `InvalidInput`."""
    found = jsontext.loads(text)
    if not isinstance(found, dict):
        raise _wrong()
    return found


def open_cbc(sealed: str, key: str) -> str:
    """Raises `WrongKey`."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from cryptography.hazmat.primitives.padding import PKCS7

    data = _bytes(sealed)
    salt, body = data[8:16], data[16:]
    if len(body) % 16 or not body:
        raise _wrong()
    derived = _derived(key.encode("utf-16-le")[::2], salt)  # as Node.js reads a key as binary
    decryptor = Cipher(algorithms.AES(derived[:32]), modes.CBC(derived[32:48])).decryptor()
    unpadder = PKCS7(128).unpadder()
    try:
        plain = unpadder.update(decryptor.update(body) + decryptor.finalize()) + unpadder.finalize()
        return plain.decode()
    except ValueError:
        raise _wrong() from None


def open_gcm(sealed: str, key: str) -> str:
    """key: 64 hexadecimal digits. Raises `WrongKey`."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    data = _bytes(sealed)
    if len(data) < 1 + _SALT + _TAG or data[0] != _GCM_VERSION:
        raise WrongKey("It is sealed in a form that this version does not know; export the credentials --decrypted.")
    salt, tag, body = data[1 : 1 + _SALT], data[1 + _SALT : 1 + _SALT + _TAG], data[1 + _SALT + _TAG :]
    try:
        derived = HKDF(SHA256(), _KEY + _IV, salt, _INFO).derive(bytes.fromhex(key))
        return AESGCM(derived[:_KEY]).decrypt(derived[_KEY:], body + tag, None).decode()
    except (InvalidTag, ValueError):
        raise _wrong() from None


def _derived(key: bytes, salt: bytes) -> bytes:
    """OpenSSL's EVP_BytesToKey with MD5 and one iteration, which the format prescribes."""
    found, block = b"", b""
    while len(found) < 48:
        block = hashlib.md5(block + key + salt, usedforsecurity=False).digest()
        found += block
    return found


def _bytes(sealed: str) -> bytes:
    try:
        return base64.b64decode(sealed, validate=False)
    except (binascii.Error, ValueError):
        raise _wrong() from None


def _wrong() -> WrongKey:
    return WrongKey(
        "The encryption key does not open it. Give the key of the n8n that wrote it: N8N_ENCRYPTION_KEY there, or "
        "encryptionKey in ~/.n8n/config."
    )
