"""Logins at providers to which the browser is sent. Source: RFC 6749 section 10.12, RFC 9700 sections 2.1 and 4.

A state is random, good once, for a limited time, for one login and for the browser that began. A cookie that no page
can read binds it, and so does the owner of the process that the browser is. Nobody is logged in by an answer that
somebody else began.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import cast
from urllib.parse import parse_qs, urlsplit

from jackfield.api import jsontext
from jackfield.api.auth import Peer
from jackfield.api.context import PluginContext
from jackfield.api.errors import AuthRequired, InvalidInput, RateLimited
from jackfield.api.limits import canonical_client
from jackfield.api.logins import RedirectAnswer, RedirectStart
from jackfield.api.memos import Memos, Room
from jackfield.api.random_texts import kept_digest
from jackfield.api.records import record
from jackfield.api.storage import User
from jackfield_auth.external.calls import LoginCalls
from jackfield_auth.external.methods import LoginMethods
from jackfield_auth.external.mounts import CALLBACK
from jackfield_auth.settings import LoginSettings

KIND = "login-redirect"
LONGEST_ANSWER = 8192
LONGEST_URL = 8192
_FIELDS = 50


class LoginEnded(AuthRequired):
    """This login was not begun in this browser, has been used, or took too long; begin again."""

    code = "LOGIN_ENDED"


@record
class PendingRedirect:
    """One that is under way. binding: digest of the browser's cookie."""

    provider: str
    binding: str
    start: RedirectStart
    peer: Peer


@record
class BegunRedirect:
    """url: where the browser goes; binding: the value of its cookie."""

    url: str
    binding: str


class Redirects:
    """Bounded: of too many, or too many of one address, the oldest are given up. They are kept sealed, so that the
    answer may come to any daemon of the store."""

    def __init__(
        self, methods: LoginMethods, calls: LoginCalls, settings: LoginSettings, context: PluginContext
    ) -> None:
        self._methods = methods
        self._calls = calls
        self._settings = settings
        self._context = context
        self._starting = 0

    @property
    def _memos(self) -> Memos:
        return self._context.port(Memos)

    @property
    def lifetime(self) -> int:
        """Seconds."""
        return self._settings.redirect_timeout

    async def begin(self, provider: str, origin: str, client: str, peer: Peer) -> BegunRedirect:
        """origin: scheme, host and port of the page that asks. Raises `InvalidInput` for an unknown login,
        `UpstreamFailed`, `RateLimited`."""
        login = await self._methods.redirect(provider)
        if self._starting >= self._settings.waiting:
            raise RateLimited(1, "Too many logins are under way; try again in a second.")
        state, binding = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        start = RedirectStart(
            state, f"{origin}{CALLBACK}/{provider}", secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        )
        self._starting += 1
        try:
            url = await self._calls.answer(provider, lambda: login.begin(start))
        finally:
            self._starting -= 1
        if not is_web(url):
            raise self._calls.broken(provider)
        await self._keep(PendingRedirect(provider, kept_digest(binding), start, peer), canonical_client(client))
        return BegunRedirect(url, binding)

    async def finish(self, provider: str, answer: str, bindings: Iterable[bytes], peer: Peer) -> User:
        """answer: the callback's query string; bindings: the browser's cookies. Raises `LoginEnded`, `LoginRefused`,
        `InvalidInput`, `AccessDenied` for a disabled user, `UpstreamFailed`."""
        query = fields(answer)
        pending = await self._take(provider, query.pop("state", ""), bindings, peer)
        login = await self._methods.redirect(provider)
        start = pending.start
        given = RedirectAnswer(query, start.callback, start.nonce, start.verifier)
        return await self._methods.enter(provider, await self._calls.answer(provider, lambda: login.finish(given)))

    async def _keep(self, redirect: PendingRedirect, client: str) -> None:
        most = self._settings.redirects
        room = Room(most, kept_digest(client), max(1, most // 10))
        sealed = self._context.secrets.seal(dumped(redirect))
        await self._memos.put_memo(KIND, kept_digest(redirect.start.state), sealed, self.lifetime, room)

    async def _take(self, provider: str, state: str, bindings: Iterable[bytes], peer: Peer) -> PendingRedirect:
        """Use it up. One that another browser brings stays for the right one."""
        key = kept_digest(state)
        sealed = await self._memos.memo(KIND, key)
        if sealed is None:
            raise LoginEnded
        pending = loaded(self._context.secrets.open(sealed))
        if pending.provider != provider or pending.peer != peer:
            raise LoginEnded
        if not any(hmac.compare_digest(pending.binding, digest_of(given)) for given in bindings):
            raise LoginEnded
        if await self._memos.take_memo(KIND, key) is None:  # another request was quicker
            raise LoginEnded
        return pending


def dumped(redirect: PendingRedirect) -> bytes:
    start = redirect.start
    return jsontext.dumps(
        [redirect.provider, redirect.binding, redirect.peer, start.state, start.callback, start.nonce, start.verifier]
    )


def loaded(data: bytes) -> PendingRedirect:
    """The inverse of `dumped`."""
    provider, binding, peer, *start = cast("list[str]", jsontext.loads(data))
    return PendingRedirect(provider, binding, RedirectStart(*start), cast("Peer", peer))


def digest_of(token: bytes) -> str:
    return hashlib.sha256(token).hexdigest()


def is_web(url: object) -> bool:
    """Whether a page may send its browser there: no script, no line ends."""
    if not isinstance(url, str) or len(url) > LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def fields(answer: str) -> dict[str, str]:
    """The callback's parameters, each of which may come once (RFC 6749 section 3.1). Raises `InvalidInput`."""
    try:
        given = parse_qs(answer, keep_blank_values=True, max_num_fields=_FIELDS, errors="strict")
    except ValueError:
        given = {"": ["", ""]}
    if len(answer) > LONGEST_ANSWER or any(len(values) > 1 for values in given.values()):
        raise InvalidInput("The provider's answer cannot be read.", details={"answer": "is not usable"})
    return {name: values[0] for name, values in given.items()}
