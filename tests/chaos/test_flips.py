"""One flipped bit in the store's files after a kill: nothing is lost without a word."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll

from ..e2e.conftest import StartDaemon
from ..e2e.damage import flip
from .effects import SETTINGS, STEPS, Effects, document
from .figures import Figures
from .kills import PATIENCE, SETTLED
from .ledger import Effect, judge
from .load import Book, Load, executions, unfinished

CALLS = 40
FILES = ("jackfield.db", "jackfield.db-wal")


@pytest.mark.scenario("flips", 40)
def test_flips(new_daemon: StartDaemon, effects: Effects, figures: Figures, seed: int, tmp_path: Path) -> None:
    figures.unit = "flips of a bit, in turn in the database and in its write-ahead log"
    chance = random.Random(seed)
    site, workflow, book = killed(new_daemon, effects)
    ends: Counter[str] = Counter(no_effect=0, told=0, refused_the_start=0)
    before = list(effects.seen)  # what a copy does again is no effect of the calls
    check_control(copied(site, tmp_path / "control"), workflow, book, before)
    for number in range(figures.count):
        daemon = copied(site, tmp_path / f"flip{number}")
        damage = flip(daemon.config_dir / FILES[number % len(FILES)], chance)
        damage.inflict()
        end = outcome(daemon, workflow, book, before)
        if end in ends:
            ends[end] += 1
        else:
            figures.violate({end: [*figures.violations.get(end, ()), damage.what.replace(str(tmp_path), "")]})
    figures.note(**ends, lost_without_a_word=len(figures.violations.get("lost without a word", ())))
    figures.check()


def killed(new_daemon: StartDaemon, effects: Effects) -> tuple[Daemon, str, Book]:
    """A directory with ended executions, part of them in the log alone."""
    daemon, book = new_daemon(SETTINGS), Book()
    workflow = daemon.live(document(effects.url))
    for _ in range(2):
        with Load(daemon, book) as load:
            poll(lambda load=load: load.answers >= CALLS // 2, "calls are answered", timeout=PATIENCE)
        api = daemon.admin()
        poll(lambda api=api: not unfinished(api), "all are over", timeout=SETTLED)
        daemon.kill()
        daemon.start()
    daemon.kill()
    return daemon, workflow, book


def check_control(daemon: Daemon, workflow: str, book: Book, effects: list[Effect]) -> None:
    """Without damage nothing is lost, and nothing is said."""
    try:
        assert seen(daemon, workflow, book, effects) == "no_effect"
        assert not says(daemon)
    finally:
        daemon.close()


def copied(site: Daemon, place: Path) -> Daemon:
    shutil.copytree(site.directory, place)
    (place / "output.log").unlink()
    (place / "config" / "config.toml").chmod(0o600)  # else the doctor complains of that
    return Daemon(place)


def outcome(daemon: Daemon, workflow: str, book: Book, effects: list[Effect]) -> str:
    try:
        return seen(daemon, workflow, book, effects)
    finally:
        daemon.close()
        shutil.rmtree(daemon.directory)


def seen(daemon: Daemon, workflow: str, book: Book, effects: list[Effect]) -> str:
    daemon.start(wait=False)
    try:
        poll(daemon._ready, "ready", timeout=PATIENCE)
    except AssertionError:
        if daemon.running:
            return "told" if says(daemon) else "not ready, and nothing says why"
        return "refused_the_start" if "jackfield.db" in daemon.tail() else "ended without a reason"
    try:
        api = daemon.admin()
        found = judge(book.answered, executions(api, workflow), effects, STEPS).violations()
    except (AssertionError, httpx.HTTPError):
        return "told" if says(daemon) else "fails without a word"
    if not found:
        return "no_effect"
    return "told" if says(daemon) else "lost without a word"


def says(daemon: Daemon) -> bool:
    """Whether `/ready`, the log or the doctor names the damage."""
    answer = httpx.get(f"{daemon.base_url}/ready", trust_env=False, timeout=20)
    if answer.status_code != httpx.codes.OK or "degraded" in answer.text:
        return True
    if "jackfield.db" in daemon.tail() or any("damage" in str(line).lower() for line in daemon.logs()):
        return True
    asked = [daemon.command()[0], "doctor", "--config-dir", str(daemon.config_dir)]
    told = subprocess.run(asked, capture_output=True, text=True, env=daemon.environment(), timeout=120, check=False)
    return told.returncode != 0
