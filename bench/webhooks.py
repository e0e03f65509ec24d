"""Webhook calls per second: Jackfield against the least that its server can do.

One load after the other, each server on one core, wrk on another with 32 connections and a GitHub delivery of 7 KB: a
bare ASGI callable; the same with a durable row per call; Jackfield answering when the call is stored (Webhook -> Set),
long enough for a backlog to show; Jackfield answering with the last node's output (Webhook -> Set -> IF -> Set), with
1, 32, 200 and 1,000 connections. What counts is the processor time of a call, which other load on the machine hardly
changes. Needs wrk and taskset.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import harness
import httpx

from jackfield.testing.daemon import Daemon, free_port, poll
from jackfield.testing.documents import Part, chain, if_equal, set_fields, webhook, wires, workflow

GOALS = {"hypercorn": (0.65, 0.47), "uvicorn": (0.40, 0.30)}
"""Server -> least share of the durable floor's processor time per call: onReceived, lastNode."""
MANY_FACTOR = 1.3
"""Most processor time per call of many connections, against that of 32."""
P99_FACTOR = 8.0
SAMPLE_SECONDS = 2.0
OPEN = ("queued", "running", "waiting")
CONNECTIONS = (1, 32, 200, 1000)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. processor: milliseconds per call; share: the durable floor's against it; delay: p99
    against the floor's."""

    name: str
    load: harness.Load
    processor: float
    share: float | None = None
    delay: float | None = None
    notes: str = ""

    def cells(self) -> list[str]:
        relative = [
            "" if value is None else form.format(value)
            for form, value in (("{:.2f}", self.share), ("{:.1f}", self.delay))
        ]
        figures = [f"{self.load.rate:,.0f}", f"{self.load.p50_ms:.1f}", f"{self.load.p99_ms:.1f}"]
        return [self.name, f"{self.processor:.3f}", *figures, *relative, str(self.load.failures), self.notes]


@dataclass(slots=True)
class Backlog:
    """Executions that are not over: sampled while the load runs, and once right after it."""

    samples: list[int] = field(default_factory=list)
    after: int = 0

    @property
    def grows(self) -> bool:
        """Whether the last third holds clearly more than the first; what the connections hold open is no backlog."""
        third = max(1, len(self.samples) // 3)
        first, last = sum(self.samples[:third]) / third, sum(self.samples[-third:]) / third
        return max(last, self.after) > 2 * first + 4 * harness.CONNECTIONS


KEPT = 10_000_000  # so that every execution can be counted afterwards


def received_workflow() -> Part:
    body = {"repository": "={{ $json.body.repository.full_name }}", "sender": "={{ $json.body.sender.login }}"}
    return chain("received", webhook("received"), set_fields("Set", **body))


def last_node_workflow() -> Part:
    hook = webhook("last-node", responseMode="lastNode", responseData="firstEntryJson")
    first = set_fields("Set", repository="={{ $json.body.repository.full_name }}", ref="={{ $json.body.ref }}")
    check = if_equal("If", "={{ $json.ref }}", "refs/heads/master")
    yes, no = set_fields("Yes", main=True), set_fields("No", main=False)
    lines = wires(("Webhook", "Set"), ("Set", "If"), ("If", "Yes"), ("If", "No", 1))
    return workflow("last node", [hook, first, check, yes, no], lines)


@contextmanager
def floor_server(
    server: str,
    database: Path | None,
    prefix: Sequence[str] = tuple(harness.pinned(harness.SERVER_CORE)),
    env: Mapping[str, str] | None = None,
    patience: float = 10.0,
) -> Iterator[tuple[str, int]]:
    """Its address and process. prefix: of its command; env: beside this process's; patience: seconds for its start."""
    port = free_port()
    program = str(Path(__file__).with_name("floor_server.py"))
    argv = [*prefix, sys.executable, program, "--server", server, "--port", str(port)]
    argv += ["--database", str(database)] if database else []
    with harness.process(argv, env={**os.environ, **(env or {})}) as child:
        url = f"http://127.0.0.1:{port}/"
        poll(lambda: answers(url, patience), "the floor answers", timeout=patience)
        yield url, child.pid


def answers(url: str, patience: float) -> bool:
    try:
        return httpx.post(url, content=b"{}", trust_env=False, timeout=patience).is_success
    except httpx.TransportError:
        return False


def floor(name: str, server: str, seconds: int, database: Path | None) -> Row:
    with floor_server(server, database) as (url, pid):
        harness.drive(url, 1)
        before = harness.processor_seconds(pid)
        load = harness.drive(url, seconds)
        spent = harness.processor_seconds(pid) - before
    return Row(f"{server}: {name}", load, spent / load.requests * 1000)


@contextmanager
def jackfield(server: str) -> Iterator[Daemon]:
    """A daemon on the server's core with both workflows live."""
    with tempfile.TemporaryDirectory() as directory:
        prefix = harness.pinned(harness.SERVER_CORE)
        arguments = ["--server", server, "--set", f"executions.max_count={KEPT}"]
        daemon = Daemon(Path(directory), arguments=arguments, prefix=prefix)
        try:
            daemon.start()
            api = daemon.admin()
            for document in (received_workflow(), last_node_workflow()):
                daemon.live(document, api)
            yield daemon
        except Exception:
            sys.stderr.write(daemon.tail())
            raise
        finally:
            daemon.close()


def unfinished(api: httpx.Client) -> int:
    counts = status_counts(api)
    return sum(counts.get(status, 0) for status in OPEN)


def status_counts(api: httpx.Client) -> dict[str, int]:
    """Executions per status, whether the answer holds them at the top or one level down."""
    body = api.get("/executions/stats").raise_for_status().json()
    for found in (body, *body.values()):
        if isinstance(found, dict) and "success" in found:
            return {key: value for key, value in found.items() if isinstance(value, int)}
    raise LookupError(f"no counts per status in {body}")


class Measured:
    """One daemon with both workflows, and what its calls cost. Calls are counted by their executions, once all of them
    are over: what a load leaves behind at its end is no other load's."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.api = daemon.admin()

    def drive(self, path: str, seconds: int, connections: int) -> tuple[harness.Load, float, int]:
        """The load, milliseconds of the processor per execution, and how many there were."""
        url = f"{self.daemon.base_url}/webhook/{path}"
        harness.drive(url, 1)
        settle(self.api)
        before, spent = self._succeeded(), harness.processor_seconds(self.daemon.pid)
        load = harness.drive(url, seconds, connections=connections)
        settle(self.api)
        spent = harness.processor_seconds(self.daemon.pid) - spent
        ran = self._succeeded() - before
        return load, spent / max(ran, 1) * 1000, ran

    def _succeeded(self) -> int:
        return status_counts(self.api).get("success", 0)

    def sustained(self, path: str, seconds: int) -> tuple[harness.Load, float, int, Backlog]:
        """The same while watching how many executions are open."""
        backlog, over, api = Backlog(), threading.Event(), self.daemon.admin()

        def watch() -> None:
            while not over.wait(SAMPLE_SECONDS):
                backlog.samples.append(unfinished(api))

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            found = self.drive(path, seconds, harness.CONNECTIONS)
        finally:
            over.set()
            watcher.join()
        return *found, backlog


def settle(api: httpx.Client) -> float:
    """Seconds until every execution is over."""
    start = time.monotonic()
    poll(lambda: unfinished(api) == 0, "every execution is over", timeout=120)
    return time.monotonic() - start


def measure(server: str, seconds: int, long: int, connections: Sequence[int]) -> tuple[list[Row], bool]:
    """All rows, and whether the goals are met."""
    with tempfile.TemporaryDirectory() as directory:
        bare = floor("bare ASGI callable", server, seconds, None)
        durable = floor("one durable row", server, seconds, Path(directory, "floor.db"))
    with jackfield(server) as daemon:
        measured = Measured(daemon)
        load, processor, ran, backlog = measured.sustained("received", long)
        notes = f"{ran:,} of {load.requests:,} ran; open: at most {max(backlog.samples, default=0)}"
        received = compared("onReceived: Webhook → Set", load, processor, durable, notes)
        calls = {number: measured.drive("last-node", seconds, number)[:2] for number in connections}
        resident = harness.resident_mb(daemon.pid)
    many = [
        compared(f"lastNode: Webhook → Set → IF → Set, {number} connections", *calls[number], durable)
        for number in connections
    ]
    many[-1] = replace(many[-1], notes=f"{resident:.0f} MB resident afterwards")
    complete = ran >= load.requests and not backlog.grows
    usual = next((row for row, number in zip(many, connections, strict=True) if number == harness.CONNECTIONS), many[0])
    least_received, least_last = GOALS[server]
    met_all = met(received, least_received) and met(usual, least_last)
    few = all(row.processor <= MANY_FACTOR * usual.processor for row in many[1:])
    return [bare, durable, received, *many], complete and met_all and few


def compared(name: str, load: harness.Load, processor: float, durable: Row, notes: str = "") -> Row:
    share = durable.processor / processor
    return Row(f"Jackfield, {name}", load, processor, share, load.p99_ms / durable.load.p99_ms, notes)


def met(row: Row, share: float) -> bool:
    return row.load.failures == 0 and (row.share or 0) >= share and (row.delay or 0) <= P99_FACTOR


HEADER = ["", "processor ms", "calls/s", "p50 ms", "p99 ms", "share of durable floor", "p99 / floor's", "failed", ""]


def report(server: str, rows: list[Row], ok: bool, command: str, long: int) -> str:
    packages = ("hypercorn", "quart", "pydantic") if server == "hypercorn" else ("uvicorn", "httptools", "quart")
    received, last = GOALS[server]
    goals = f"of the durable floor's processor time: onReceived >= {received} over {long} s without a growing backlog"
    goals += f", lastNode >= {last}. More connections take at most {MANY_FACTOR} x the time of {harness.CONNECTIONS}"
    goals += f", and p99 <= {P99_FACTOR:.0f} x the durable floor's"
    setting = f"wrk, {harness.CONNECTIONS} connections, {len(harness.payload()):,} bytes, server on one core"
    return "\n\n".join(
        [
            f"`{command}` — {setting}. {harness.environment(*packages)}.",
            harness.table(HEADER, [row.cells() for row in rows]),
            f"Goals, {goals}. Verdict: {harness.verdict(ok)}.",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", choices=GOALS, default="uvicorn")
    parser.add_argument("--seconds", type=int, default=15, help="how long each load lasts")
    parser.add_argument("--long", type=int, default=60, help="how long the sustained load lasts")
    parser.add_argument("--connections", default=",".join(map(str, CONNECTIONS)), help="of lastNode, one after another")
    parser.add_argument("--quick", action="store_true", help="5 s each, to see that it works")
    parser.add_argument("--write", action="store_true", help="put the result into docs/benchmarks.md")
    options = parser.parse_args()
    harness.need("wrk", "taskset")
    seconds, long = (5, 5) if options.quick else (options.seconds, options.long)
    connections = [int(number) for number in options.connections.split(",")]
    rows, ok = measure(options.server, seconds, long, connections)
    command = f"python bench/webhooks.py --server {options.server} --seconds {seconds} --long {long}"
    text = report(options.server, rows, ok, command, long)
    harness.publish(f"webhooks {options.server}", text, write=options.write)
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as exc:
        sys.exit(f"{exc}\n{exc.stderr}")
