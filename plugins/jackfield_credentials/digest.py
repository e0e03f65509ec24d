"""HTTP Digest authentication. Source: RFC 7616; MD5 and SHA-256, with and without `-sess`, quality `auth`."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from urllib.parse import urlsplit

from jackfield.api.http_client import HttpCall, HttpReply
from jackfield.api.nodes import NodeError

_FIELD = re.compile(r'([A-Za-z][\w-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')
_HASHES = {"MD5": "md5", "SHA-256": "sha256", "SHA-512-256": "sha512_256"}


def challenges(reply: HttpReply) -> list[dict[str, str]]:
    """The Digest challenges of a 401, each with lower-case names."""
    found = []
    for name, value in reply.headers:
        if name == "www-authenticate":
            for part in re.split(r"(?i)(?:^|,)\s*(?=(?:digest|basic|bearer|negotiate|ntlm)(?:\s|$))", value):
                scheme, _, rest = part.strip().partition(" ")
                if scheme.lower() == "digest":
                    found.append({m[1].lower(): m[2] if m[2] is not None else m[3] for m in _FIELD.finditer(rest)})
    return found


def answer(call: HttpCall, reply: HttpReply, user: str, password: str) -> str | None:
    """The Authorization header for the strongest challenge that is known; None: there is none. Raises `NodeError` for a
    challenge that asks for what is not supported."""
    given = challenges(reply)
    if not given:
        return None
    known = [one for one in given if _algorithm(one) in _HASHES]
    if not known:
        raise NodeError(f"The server asks for Digest with {_algorithm(given[0])}, which is not supported.")
    chosen = min(known, key=lambda one: 0 if _algorithm(one) != "MD5" else 1)
    offered = [name.strip() for name in chosen.get("qop", "").split(",") if name.strip()]
    if offered and "auth" not in offered:
        raise NodeError("The server asks for Digest with body integrity (auth-int), which is not supported.")
    parts = urlsplit(reply.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return header(chosen, call.method, target, user, password, secrets.token_hex(16), bool(offered))


def header(
    challenge: Mapping[str, str], method: str, target: str, user: str, password: str, cnonce: str, quality: bool
) -> str:
    """The header's value for one challenge. quality: whether `qop=auth` is used."""
    name = challenge.get("algorithm", "MD5")

    def digest(text: str) -> str:
        return hashlib.new(_HASHES[_algorithm(challenge)], text.encode(), usedforsecurity=False).hexdigest()

    realm, nonce = challenge.get("realm", ""), challenge.get("nonce", "")
    secret = digest(f"{user}:{realm}:{password}")
    if name.lower().endswith("-sess"):
        secret = digest(f"{secret}:{nonce}:{cnonce}")
    request = digest(f"{method.upper()}:{target}")
    middle = f"{nonce}:00000001:{cnonce}:auth" if quality else nonce
    fields = [("username", user), ("realm", realm), ("nonce", nonce), ("uri", target)]
    fields.append(("response", digest(f"{secret}:{middle}:{request}")))
    if "opaque" in challenge:
        fields.append(("opaque", challenge["opaque"]))
    text = ", ".join(f'{key}="{_quoted(value)}"' for key, value in fields)
    text += f", algorithm={name}" if "algorithm" in challenge else ""
    if quality or name.lower().endswith("-sess"):
        text += f', cnonce="{cnonce}"'
    return f"Digest {text}" + (", qop=auth, nc=00000001" if quality else "")


def _algorithm(challenge: Mapping[str, str]) -> str:
    return challenge.get("algorithm", "MD5").upper().removesuffix("-SESS")


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
