"""Cold start: from the start of the process to the first 200 of /ready, against importing what the daemon is built on.

The two are started in turn; the medians are compared. Both find their bytecode compiled and the disk's cache warm.
"""

from __future__ import annotations

import argparse
import http.client
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import harness

from jackfield.testing.daemon import HOST, Daemon

FACTOR = 1.5
IDLE_MB = 120
IDLE_SECONDS = 5
IMPORTS = "import quart, hypercorn, pydantic"
POLL_SECONDS = 0.001
LIMIT_SECONDS = 20


def import_time() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", IMPORTS], check=True)
    return time.perf_counter() - start


def ready_time(daemon: Daemon) -> float:
    """Seconds until /ready answers 200; the daemon stays up."""
    start = time.perf_counter()
    daemon.start(wait=False)
    while not ready(daemon.port):
        if time.perf_counter() - start > LIMIT_SECONDS or not daemon.running:
            sys.exit(f"the daemon did not become ready\n{daemon.tail()}")
        time.sleep(POLL_SECONDS)
    return time.perf_counter() - start


def ready(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/ready")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (ConnectionError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def measure(rounds: int) -> tuple[list[float], list[float], list[float], float]:
    """Seconds: imports; first start in a new directory; later starts in one directory. And idle memory in MB."""
    harness.keep_bytecode()
    imports, first, later = [], [], []
    with tempfile.TemporaryDirectory() as directory:
        kept = Daemon(Path(directory, "kept"))
        ready_time(kept)
        kept.stop()
        import_time()
        for number in range(rounds):
            imports.append(import_time())
            fresh = Daemon(Path(directory, str(number)))
            first.append(ready_time(fresh))
            fresh.stop()
            imports.append(import_time())
            later.append(ready_time(kept))
            kept.stop()
        ready_time(kept)
        time.sleep(IDLE_SECONDS)
        idle = harness.resident_mb(kept.pid)
        kept.close()
    return imports, first, later, idle


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--write", action="store_true", help="put the result into docs/benchmarks.md")
    options = parser.parse_args()
    imports, first, later, idle = measure(options.rounds)
    floor = statistics.median(imports)
    rows = [
        row(f"`python -c '{IMPORTS}'`", imports, floor),
        row("`jackfield serve` to `/ready`", later, floor),
        row("the same, first start in a new directory (makes keys, database, first admin)", first, floor),
    ]
    ratio = statistics.median(later) / floor
    ok = ratio <= FACTOR and idle <= IDLE_MB
    command = f"python bench/startup.py --rounds {options.rounds}"
    goals = f"start <= {FACTOR} x imports, idle <= {IDLE_MB} MB"
    memory = f"Resident {IDLE_SECONDS} s after the start, child processes included: {idle:.0f} MB."
    text = "\n\n".join(
        [
            f"`{command}` — medians. {harness.environment('quart', 'hypercorn', 'pydantic')}.",
            harness.table(["", "ms", "spread ms", "x imports"], rows),
            f"{memory} Goals ({goals}): {harness.verdict(ok)}.",
        ]
    )
    harness.publish("startup", text, write=options.write)
    sys.exit(0 if ok else 1)


def row(name: str, seconds: list[float], floor: float) -> list[str]:
    middle = statistics.median(seconds)
    spread = f"{min(seconds) * 1000:.0f} to {max(seconds) * 1000:.0f}"
    return [name, f"{middle * 1000:.0f}", spread, f"{middle / floor:.2f}"]


if __name__ == "__main__":
    main()
