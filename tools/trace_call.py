"""Traces one webhook call through a running daemon: how often the program goes from one of our files into another.

    python tools/trace_call.py [--files] [--path]

The workflow is Webhook -> Set -> Respond to Webhook. A switch is a function that begins or goes on in another file of
ours than the one before, in the thread of the event loop, from the call's first byte until its execution is stored.
What the daemon does in the background then counts as well, so that the call with the fewest switches of several is
shown.
`--files` lists how often each file is entered, `--path` every switch in its order.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from jackfield.testing import documents
from jackfield.testing.daemon import HOST, Daemon, poll

ROOTS = tuple(
    f"{Path(str(found.origin)).parents[1]}{os.sep}"
    for found in map(find_spec, ("jackfield", "jackfield_engine"))
    if found is not None
)
"""Where the kernel and the plugins are: in a checkout, or beside other packages."""
CONNECTION = (
    "jackfield/http/server.py:run.<locals>.serve",
    "jackfield/api/admission/",
    "jackfield/http/hypercorn_connections/",
    "jackfield/http/http1/",
    "jackfield/http/servers/",
)
"""What takes a request off its connection. Where a library does it, nothing of it is seen here."""
WARM_CALLS = 20
CALLS = 24
QUIET_S = 0.1
"""After the answer: so long the store has for the execution's end. What is entered later does not count: a loop that
waits takes a signal only with its next timer, whose work would be of every trace."""
RESPOND: dict[str, Any] = {"respondWith": "firstIncomingItem", "options": {}}


class Tracer:
    """Inside the daemon: SIGUSR1 begins a trace, SIGUSR2 ends and writes it."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self._entered: list[tuple[float, str]] = []
        self._names: dict[CodeType, str | None] = {}

    def install(self) -> None:
        signal.signal(signal.SIGUSR1, self._begin)
        signal.signal(signal.SIGUSR2, self._end)

    def _begin(self, _: int, __: FrameType | None) -> None:
        sys.setprofile(self._enter)

    def _enter(self, frame: FrameType, event: str, _: object) -> None:
        """A function or coroutine of the event loop's thread begins or goes on."""
        if event != "call":
            return
        code = frame.f_code
        if code not in self._names:
            self._names[code] = file_of(code.co_filename)
        name = self._names[code]
        if name is not None:
            self._entered.append((time.monotonic(), f"{name}:{code.co_qualname}"))

    def _end(self, _: int, __: FrameType | None) -> None:
        sys.setprofile(None)
        entered, self._entered = self._entered, []
        draft = self._output.with_suffix(".part")
        draft.write_text(json.dumps(entered))
        draft.replace(self._output)


def file_of(path: str) -> str | None:
    """The path of a file of ours below its tree; None for anybody else's."""
    root = next((root for root in ROOTS if path.startswith(f"{root}jackfield")), None)
    name = None if root is None else path.removeprefix(root)
    return None if name == "jackfield/__main__.py" else name


class TracedDaemon(Daemon):
    """A daemon that can write down one call."""

    @property
    def trace(self) -> Path:
        return self.directory / "trace.json"

    def command(self) -> list[str]:
        _, *rest = super().command()
        return [sys.executable, __file__, "--serve", str(self.trace), *rest]

    def traced(self, path: str) -> list[str]:
        """The functions of ours that one call enters, in their order."""
        with socket.create_connection((HOST, self.port)) as connection:
            for _ in range(WARM_CALLS):
                post(connection, f"/webhook/{path}")
            calls = [self._traced(lambda: post(connection, f"/webhook/{path}")) for _ in range(CALLS)]
        return min(calls, key=lambda entered: len(switches(entered)))

    def _traced(self, call: Callable[[], object]) -> list[str]:
        time.sleep(QUIET_S)
        os.kill(self.pid, signal.SIGUSR1)
        call()
        time.sleep(QUIET_S)
        ended = time.monotonic()
        os.kill(self.pid, signal.SIGUSR2)
        poll(self.trace.exists, "the trace is written")
        found: list[tuple[float, str]] = json.loads(self.trace.read_text())
        self.trace.unlink()
        return [name for moment, name in found if moment < ended]


def post(connection: socket.socket, path: str) -> None:
    """One call, in one piece: whether head and body come together would else be the system's choice."""
    body = json.dumps({"action": "opened", "issue": {"title": "It breaks"}})
    head = f"POST {path} HTTP/1.1\r\nHost: {HOST}:{connection.getpeername()[1]}\r\nContent-Type: application/json\r\n"
    connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    answer.read()
    if answer.status != http.HTTPStatus.OK:
        raise AssertionError(f"the call was answered {answer.status}")


def document(path: str) -> dict[str, Any]:
    """Webhook -> Set -> Respond to Webhook."""
    first = documents.set_fields("Set", action="={{ $json.body.action }}", title="=Issue: {{ $json.body.issue.title }}")
    hook = documents.webhook(path, httpMethod="POST", responseMode="responseNode")
    return dict(documents.chain("traced", hook, first, documents.node("Respond", "respondToWebhook", RESPOND)))


def call() -> list[str]:
    with tempfile.TemporaryDirectory() as directory:
        daemon = TracedDaemon(Path(directory))
        try:
            daemon.start()
            daemon.live(document("traced"))
            return daemon.traced("traced")
        finally:
            daemon.close()


def switches(entered: list[str]) -> list[str]:
    """The functions behind a switch, the first one included; from the call's dispatch on."""
    entered = [name for name in entered if not name.startswith(CONNECTION)]
    files = [name.partition(":")[0] for name in entered]
    return entered[:1] + [entered[place] for place, (one, next_one) in enumerate(pairwise(files), 1) if one != next_one]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", action="store_true", help="how often each file is entered")
    parser.add_argument("--path", action="store_true", help="every function behind a switch, in order")
    chosen = parser.parse_args()
    entered = call()
    found = switches(entered)
    lines = list(found) if chosen.path else []
    if chosen.files:
        counted = Counter(entry.partition(":")[0] for entry in found)
        lines += [f"{count:4}  {name}" for name, count in counted.most_common()]
    files = len({entry.partition(":")[0] for entry in found})
    lines.append(f"{len(found)} switches between {files} files, {len(entered)} functions entered")
    sys.stdout.write("\n".join(lines) + "\n")


def serve(output: Path, arguments: list[str]) -> None:
    """`jackfield` in this process, with a tracer."""
    from jackfield.cli.main import main as jackfield

    Tracer(output).install()
    sys.argv = ["jackfield", *arguments]
    jackfield()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
