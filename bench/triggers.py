"""A thousand polling triggers on one daemon that find nothing new: the share of a core that they take, and how evenly
they ask, also when the daemon starts anew after kill -9. Each asks a service on loopback once a minute, and reads a
page of twenty items.

python bench/triggers.py [--triggers 1000] [--seconds 120] [--write]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from harness import environment, processor_seconds, publish, table, verdict

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node
from jackfield.testing.vendor import VendorDouble

SHARE = 0.05
"""Of a core, at most."""
PEAK = 3.0
"""Polls of the busiest second, as a multiple of the mean, at most."""
_START_S = 75
"""After a start, within which each has asked once: `triggers.poll_jitter` is 60 s."""
NODE = """
[node]
kind = "benchTrigger"
title = "Bench Trigger"
trigger = true
base_url = "{url}"

[trigger.poll]
path = "/items"
rows = "items"
new = {{ by = "id" }}
"""


def measured(daemon: Daemon, vendor: VendorDouble, seconds: float) -> tuple[float, Counter[int]]:
    """The daemon's share of a core, and how many polls came in each second."""
    vendor.seen.clear()
    before, start = processor_seconds(daemon.pid), time.monotonic()
    time.sleep(seconds)
    spent, wall = processor_seconds(daemon.pid) - before, time.monotonic() - start
    return spent / wall, Counter(int(one.at - start) for one in vendor.asked("/items"))


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--triggers", type=int, default=1000)
    arguments.add_argument("--seconds", type=float, default=120)
    arguments.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    given = arguments.parse_args()
    with VendorDouble() as vendor, tempfile.TemporaryDirectory() as place:
        vendor.add(20)
        daemon = Daemon(Path(place), settings='[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n')
        (daemon.config_dir / "nodes.d").mkdir()
        (daemon.config_dir / "nodes.d/bench.toml").write_text(NODE.format(url=vendor.url))
        try:
            return report(daemon.start(), vendor, given.triggers, given.seconds, write=given.write)
        finally:
            daemon.close()


def report(daemon: Daemon, vendor: VendorDouble, triggers: int, seconds: float, *, write: bool) -> int:
    api = daemon.admin()
    without, _ = measured(daemon, vendor, min(seconds, 20))
    for number in range(triggers):
        start: Any = node("Ask", "benchTrigger", {}, version=1)
        start["id"] = f"ask-{number}"
        daemon.live(chain(f"W{number}", start, node("End", "noOp", version=1)), api)
    time.sleep(75)  # the first polls are over
    share, polls = measured(daemon, vendor, seconds)
    busiest = _busiest(polls, seconds)
    mean = polls.total() / seconds
    enough = polls.total() >= triggers * (seconds / 60 - 1)
    daemon.kill()
    vendor.seen.clear()
    start_of = time.monotonic()
    daemon.start()
    time.sleep(_START_S)
    again = Counter(int(one.at - start_of) for one in vendor.asked("/items"))
    herd = _busiest(again, _START_S)
    everyone = again.total() >= triggers
    rows = [
        ("share of a core", f"{share:.1%}", f"<= {SHARE:.0%}", verdict(share <= SHARE)),
        ("the same without any trigger", f"{without:.1%}", "", ""),
        ("polls a second, in the mean", f"{mean:.1f}", f">= {triggers / 60:.1f}", verdict(enough)),
        ("polls of the busiest second, x the mean", f"{busiest:.1f}", f"<= {PEAK:g}", verdict(busiest <= PEAK)),
        (
            f"polls within {_START_S} s of a start after kill -9",
            f"{again.total():,}",
            f">= {triggers:,}",
            verdict(everyone),
        ),
        ("the busiest second of these, x the mean", f"{herd:.1f}", f"<= {PEAK:g}", verdict(herd <= PEAK)),
    ]
    told = f"{environment('aiohttp')}\n\n{triggers:,} triggers, {seconds:g} s.\n\n"
    publish("triggers", told + table(("", "found", "wanted", ""), rows), write=write)
    return int(share > SHARE or max(busiest, herd) > PEAK or not (enough and everyone))


def _busiest(polls: Counter[int], seconds: float) -> float:
    """Polls of the busiest second, as a multiple of the mean."""
    mean = polls.total() / seconds
    return max(polls.values(), default=0) / mean if mean else 0.0


if __name__ == "__main__":
    sys.exit(main())
