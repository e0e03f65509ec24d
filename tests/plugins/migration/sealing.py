"""n8n's older form of encryption: OpenSSL's `Salted__` one. The module under test has only its other half."""

from __future__ import annotations

import base64
import hashlib

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

_SALT = b"8 bytes!"


def sealed(text: str, key: str) -> str:
    """key: in ASCII."""
    rounds = [b""]
    for _ in range(3):
        rounds.append(hashlib.md5(rounds[-1] + key.encode("ascii") + _SALT, usedforsecurity=False).digest())
    derived = b"".join(rounds)
    padder = PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(derived[:32]), modes.CBC(derived[32:48])).encryptor()
    body = encryptor.update(padder.update(text.encode()) + padder.finalize()) + encryptor.finalize()
    return base64.b64encode(b"Salted__" + _SALT + body).decode()
