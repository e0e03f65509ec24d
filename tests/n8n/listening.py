"""n8n's own trigger nodes in a process beside the tests, listening to the same servers."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from . import installing

SCRIPT = Path(__file__).with_name("listeners.js")
SECONDS = 20


class TheirListener:
    """What one node of n8n tells."""

    def __init__(self) -> None:
        self.told: queue.Queue[dict[str, Any]] = queue.Queue()

    def ready(self) -> None:
        """Wait until it listens."""
        found = self.told.get(timeout=SECONDS)
        assert "ready" in found, found

    def items(self, count: int) -> list[dict[str, Any]]:
        """So many, of as many events as it takes."""
        found: list[dict[str, Any]] = []
        while len(found) < count:
            one = self.told.get(timeout=SECONDS)
            assert "items" in one, one
            found += one["items"]
            self.static = one["static"]
        return found


class TheirListeners:
    """The process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._listeners: list[TheirListener] = []
        threading.Thread(target=self._read, daemon=True).start()

    def listen(
        self,
        kind: str,
        parameters: Mapping[str, Any],
        credentials: Mapping[str, Mapping[str, Any]],
        version: float = 1,
        static: Mapping[str, Any] | None = None,
    ) -> TheirListener:
        made = TheirListener()
        self._listeners.append(made)
        asked = {
            "id": len(self._listeners) - 1,
            "kind": kind,
            "version": version,
            "parameters": parameters,
            "credentials": credentials,
            "static": static or {},
        }
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asked).encode() + b"\n")
        self._process.stdin.flush()
        made.ready()
        return made

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if not line.startswith(b"{"):
                continue
            told = json.loads(line)
            for one in self._listeners if "id" not in told else [self._listeners[told["id"]]]:
                one.told.put(told)


@contextlib.contextmanager
def their_listeners() -> Iterator[TheirListeners]:
    """Raises `installing.NotThere`."""
    process = subprocess.Popen(
        [installing.node(), str(SCRIPT)],
        cwd=installing.directory(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield TheirListeners(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
