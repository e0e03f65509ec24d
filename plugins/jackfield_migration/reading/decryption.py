"""Texts that n8n has sealed, opened with one key. Source: n8n-core, `encryption`.

Loaded with the first of them: its library is heavy.
"""

from __future__ import annotations

import base64
import binascii
import hashlib

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.padding import PKCS7

from jackfield_migration.reading.cipher import WrongKey, wrong_key

_GCM_VERSION = 1
_SALT, _IV, _KEY, _TAG = 32, 12, 32, 16
_INFO = b"n8n-encryption-v1"


def open_cbc(sealed: str, key: str) -> str:
    """Raises `WrongKey`."""
    data = _bytes(sealed)
    salt, body = data[8:16], data[16:]
    if len(body) % 16 or not body:
        raise wrong_key()
    derived = _derived(key.encode("utf-16-le")[::2], salt)  # as Node.js reads a key as binary
    decryptor = Cipher(algorithms.AES(derived[:32]), modes.CBC(derived[32:48])).decryptor()
    unpadder = PKCS7(128).unpadder()
    try:
        plain = unpadder.update(decryptor.update(body) + decryptor.finalize()) + unpadder.finalize()
        return plain.decode()
    except ValueError:
        raise wrong_key() from None


def open_gcm(sealed: str, key: str) -> str:
    """key: 64 hexadecimal digits. Raises `WrongKey`."""
    data = _bytes(sealed)
    if len(data) < 1 + _SALT + _TAG or data[0] != _GCM_VERSION:
        raise WrongKey("It is sealed in a form that this version does not know; export the credentials --decrypted.")
    salt, tag, body = data[1 : 1 + _SALT], data[1 + _SALT : 1 + _SALT + _TAG], data[1 + _SALT + _TAG :]
    try:
        derived = HKDF(SHA256(), _KEY + _IV, salt, _INFO).derive(bytes.fromhex(key))
        return AESGCM(derived[:_KEY]).decrypt(derived[_KEY:], body + tag, None).decode()
    except (InvalidTag, ValueError):
        raise wrong_key() from None


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
        raise wrong_key() from None
