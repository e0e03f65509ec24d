"""A disk that is full, fails, or is read-only for a while: calls get 503, nothing acknowledged is lost, and when the
fault is over the daemon serves again without a restart."""

from __future__ import annotations

import errno
import random
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from jackfield.testing.daemon import poll

from ..e2e.conftest import StartDaemon
from .disks import filled, mounted
from .effects import SETTINGS, Effects, document
from .faults import Faults
from .figures import Figures
from .kills import PATIENCE, Lives
from .load import Load

IMPATIENT = SETTINGS + "[store.sqlite]\ntimeout = 1.0\nbusy_timeout = 100\ncheckpoint_pages = 100\n"
LONGEST_FAULT = 2.0
RECOVERED = 60.0
"""Seconds in which calls are taken again."""
SHARES = (0.02, 0.3, 1.0)


def endure(
    lives: Lives, figures: Figures, chance: random.Random, inflict: Callable[[], None], mend: Callable[[], None]
) -> None:
    """Faults that come and go under load; each shows itself by a refusal, or by failed writes that nobody notices."""
    recoveries = []
    for _ in range(figures.count):
        with Load(lives.daemon, lives.book) as load:
            poll(lambda load=load: load.answers >= 3, "calls are answered", timeout=PATIENCE)
            inflict()
            time.sleep(chance.uniform(0.2, LONGEST_FAULT))  # how long the fault lasts is what is varied
            if not _alive(lives):
                figures.violate({"ended": [lives.daemon.tail(1000)]})
                mend()
                break
            mend()
            begun, before = time.monotonic(), load.answers
            poll(lambda load=load, before=before: load.answers > before, "calls are taken again", timeout=RECOVERED)
            recoveries.append(time.monotonic() - begun)
    lives.settle()
    judge(lives, figures)
    figures.times("serves again after", recoveries)
    figures.check()


def judge(lives: Lives, figures: Figures) -> None:
    found = lives.verdict()
    figures.violate(found.violations())
    unavailable = [refusal for refusal in lives.book.refused if refusal.startswith("503 ")]
    figures.violate({"refused otherwise": [refusal for refusal in lives.book.refused if refusal not in unavailable]})
    lost, twice, stuck = (len(figures.violations.get(kind, ())) for kind in ("lost", "started_twice", "stuck"))
    figures.note(acknowledged=len(lives.book.answered), answered_503=len(unavailable), sent_again=lives.book.sent_again,
                 lost=lost, started_twice=twice, stuck=stuck)  # fmt: skip
    figures.times("answer", lives.book.took)


def _alive(lives: Lives) -> bool:
    try:
        return httpx.get(f"{lives.daemon.base_url}/health", trust_env=False, timeout=20).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def with_faults(new_daemon: StartDaemon, effects: Effects, place: Path) -> tuple[Lives, Faults]:
    """A daemon under whose directory faults can be inflicted."""
    directory = place / "daemon0"
    faults = Faults(place / "faults", directory)
    daemon = new_daemon(IMPATIENT, env=faults.environment(), directory=place)
    assert daemon.directory == directory
    return Lives(daemon, effects, daemon.live(document(effects.url)), place / "backups"), faults


@pytest.mark.scenario("disk-full", 10)
def test_disk_full(new_daemon: StartDaemon, effects: Effects, figures: Figures, seed: int, tmp_path: Path) -> None:
    figures.unit = "times full"
    with mounted(tmp_path / "small", "size=64m,mode=700") as place:
        daemon = new_daemon(IMPATIENT, directory=place, start=False)
        daemon.output = tmp_path / "output.log"
        daemon.start()
        lives = Lives(daemon, effects, daemon.live(document(effects.url)), tmp_path / "backups")
        filler = place / "filler"
        try:
            endure(lives, figures, random.Random(seed), lambda: filled(filler), filler.unlink)
        finally:
            daemon.close()


@pytest.mark.scenario("eio", 15)
def test_eio(new_daemon: StartDaemon, effects: Effects, figures: Figures, seed: int, tmp_path: Path) -> None:
    figures.unit = "faults (2, 30 and 100 % of writes and syncs fail)"
    chance = random.Random(seed)
    lives, faults = with_faults(new_daemon, effects, tmp_path)
    endure(lives, figures, chance, lambda: faults.writes(errno.EIO, chance.choice(SHARES)), faults.end)
    figures.note(failed_writes=faults.inflicted)


@pytest.mark.scenario("read-only", 10)
def test_read_only(new_daemon: StartDaemon, effects: Effects, figures: Figures, seed: int, tmp_path: Path) -> None:
    figures.unit = "times read-only"
    lives, faults = with_faults(new_daemon, effects, tmp_path)
    endure(lives, figures, random.Random(seed), lambda: faults.changes(errno.EROFS), faults.end)
    figures.note(failed_writes=faults.inflicted)
