"""A connection to an LDAP server (RFC 4511). The library waits, so each of its calls has a thread."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, TypeVar

from ldap3 import BASE, LEVEL, SUBTREE, Connection, Server, Tls
from ldap3.core.exceptions import LDAPException
from ldap3.utils.dn import parse_dn

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets

_SCOPES = {"base": BASE, "one": LEVEL, "sub": SUBTREE}
_HEX = frozenset({"objectguid", "objectsid"})
"""Attributes of Active Directory that are no texts."""
_TRUE, _FALSE, _TOO_MANY = 6, 5, 4
"""Result codes (RFC 4511, 4.1.9)."""
_GOOD = (0, 14)
_PAGES = "1.2.840.113556.1.4.319"
"""The control for pages of results (RFC 2696)."""
Result = TypeVar("Result")
Changes = Mapping[str, Sequence[tuple[str, Sequence[str]]]]
"""By attribute: what is done (MODIFY_ADD ...) with which values."""


class LdapSession:
    """Its methods raise `NodeError`."""

    def __init__(self, connection: Any, values: DriverCredential, most: int) -> None:  # the library has no types
        self._connection = connection
        self._values = values
        self._most = most

    async def _done(self, work: Callable[[], Result]) -> Result:
        try:
            return await asyncio.to_thread(work)
        except (LDAPException, OSError, ValueError) as exc:
            raise NodeError(f"LDAP: {self._values.shown(exc)}.") from None

    async def _asked(self, work: Callable[[], object], good: Sequence[int] = _GOOD) -> int:
        """The result's code, when it is one of these."""
        await self._done(work)
        found = self._connection.result
        if found["result"] not in good:
            told = self._values.shown(str(found.get("message") or ""))
            raise NodeError(f"LDAP: {found['description']}{f' ({told})' if told else ''}.")
        code: int = found["result"]
        return code

    async def compare(self, dn: str, attribute: str, value: str) -> bool:
        return await self._asked(lambda: self._connection.compare(dn, attribute, value), (_FALSE, _TRUE)) == _TRUE

    async def create(self, dn: str, attributes: Mapping[str, Sequence[str]]) -> None:
        await self._asked(lambda: self._connection.add(dn, attributes=dict(attributes)))

    async def delete(self, dn: str) -> None:
        await self._asked(lambda: self._connection.delete(dn))

    async def rename(self, dn: str, target: str) -> None:
        """target: the whole new DN, or its first part alone."""
        first, below = await self._done(lambda: _parted(target))
        await self._asked(lambda: self._connection.modify_dn(dn, first, new_superior=below or None))

    async def update(self, dn: str, changes: Changes) -> None:
        await self._asked(lambda: self._connection.modify(dn, dict(changes)))

    async def search(
        self, base: str, wanted: str, scope: str, attributes: Sequence[str], page_size: int, most: int | None
    ) -> list[dict[str, Json]]:
        """Entries, page by page. page_size: 0 for none; most: None for all."""
        found: list[dict[str, Json]] = []
        cookie: object = None
        for _ in range(self._most + 1):  # pages may be empty, and a server could give those forever
            more = {"paged_size": min(page_size, most or page_size), "paged_cookie": cookie} if page_size else {}
            limit = 0 if page_size or most is None else most

            def asked(more: Mapping[str, object] = more, limit: int = limit) -> object:
                return self._connection.search(
                    base, wanted, _SCOPES[scope], attributes=list(attributes) or ["*"], size_limit=limit, **more
                )

            await self._asked(asked, (0, _TOO_MANY) if limit else (0,))
            rows = [row for row in self._connection.response or () if row.get("type") == "searchResEntry"]
            found += [_entry(row, attributes) for row in rows]
            if len(found) > self._most and (most is None or most > self._most):
                raise NodeError(f"More than {self._most} entries came (integrations.max_rows); narrow the search.")
            cookie = _cookie(self._connection.result)
            if not cookie or (most is not None and len(found) >= most):
                return found[:most]
        raise NodeError(f"More than {self._most} pages came (integrations.max_rows); narrow the search.")

    async def close(self) -> None:
        with contextlib.suppress(NodeError):
            await self._done(self._connection.unbind)


def _parted(dn: str) -> tuple[str, str]:
    parts = [f"{name}={value}{mark}" for name, value, mark in parse_dn(dn)]
    at = next((place for place, part in enumerate(parts) if not part.endswith("+")), len(parts) - 1) + 1
    return "".join(parts[:at]).rstrip(","), "".join(parts[at:])


def _cookie(result: Mapping[str, Any]) -> object:
    return ((result.get("controls") or {}).get(_PAGES) or {}).get("value", {}).get("cookie")


def _entry(row: Mapping[str, Any], asked: Sequence[str]) -> dict[str, Json]:
    """One value as it is, several as a list; asked ones that the entry lacks as an empty list."""
    made: dict[str, Json] = {"dn": row["dn"]}
    for name, values in row["raw_attributes"].items():
        shown: list[Json] = [_text(name, value) for value in values]
        made[name] = shown[0] if len(shown) == 1 else shown
    known = {name.lower() for name in made}
    return made | {name: [] for name in asked if name.lower() not in known}


def _text(name: str, value: bytes) -> str:
    return value.hex() if name.lower() in _HEX else value.decode("utf-8", "replace")


@contextlib.asynccontextmanager
async def opened(
    targets: Targets, values: DriverCredential, settings: IntegrationSettings
) -> AsyncIterator[LdapSession]:
    """A connection that is signed in. Raises `NodeError`."""
    host, port = values.needed("hostname"), values.port(389)
    security = values.text("connectionSecurity", "none")

    async def connect(address: str) -> Any:
        return await asyncio.to_thread(_signed_in, address)

    def _signed_in(address: str) -> Any:
        server = Server(
            address,
            port,
            use_ssl=security == "tls",
            tls=_tls(values, host) if security != "none" else None,
            connect_timeout=settings.connect_timeout,
            get_info=None,
        )
        made = Connection(
            server,
            values.text("bindDN") or None,
            values.text("bindPassword") or None,
            auto_referrals=False,  # a server would send the password elsewhere
            receive_timeout=min(values.number("timeout", 300) or settings.timeout, settings.timeout),
        )
        if security == "startTls":
            made.open()
            if not made.start_tls():
                raise LDAPException("the server refuses STARTTLS")
        if not made.bind():
            told = made.result["description"]
            made.unbind()
            raise LDAPException(told)
        return made

    connection = await targets.reach(values, host, port, connect, [LDAPException, ValueError])
    session = LdapSession(connection, values, settings.max_rows)
    try:
        yield session
    finally:
        await session.close()


def _tls(values: DriverCredential, host: str) -> Any:
    """The name is verified although the connection goes to an address."""
    verify = not values.flag("allowUnauthorizedCerts")
    return Tls(
        validate=ssl.CERT_REQUIRED if verify else ssl.CERT_NONE,
        version=ssl.PROTOCOL_TLS_CLIENT if verify else ssl.PROTOCOL_TLS,
        ca_certs_data=values.text("caCertificate") or None,
        valid_names=[host],
        sni=host,
    )
