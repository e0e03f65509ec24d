"""Processor time of webhook calls, of a start and of idleness, beside another Jackfield in the same minutes.

`python bench/against.py /path/to/earlier/bin/jackfield`: two daemons, or starts, take turns in short bursts; what else
the machine does falls on both. The least of many bursts is compared.
"""

from __future__ import annotations

import argparse
import http.client
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import harness

from jackfield.api.jsontext import Json
from jackfield.testing.daemon import HOST, Daemon
from jackfield.testing.documents import chain, node, set_fields, webhook

CALLS = 400
BODY = harness.payload()
ANSWER: dict[str, Json] = {"respondWith": "json", "responseBody": "={{ $json }}", "options": {}}
SETTLED = 0.15
"""Seconds after a burst until what it left to be stored is stored."""


class Rival(Daemon):
    """A daemon of another program."""

    program = ""

    def command(self) -> list[str]:
        made = super().command()
        return [self.program or made[0], *made[1:]]


def workflows() -> Mapping[str, Mapping[str, object]]:
    """Path -> a workflow."""
    value = set_fields("Set", x="={{ $json.body.ref }}")
    answer = node("Respond", "respondToWebhook", ANSWER, version=1.1)
    return {
        "onReceived": chain("now", webhook("onReceived"), value),
        "lastNode": chain("last", webhook("lastNode", responseMode="lastNode"), value),
        "responseNode": chain("node", webhook("responseNode", responseMode="responseNode"), value, answer),
    }


def processor_us(pid: int) -> float:
    """Microseconds that all threads of the process have run."""
    total = 0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        try:
            total += int((thread / "schedstat").read_text().split()[0])
        except OSError:  # it has ended
            continue
    return total / 1000


def burst(daemon: Daemon, connection: http.client.HTTPConnection, path: str) -> float:
    """Microseconds of the processor for one call."""
    before = processor_us(daemon.pid)
    for _ in range(CALLS):
        connection.request("POST", f"/webhook/{path}", BODY, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != http.HTTPStatus.OK:
            sys.exit(f"{path} answered {answer.status}\n{daemon.tail()}")
    time.sleep(SETTLED)
    return (processor_us(daemon.pid) - before) / CALLS


def start_seconds(directory: Path, program: str) -> tuple[float, float]:
    """Seconds of the processor until /ready, and MB that are resident a moment later."""
    daemon = made(directory, program).start()
    spent = processor_us(daemon.pid) / 1e6
    daemon.client().get("/api/v1/workflows")  # the management API is assembled
    time.sleep(1)
    status = Path(f"/proc/{daemon.pid}/status").read_text()
    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    daemon.close()
    return spent, resident / 1024


def made(directory: Path, program: str) -> Rival:
    directory.mkdir(parents=True)
    daemon = Rival(directory)
    daemon.program = program
    return daemon


def in_turn(rounds: int, first: Callable[[], float], second: Callable[[], float]) -> tuple[list[float], list[float]]:
    ones, others = [], []
    for number in range(rounds):
        if number % 2:
            ones.append(first())
            others.append(second())
        else:
            others.append(second())
            ones.append(first())
    return ones, others


def row(name: str, before: Sequence[float], now: Sequence[float]) -> Sequence[str]:
    least, median = min(now) / min(before) - 1, statistics.median(now) / statistics.median(before) - 1
    return [name, f"{min(before):,.2f}", f"{min(now):,.2f}", f"{least:+.1%}", f"{median:+.1%}"]


def measure(program: str, rounds: int, starts: int) -> list[Sequence[str]]:
    rows = []
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        daemons = [made(root / "before", program).start(), made(root / "now", "").start()]
        connections = [http.client.HTTPConnection(HOST, daemon.port) for daemon in daemons]
        for path, document in workflows().items():
            for daemon, connection in zip(daemons, connections, strict=True):
                daemon.live(document)
                burst(daemon, connection, path)
            calls = [lambda i=i, path=path: burst(daemons[i], connections[i], path) for i in (0, 1)]
            rows.append(row(f"{path}, us a call", *in_turn(rounds, calls[0], calls[1])))
        for daemon in daemons:
            daemon.close()
        pairs = [
            (start_seconds(root / f"b{number}", program), start_seconds(root / f"n{number}", ""))
            for number in range(starts)
        ]
        rows.append(row("start, s", [before[0] for before, _ in pairs], [now[0] for _, now in pairs]))
        rows.append(row("idle, MB", [before[1] for before, _ in pairs], [now[1] for _, now in pairs]))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the other Jackfield's command, such as /path/to/venv/bin/jackfield")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--starts", type=int, default=8)
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    given = parser.parse_args()
    rows = measure(given.program, given.rounds, given.starts)
    text = harness.table(["", "before", "now", "least", "median"], rows)
    command = f"`python bench/against.py PROGRAM --rounds {given.rounds} --starts {given.starts}`"
    harness.publish("against", f"{command} — {harness.environment()}.\n\n{text}", write=given.write)


if __name__ == "__main__":
    main()
