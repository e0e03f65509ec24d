"""`Authorization` for each scheme. Each holds the values of one credential for one run of a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast
from urllib.parse import urlsplit

from jackfield.api.credentials import (
    ALLOWED_HOSTS,
    CredentialKind,
    Digest,
    OAuth2,
    Placement,
    ServiceAccount,
    Sign,
    Signing,
    filled,
)
from jackfield.api.http_client import Authorization, HttpCall, HttpReply, host_allowed
from jackfield.api.nodes import NodeError
from jackfield.api.object_references import load
from jackfield.api.records import replace
from jackfield_credentials import digest
from jackfield_credentials.accounts import ServiceAccounts, account_of, scope_for
from jackfield_credentials.grants import OAuth2Tokens
from jackfield_credentials.placing import optional, placed, text, with_header
from jackfield_credentials.tokens import TokenKeeper


class Bound:
    """The common part of all: the hosts, and the values that quoted answers must not show."""

    def __init__(self, kind: CredentialKind, values: Mapping[str, str]) -> None:
        self.kind = kind.name
        self.allowed_hosts = values.get(ALLOWED_HOSTS, "")
        self._values = values
        self._secrets = [value for name, value in values.items() if value and kind.secret(name)]

    async def apply(self, call: HttpCall) -> HttpCall:
        self._check(call.url)
        made = await self._applied(call)
        return replace(made, secrets=[*made.secrets, *self._secrets])

    async def again(self, sent: HttpCall, reply: HttpReply) -> HttpCall | None:
        return None

    async def _applied(self, call: HttpCall) -> HttpCall:
        raise NotImplementedError

    def _belongs(self, sent: HttpCall, reply: HttpReply) -> bool:
        """Whether the answer comes from the server that was asked, or from one that allowedHosts names. To the target
        of a redirect goes no digest, from which somebody could guess the password, and no token is renewed."""
        return _belongs(sent.url, reply.url, self.allowed_hosts)

    def _check(self, url: str) -> None:
        try:
            host = urlsplit(url.strip()).hostname or ""
        except ValueError:
            host = ""
        if not host_allowed(host, self.allowed_hosts):
            raise NodeError(f"The credential {self.kind} may not be sent to {host}; its allowedHosts do not name it.")


def _belongs(asked: str, answered: str, allowed: str = "") -> bool:
    """See `jackfield_credentials.origins`, which is loaded when it is needed."""
    belongs = cast("Callable[[str, str, str], bool]", load("jackfield_credentials.origins:belongs"))
    return belongs(asked, answered, allowed)


class PlacedValues(Bound):
    """Headers and query."""

    def __init__(self, kind: CredentialKind, values: Mapping[str, str], scheme: Placement) -> None:
        super().__init__(kind, values)
        self._scheme = scheme

    async def _applied(self, call: HttpCall) -> HttpCall:
        return placed(call, self._scheme, self.kind, self._values)


class Signed(Bound):
    """Code of the kind's own."""

    def __init__(self, kind: CredentialKind, values: Mapping[str, str], scheme: Signing) -> None:
        super().__init__(kind, values)
        self._scheme = scheme

    async def _applied(self, call: HttpCall) -> HttpCall:
        sign = self._scheme.sign
        if isinstance(sign, str):
            sign = cast("Sign", load(sign))
        return sign(call, self._values)


class DigestAnswers(Bound):
    """The first request goes without; the challenge says how to answer."""

    def __init__(self, kind: CredentialKind, values: Mapping[str, str], scheme: Digest) -> None:
        super().__init__(kind, values)
        self._scheme = scheme

    async def _applied(self, call: HttpCall) -> HttpCall:
        return call

    async def again(self, sent: HttpCall, reply: HttpReply) -> HttpCall | None:
        if reply.status != 401 or not self._belongs(sent, reply):
            return None
        self._check(reply.url)
        user, password = (text(part, self.kind, self._values) for part in (self._scheme.user, self._scheme.password))
        found = digest.answer(sent, reply, user, password)
        # Where the challenge came from: the digest covers the path.
        return found and with_header(replace(sent, url=reply.url, query=[]), "authorization", found)  # type: ignore[return-value]


class BearerTokens(Bound):
    """An access token of OAuth 2; one that the server rejects is renewed once."""

    def __init__(
        self, kind: CredentialKind, values: Mapping[str, str], scheme: OAuth2, credential_id: str, keeper: TokenKeeper
    ) -> None:
        super().__init__(kind, values)
        self._scheme = scheme
        self._credential_id = credential_id
        self._keeper = keeper
        self._tokens: OAuth2Tokens | None = None

    def _check(self, url: str) -> None:
        """Tokens that are for one server go to its origin only."""
        super()._check(url)
        scheme = self._scheme
        if self.allowed_hosts.strip(" ,") or not (scheme.server or scheme.resource):
            return
        home = optional(scheme.server, self._values) or optional(scheme.resource, self._values)
        if not home:
            raise NodeError(
                f"The credential {self.kind} does not say which server its tokens are for; fill in serverUrl or "
                "allowedHosts."
            )
        try:
            belongs = _belongs(home, url)
        except ValueError:  # the address is none
            belongs = False
        if not belongs:
            raise NodeError(
                f"The tokens of the credential {self.kind} are for another server than the node's address; correct "
                "the address, or name its host in allowedHosts."
            )

    async def _applied(self, call: HttpCall) -> HttpCall:
        tokens = self._tokens
        if tokens is None or not self._keeper.fresh(tokens):
            tokens = self._tokens = await self._keeper.token(self._credential_id)
        return self._with(call, tokens)

    async def again(self, sent: HttpCall, reply: HttpReply) -> HttpCall | None:
        if reply.status != 401 or not self._belongs(sent, reply):
            return None
        used = next((value for name, value in sent.headers if name.lower() == "authorization"), "")
        tokens = self._tokens
        if tokens is None or self._header(tokens) == used:
            try:
                rejected = tokens.access if tokens is not None else None
                tokens = self._tokens = await self._keeper.token(self._credential_id, rejected)
            except NodeError:
                return None
        return None if self._header(tokens) == used else self._with(sent, tokens)

    def _header(self, tokens: OAuth2Tokens) -> str:
        return filled(self._scheme.header, {**self._values, "accessToken": tokens.access})

    def _with(self, call: HttpCall, tokens: OAuth2Tokens) -> HttpCall:
        made = with_header(call, "authorization", self._header(tokens))
        return replace(made, secrets=[*made.secrets, tokens.access])


class AccountTokens(Bound):
    """An access token of a service account; one that the server rejects is replaced once."""

    def __init__(
        self, kind: CredentialKind, values: Mapping[str, str], scheme: ServiceAccount, accounts: ServiceAccounts
    ) -> None:
        super().__init__(kind, values)
        self._scheme = scheme
        self._accounts = accounts

    async def _applied(self, call: HttpCall) -> HttpCall:
        return self._with(call, await self._token(call.url, None))

    async def again(self, sent: HttpCall, reply: HttpReply) -> HttpCall | None:
        if reply.status != 401 or not self._belongs(sent, reply):
            return None
        used = next((value for name, value in sent.headers if name.lower() == "authorization"), "")
        try:
            tokens = await self._token(sent.url, used.removeprefix("Bearer "))
        except NodeError:
            return None
        return self._with(sent, tokens)

    async def _token(self, url: str, rejected: str | None) -> OAuth2Tokens:
        account = account_of(self.kind, self._scheme, self._values)
        return await self._accounts.token(account, scope_for(url, account, self._scheme), rejected)

    def _with(self, call: HttpCall, tokens: OAuth2Tokens) -> HttpCall:
        made = with_header(call, "authorization", f"Bearer {tokens.access}")
        return replace(made, secrets=[*made.secrets, tokens.access])


def authorization(
    kind: CredentialKind, values: Mapping[str, str], credential_id: str, keeper: TokenKeeper, accounts: ServiceAccounts
) -> Authorization:
    """The object that applies this kind. Raises `NodeError` for one whose values are not for requests."""
    match kind.scheme:
        case Placement():
            return PlacedValues(kind, values, kind.scheme)
        case Digest():
            return DigestAnswers(kind, values, kind.scheme)
        case OAuth2():
            return BearerTokens(kind, values, kind.scheme, credential_id, keeper)
        case ServiceAccount():
            return AccountTokens(kind, values, kind.scheme, accounts)
        case Signing():
            return Signed(kind, values, kind.scheme)
    raise NodeError(f"Credentials of the kind {kind.name} are not for requests; choose another kind.")
