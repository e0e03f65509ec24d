"""Signatures with a private key."""

from __future__ import annotations

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, padding, rsa
from cryptography.hazmat.primitives.hashes import HashAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from jackfield.api.nodes import NodeError

_PARTS = ("rsa-", "ecdsa-with-", "id-rsassa-pkcs1-v1_5-with-", "dsa-with-", "dsa-", "withrsaencryption")


def signed(content: bytes, key: str, algorithm: str) -> bytes:
    """algorithm: a digest's name, alone or as in RSA-SHA256. RSA signs by PKCS #1 v1.5, elliptic curves in DER; Ed25519
    and Ed448 have their own digest. Raises `NodeError`, never with the key in it."""
    try:
        private = load_pem_private_key(pem(key), password=None)
        if isinstance(private, rsa.RSAPrivateKey):
            return private.sign(content, padding.PKCS1v15(), _digest(algorithm))
        if isinstance(private, ec.EllipticCurvePrivateKey):
            return private.sign(content, ec.ECDSA(_digest(algorithm)))
        if isinstance(private, ed25519.Ed25519PrivateKey | ed448.Ed448PrivateKey):
            return private.sign(content)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        raise NodeError(
            "The private key cannot sign: it must be a PEM text without a passphrase, and fit the algorithm."
        ) from None
    raise NodeError("The private key is of a kind that cannot sign; use RSA, an elliptic curve or Ed25519.")


def pem(key: str) -> bytes:
    """Keys that went through a form may have their line ends written as \\n."""
    return key.replace("\\n", "\n").strip().encode()


def _digest(algorithm: str) -> HashAlgorithm:
    name = algorithm.lower()
    for part in _PARTS:
        name = name.replace(part, "")
    known: dict[str, HashAlgorithm] = {
        "md5": hashes.MD5(),  # noqa: S303 - what the receiver asks for
        "sha1": hashes.SHA1(),  # noqa: S303 - what the receiver asks for
        "sha224": hashes.SHA224(),
        "sha256": hashes.SHA256(),
        "sha384": hashes.SHA384(),
        "sha512": hashes.SHA512(),
        "sha3-224": hashes.SHA3_224(),
        "sha3-256": hashes.SHA3_256(),
        "sha3-384": hashes.SHA3_384(),
        "sha3-512": hashes.SHA3_512(),
    }
    if name not in known:
        raise NodeError(
            f"The parameter algorithm is '{algorithm}', which is not available; use RSA- with one of "
            f"{', '.join(found.upper() for found in known)}."
        )
    return known[name]
