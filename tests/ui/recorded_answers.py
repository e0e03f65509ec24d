"""Answers of a busy daemon, kept so that its pages look the same at any time, on any port and machine."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Route, WebSocketRoute

FILE = Path(__file__).with_name("pictures") / "answers.json"
LIVE = re.compile(r"/api/v1/(node-types|credential-kinds|expressions/vocabulary|templates|workflows/validate)(/.*)?$")
"""Asked of the daemon itself: it says the same on every machine, and a change of it is to be seen."""
ENDLESS = "/api/logs/stream"
SESSION = "/api/session"
STALLED = "the event loop"
"""In what only a busy machine says: a line of the log, a plugin's error."""
LATER = timedelta(minutes=12)
"""What happened while answers were recorded is some minutes old on the pages."""
IDENT = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
LOCAL = re.compile(r"(?<=127\.0\.0\.1:)\d{4,5}\b")
FIRST_PORT = 18765


class Recorded:
    """What the pages get to see.

    at: the time that they believe it is; pages: name -> path; answers: path -> query -> JSON; frames: what a terminal's
    WebSocket sent, bytes in base64.
    """

    def __init__(
        self,
        at: str,
        pages: Mapping[str, str],
        answers: dict[str, dict[str, Any]] | None = None,  # Any: JSON
        frames: list[dict[str, str]] | None = None,
    ) -> None:
        self.at, self.pages = datetime.fromisoformat(at), dict(pages)
        self.answers = answers or {}
        self.frames = frames or []
        self.invented: dict[str, dict[str, Any]] = {}  # as `answers`, of a test
        self.unknown: set[str] = set()

    @classmethod
    def kept(cls) -> Recorded:
        return cls(**json.loads(FILE.read_text(encoding="utf-8")))

    def keep(self) -> None:
        """With ids and ports that are the same whenever it is done."""
        told = {"at": self.at.isoformat(), "pages": self.pages, "answers": self.answers, "frames": self.frames}
        text = json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False)
        idents = {found: number for number, found in enumerate(dict.fromkeys(IDENT.findall(text)), 1)}
        text = IDENT.sub(lambda found: f"{idents[found[0]]:08x}-0000-4000-8000-000000000000", text)
        for number, port in enumerate(dict.fromkeys(LOCAL.findall(text))):
            text = re.sub(rf"\b{port}\b", str(FIRST_PORT + number), text)
        FILE.write_text(text + "\n", encoding="utf-8")

    def play(self, context: BrowserContext) -> None:
        """The pages of this context get the kept answers, and no events."""
        context.clock.set_fixed_time(self.at)
        context.route(of_the_api, self._answer)
        context.route_web_socket(re.compile(r"/ws$"), lambda page: page.on_message(ignored))
        context.route_web_socket(re.compile(r"/ws/terminal/"), self._print)

    def record(self, context: BrowserContext) -> None:
        """The daemon's answers to the pages of this context are those to keep."""
        context.clock.set_fixed_time(self.at)
        context.route(of_the_api, self._ask)
        context.route_web_socket(re.compile(r"/ws$"), lambda page: page.on_message(ignored))
        context.route_web_socket(re.compile(r"/ws/terminal/"), self._listen)

    def _answer(self, route: Route) -> None:
        path, query = asked(route.request.url)
        operation = f"{route.request.method} {path}"
        if path == ENDLESS:
            return
        if LIVE.match(path):
            route.continue_()
            return
        answers = {**self.answers.get(operation, {}), **self.invented.get(operation, {})}
        # A page that begins to ask with another limit still gets the answer.
        found = answers.get(query, next(iter(answers.values()), None))
        if found is None:
            self.unknown.add(f"{operation}?{query}")
            route.fulfill(status=404, json={"error": {"code": "not_found", "message": "No answer is kept."}})
        elif path == SESSION:
            route.fulfill(response=route.fetch(), json=found)  # with the cookie of a session that there is
        else:
            route.fulfill(json=found)

    def _ask(self, route: Route) -> None:
        path, query = asked(route.request.url)
        operation = f"{route.request.method} {path}"
        if path == ENDLESS:
            return
        if LIVE.match(path):
            route.continue_()
        elif query in self.invented.get(operation, {}):
            route.fulfill(json=self.invented[operation][query])
        else:
            response = route.fetch()
            if response.ok and "json" in response.headers.get("content-type", ""):
                self.answers.setdefault(operation, {}).setdefault(query, calm(response.json()))
            route.fulfill(response=response)

    def _listen(self, page: WebSocketRoute) -> None:
        daemon = page.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            frame = {"text": message} if isinstance(message, str) else {"bytes": base64.b64encode(message).decode()}
            self.frames.append(frame)
            page.send(message)

        daemon.on_message(pass_on)

    def _print(self, page: WebSocketRoute) -> None:
        page.on_message(ignored)
        for frame in self.frames:
            page.send(frame["text"] if "text" in frame else base64.b64decode(frame["bytes"]))


def of_the_api(url: str) -> bool:
    return urlsplit(url).path.startswith("/api/")


def asked(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.path, "&".join(f"{name}={value}" for name, value in sorted(parse_qsl(parts.query)))


def calm(answer: Any) -> Any:  # Any: JSON
    """Without what only a busy machine says."""
    if isinstance(answer, dict):
        return {name: "" if name == "error" and stalled(value) else calm(value) for name, value in answer.items()}
    if isinstance(answer, list):
        return [calm(value) for value in answer if not (isinstance(value, dict) and stalled(value.get("message")))]
    return answer


def stalled(said: object) -> bool:
    return isinstance(said, str) and STALLED in said.lower()


def ignored(_: str | bytes) -> None:
    """What a page tells its daemon."""


def later() -> str:
    return (datetime.now(UTC) + LATER).isoformat(timespec="seconds")
