"""The gate: a request without a credential beside one with an API key, each over a connection of its own.

Without a credential the daemon asks the system for the process at the other end, and whether the owner has started it.
The requests are in turn, so that other work on the machine meets both.
"""

from __future__ import annotations

import argparse
import http.client
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import harness

from jackfield.testing.daemon import HOST, Daemon

CALLS, WARM = 300, 30
PATH = "/api/profiles"


def asked(daemon: Daemon, headers: dict[str, str]) -> float:
    """Milliseconds of a connection with one request."""
    start = time.perf_counter()
    connection = http.client.HTTPConnection(HOST, daemon.port, timeout=60)
    try:
        connection.request("GET", PATH, headers=headers)
        answer = connection.getresponse()
        found = answer.read()
    finally:
        connection.close()
    if answer.status != 200:
        sys.exit(f"GET {PATH} answered {answer.status}: {found.decode()}")
    return (time.perf_counter() - start) * 1000


def figures(daemon: Daemon) -> str:
    api = daemon.admin(timeout=60)
    key = api.post("/api-keys", json={"name": "bench"}).raise_for_status().json()["key"]
    cases: dict[str, dict[str, str]] = {"with an API key": {"X-API-Key": key}, "without a credential": {}}
    times: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(WARM + CALLS):
        for name, headers in cases.items():
            spent = asked(daemon, headers)
            if number >= WARM:
                times[name].append(spent)
    rows = [[name, *(f"{found:.1f}" for found in spread(spent))] for name, spent in times.items()]
    more = statistics.median(times["without a credential"]) - statistics.median(times["with an API key"])
    parts = [
        f"`python bench/gate.py` — `GET {PATH}`, {CALLS} connections each, in turn. {harness.environment()}.",
        harness.table(["ms of a connection with its request", "median", "95 %"], rows),
        f"More without a credential: {more:.1f} ms.",
    ]
    return "\n\n".join(parts)


def spread(spent: list[float]) -> tuple[float, float]:
    """Their median, and the time that the slowest twentieth exceeds."""
    return statistics.median(spent), statistics.quantiles(spent, n=20)[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    options = parser.parse_args()
    settings = '[logs]\nlevel = "warning"\n'
    with tempfile.TemporaryDirectory() as directory, closing(Daemon(Path(directory), settings=settings)) as daemon:
        text = figures(daemon.start())
    harness.publish("gate", text, write=options.write)


if __name__ == "__main__":
    main()
