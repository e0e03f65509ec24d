"""Tokens that a user's private key signs. Source: Snowflake's SQL API, "Using key-pair authentication"."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import datetime, timedelta

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from jackfield.api.nodes import NodeError

LIFETIME = timedelta(minutes=59)
"""Snowflake takes an hour at most."""
_PEM = re.compile(r"(-----BEGIN [A-Z ]+-----)(.*?)(-----END [A-Z ]+-----)", re.DOTALL)


def key_token(account: str, user: str, key: str, passphrase: str, now: datetime) -> str:
    """A JSON Web Token for an hour, slow to make. account: without its region. Raises `NodeError`."""
    try:
        loaded = load_pem_private_key(pem(key), passphrase.encode() or None)
    except TypeError:
        needs = "needs its passphrase" if not passphrase else "has no passphrase"
        raise NodeError(f"The privateKey of the credential snowflake {needs}; correct the field passphrase.") from None
    except (ValueError, UnsupportedAlgorithm):
        raise NodeError(
            "The privateKey of the credential snowflake cannot be read; give the PEM text of an RSA key and its "
            "passphrase."
        ) from None
    if not isinstance(loaded, RSAPrivateKey):
        raise NodeError("The privateKey of the credential snowflake is no RSA key, which Snowflake wants.")
    public = loaded.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    subject = f"{account}.{user}".upper()
    fingerprint = base64.b64encode(hashlib.sha256(public).digest()).decode()
    claims = {"iss": f"{subject}.SHA256:{fingerprint}", "sub": subject, "iat": now, "exp": now + LIFETIME}
    return jwt.encode(claims, loaded, "RS256")


def pem(key: str) -> bytes:
    """Forms put a key on one line, with spaces or with \\n for its line ends."""
    text = key.replace("\\n", "\n").strip()
    found = _PEM.search(text)
    if found is None or ":" in found[2]:  # headers of the old encryption need their lines
        return text.encode()
    return "\n".join([found[1], *"".join(found[2].split()).splitlines(), found[3], ""]).encode()
