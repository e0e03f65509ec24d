"""Access tokens of service accounts: a signed assertion is exchanged for each. Source: RFC 7523 sections 2.1 and 3, RFC
7518 section 3.3; Google's description of OAuth 2.0 for server to server applications.

Tokens live in memory until shortly before their end; one request asks for all who need one at the same time.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import cast
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from jackfield.api.context import PluginContext
from jackfield.api.credentials import ServiceAccount
from jackfield.api.http_client import HttpClient
from jackfield.api.nodes import NodeError
from jackfield.api.object_references import load
from jackfield.api.records import record, replace
from jackfield_credentials.grants import OAuth2Tokens, ask, token_call
from jackfield_credentials.placing import optional, text
from jackfield_credentials.settings import CredentialSettings

GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
LIFETIME_S = 3600
"""Of an assertion: the longest that Google takes."""
_SIGNED = "jackfield_credentials.assertions:signed"


@record
class Account:
    """The account that asks for tokens. `issuer`: as the server knows it. `subject`: whom it acts for. `key`: PEM.
    `scope`: what the credential itself says."""

    kind: str
    issuer: str
    key: str
    subject: str = ""
    scope: str = ""

    def digest(self, scope: str) -> bytes:
        """Tells tokens apart without holding the key."""
        parts = (self.issuer, self.key, self.subject, scope)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()


def account_of(kind: str, scheme: ServiceAccount, values: Mapping[str, str]) -> Account:
    """Raises `NodeError` naming the field that is missing."""
    acts = optional(scheme.acts, values) == "true"
    return Account(
        kind,
        text(scheme.issuer, kind, values),
        text(scheme.key, kind, values),
        text(scheme.subject, kind, values) if acts else "",
        optional(scheme.scope, values),
    )


def scope_for(url: str, account: Account, scheme: ServiceAccount) -> str:
    """The scope that the credential names, else the one that the address is known to want. Raises `NodeError`."""
    if account.scope:
        return account.scope
    try:
        parts = urlsplit(url.strip())
        host, path = (parts.hostname or "").rstrip("."), parts.path
    except ValueError:
        host = path = ""
    for name, beginning, scope in scheme.scopes:
        if (host.endswith(name) if name.startswith(".") else host == name) and path.startswith(beginning):
            return scope
    raise NodeError(f"The credential {account.kind} names no scopes for {host}; fill in its scopes.")


class ServiceAccounts:
    """Gives the access tokens."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(CredentialSettings)
        self._kept: OrderedDict[bytes, OAuth2Tokens] = OrderedDict()
        self._locks: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()

    async def token(self, account: Account, scope: str, rejected: str | None = None) -> OAuth2Tokens:
        """A token that is fresh and is not the rejected one. Raises `NodeError`."""
        digest = account.digest(scope)
        lock = self._locks.setdefault(digest, asyncio.Lock())
        async with lock:
            found = self._kept.get(digest)
            if found is None or found.access == rejected or not self._fresh(found):
                found = await self.exchanged(account, scope)
            self._keep(digest, found)
            return found

    def _fresh(self, tokens: OAuth2Tokens) -> bool:
        return tokens.expires_at - self._settings.refresh_margin * 1000 > self._context.clock.now_ms()

    def _keep(self, digest: bytes, tokens: OAuth2Tokens) -> None:
        self._kept[digest] = tokens
        self._kept.move_to_end(digest)
        while len(self._kept) > self._settings.service_account_tokens:
            self._kept.popitem(last=False)

    async def exchanged(self, account: Account, scope: str) -> OAuth2Tokens:
        """A new token, which is not kept. Raises `NodeError`."""
        url, now = self._settings.service_account_token_url, self._context.clock.now_ms()
        claims: dict[str, str | int] = {"iss": account.issuer, "scope": scope, "aud": url}
        claims |= {"iat": now // 1000, "exp": now // 1000 + LIFETIME_S}
        if account.subject:
            claims["sub"] = account.subject
        assertion = await asyncio.to_thread(_signed, account, claims)
        call = token_call(url, {"grant_type": GRANT, "assertion": assertion}, self._settings.token_timeout)
        made = await ask(self._context.port(HttpClient), call, now)
        self._context.secrets.redact(made.access)
        # One without an end is good as long as the assertion was.
        return made if made.expires_at else replace(made, expires_at=now + LIFETIME_S * 1000)


def _signed(account: Account, claims: Mapping[str, str | int]) -> str:
    """In a thread: loading the libraries takes a tenth of a second. Raises `NodeError`."""
    sign = cast("Callable[[str, str, Mapping[str, str | int]], str]", load(_SIGNED))
    return sign(account.kind, account.key, claims)
