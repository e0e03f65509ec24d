"""`jackfield import n8n` with a directory of a thousand workflows, and with one file of 50 MB.

It measures seconds from the start of the command to its end, and the most memory that command and daemon have.

Each workflow has ten nodes and calls another one. The large file holds ten documents more that cannot be imported.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import harness
from large_bodies import resident_mb

from jackfield.testing.daemon import Daemon

WORKFLOWS = 1000
LARGE = 50_000_000
"""Bytes."""
BAD = 10
LOOK = 0.02
"""Seconds between two looks at the command's memory."""
GOAL_SECONDS = 20
GOAL_MB = 250
"""Of the command, and above the idle daemon: less than five times the file."""


def document(number: int, filling: str = "") -> dict[str, Any]:
    nodes = [
        {
            "id": f"n{index}", "name": f"Node {index}", "type": "n8n-nodes-base.set", "typeVersion": 3.4,
            "position": [index * 200, 0], "parameters": {"assignments": {"assignments": [
                {"id": "a", "name": "value", "value": f"={{{{ $json.value + '{filling}' }}}}", "type": "string"}]},
                "options": {}},
        }
        for index in range(8)
    ]  # fmt: skip
    hook = {"path": f"bench-{number}", "responseMode": "lastNode"}
    called = {"workflowId": {"__rl": True, "mode": "list", "value": f"Bench{min(number + 1, WORKFLOWS - 1) // 2:011}"}}
    for name, kind, parameters in (("Hook", "webhook", hook), ("Call", "executeWorkflow", called)):
        nodes.append({
            "id": name, "name": name, "type": f"n8n-nodes-base.{kind}", "typeVersion": 1.1, "position": [0, 0],
            "parameters": parameters,
        })  # fmt: skip
    wires = {
        f"Node {index}": {"main": [[{"node": f"Node {index + 1}", "type": "main", "index": 0}]]} for index in range(7)
    }
    return {"id": f"Bench{number:011}", "name": f"Bench {number}", "nodes": nodes, "connections": wires, "settings": {}}


def bad(number: int) -> dict[str, Any]:
    """Every second one is read, and refused."""
    wrong = {"nodes": "none"} if number % 2 else {"settings": {"timezone": "Moon/Crater"}}
    return {**document(number), "id": f"Bad{number:013}", **wrong}


@dataclass(frozen=True, slots=True)
class Imported:
    """Memory in MB: peaks, the daemon's beyond what it had when it was idle."""

    seconds: float
    counts: dict[str, int]
    told: int
    """Documents that were not imported and have a line with a reason."""
    command_mb: float
    daemon_mb: float

    def row(self, name: str) -> list[str]:
        counts = ", ".join(f"{count} {what}" for what, count in self.counts.items())
        return [name, f"{self.seconds:.1f}", counts, f"{self.command_mb:.0f}", f"{self.daemon_mb:.0f}"]


def imported(daemon: Daemon, place: Path, *options: str) -> Imported:
    program = str(Path(sys.executable).with_name("jackfield"))
    command = [program, "import", "n8n", str(place), "--config-dir", str(daemon.config_dir), "--json", *options]
    Path(f"/proc/{daemon.pid}/clear_refs").write_text("5")  # the peak begins anew
    idle = resident_mb(daemon.pid, "VmRSS")
    with tempfile.NamedTemporaryFile() as answer:
        begun, command_mb = time.monotonic(), 0.0
        with subprocess.Popen(command, stdout=answer) as child:
            while child.poll() is None:
                with contextlib.suppress(StopIteration):  # it has ended since
                    command_mb = max(command_mb, resident_mb(child.pid, "VmHWM"))
                time.sleep(LOOK)
        taken = time.monotonic() - begun
        report = json.loads(Path(answer.name).read_text())
    told = sum(bool(row["reason"]) for row in report["unreadable"])
    told += sum(row["status"] == "refused" and bool(row["problems"]) for row in report["results"])
    peak = resident_mb(daemon.pid, "VmHWM") - idle
    return Imported(taken, report["counts"]["workflow"], told, command_mb, peak)


def measure() -> dict[str, Imported]:
    with tempfile.TemporaryDirectory() as place:
        few, many = Path(place) / "thousand", Path(place) / "large.json"
        few.mkdir()
        for number in range(WORKFLOWS):
            (few / f"{number}.json").write_text(json.dumps(document(number)))
        filling = "x" * (LARGE // WORKFLOWS // 8)
        whole = [document(number, filling) for number in range(WORKFLOWS)] + [bad(number) for number in range(BAD)]
        many.write_text(json.dumps(whole))
        daemon = Daemon(Path(place) / "daemon").start()
        try:
            return {
                "a directory of 1,000 files": imported(daemon, few),
                "the same again": imported(daemon, few),
                f"a file of {many.stat().st_size / 1e6:.0f} MB": imported(daemon, many, "--source", "large"),
            }
        finally:
            daemon.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the section into docs/benchmarks.md")
    options = parser.parse_args()
    found = measure()
    first, *_, large = found.values()
    rows = [one.row(name) for name, one in found.items()]
    fast, small = first.seconds < GOAL_SECONDS, max(large.command_mb, large.daemon_mb) < GOAL_MB
    goals = [
        f"1,000 workflows in < {GOAL_SECONDS} s: {harness.verdict(fast)}",
        f"50 MB in < {GOAL_MB} MB: {harness.verdict(small)}",
        f"a line for each of {BAD} bad documents: {harness.verdict(large.told == BAD)}",
    ]
    load = f"load average {os.getloadavg()[1]:.1f}"
    text = [
        f"`python bench/importing.py` \u2014 linked workflows of ten nodes. {harness.environment()}, {load}.",
        harness.table(["import", "s", "workflows", "command MB", "daemon MB more"], rows),
        f"Peaks of memory. Goals: {'; '.join(goals)}.",
    ]
    harness.publish("importing", "\n\n".join(text), write=options.write)


if __name__ == "__main__":
    main()
