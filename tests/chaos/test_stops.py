"""A daemon that stands still for a while, as with a suspended machine: whoever waits gets the answer afterwards."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from jackfield.testing.daemon import poll

from ..e2e.conftest import StartDaemon
from .effects import SETTINGS, Effects, document
from .figures import Figures
from .kills import PATIENCE, Lives
from .load import Load
from .test_disk import judge

LONGEST = 3.0
LONG = 8.0
"""Seconds: longer than `store.sqlite.timeout`; every tenth stop lasts so long."""


@pytest.mark.scenario("sigstop", 20)
def test_stopped(new_daemon: StartDaemon, effects: Effects, figures: Figures, seed: int, tmp_path: Path) -> None:
    figures.unit = f"times stopped, up to {LONG:g} s"
    chance = random.Random(seed)
    daemon = new_daemon(SETTINGS)
    lives = Lives(daemon, effects, daemon.live(document(effects.url)), tmp_path / "backups")
    recoveries = []
    for number in range(figures.count):
        with Load(daemon, lives.book) as load:
            poll(lambda load=load: load.answers >= 3, "calls are answered", timeout=PATIENCE)
            os.kill(daemon.pid, signal.SIGSTOP)
            time.sleep(LONG if number % 10 == 9 else chance.uniform(0, LONGEST))
            os.kill(daemon.pid, signal.SIGCONT)
            begun, before = time.monotonic(), load.answers
            poll(lambda load=load, before=before: load.answers > before, "calls are answered again", timeout=PATIENCE)
            recoveries.append(time.monotonic() - begun)
    lives.settle()
    judge(lives, figures)
    figures.violate({"answered 503": [refusal for refusal in lives.book.refused if refusal.startswith("503")]})
    figures.times("answers again after", recoveries)
    figures.check()
