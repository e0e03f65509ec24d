"""Signed assertions of service accounts. Source: RFC 7523 section 3, RFC 7518 section 3.3."""

from __future__ import annotations

from collections.abc import Mapping

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from jackfield.api.nodes import NodeError

_LEAST_BITS = 2048
_HEAD = "-----BEGIN PRIVATE KEY-----"


def signed(kind: str, private_key: str, claims: Mapping[str, str | int]) -> str:
    """The assertion (RS256). private_key: PEM. Raises `NodeError`, never with the key in it."""
    # Keys that were copied out of JSON may have their line ends written as \n.
    written = private_key.replace("\\n", "\n").strip()
    told = f"The privateKey of the credential {kind}"
    if not written.startswith(_HEAD):
        raise NodeError(
            f"{told} is no private key in PKCS #8; copy private_key of the account's JSON file, with its line {_HEAD}."
        )
    try:
        key = load_pem_private_key(written.encode(), password=None)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        raise NodeError(f"{told} cannot be read; copy private_key of the account's JSON file whole.") from None
    if not isinstance(key, rsa.RSAPrivateKey) or key.key_size < _LEAST_BITS:
        raise NodeError(f"{told} must be an RSA key of {_LEAST_BITS} bits or more.")
    return jwt.encode(dict(claims), key, algorithm="RS256")
