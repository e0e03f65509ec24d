"""Endpoints for command lines that log in, in the forms of OAuth 2.0, and the page that a person opens."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.asgi_answers import send_json
from jackfield.api.auth import SCOPES
from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, InvalidInput, JackfieldError, MethodNotAllowed, NotFound, RateLimited
from jackfield.api.json_values import Json
from jackfield.api.limits import SlidingWindow, canonical_client
from jackfield.api.mcp.answers import header_values
from jackfield.api.mcp.bodies import BodyLimits, read_body
from jackfield.api.own_address import base_of
from jackfield.api.random_texts import kept_digest
from jackfield_auth.command_logins.addresses import (
    CLIENT,
    CODE_GRANT,
    DEVICE,
    DEVICE_GRANT,
    PAGE,
    REQUEST,
    TOKEN,
    loopback_port,
)
from jackfield_auth.command_logins.book import CommandKey, CommandLogins, CommandRefused
from jackfield_auth.command_logins.page import CONSENT_PAGE
from jackfield_auth.command_logins.records import CommandRequest
from jackfield_auth.settings import CommandLoginSettings

_LONGEST_NAME, _LONGEST_STATE = 100, 200
_OF_BROWSERS = frozenset({"origin", "sec-fetch-site"})
"""Headers by which a page is known. It could use up the places of waiting requests, and the attempts of an address."""
_CHALLENGE = 43
"""Characters of a SHA-256 in base64url (RFC 7636 section 4.2)."""


class CommandLoginApp:
    """An ASGI application below `/auth/command`. Nobody is known here: a code and a proof are the credentials."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(CommandLoginSettings)
        self._book = context.port(CommandLogins)
        self._asked = SlidingWindow(context.clock, self._settings.attempts, self._settings.window)
        self._limits = BodyLimits(self._settings.body_limit, self._settings.body_timeout, "security.command_logins.")
        # Half a second for the clock of the command: who waits the interval has waited it here, too.
        self._polls = SlidingWindow(context.clock, 1, self._settings.interval - 0.5)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._serve(scope, receive, send)
        except CommandRefused as exc:
            await send_json(send, {"error": exc.code, "error_description": str(exc)}, 400)
        except JackfieldError as exc:
            code = "temporarily_unavailable" if exc.status >= 429 else "invalid_request"
            await send_json(send, {"error": code, "error_description": exc.message}, exc.status, exc.headers)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._settings.enabled:
            raise NotFound("Logins of command lines are switched off (security.command_logins.enabled).")
        path, method = scope["path"], scope["method"]
        if path == PAGE:
            if method not in ("GET", "HEAD"):
                raise MethodNotAllowed(("GET", "HEAD"))
            await CONSENT_PAGE.send(scope, send)
            return
        if path not in (REQUEST, DEVICE, TOKEN):
            raise NotFound("There is nothing at this address.")
        if method != "POST":
            raise MethodNotAllowed(("POST",))
        headers = header_values(scope)
        if _OF_BROWSERS & headers.keys():
            raise AccessDenied("Pages ask nothing here, and no command comes from a page.")
        client = str(scope.get("jackfield.client", ""))
        retry = self._asked.hit(canonical_client(client))
        if retry is not None:
            raise RateLimited(retry, "This address asks too often (security.command_logins.attempts).")
        form = _read_form(await read_body(receive, headers, self._limits))
        if form.get("client_id") != CLIENT:
            raise CommandRefused("invalid_client", f"The client_id is {CLIENT}.")
        if path == REQUEST:
            await send_json(send, await self._begin(form, client), 201)
        elif path == DEVICE:
            base = base_of(scope, self._context.service)
            await send_json(send, await self._begin_device(form, client, base))
        else:
            await send_json(send, _told(await self._redeem(form)))

    async def _begin(self, form: Mapping[str, str], address: str) -> dict[str, Json]:
        port = loopback_port(form.get("redirect_uri", ""))
        challenge, state = form.get("code_challenge", ""), form.get("state", "")
        if form.get("response_type") != "code" or form.get("code_challenge_method") != "S256":
            raise CommandRefused("invalid_request", "Ask with response_type code and code_challenge_method S256.")
        if port is None:
            raise CommandRefused("invalid_request", "The redirect_uri is http://127.0.0.1:PORT/callback.")
        if len(challenge) != _CHALLENGE or not challenge.isascii() or not 0 < len(state) <= _LONGEST_STATE:
            raise CommandRefused(
                "invalid_request", "Give a code_challenge of S256, and a state of 1 to 200 characters."
            )
        now = self._context.clock.now_ms()
        request = CommandRequest(_name(form), address, now, _scopes(form), challenge, port, state)
        name = await self._book.begin_redirect(request)
        return {"request_uri": name, "expires_in": self._settings.timeout}

    async def _begin_device(self, form: Mapping[str, str], address: str, base: str) -> dict[str, Json]:
        codes = await self._book.begin_device(_name(form), address, _scopes(form))
        return {
            "device_code": codes.device,
            "user_code": codes.user,
            "verification_uri": base + PAGE,
            "verification_uri_complete": f"{base}{PAGE}#{codes.user}",
            "expires_in": self._settings.timeout,
            "interval": self._settings.interval,
        }

    async def _redeem(self, form: Mapping[str, str]) -> CommandKey:
        grant = form.get("grant_type")
        if grant == CODE_GRANT:
            port = loopback_port(form.get("redirect_uri", ""))
            return await self._book.redeem_code(form.get("code", ""), form.get("code_verifier", ""), port)
        if grant != DEVICE_GRANT:
            raise CommandRefused("unsupported_grant_type", f"The grant_type is {CODE_GRANT} or {DEVICE_GRANT}.")
        device = form.get("device_code", "")
        if self._polls.hit(kept_digest(device)) is not None:
            raise CommandRefused("slow_down", f"Ask every {self._settings.interval} seconds, and from now on later.")
        return await self._book.redeem_device(device)


def _told(made: CommandKey) -> dict[str, Json]:
    """RFC 6749 section 5.1, with the words that the command shows. The key goes with each request as X-API-Key."""
    until = made.key.expires_at
    return {
        "access_token": made.text,
        "token_type": "X-API-Key",
        "expires_in": None if until is None else (until - made.key.created_at) // 1000,
        "scope": " ".join(made.key.scopes),
        "username": made.user.username,
        "key_id": made.key.id,
        "expires_at": None if until is None else iso(until),
    }


def _name(form: Mapping[str, str]) -> str:
    name = "".join(sign for sign in form.get("client_name", "") if sign.isprintable()).strip()[:_LONGEST_NAME]
    return name or "a machine without a name"


def _scopes(form: Mapping[str, str]) -> tuple[str, ...]:
    asked = tuple(dict.fromkeys(form.get("scope", "").split()))
    if unknown := [scope for scope in asked if scope not in SCOPES]:
        known = ", ".join(sorted(SCOPES))
        raise CommandRefused("invalid_scope", f"{unknown[0][:64]} is no scope. The scopes are {known}.")
    return asked


def _read_form(body: bytes) -> dict[str, str]:
    try:
        found = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=30)
    except ValueError:
        raise InvalidInput("Send a form: application/x-www-form-urlencoded in UTF-8.") from None
    if any(len(values) > 1 for values in found.values()):
        raise InvalidInput("Give each parameter once.")
    return {name: values[0] for name, values in found.items()}
