"""A thousand polling triggers on one daemon that find nothing new: the share of a core that they take, and how evenly
they ask. Each asks a service on loopback once a minute, and reads a page of twenty items.

python bench/triggers.py [--triggers 1000] [--seconds 120]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from harness import processor_seconds

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node
from jackfield.testing.vendor import VendorDouble

SHARE = 0.05
"""Of a core, at most."""
PEAK = 3.0
"""Polls of the busiest second, as a multiple of the mean, at most."""
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
    given = arguments.parse_args()
    with VendorDouble() as vendor, tempfile.TemporaryDirectory() as place:
        vendor.add(20)
        daemon = Daemon(Path(place), settings='[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n')
        (daemon.config_dir / "nodes.d").mkdir()
        (daemon.config_dir / "nodes.d/bench.toml").write_text(NODE.format(url=vendor.url))
        try:
            return report(daemon.start(), vendor, given.triggers, given.seconds)
        finally:
            daemon.close()


def report(daemon: Daemon, vendor: VendorDouble, triggers: int, seconds: float) -> int:
    api = daemon.admin()
    without, _ = measured(daemon, vendor, min(seconds, 20))
    for number in range(triggers):
        start: Any = node("Ask", "benchTrigger", {}, version=1)
        start["id"] = f"ask-{number}"
        daemon.live(chain(f"W{number}", start, node("End", "noOp", version=1)), api)
    time.sleep(75)  # the first polls are over
    share, polls = measured(daemon, vendor, seconds)
    mean = polls.total() / seconds
    peak = max(polls.values(), default=0)
    print(f"{triggers} triggers, {seconds:g} s: {share:.1%} of a core, {without:.1%} without any")
    print(f"polls a second: {mean:.1f} in the mean, {peak} in the busiest")
    wrong = [
        f"more than {SHARE:.0%} of a core" if share > SHARE else "",
        f"the busiest second has more than {PEAK:g} times the mean" if peak > PEAK * mean else "",
        "fewer polls than triggers and minutes" if polls.total() < triggers * (seconds / 60 - 1) else "",
    ]
    for one in filter(None, wrong):
        print(f"FAILED: {one}", file=sys.stderr)
    return int(any(wrong))


if __name__ == "__main__":
    sys.exit(main())
