"""Webhook calls per second: Jackfield against the least that its server can do.

Four loads, one after the other, each server on one core, wrk on another with 32 connections and a GitHub delivery of
7 KB: a bare ASGI callable; the same with a durable row per call; Jackfield answering when the call is stored
(Webhook -> Set), long enough for a backlog to show; Jackfield answering with the last node's output (Webhook -> Set ->
IF -> Set). Needs wrk and taskset.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import harness
import httpx

from jackfield.testing.daemon import Daemon, free_port, poll
from jackfield.testing.documents import Part, chain, if_equal, set_fields, webhook, wires, workflow

RECEIVED_SHARE = 0.35
LAST_NODE_SHARE = 0.25
P99_FACTOR = 8.0
SAMPLE_SECONDS = 2.0
OPEN = ("queued", "running", "waiting")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. share and delay: against the durable floor."""

    name: str
    load: harness.Load
    share: float | None = None
    delay: float | None = None
    notes: str = ""

    def cells(self) -> list[str]:
        relative = ["", ""] if self.share is None else [f"{self.share:.2f}", f"{self.delay:.1f}"]
        figures = [f"{self.load.rate:,.0f}", f"{self.load.p50_ms:.1f}", f"{self.load.p99_ms:.1f}"]
        return [self.name, *figures, *relative, str(self.load.failures), self.notes]


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
def floor_server(server: str, database: Path | None) -> Iterator[str]:
    port = free_port()
    program = str(Path(__file__).with_name("floor_server.py"))
    argv = [sys.executable, program, "--server", server, "--port", str(port)]
    argv += ["--database", str(database)] if database else []
    with harness.process(harness.pinned(harness.SERVER_CORE, *argv)):
        url = f"http://127.0.0.1:{port}/"
        poll(lambda: answers(url), "the floor answers")
        yield url


def answers(url: str) -> bool:
    try:
        return httpx.post(url, content=b"{}", trust_env=False).is_success
    except httpx.TransportError:
        return False


def floor(server: str, seconds: int, database: Path | None) -> harness.Load:
    with floor_server(server, database) as url:
        harness.drive(url, 1)
        return harness.drive(url, seconds)


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


def sustained(daemon: Daemon, path: str, seconds: int) -> tuple[harness.Load, Backlog]:
    """Load a webhook while watching how many executions are open."""
    api, backlog, over = daemon.admin(), Backlog(), threading.Event()

    def watch() -> None:
        while not over.wait(SAMPLE_SECONDS):
            backlog.samples.append(unfinished(api))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        load = harness.drive(f"{daemon.base_url}/webhook/{path}", seconds)
        backlog.after = unfinished(api)
    finally:
        over.set()
        watcher.join()
    return load, backlog


def settle(api: httpx.Client) -> float:
    """Seconds until every execution is over."""
    start = time.monotonic()
    poll(lambda: unfinished(api) == 0, "every execution is over", timeout=120)
    return time.monotonic() - start


def measure(server: str, seconds: int, long: int) -> tuple[list[Row], bool]:
    """The four rows, and whether all goals are met."""
    with tempfile.TemporaryDirectory() as directory:
        bare = floor(server, seconds, None)
        durable = floor(server, seconds, Path(directory, "floor.db"))
    with jackfield(server) as daemon:
        api = daemon.admin()
        harness.drive(f"{daemon.base_url}/webhook/received", 1)
        settle(api)
        before = status_counts(api).get("success", 0)
        received, backlog = sustained(daemon, "received", long)
        drained = settle(api)
        ran = status_counts(api).get("success", 0) - before
        last = harness.drive(f"{daemon.base_url}/webhook/last-node", seconds)
        resident = harness.resident_mb(daemon.pid)
    peak = max(backlog.samples, default=0)
    notes = f"{ran:,} of {received.requests:,} ran; open: at most {peak}, {backlog.after} at the end"
    notes += f", none {drained:.1f} s later"
    rows = [
        Row(f"{server}: bare ASGI callable", bare),
        Row(f"{server}: one durable row", durable),
        compared("onReceived: Webhook → Set", received, durable, notes),
        compared("lastNode: Webhook → Set → IF → Set", last, durable, f"{resident:.0f} MB resident afterwards"),
    ]
    complete = ran >= received.requests and not backlog.grows
    return rows, complete and met(rows[2], RECEIVED_SHARE) and met(rows[3], LAST_NODE_SHARE)


def compared(name: str, load: harness.Load, durable: harness.Load, notes: str) -> Row:
    return Row(f"Jackfield, {name}", load, load.rate / durable.rate, load.p99_ms / durable.p99_ms, notes)


def met(row: Row, share: float) -> bool:
    return row.load.failures == 0 and (row.share or 0) >= share and (row.delay or 0) <= P99_FACTOR


HEADER = ["", "calls/s", "p50 ms", "p99 ms", "share of durable floor", "p99 / floor's", "failed", ""]


GOAL_SERVER = "hypercorn"
WITHOUT_GOALS = (
    "No goals: they are set for the default server. This one's floor does several times as much, so that the same work "
    "is a smaller share of it."
)


def report(server: str, rows: list[Row], ok: bool, seconds: int, long: int) -> str:
    packages = ("hypercorn", "quart", "pydantic") if server == "hypercorn" else ("uvicorn", "httptools", "quart")
    goals = f"onReceived >= {RECEIVED_SHARE} sustained over {long} s without a growing backlog"
    goals += f", lastNode >= {LAST_NODE_SHARE}, p99 <= {P99_FACTOR:.0f} x the durable floor's"
    command = f"python bench/webhooks.py --server {server} --seconds {seconds} --long {long}"
    setting = f"wrk, {harness.CONNECTIONS} connections, {len(harness.payload()):,} bytes, server on one core"
    return "\n\n".join(
        [
            f"`{command}` — {setting}. {harness.environment(*packages)}.",
            harness.table(HEADER, [row.cells() for row in rows]),
            f"Goals ({goals}): {harness.verdict(ok)}." if server == GOAL_SERVER else WITHOUT_GOALS,
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", choices=["hypercorn", "uvicorn"], default="hypercorn")
    parser.add_argument("--seconds", type=int, default=15, help="how long each load lasts")
    parser.add_argument("--long", type=int, default=60, help="how long the sustained load lasts")
    parser.add_argument("--quick", action="store_true", help="5 s each, to see that it works")
    parser.add_argument("--write", action="store_true", help="put the result into docs/benchmarks.md")
    options = parser.parse_args()
    harness.need("wrk", "taskset")
    seconds, long = (5, 5) if options.quick else (options.seconds, options.long)
    rows, ok = measure(options.server, seconds, long)
    text = report(options.server, rows, ok, seconds, long)
    harness.publish(f"webhooks {options.server}", text, write=options.write)
    sys.exit(0 if ok or options.server != GOAL_SERVER else 1)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as exc:
        sys.exit(f"{exc}\n{exc.stderr}")
