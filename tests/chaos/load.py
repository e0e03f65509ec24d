"""Clients that call the webhook until the daemon is gone, and send again what was not answered."""

from __future__ import annotations

import threading
import time
import uuid
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import httpx

from jackfield.testing.daemon import Daemon

from .effects import PATH
from .ledger import Execution

CLIENTS = 4
PAGE = 100
REFUSED_PAUSE = 0.05


@dataclass
class Book:
    """What callers know of their calls, over all lives of a daemon."""

    answered: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Executions that answers named, per marker."""
    unanswered: deque[str] = field(default_factory=deque)
    """Markers of calls that got no answer, or 503: they are sent again with the same key."""
    refused: list[str] = field(default_factory=list)
    took: list[float] = field(default_factory=list)
    """Seconds of each answered call."""
    sent_again: int = 0


class Load:
    """Calls in threads while the context lasts. Each marker is an idempotency key."""

    def __init__(self, daemon: Daemon, book: Book, *, clients: int = CLIENTS, pause: float = 0.0) -> None:
        """pause: seconds between two calls of a client."""
        self._pause = pause
        self._url = f"{daemon.base_url}/webhook/{PATH}"
        self._book = book
        self._before = len(book.took)
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._calls) for _ in range(clients)]

    @property
    def answers(self) -> int:
        """In this life."""
        return len(self._book.took) - self._before

    def _calls(self) -> None:
        with httpx.Client(trust_env=False, timeout=20) as client:
            while not self._over.is_set():
                marker = self._next()
                try:
                    self._call(client, marker)
                except httpx.TransportError:
                    self._book.unanswered.append(marker)
                    return
                self._over.wait(self._pause)

    def _next(self) -> str:
        try:
            marker = self._book.unanswered.popleft()
        except IndexError:
            return uuid.uuid4().hex
        self._book.sent_again += 1
        return marker

    def _call(self, client: httpx.Client, marker: str) -> None:
        begun = time.perf_counter()
        answer = client.post(self._url, json={"marker": marker}, headers={"Idempotency-Key": marker})
        if answer.status_code == httpx.codes.OK:
            self._book.answered[marker].append(answer.json()["executionId"])
            self._book.took.append(time.perf_counter() - begun)
            return
        self._book.refused.append(f"{answer.status_code} {answer.text}")
        if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
            self._book.unanswered.append(marker)
            self._over.wait(REFUSED_PAUSE)

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()


def unfinished(api: httpx.Client) -> int:
    """Executions that are still open."""
    stats = [
        api.get("/executions", params={"status": status, "limit": 1}) for status in ("queued", "running", "waiting")
    ]
    return sum(answer.raise_for_status().json()["total"] for answer in stats)


def executions(api: httpx.Client, workflow: str) -> list[Execution]:
    """All of a workflow, with the markers in their data."""
    found, offset = [], 0
    while True:
        asked = {"workflowId": workflow, "limit": PAGE, "offset": offset}
        rows = api.get("/executions", params=asked).raise_for_status().json()["data"]
        found += [shown(api, row["id"]) for row in rows]
        if len(rows) < PAGE:
            return found
        offset += PAGE


def shown(api: httpx.Client, ident: str) -> Execution:
    return execution_of(api.get(f"/executions/{ident}").raise_for_status().json())


def execution_of(run: Mapping[str, Any]) -> Execution:  # Any: JSON of the API
    items = run.get("data") or [{}]
    marker = items[0].get("json", {}).get("marker", "")
    return Execution(run["id"], marker, run["status"], str(run.get("error") or ""))
