"""Requests to OAuth 2 token servers. Source: RFC 6749 sections 2.3.1, 4.1.3, 4.4.2, 5 and 6; RFC 7636."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl, quote_plus, urlencode, urlsplit

from jackfield.api.credentials import OAuth2
from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import HttpBody, HttpCall, HttpClient, HttpReply
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeError
from jackfield.api.records import record, replace
from jackfield_credentials.placing import optional, text, with_basic

_FORM = "application/x-www-form-urlencoded"
_LONGEST_LIFE = 10 * 365 * 86_400
_NO_SECRETS = frozenset({"client_id", "grant_type", "redirect_uri", "resource", "scope"})
"""Of what is sent in a request for a token; the credential's further parameters may hold anything."""


class TokenRefused(NodeError):
    """The token server said no, so that trying again is of no use. code: RFC 6749 section 5.2."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


@record
class OAuth2Tokens:
    """expires_at: Unix ms; 0: not said. refresh: empty when there is none."""

    access: str
    refresh: str = ""
    expires_at: int = 0

    def dump(self) -> str:
        found = {"access_token": self.access, "refresh_token": self.refresh, "expires_at": self.expires_at}
        return dumps(found).decode()


def read_tokens(written: str | None) -> OAuth2Tokens | None:
    """The value that `OAuth2Tokens.dump` wrote; None: nothing, or nothing that can be read."""
    if not written:
        return None
    try:
        found = loads(written)
    except InvalidInput:
        return None
    if not isinstance(found, dict) or not isinstance(found.get("access_token"), str):
        return None
    expires = found.get("expires_at")
    return OAuth2Tokens(
        str(found["access_token"]), str(found.get("refresh_token") or ""), expires if isinstance(expires, int) else 0
    )


@record
class OAuth2Client:
    """One OAuth 2 client: a credential's scheme and values."""

    kind: str
    scheme: OAuth2
    values: Mapping[str, str]
    timeout: float

    @property
    def grant(self) -> str:
        return optional(self.scheme.grant, self.values) or "authorizationCode"

    def part(self, template: str) -> str:
        """The filled template. Raises `NodeError` naming the missing field."""
        return text(template, self.kind, self.values)

    def maybe(self, template: str) -> str:
        return optional(template, self.values)

    async def client_credentials(self, http: HttpClient, now: int) -> OAuth2Tokens:
        form = {"grant_type": "client_credentials", "scope": self.maybe(self.scheme.scope), **self._further()}
        return await self._ask(http, form, now)

    async def code(self, http: HttpClient, code: str, redirect_uri: str, verifier: str, now: int) -> OAuth2Tokens:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        return await self._ask(http, form, now)

    async def refresh(self, http: HttpClient, tokens: OAuth2Tokens, now: int) -> OAuth2Tokens:
        """The old refresh token stays unless there is a new one (RFC 6749 section 6)."""
        made = await self._ask(http, {"grant_type": "refresh_token", "refresh_token": tokens.refresh}, now)
        return made if made.refresh else replace(made, refresh=tokens.refresh)

    def _further(self) -> dict[str, str]:
        written = self.maybe(self.scheme.token_body)
        try:
            found = loads(written) if written.strip() else {}
        except InvalidInput:
            found = None
        if not isinstance(found, dict):
            raise NodeError(f"The token parameters of the credential {self.kind} must be a JSON object.")
        return {name: value if isinstance(value, str) else dumps(value).decode() for name, value in found.items()}

    async def _ask(self, http: HttpClient, form: Mapping[str, str], now: int) -> OAuth2Tokens:
        whole = {**form, "resource": self.maybe(self.scheme.resource)}
        return await ask(http, self._call({name: value for name, value in whole.items() if value}), now)

    @property
    def registers(self) -> bool:
        """Whether it has to register before its user is sent to the authorization server."""
        return self.maybe(self.scheme.registers) == "true" and not self.maybe(self.scheme.client_id)

    def _call(self, form: dict[str, str]) -> HttpCall:
        ident, secret = self.part(self.scheme.client_id), self.maybe(self.scheme.client_secret)
        in_body = self.maybe(self.scheme.client) == "body" or not secret
        if in_body:
            form |= {"client_id": ident} | ({"client_secret": secret} if secret else {})
        verify = self.maybe(self.scheme.any_certificate) != "true"
        call = token_call(self.part(self.scheme.token_url), form, self.timeout, secret=secret, verify=verify)
        return call if in_body else with_basic(call, quote_plus(ident), quote_plus(secret))


def token_call(url: str, form: Mapping[str, str], timeout: float, *, secret: str = "", verify: bool = True) -> HttpCall:
    """A request for a token; never redirected: the body holds secrets. secret: a further one, beside the form's."""
    return HttpCall(
        "POST",
        url,
        headers=[("accept", "application/json")],
        body=HttpBody(urlencode(form).encode(), _FORM),
        follow="none",
        timeout=timeout,
        verify=verify,
        secrets=_spellings([secret, *(value for name, value in form.items() if name not in _NO_SECRETS)]),
        secret_body=True,
    )


async def ask(http: HttpClient, call: HttpCall, now: int) -> OAuth2Tokens:
    """now: Unix ms. Raises `TokenRefused`, `NodeError`."""
    return _read(await http.send(call), now)


def _spellings(secrets: Iterable[str]) -> list[str]:
    """Each as it is and as in a form, for servers that quote the request in their answer; the longest first."""
    known = {text for secret in secrets if secret for text in (secret, quote_plus(secret))}
    return sorted(known, key=len, reverse=True)


def _read(reply: HttpReply, now: int) -> OAuth2Tokens:
    fields = _fields(reply)
    access = fields.get("access_token")
    if not 200 <= reply.status < 300 or not isinstance(access, str) or not access:
        raise _refusal(reply, fields)
    refresh = fields.get("refresh_token")
    return OAuth2Tokens(access, refresh if isinstance(refresh, str) else "", _expiry(fields.get("expires_in"), now))


def _expiry(lifetime: Json, now: int) -> int:
    """expires_in as a number or, as some write it, as text; 0: not said."""
    try:
        seconds = float(lifetime) if isinstance(lifetime, str | int | float) else 0.0
    except ValueError:
        return 0
    return now + int(min(seconds, _LONGEST_LIFE) * 1000) if seconds > 0 else 0


def _fields(reply: HttpReply) -> Mapping[str, Json]:
    """JSON, or a form, as older servers answer."""
    written = reply.body.decode("utf-8", "replace")
    if reply.header("content-type").startswith(_FORM):
        return dict(parse_qsl(written))
    try:
        found = loads(written)
    except InvalidInput:
        found = dict(parse_qsl(written)) if "access_token=" in written else {}
    return found if isinstance(found, dict) else {}


def _refusal(reply: HttpReply, fields: Mapping[str, Json]) -> NodeError:
    host = urlsplit(reply.url).hostname
    code = fields.get("error")
    shown = " ".join(str(part) for part in (code, fields.get("error_description")) if isinstance(part, str))
    for secret in reply.secrets:
        shown = shown.replace(secret, "***") if secret else shown
    told = f"The token server {host} gave no token (status {reply.status}{': ' + shown[:200] if shown else ''})."
    if reply.status >= 500 or reply.status == 429:
        return NodeError(told)
    return TokenRefused(told, code if isinstance(code, str) else "")
