"""Logins at providers to which the browser is sent. Source: RFC 6749 section 10.12, RFC 9700 sections 2.1 and 4.

A state is random, good once, for a limited time, for one login and for the browser that began: a cookie that no page
can read binds it, and so does whose process the browser is. Nobody is logged in by an answer that somebody else began.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Iterable
from urllib.parse import parse_qs, urlsplit

from jackfield.api.auth import Peer
from jackfield.api.clock import Clock
from jackfield.api.errors import AuthRequired, InvalidInput, RateLimited
from jackfield.api.limits import canonical_client
from jackfield.api.logins import RedirectAnswer, RedirectStart
from jackfield.api.records import record
from jackfield.api.storage import User
from jackfield_auth.external.calls import LoginCalls
from jackfield_auth.external.methods import LoginMethods
from jackfield_auth.external.mounts import CALLBACK
from jackfield_auth.settings import LoginSettings

LONGEST_ANSWER = 8192
LONGEST_URL = 8192
_FIELDS = 50


class LoginEnded(AuthRequired):
    """This login was not begun in this browser, has been used, or took too long; begin again."""

    code = "LOGIN_ENDED"


@record
class PendingRedirect:
    """One that is under way. binding: digest of the browser's cookie; until: monotonic seconds."""

    provider: str
    binding: str
    start: RedirectStart
    client: str
    peer: Peer
    until: float


@record
class BegunRedirect:
    """url: where the browser goes; binding: the value of its cookie."""

    url: str
    binding: str


class Redirects:
    """In memory alone, bounded: of too many, or too many of one address, the oldest are given up."""

    def __init__(self, methods: LoginMethods, calls: LoginCalls, settings: LoginSettings, clock: Clock) -> None:
        self._methods = methods
        self._calls = calls
        self._settings = settings
        self._clock = clock
        self._pending: OrderedDict[str, PendingRedirect] = OrderedDict()
        """Digest of the state -> the redirect; the oldest first."""
        self._starting = 0

    def __len__(self) -> int:
        return len(self._pending)

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
        until = self._clock.monotonic() + self._settings.redirect_timeout
        self._keep(state, PendingRedirect(provider, digest(binding), start, canonical_client(client), peer, until))
        return BegunRedirect(url, binding)

    async def finish(self, provider: str, answer: str, bindings: Iterable[bytes], peer: Peer) -> User:
        """answer: the callback's query string; bindings: the browser's cookies. Raises `LoginEnded`, `LoginRefused`,
        `InvalidInput`, `AccessDenied` for a disabled user, `UpstreamFailed`."""
        query = fields(answer)
        pending = self._take(provider, query.pop("state", ""), bindings, peer)
        login = await self._methods.redirect(provider)
        start = pending.start
        given = RedirectAnswer(query, start.callback, start.nonce, start.verifier)
        return await self._methods.enter(provider, await self._calls.answer(provider, lambda: login.finish(given)))

    def _keep(self, state: str, redirect: PendingRedirect) -> None:
        self._sweep()
        of_client = [key for key, other in self._pending.items() if other.client == redirect.client]
        if len(of_client) >= max(1, self._settings.redirects // 10):
            del self._pending[of_client[0]]
        while len(self._pending) >= self._settings.redirects:
            self._pending.popitem(last=False)
        self._pending[digest(state)] = redirect

    def _sweep(self) -> None:
        now = self._clock.monotonic()
        while self._pending and next(iter(self._pending.values())).until <= now:
            self._pending.popitem(last=False)

    def _take(self, provider: str, state: str, bindings: Iterable[bytes], peer: Peer) -> PendingRedirect:
        """Use it up. One that another browser brings stays for the right one."""
        key = digest(state)
        pending = self._pending.get(key)
        if pending is None or pending.provider != provider or pending.peer != peer:
            raise LoginEnded
        if not any(hmac.compare_digest(pending.binding, digest_of(given)) for given in bindings):
            raise LoginEnded
        del self._pending[key]
        if pending.until <= self._clock.monotonic():
            raise LoginEnded
        return pending


def digest(text: str) -> str:
    """What is kept of a random text."""
    return digest_of(text.encode("utf-8", "replace"))


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
