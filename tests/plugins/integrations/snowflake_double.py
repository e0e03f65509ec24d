"""A double of Snowflake's SQL API, made after its reference (docs.snowflake.com/en/developer-guide/sql-api)."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from jackfield.api.http_client import Authorization, HttpCall, HttpClient, HttpReply
from jackfield.api.records import replace

HOST = "acme-one.snowflakecomputing.com"
PLACE = "/api/v2/statements"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PUBLIC = KEY.public_key()
TOKEN = "token-of-oauth"


def private(passphrase: str = "") -> str:
    sealed = BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption()
    return KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, sealed).decode()


VALUES = {
    "account": "acme_one",
    "username": "ada",
    "authentication": "keyPair",
    "privateKey": private(),
    "database": "shop",
    "schema": '"Mine"',
    "warehouse": "small",
    "role": "",
}


@dataclass(frozen=True)
class Result:
    """What a statement gives. rows: texts, as the API has them; parts: how many partitions; under_way: how often it is
    not ready yet; message: why it fails."""

    columns: Sequence[tuple[str, str]] = ()
    rows: Sequence[Sequence[Any]] = ()
    parts: int = 1
    under_way: int = 0
    message: str = ""


@dataclass
class SqlApi:
    """asked: bodies of the statements; results: by statement, else one row with a count, as of a change; busy: statuses
    of the next answers to a GET."""

    results: dict[str, Result] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    watched: Callable[[str], None] = lambda _: None
    busy: list[int] = field(default_factory=list)
    _left: int = 0

    def answer(self, seen: Any) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body. seen: a request of the test servers."""
        question = f"{seen.method} {seen.target.removeprefix(PLACE)}"
        self.questions.append(question)
        self.watched(question)
        if refused := self._refused(seen.headers):
            return _json(401, {"code": "390144", "message": refused})
        if self.busy and seen.method == "GET":
            return _json(self.busy.pop(0), {"message": "slow down"})
        path, _, query = seen.target.removeprefix(PLACE).partition("?")
        if path.endswith("/cancel"):
            return _json(200, {"code": "000604", "message": "successfully canceled", "statementHandle": "h-1"})
        if seen.method == "POST":
            self.asked.append(json.loads(seen.body))
            self._left = self._result().under_way
            return self._state()
        if query:
            return self._part(int(query.removeprefix("partition=")))
        self._left -= 1
        return self._state()

    def _result(self) -> Result:
        fallback = Result([("number of rows inserted", "fixed")], [["1"]])
        return self.results.get(self.asked[-1]["statement"], fallback)

    def _state(self) -> tuple[int, dict[str, str], bytes]:
        found = self._result()
        if self._left > 0:
            return _json(202, {"code": "333334", "message": "in progress", "statementHandle": "h-1"})
        if found.message:
            return _json(422, {"code": "001003", "sqlState": "42000", "message": found.message})
        columns = [{"name": name, "type": kind, "scale": 9, "nullable": True} for name, kind in found.columns]
        told = {"numRows": len(found.rows), "format": "jsonv2", "rowType": columns, "partitionInfo": [{}] * found.parts}
        whole = {"resultSetMetaData": told, "data": self._rows(0), "code": "090001", "statementHandle": "h-1"}
        return _json(200, whole)

    def _rows(self, part: int) -> list[Any]:
        found = self._result()
        size = -(-len(found.rows) // found.parts)
        return list(found.rows[part * size : (part + 1) * size])

    def _part(self, part: int) -> tuple[int, dict[str, str], bytes]:
        """Compressed, as all partitions after the first are."""
        status, headers, body = _json(200, {"data": self._rows(part)})
        return status, {**headers, "content-encoding": "gzip"}, gzip.compress(body)

    def _refused(self, headers: dict[str, str]) -> str:
        token = headers.get("authorization", "").removeprefix("Bearer ")
        kind = headers.get("x-snowflake-authorization-token-type")
        if not headers.get("user-agent"):
            return "User-Agent is missing"
        if kind == "OAUTH":
            return "" if token == TOKEN else "Invalid OAuth access token"
        der = PUBLIC.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        fingerprint = base64.b64encode(hashlib.sha256(der).digest()).decode()
        try:
            claims = jwt.decode(token, PUBLIC, ["RS256"])  # type: ignore[arg-type]  # an RSA key
        except jwt.InvalidTokenError as exc:
            return f"JWT token is invalid: {exc} {token}"
        wanted = {"iss": f"ACME_ONE.ADA.SHA256:{fingerprint}", "sub": "ACME_ONE.ADA"}
        if claims["exp"] - claims["iat"] > 3600 or {name: claims[name] for name in wanted} != wanted:
            return f"JWT token is invalid: {claims}"
        return ""


def _json(status: int, body: Any) -> tuple[int, dict[str, str], bytes]:
    return status, {"content-type": "application/json"}, json.dumps(body).encode()


class ThereClient:
    """The client, for which the account's host is a loopback server."""

    def __init__(self, client: HttpClient, url: str) -> None:
        self._client = client
        self._url = url.rstrip("/")

    async def send(self, call: HttpCall, authorization: Authorization | None = None) -> HttpReply:
        assert call.url.startswith(f"https://{HOST}/"), call.url
        return await self._client.send(replace(call, url=call.url.replace(f"https://{HOST}", self._url)), authorization)
