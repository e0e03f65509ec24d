"""Credentials that both sides have: made for a run, by name in the documents of cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from .cases import Document

SECRET = "a secret of the comparison, of fifty bytes at least"


@dataclass(frozen=True)
class Given:
    """One credential. values: by the names that n8n's nodes read."""

    kind: str
    values: Mapping[str, str]


def named(kind: str, name: str) -> Document:
    """What a node says of its credential."""
    return {"credentials": {kind: {"id": name, "name": name}}}


@cache
def credentials() -> Mapping[str, Given]:
    """By name."""
    first, other, curve = _rsa(), _rsa(), ec.generate_private_key(ec.SECP256R1())
    pairs = {"rsa": _pem(first), "other rsa": _pem(other), "curve": _pem(curve)}
    jwt = {name: Given("jwtAuth", _jwt(*pem, "ES256" if name == "curve" else "RS256")) for name, pem in pairs.items()}
    secret = {"keyType": "passphrase", "algorithm": "HS256"}
    return {
        **jwt,
        "secret": Given("jwtAuth", {**secret, "secret": SECRET}),
        "other secret": Given("jwtAuth", {**secret, "secret": f"{SECRET}, another one"}),
        "512": Given("jwtAuth", {**secret, "secret": SECRET, "algorithm": "HS512"}),
        "crypto": Given("crypto", _crypto(pairs["rsa"])),
        "curve crypto": Given("crypto", _crypto(pairs["curve"])),
    }


def _crypto(pair: tuple[str, str]) -> Mapping[str, str]:
    return {
        "hmacSecret": SECRET,
        "signPrivateKey": pair[0],
        "encryptionPassphrase": SECRET,
        "encryptionPublicKey": pair[1],
        "encryptionPrivateKey": pair[0],
    }


def _jwt(private: str, public: str, algorithm: str) -> Mapping[str, str]:
    return {"keyType": "pemKey", "privateKey": private, "publicKey": public, "algorithm": algorithm}


def _rsa() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


def _pem(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> tuple[str, str]:
    """Private and public."""
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return private.decode(), key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
