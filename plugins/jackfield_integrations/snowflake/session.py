"""Requests to Snowflake's SQL API, version 2. Source: its reference, docs.snowflake.com/en/developer-guide/sql-api."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from math import ceil
from typing import cast
from urllib.parse import quote, urlsplit

from jackfield.api.context import PluginContext
from jackfield.api.credentials import ALLOWED_HOSTS
from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import Authorization, HttpBody, HttpCall, HttpClient, HttpReply, Pairs, host_allowed
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeError
from jackfield.api.object_references import load
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.snowflake.statements import Binding, plain_name
from jackfield_integrations.snowflake.values import Columns

Row = dict[str, "Json | bytes"]
_KEY_TOKEN = "jackfield_integrations.snowflake.keys:key_token"  # noqa: S105 - a place
"""By its place: it needs libraries that are large."""
_STATEMENTS = "/api/v2/statements"
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 5.0
"""Seconds between two questions whether a statement has ended; each pause is half as long again as the one before."""
_BUSY = frozenset({429, 503, 504})
"""Statuses after which a question may be asked again; a statement is not sent again."""
_NOT_YET = _BUSY | {202}
_CANCEL_SECONDS = 5
"""The time that a cancelled run has to end its statement."""
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_ACCOUNT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


class SnowflakeSession:
    """Its methods raise `NodeError`."""

    def __init__(
        self, context: PluginContext, values: DriverCredential, authorization: Authorization | None, token: str
    ) -> None:
        """authorization: of OAuth 2; without one, token is one that the user's key has signed."""
        self._context = context
        self._settings = context.settings(IntegrationSettings)
        self._values = values
        self._authorization = authorization
        self._token = token
        self._base = f"https://{host_of(values)}{_STATEMENTS}"

    async def run(self, statement: str, bound: Mapping[str, Binding]) -> list[Row]:
        """The rows of one statement."""
        asked: dict[str, Json] = {"statement": statement, "timeout": ceil(self._settings.timeout)}
        if bound:
            asked["bindings"] = {place: dict(one) for place, one in bound.items()}
        for name in ("database", "schema", "warehouse", "role"):
            if given := self._values.text(name).strip():
                asked[name] = plain_name(given)
        found = await self._ended(await self._send("POST", "", asked))
        return await self._rows(found)

    async def _ended(self, reply: HttpReply) -> dict[str, Json]:
        """The answer of a statement that has ended. One that is under way is cancelled with its run."""
        if reply.status != 202:
            return self._read(reply)
        handle = self._handle(self._read(reply))
        try:
            reply = await self._got(f"/{handle}", _NOT_YET)
        except (NodeError, asyncio.CancelledError):
            with suppress(NodeError, TimeoutError):
                async with asyncio.timeout(_CANCEL_SECONDS):
                    await self._send("POST", f"/{handle}/cancel")
            raise
        return self._read(reply)

    async def _got(self, path: str, later: frozenset[int], query: Pairs | None = None) -> HttpReply:
        """The first answer whose status is not one of `later`. The run's own time bounds it."""
        pause = _FIRST_PAUSE
        while True:
            await self._context.clock.sleep(pause)
            reply = await self._send("GET", path, query=query)
            if reply.status not in later:
                return reply
            pause = min(_LONGEST_PAUSE, pause * 1.5)

    async def _rows(self, found: Mapping[str, Json]) -> list[Row]:
        described = found.get("resultSetMetaData")
        described = described if isinstance(described, dict) else {}
        columns = Columns(described.get("rowType"))
        rows = columns.rows(_listed(found))
        count, parts = described.get("numRows"), described.get("partitionInfo")
        self._bound(count if isinstance(count, int) else len(rows))
        for place in range(1, len(parts) if isinstance(parts, list) else 0):
            query = [("partition", str(place))]
            path = f"/{self._handle(found)}"
            reply = await self._send("GET", path, query=query)
            if reply.status in _BUSY:
                reply = await self._got(path, _BUSY, query)
            rows += columns.rows(_listed(self._read(reply)))
            self._bound(len(rows))
        return rows

    def _bound(self, count: int) -> None:
        if count > self._settings.max_rows:
            most = self._settings.max_rows
            raise NodeError(f"The statement gives more than {most} rows (integrations.max_rows); limit it.")

    def _handle(self, found: Mapping[str, Json]) -> str:
        handle = found.get("statementHandle")
        if not isinstance(handle, str) or not handle:
            raise NodeError("Snowflake's answer has no statementHandle.")
        return quote(handle, safe="")

    async def _send(
        self, method: str, path: str, asked: Mapping[str, Json] | None = None, query: Pairs | None = None
    ) -> HttpReply:
        headers: Pairs = [("accept", "application/json"), ("user-agent", "jackfield/1")]
        kind = "OAUTH" if self._authorization is not None else "KEYPAIR_JWT"
        headers.append(("x-snowflake-authorization-token-type", kind))
        call = HttpCall(
            method,
            self._base + path,
            query=query or [],
            headers=[*headers, *([("authorization", f"Bearer {self._token}")] if self._token else [])],
            body=None if asked is None else HttpBody(dumps(dict(asked)), "application/json"),
            follow="none",
            secrets=[self._token] if self._token else [],
            secret_headers=frozenset({"authorization"}),
        )
        return await self._context.port(HttpClient).send(call, self._authorization)

    def _read(self, reply: HttpReply) -> dict[str, Json]:
        try:
            found = loads(reply.body, max_depth=200) if reply.body.strip() else {}
        except InvalidInput:
            found = None
        if reply.status in (200, 202) and isinstance(found, dict):
            return found
        told = found.get("message") if isinstance(found, dict) else None
        text = str(told or reply.reason or "no JSON")
        for secret in reply.secrets:
            text = text.replace(secret, "***") if secret else text
        raise NodeError(f"Snowflake answers with status {reply.status}: {self._values.shown(text)}.")


def _listed(found: Mapping[str, Json]) -> Sequence[Json]:
    rows = found.get("data")
    return rows if isinstance(rows, list) else []


def host_of(values: DriverCredential) -> str:
    """Where the account's API is. Underscores of an account are hyphens there, since no certificate has any; OAuth 2
    has asked under the name as it is. Raises `NodeError`."""
    own = values.text("host").strip()
    if own:
        host = (urlsplit(own).hostname or "") if "://" in own else own
        if not _HOST.fullmatch(host):
            raise NodeError(f"The host of the credential {values.kind} is no host name; correct it.")
        return host
    account = values.needed("account")
    if not _ACCOUNT.fullmatch(account):
        raise NodeError(f"The account of the credential {values.kind} is no account identifier; correct it.")
    if "_" in account and values.kind != "snowflake":
        raise NodeError(f"The account of the credential {values.kind} has underscores; write hyphens, as in its URL.")
    return f"{account.replace('_', '-').lower()}.snowflakecomputing.com"


async def key_session(context: PluginContext, values: DriverCredential) -> SnowflakeSession:
    """As the user whose key the credential has. Raises `NodeError`, also for a password, which the SQL API does not
    take."""
    if values.text("authentication", "password") != "keyPair":
        raise NodeError(
            "Snowflake's SQL API takes no password. Assign a public key to the user (RSA_PUBLIC_KEY), and choose "
            "keyPair with the private key in the credential snowflake; or use OAuth2."
        )
    host = host_of(values)
    if not host_allowed(host, values.text(ALLOWED_HOSTS)):
        raise NodeError(f"The credential snowflake may not be sent to {host}; its allowedHosts do not name it.")
    account, user, key = (values.needed(name) for name in ("account", "username", "privateKey"))
    passphrase = values.text("passphrase")

    def signed() -> str:
        make = cast("Callable[[str, str, str, str, datetime], str]", load(_KEY_TOKEN))
        return make(account_name(account), user, key, passphrase, datetime.now(UTC))

    return SnowflakeSession(context, values, None, await asyncio.to_thread(signed))


def account_name(account: str) -> str:
    """Of a token: without the region behind the name."""
    name = account.partition(".")[0]
    return name.rpartition("-")[0] or name if account.lower().endswith(".global") else name
