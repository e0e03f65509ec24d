"""kill -9 of any process of a daemon with workers: nothing acknowledged is lost, and it comes back by itself."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from jackfield.testing.daemon import Daemon, poll

from ..e2e.conftest import StartDaemon
from ..e2e.worker_processes import WORKERS, Processes, all_ready, processes
from .effects import SETTINGS, Effects, document
from .figures import Figures
from .kills import ANSWERS, LONGEST_LIFE, PATIENCE, Lives
from .load import Load


def kill_one(daemon: Daemon, chance: random.Random) -> tuple[str, Processes]:
    """A worker, or in one of three cases the first process, which has the store. Its kind, and what ran before."""
    found = poll(lambda: processes(daemon), "all processes run", timeout=PATIENCE)
    kind = chance.choice(["worker", "worker", "first process"])
    os.kill(chance.choice(found.workers) if kind == "worker" else found.first, signal.SIGKILL)
    return kind, found


def are_back(daemon: Daemon, before: Processes) -> bool:
    return processes(daemon) not in (None, before) and all_ready(daemon)


@pytest.mark.scenario("workers", 60)
def test_kills_of_processes(
    new_daemon: StartDaemon, effects: Effects, figures: Figures, seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    daemon = new_daemon(SETTINGS, arguments=WORKERS, start=False).start(timeout=PATIENCE)
    lives = Lives(daemon, effects, daemon.live(document(effects.url)), tmp_path)
    kinds: Counter[str] = Counter()
    back: list[float] = []
    for _ in range(figures.count):
        with Load(daemon, lives.book) as load:
            poll(lambda: load.answers >= ANSWERS, "calls are answered", timeout=PATIENCE)
            time.sleep(chance.uniform(0, LONGEST_LIFE))  # the moment is what is varied
            kind, before = kill_one(daemon, chance)
            kinds[kind] += 1
            begun = time.monotonic()
        poll(partial(are_back, daemon, before), "all processes are back", timeout=PATIENCE)
        back.append(time.monotonic() - begun)
    lives.settle()
    found = lives.verdict()
    figures.violate(found.violations())
    figures.unit = "kills (" + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) + ")"
    figures.note(acknowledged=len(lives.book.answered), sent_again=lives.book.sent_again, repeated=found.repeated)
    figures.times("all processes are back", back)
    figures.check()
