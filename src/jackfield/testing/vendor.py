"""A service on loopback that misbehaves as real ones do: for tests of triggers that ask it or that it sends events to.

        with VendorDouble() as vendor:
            vendor.add(3)                       # three new items
            vendor.misbehave(Refuse(429, retry_after=2), Garbage(), Slow(0.5), Drop())
            ...                                 # the next four requests meet these, in turn
            vendor.send({"n": 1})               # an event to everybody who has subscribed

It serves (JSON, unless said otherwise):

- `GET /items?page=1&size=100&since=ISO`: `{"items": [{"id", "time", "n"}], "next": page or null}`, the newest first

- `GET /feed`: the same items as RSS

- `POST /hooks {"url", "secret"}`: `{"id", "url", "expires"}`, after the challenge when there is one; `GET /hooks`,
  `GET /hooks/{id}`, `POST /hooks/{id}/renew`, `DELETE /hooks/{id}`

- anything else that stands in `answers`, by path
"""

from __future__ import annotations

import hashlib
import hmac
import json
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self, TypeAlias
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from ..api.records import record, state

Row: TypeAlias = "dict[str, Any]"
"""Any: JSON of the service."""
SIGNATURE = "x-vendor-signature"
"""The header of events: `sha256=` and the HMAC of the body in hexadecimal."""


@record
class Refuse:
    """A status instead of an answer. retry_after: seconds that it asks to wait."""

    status: int = 500
    retry_after: float | None = None


@record
class Garbage:
    """Status 200 with what is no JSON."""

    body: bytes = b'{"items": ['


@record
class Slow:
    """The right answer, that many seconds late."""

    seconds: float


@record
class Drop:
    """The connection ends without an answer."""


@record
class Repeated:
    """Each item of the answer comes twice."""


@record
class Reordered:
    """The items of the answer come in any order, the same for a seed."""

    seed: int = 1


Fault: TypeAlias = "Refuse | Garbage | Slow | Drop | Repeated | Reordered"


@record
class Seen:
    """One request. path: decoded; body: as JSON; None for none."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any
    at: float
    raw_path: str


@state
class VendorSubscription:
    """A subscription."""

    id: str
    url: str
    secret: str
    expires: float | None = None
    renewals: int = 0


class VendorDouble:
    """`challenge`: how a subscription is confirmed: `none`; `get`: the address is called with `hub.challenge`, which it
    has to give back. `lifetime`: seconds of a subscription; None: it does not end. `one`: a new subscription takes the
    place of the one before, as with bots.
    """

    def __init__(self, *, challenge: str = "none", lifetime: float | None = None, one: bool = False) -> None:
        self.challenge = challenge
        self.lifetime = lifetime
        self.one = one
        self.items: list[Row] = []
        self.hooks: dict[str, VendorSubscription] = {}
        self.seen: list[Seen] = []
        self.answers: dict[str, Callable[[Seen], Any]] = {}
        self.always: Fault | None = None
        """Met by every request, until it is None again."""
        self._faults: list[Fault] = []
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None

    # -- its life

    def __enter__(self) -> Self:
        handler = type("VendorHandler", (_Handler,), {"vendor": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    @property
    def url(self) -> str:
        if self._server is None:
            raise LookupError("the vendor was never started")
        return f"http://127.0.0.1:{self._server.server_port}"

    # -- what a test does

    def add(self, count: int = 1, *, at: float | None = None) -> list[Row]:
        """New items, with rising numbers. at: Unix seconds; None: now."""
        with self._lock:
            made = []
            for _ in range(count):
                number = len(self.items) + 1
                moment = datetime.fromtimestamp(time.time() if at is None else at, UTC)
                made.append({"id": f"i{number}", "n": number, "time": moment.isoformat()})
                self.items.append(made[-1])
            return made

    def misbehave(self, *faults: Fault) -> None:
        """The next requests meet these, one each."""
        with self._lock:
            self._faults += faults

    def forget(self) -> None:
        """It loses every subscription, as services do."""
        with self._lock:
            self.hooks.clear()

    def send(self, event: Any, *, secret: str | None = None, url: str | None = None) -> list[int]:
        """Call every subscriber with an event; the statuses. secret: signs with another one, url: another address."""
        with self._lock:
            hooks = list(self.hooks.values())
        body = json.dumps(event).encode()
        return [
            _posted(url or hook.url, body, hook.secret if secret is None else secret, self._is_over(hook))
            for hook in hooks
        ]

    def asked(self, path: str, method: str = "GET") -> list[Seen]:
        """The requests to this path so far."""
        with self._lock:
            return [one for one in self.seen if one.path == path and one.method == method]

    # -- what it answers

    def fault(self) -> Fault | None:
        with self._lock:
            return self._faults.pop(0) if self._faults else self.always

    def answer(self, seen: Seen) -> tuple[int, Any]:
        """Status and JSON, or a text."""
        with self._lock:
            self.seen.append(seen)
        if (own := self.answers.get(seen.path)) is not None:
            found = own(seen)
            return found if isinstance(found, tuple) else (200, found)
        if seen.path == "/items":
            return 200, self._page(seen)
        if seen.path == "/feed":
            return 200, self._feed()
        if seen.path == "/hooks" or seen.path.startswith("/hooks/"):
            return self._hooks(seen)
        return 404, {"message": "there is no such thing"}

    def _page(self, seen: Seen) -> Row:
        page, size = int(seen.query.get("page", "1")), int(seen.query.get("size", "100"))
        with self._lock:
            rows = list(reversed(self.items))
        if since := seen.query.get("since"):
            rows = [row for row in rows if row["time"] >= since.replace("Z", "+00:00")]
        listed = rows[(page - 1) * size : page * size]
        return {"items": listed, "next": page + 1 if page * size < len(rows) else None}

    def _feed(self) -> str:
        with self._lock:
            rows = list(reversed(self.items))
        entries = "".join(
            f"<item><title>Item {row['n']}</title><guid>{row['id']}</guid><link>http://x.example/{row['n']}</link>"
            f"<pubDate>{datetime.fromisoformat(row['time']):%a, %d %b %Y %H:%M:%S} GMT</pubDate></item>"
            for row in rows
        )
        return f'<?xml version="1.0"?><rss version="2.0"><channel><title>T</title>{entries}</channel></rss>'

    def _hooks(self, seen: Seen) -> tuple[int, Any]:
        parts = seen.path.strip("/").split("/")
        if len(parts) == 1:
            return self._subscribed(seen) if seen.method == "POST" else (200, [self._told(one) for one in self._live()])
        with self._lock:
            hook = self.hooks.get(parts[1])
        if hook is None or self._is_over(hook):
            return 404, {"message": "there is no such subscription"}
        if seen.method == "DELETE":
            with self._lock:
                del self.hooks[hook.id]
            return 204, None
        if parts[2:] == ["renew"]:
            hook.renewals += 1
            hook.expires = None if self.lifetime is None else time.time() + self.lifetime
        return 200, self._told(hook)

    def _subscribed(self, seen: Seen) -> tuple[int, Any]:
        url, secret = str(seen.body.get("url")), str(seen.body.get("secret", ""))
        if self.challenge == "get" and not _is_confirmed(url):
            return 400, {"message": "the address did not give the challenge back"}
        with self._lock:
            if self.one:
                self.hooks.clear()
            hook = VendorSubscription(f"h{len(self.seen)}", url, secret)
            hook.expires = None if self.lifetime is None else time.time() + self.lifetime
            self.hooks[hook.id] = hook
        return 201, self._told(hook)

    def _live(self) -> Sequence[VendorSubscription]:
        with self._lock:
            return [one for one in self.hooks.values() if not self._is_over(one)]

    @staticmethod
    def _is_over(hook: VendorSubscription) -> bool:
        return hook.expires is not None and hook.expires < time.time()

    @staticmethod
    def _told(hook: VendorSubscription) -> Row:
        return {"id": hook.id, "url": hook.url, "expires": hook.expires}


class _Handler(BaseHTTPRequestHandler):
    """Set as the class that serves, with its vendor."""

    vendor: ClassVar[VendorDouble]
    protocol_version = "HTTP/1.1"

    def _serve(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(size) if size else b""
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = Seen(self.command, unquote(parts.path), query, headers, _json(body), time.monotonic(), parts.path)
        fault = self.vendor.fault()
        status, found = self.vendor.answer(seen) if not isinstance(fault, Refuse | Garbage | Drop) else (200, None)
        if isinstance(fault, Refuse | Garbage | Drop):
            self.vendor.seen.append(seen)
        if isinstance(fault, Drop):
            self.close_connection = True
            self.connection.close()
            return
        if isinstance(fault, Slow):
            time.sleep(fault.seconds)
        extra = {}
        if isinstance(fault, Refuse):
            status, found = fault.status, {"message": "the service refuses"}
            extra = {"Retry-After": f"{fault.retry_after:g}"} if fault.retry_after is not None else {}
        self._answer(status, _changed(found, fault), fault, extra)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _serve  # noqa: N815 - the base class looks for these

    def _answer(self, status: int, found: Any, fault: Fault | None, extra: Mapping[str, str]) -> None:
        text = isinstance(found, str)
        body = b"" if found is None else found.encode() if text else json.dumps(found).encode()
        if isinstance(fault, Garbage):
            body = fault.body
        self.send_response(status)
        self.send_header("Content-Type", "application/xml" if text else "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in extra.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        return


def _changed(found: Any, fault: Fault | None) -> Any:
    if not isinstance(found, dict) or not isinstance(found.get("items"), list):
        return found
    rows = list(found["items"])
    if isinstance(fault, Repeated):
        rows = [row for row in rows for _ in range(2)]
    if isinstance(fault, Reordered):
        random.Random(fault.seed).shuffle(rows)
    return {**found, "items": rows}


def _json(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return body.decode("utf-8", "replace")


def _is_confirmed(url: str) -> bool:
    challenge = "c" + str(time.monotonic_ns())
    asked = f"{url}?{urlencode({'hub.mode': 'subscribe', 'hub.challenge': challenge})}"
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:  # noqa: S310 - the daemon under test
            return bool(answer.read().decode() == challenge)
    except OSError:
        return False


def _posted(url: str, body: bytes, secret: str, over: bool) -> int:
    """The status; 0 for an event that is not sent any more."""
    if over:
        return 0
    signature = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {"content-type": "application/json", SIGNATURE: signature}
    asked = urllib.request.Request(url, body, headers, method="POST")  # noqa: S310 - the daemon under test
    try:
        with urllib.request.urlopen(asked, timeout=20) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as exc:
        return exc.code
