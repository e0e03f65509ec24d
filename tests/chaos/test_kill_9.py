"""kill -9 at random moments: nothing acknowledged is lost, nothing runs twice, nothing stays open, nothing is given up
that has not run."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from ..e2e.conftest import StartDaemon
from .effects import SETTINGS, Effects, document
from .figures import Figures
from .kills import Lives

SERIES = 125
"""Kills of one directory; then all of its calls are checked, and another one begins."""
CHECKPOINTS = "[store.sqlite]\ncheckpoint_pages = 100\n"
RETAINED = 300
RETENTION = f"[executions]\nmax_count = {RETAINED}\nprune_interval = 0.1\n"
WEIGHTS = {"start": 30, "load": 35, "checkpoint": 25, "backup": 10}
WITH_RETENTION = {"start": 25, "retention": 60, "backup": 15}


def series(
    new_daemon: StartDaemon, effects: Effects, place: Path, kills: int, chance: random.Random, retained: int | None
) -> Lives:
    daemon = new_daemon(SETTINGS + CHECKPOINTS + ("" if retained is None else RETENTION))
    lives = Lives(daemon, effects, daemon.live(document(effects.url)), place / "backups")
    weights = WEIGHTS if retained is None else WITH_RETENTION
    for _ in range(kills):
        lives.end(chance.choices([*weights], [*weights.values()])[0], chance)
    lives.settle()
    return lives


@pytest.mark.scenario("kills", 1000)
def test_kills(new_daemon: StartDaemon, effects: Effects, figures: Figures, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    kinds: Counter[str] = Counter()
    starts: list[float] = []
    took: list[float] = []
    totals: Counter[str] = Counter(acknowledged=0, sent_again=0, repeated=0, given_up_after_nodes_ran=0, backups=0)
    left, number = figures.count, 0
    while left:
        retained = RETAINED if number % 3 == 2 else None
        lives = series(new_daemon, effects, tmp_path / str(number), min(SERIES, left), chance, retained)
        found = lives.verdict(retained)
        figures.violate(found.violations())
        figures.violate({"refused": lives.book.refused})
        totals.update(
            acknowledged=len(lives.book.answered), sent_again=lives.book.sent_again, repeated=found.repeated,
            given_up_after_nodes_ran=len(found.given_up_running), backups=lives.backed_up,
        )  # fmt: skip
        check_backups(lives, figures)
        kinds += lives.kills
        starts += lives.starts
        took += lives.book.took
        lives.daemon.close()
        left, number = left - lives.kills.total(), number + 1
        print(f"{figures.count - left} kills: {dict(totals)} {figures.violations}", flush=True)
    figures.unit = "kills (" + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) + ")"
    counts = {kind: len(figures.violations.get(kind, ())) for kind in ("lost", "started_twice", "stuck", "given_up")}
    figures.note(**totals, **counts, replayed=len(figures.violations.get("replayed", ())))
    figures.times("answer", took)
    figures.times("ready after a kill", starts)
    figures.check()


def check_backups(lives: Lives, figures: Figures) -> None:
    """What calls itself a backup is whole."""
    if not lives.backed_up:
        return
    told = subprocess.run(
        [lives.daemon.command()[0], "verify", str(lives.backups)],
        capture_output=True, text=True, env=lives.daemon.environment(), timeout=300, check=False,
    )  # fmt: skip
    if told.returncode:
        figures.violate({"damaged backups": [told.stdout + told.stderr]})
