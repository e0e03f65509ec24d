"""Large bodies and long lists of items: resident memory of the daemon, and p99 of /health beside them.

`python bench/large_bodies.py`: 15 MB of `[{},{},...]` once and six times at once, 15 MB of records, and a million items
through Code -> Split Out -> Set. Memory is the peak beyond what the idle daemon has (VmHWM of /proc).
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import harness

from jackfield.testing.daemon import HOST, Daemon, poll
from jackfield.testing.documents import Part, chain, node, set_fields, webhook

BYTES = 15_000_000
ITEMS = 1_000_000
PAUSE_S = 0.01
"""Between two calls of /health."""
CALLERS = 6


class Health:
    """Milliseconds that /health took, asked again and again by a thread."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self.took: list[float] = []

    def _ask(self) -> None:
        connection = http.client.HTTPConnection(HOST, self._port, timeout=120)
        while not self._over.wait(PAUSE_S):
            begun = time.perf_counter()
            connection.request("GET", "/health")
            connection.getresponse().read()
            self.took.append((time.perf_counter() - begun) * 1000)

    @contextmanager
    def watched(self) -> Iterator[None]:
        self._thread.start()
        yield
        self._over.set()
        self._thread.join()

    def percentile(self, share: float) -> float:
        return statistics.quantiles(self.took, n=1000)[int(share * 1000) - 1] if len(self.took) > 1 else 0.0


def resident_mb(pid: int, line: str) -> float:
    """line: VmRSS for now, VmHWM for the peak."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(found.split()[1]) for found in status.splitlines() if found.startswith(line)) / 1024


def post(daemon: Daemon, body: bytes) -> int:
    connection = http.client.HTTPConnection(HOST, daemon.port, timeout=300)
    connection.request("POST", "/webhook/large", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    return answer.status


def empty_objects() -> bytes:
    return b"[" + b",".join([b"{}"] * (BYTES // 3)) + b"]"


def records() -> bytes:
    """What an application sends: some 100 bytes each."""
    rows = [
        {"id": n, "name": f"name {n}", "email": f"user{n}@example.com", "active": True, "score": n / 7}
        for n in range(BYTES // 110)
    ]
    return json.dumps(rows).encode()


def received() -> Part:
    return chain("large", webhook("large", responseMode="onReceived"), set_fields("Set", n="={{ $json.body.length }}"))


def million() -> Part:
    """A million items: made by a script in slices, as numbers, then split out and given a field."""
    code = node(
        "Code", "code", {"jsCode": f"return [{{ json: {{ rows: Array.from({{length: {ITEMS}}}, (_, n) => n) }} }}]"}
    )
    split = node("Split Out", "splitOut", {"fieldToSplitOut": "rows"}, version=1)
    return chain("million", webhook("large"), code, split, set_fields("Set", a=1))


def finished(daemon: Daemon, count: int) -> Callable[[], bool]:
    """Whether so many executions are over."""
    api = daemon.admin()

    def look() -> bool:
        found = api.get("/executions/stats").json()
        return bool(found["success"] + found["failed"] >= count)

    return look


def case(name: str, document: Part, bodies: Sequence[bytes]) -> Sequence[str]:
    """One fresh daemon: each body by a caller of its own, all at once, until every execution is over."""
    with tempfile.TemporaryDirectory() as place:
        daemon = Daemon(Path(place)).start()
        try:
            daemon.live(document)
            idle = resident_mb(daemon.pid, "VmRSS")
            health, begun = Health(daemon.port), time.perf_counter()
            with health.watched():
                with ThreadPoolExecutor(len(bodies)) as threads:
                    statuses = sorted(threads.map(lambda body: post(daemon, body), bodies))
                poll(finished(daemon, statuses.count(200)), "the executions are over", timeout=300)
            took = time.perf_counter() - begun
            peak = resident_mb(daemon.pid, "VmHWM") - idle
        finally:
            daemon.close()
    answers = ", ".join(f"{statuses.count(status)} x {status}" for status in dict.fromkeys(statuses))
    return [name, answers, f"{peak:,.0f}", f"{health.percentile(0.99):,.0f}", f"{max(health.took):,.0f}", f"{took:.1f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    parser.add_argument("--only", default="", help="cases whose name has this")
    given = parser.parse_args()
    empties = empty_objects()
    cases = [
        ("15 MB of `{}`", received(), [empties]),
        ("six of these at once", received(), [empties] * CALLERS),
        ("13 MB of records", received(), [records()]),
        ("six of these at once, records", received(), [records()] * CALLERS),
        ("10^6 items, Code -> Split Out -> Set", million(), [b"{}"]),
    ]
    rows = []
    for name, document, bodies in cases:
        if given.only in name:
            rows.append(case(name, document, bodies))
            sys.stdout.write(f"{rows[-1]}\n")
            sys.stdout.flush()
    table = harness.table(["", "answers", "peak MB beyond idle", "/health p99 ms", "longest ms", "s"], rows)
    harness.publish(
        "large-bodies", f"`python bench/large_bodies.py` — {harness.environment()}.\n\n{table}", write=given.write
    )


if __name__ == "__main__":
    main()
