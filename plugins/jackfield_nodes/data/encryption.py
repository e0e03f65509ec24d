"""Encrypted texts in n8n's form: with a passphrase (version, salt, nonce, tag, content) or with an RSA key (OAEP)."""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Mapping

from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from jackfield.api.nodes import NodeError
from jackfield_nodes.data.signatures import pem

KEY_BYTES: Mapping[str, int] = {"aes-128-gcm": 16, "aes-192-gcm": 24, "aes-256-gcm": 32, "chacha20-poly1305": 32}
_VERSION = b"\x01"
_SALT, _NONCE, _TAG = 16, 12, 16
_COST, _BLOCK, _LANES = 2**16, 8, 1
"""Of scrypt: 64 MiB and some tenths of a second."""


def encrypted(text: str, passphrase: str, cipher: str) -> str:
    """Base64. Blocks. Raises `NodeError`."""
    salt, nonce = secrets.token_bytes(_SALT), secrets.token_bytes(_NONCE)
    sealed = _cipher(passphrase, salt, cipher).encrypt(nonce, _content(text), None)
    content, tag = sealed[:-_TAG], sealed[-_TAG:]
    return base64.b64encode(b"".join((_VERSION, salt, nonce, tag, content))).decode()


def decrypted(text: str, passphrase: str, cipher: str) -> str:
    """Blocks. Raises `NodeError`."""
    given = _decoded(text)
    start = 1 + _SALT
    if len(given) < start + _NONCE + _TAG or given[:1] != _VERSION:
        raise NodeError("The value is no text that this node encrypted with a passphrase, or not all of it.")
    nonce, rest = given[start : start + _NONCE], given[start + _NONCE :]
    try:
        found = _cipher(passphrase, given[1:start], cipher).decrypt(nonce, rest[_TAG:] + rest[:_TAG], None)
    except InvalidTag:
        raise NodeError("The value cannot be decrypted with this passphrase and cipher.") from None
    return found.decode("utf-8", "replace")


def encrypted_for(text: str, public: str) -> str:
    """Base64. Raises `NodeError`, never with the key in it."""
    try:
        key = load_pem_public_key(pem(public))
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, rsa.RSAPublicKey):
        raise NodeError("The field encryptionPublicKey of the credential crypto is no public RSA key in PEM.")
    try:
        return base64.b64encode(key.encrypt(_content(text), _oaep())).decode()
    except ValueError:
        raise NodeError("The value is too long for the RSA key; use the mode symmetric.") from None


def decrypted_with(text: str, private: str) -> str:
    """Raises `NodeError`, never with the key in it."""
    try:
        key = load_pem_private_key(pem(private), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, rsa.RSAPrivateKey):
        raise NodeError("The field encryptionPrivateKey of the credential crypto is no private RSA key in PEM.")
    try:
        return key.decrypt(_decoded(text), _oaep()).decode("utf-8", "replace")
    except ValueError:
        raise NodeError("The value cannot be decrypted with this private key.") from None


def _cipher(passphrase: str, salt: bytes, name: str) -> AESGCM | ChaCha20Poly1305:
    if name not in KEY_BYTES:
        raise NodeError(f"The parameter cipher is '{name}'; use one of {', '.join(KEY_BYTES)}.")
    derived = Scrypt(salt=salt, length=KEY_BYTES[name], n=_COST, r=_BLOCK, p=_LANES).derive(_content(passphrase))
    return ChaCha20Poly1305(derived) if name == "chacha20-poly1305" else AESGCM(derived)


def _oaep() -> padding.OAEP:
    return padding.OAEP(mgf=padding.MGF1(hashes.SHA256()), algorithm=hashes.SHA256(), label=None)


def _content(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        raise NodeError("The value is not in base64.") from None
