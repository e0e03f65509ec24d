"""JSON Web Tokens: signed, verified, taken apart. Source: RFC 7519, RFC 7515."""

from __future__ import annotations

import re
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Mapping

import jwt
from jwt.algorithms import Algorithm

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeError
from jackfield_nodes.data.jwt_keys import JwtChecks, JwtKey, JwtToken

_FORM = re.compile(r"[\w-]+\.[\w-]+\.[\w-]*", re.ASCII)


def signed(claims: Mapping[str, Json], key: JwtKey, key_id: str) -> str:
    """Raises `NodeError`, never with the key in it."""
    head = {"alg": key.algorithm, "typ": "JWT"} | ({"kid": key_id} if key_id else {})
    secret = key.signing()
    try:
        content = f"{_coded(dumps(head))}.{_coded(dumps(dict(claims)))}"
        algorithm = _algorithm(key)
        return f"{content}.{_coded(algorithm.sign(content.encode(), algorithm.prepare_key(secret)))}"
    except _key_errors():
        raise NodeError(f"The token cannot be signed with {key.algorithm} and the key of jwtAuth.") from None


def verified(token: str, key: JwtKey, checks: JwtChecks) -> JwtToken:
    """A token that is good. Raises `NodeError`."""
    secret = key.verifying()
    try:
        algorithm = _algorithm(key)
        prepared = algorithm.prepare_key(secret)
    except _key_errors():
        raise NodeError(f"The key of jwtAuth is none for {key.algorithm}.") from None
    found = taken_apart(token)
    # Never the algorithm that the token names itself.
    if found.header.get("alg") != key.algorithm:
        raise NodeError(f"The token is not valid: it is not signed with {key.algorithm}.")
    if "crit" in found.header:
        raise NodeError("The token is not valid here: its header has extensions that must be understood (crit).")
    content, _, signature = token.rpartition(".")
    try:
        good = algorithm.verify(content.encode(), prepared, _bytes(signature))
    except _key_errors():
        good = False
    if not good:
        raise NodeError("The token is not valid: its signature is wrong.")
    _check_times(found.payload, checks)
    return found


def taken_apart(token: str) -> JwtToken:
    """The parts of a token, whoever made it. Raises `NodeError`."""
    try:
        head, claims, signature = token.split(".")
        header, payload, _ = loads(_bytes(head)), loads(_bytes(claims)), _bytes(signature)
    except (ValueError, InvalidInput):
        header = payload = None
    if not isinstance(header, dict) or not isinstance(payload, dict):
        raise NodeError("The token is none: three parts with dots, the first two JSON objects in base64url.")
    return JwtToken(header, payload, signature)


def decoded(token: str) -> JwtToken | None:
    """The same; None for a text that only has the form of one, as n8n decodes it. Raises `NodeError`."""
    if _FORM.fullmatch(token):
        try:
            loads(_bytes(token.partition(".")[0]))
        except (ValueError, InvalidInput):
            return None
    return taken_apart(token)


def _algorithm(key: JwtKey) -> Algorithm:
    return jwt.get_algorithm_by_name(key.algorithm)


def _key_errors() -> tuple[type[Exception], ...]:
    return (jwt.PyJWTError, ValueError, TypeError, NotImplementedError)


def _coded(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    """Raises ValueError for what is no base64url."""
    return b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _check_times(claims: Mapping[str, Json], checks: JwtChecks) -> None:
    if checks.expiration and (end := _time(claims, "exp")) is not None and checks.now >= end + checks.tolerance:
        raise NodeError("The token is not valid: it has expired (exp).")
    if checks.not_before and (start := _time(claims, "nbf")) is not None and checks.now < start - checks.tolerance:
        raise NodeError("The token is not valid yet (nbf).")


def _time(claims: Mapping[str, Json], name: str) -> float | None:
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NodeError(f"The token is not valid: its claim {name} is no number.")
    return value
