"""Lives of one daemon, each ended by SIGKILL at a moment of its own kind."""

from __future__ import annotations

import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from jackfield.testing.daemon import Daemon, poll

from .effects import STEPS, Effects
from .ledger import Verdict, judge
from .load import Book, Load, executions, unfinished

LONGEST_LIFE = 0.6
"""Seconds under load."""
AFTER_EFFECT = 0.02
"""Seconds in which the checkpoint behind an effect is written."""
ANSWERS = 3
PATIENCE = 60.0
"""Seconds in which a daemon that is ready answers, on a machine with other work."""
SETTLED = 240.0
"""Seconds in which everything ends once nobody kills any more; resumes are put off by up to 90."""


@dataclass
class Lives:
    """A daemon whose workflow is live, and what is known of its calls."""

    daemon: Daemon
    effects: Effects
    workflow: str
    backups: Path
    book: Book = field(default_factory=Book)
    kills: Counter[str] = field(default_factory=Counter)
    starts: list[float] = field(default_factory=list)
    """Seconds from a start after a kill until the daemon was ready."""
    backed_up: int = 0

    def end(self, moment: str, chance: random.Random) -> None:
        """One life: start unless the daemon runs, and kill at this moment."""
        MOMENTS[moment](self, chance)
        self.kills[moment] += 1

    def ready(self) -> None:
        if self.daemon.running:
            return
        begun = time.monotonic()
        self.daemon.start(timeout=PATIENCE)
        self.starts.append(time.monotonic() - begun)

    def settle(self) -> None:
        """Nobody kills any more: wait until everything is over, at most `SETTLED` seconds."""
        self.ready()
        with Load(self.daemon, self.book):  # what was not answered is sent again
            poll(lambda: not self.book.unanswered, "everything is answered", timeout=PATIENCE)
        api = self.daemon.admin()
        deadline = time.monotonic() + SETTLED
        while unfinished(api) and time.monotonic() < deadline:
            time.sleep(0.2)

    def verdict(self, retained: int | None = None) -> Verdict:
        api = self.daemon.admin()
        if retained is not None:
            rows = {"workflowId": self.workflow, "limit": 1}
            poll(lambda: api.get("/executions", params=rows).json()["total"] <= retained, "retention has ended",
                 timeout=PATIENCE)  # fmt: skip
        found = executions(api, self.workflow)
        return judge(self.book.answered, found, list(self.effects.seen), STEPS, retained)


def _start(lives: Lives, chance: random.Random) -> None:
    """While the daemon starts; sometimes just behind it."""
    if lives.daemon.running:
        lives.daemon.kill()
    usual = sorted(lives.starts)[len(lives.starts) // 2] if lives.starts else 1.0
    lives.daemon.start(wait=False)
    time.sleep(chance.uniform(0, 1.2 * usual))  # the moment is what is varied
    lives.daemon.kill()


def _under_load(pause: Callable[[Lives, random.Random], None]) -> Callable[[Lives, random.Random], None]:
    def moment(lives: Lives, chance: random.Random) -> None:
        lives.ready()
        with Load(lives.daemon, lives.book) as load:
            poll(lambda: load.answers >= ANSWERS, "calls are answered", timeout=PATIENCE)
            pause(lives, chance)
            lives.daemon.kill()

    return moment


def _any_time(lives: Lives, chance: random.Random) -> None:
    time.sleep(chance.uniform(0, LONGEST_LIFE))


def _checkpoint(lives: Lives, chance: random.Random) -> None:
    """Behind the answer of an effect."""
    lives.effects.answered.clear()
    assert lives.effects.answered.wait(PATIENCE), "an effect is answered"
    time.sleep(chance.uniform(0, AFTER_EFFECT))


def _backup(lives: Lives, chance: random.Random) -> None:
    """While `jackfield backup` copies the store; every third backup is killed as well."""
    program = [lives.daemon.command()[0], "backup", str(lives.backups)]
    where = ["--config-dir", str(lives.daemon.config_dir)]
    incoming = lives.backups / "incoming"
    with subprocess.Popen(
        [*program, *where], env=lives.daemon.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as child:
        poll(lambda: child.poll() is not None or _filled(incoming), "the backup has begun", timeout=PATIENCE)
        time.sleep(chance.uniform(0, 0.05))
        lives.daemon.kill()
        if chance.randrange(3) == 0:
            child.kill()
        lives.backed_up += child.wait(PATIENCE) == 0


def _filled(place: Path) -> bool:
    return place.is_dir() and any(place.iterdir())


MOMENTS: dict[str, Callable[[Lives, random.Random], None]] = {
    "start": _start,
    "load": _under_load(_any_time),
    "checkpoint": _under_load(_checkpoint),
    "retention": _under_load(_any_time),
    "backup": _under_load(_backup),
}
