"""kill -9 under load, in short; `tox -e chaos` does it a thousand times."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from jackfield.testing.daemon import poll

from ...chaos.effects import SETTINGS, STEPS, Effects, document, receiver
from ...chaos.kills import Lives
from ...chaos.load import Load, unfinished
from ..conftest import StartDaemon

MOMENTS = ("load", "checkpoint", "start", "load")


@pytest.fixture
def effects() -> Iterator[Effects]:
    with receiver() as found:
        yield found


def test_nothing_answered_is_lost_and_nothing_checkpointed_runs_again(
    new_daemon: StartDaemon, effects: Effects, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    seed = random.randrange(10_000)
    record_property("seed", seed)
    chance = random.Random(seed)
    daemon = new_daemon(SETTINGS)
    lives = Lives(daemon, effects, daemon.live(document(effects.url)), tmp_path / "backups")
    for moment in MOMENTS:
        lives.end(moment, chance)
    lives.settle()
    assert lives.verdict().violations() == {}
    assert lives.book.refused == []
    assert len(lives.book.answered) >= 9


def test_a_store_that_forgets_is_noticed(new_daemon: StartDaemon, effects: Effects, tmp_path: Path) -> None:
    """So the checks can fail: without its write-ahead log the store has lost what was acknowledged."""
    daemon = new_daemon(SETTINGS)
    lives = Lives(daemon, effects, daemon.live(document(effects.url)), tmp_path / "backups")
    assert daemon.stop() == 0  # the workflow is in the main file
    daemon.start()
    with Load(daemon, lives.book) as load:
        poll(lambda: load.answers >= 10, "calls are answered", timeout=20)
        daemon.kill()
    (daemon.config_dir / "jackfield.db-wal").write_bytes(b"")
    daemon.start()
    assert len(lives.verdict().violations()["lost"]) >= 10


def test_nothing_is_given_up_however_often_the_daemon_is_killed(
    new_daemon: StartDaemon, effects: Effects, tmp_path: Path
) -> None:
    """Every life is too short for the node that is in flight, and there are more of them than `max_resumes`. A life in
    which a resume was put off, or came no further than its mark, counts for nothing."""
    most = 4
    daemon = new_daemon(f"{SETTINGS}[executions]\nmax_resumes = {most}\nconcurrency = 4\n")
    lives = Lives(daemon, effects, daemon.live(document(effects.url)), tmp_path / "backups")
    effects.calm.clear()
    with httpx.Client(trust_env=False, timeout=20) as client:
        for number in range(12):
            answer = client.post(f"{daemon.base_url}/webhook/killed", json={"marker": f"m{number}"}).raise_for_status()
            lives.book.answered[f"m{number}"].append(answer.json()["executionId"])
    poll(lambda: effects.count(STEPS[0]) >= 4, "all slots are taken", timeout=20)
    seen = 0
    for number in range(3 * most):
        daemon.kill()
        daemon.start()
        if number % 3 == 0:
            poll(lambda before=seen: effects.count(STEPS[0]) > before, "a node began", timeout=20)
        seen = effects.count(STEPS[0])
    effects.calm.set()
    api = daemon.admin()
    poll(lambda: not unfinished(api), "every execution is over", timeout=90)
    found = lives.verdict()
    assert (found.violations(), found.given_up_running) == ({}, [])
