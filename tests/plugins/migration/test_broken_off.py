"""kill -9 in the middle of an import, then the same import again."""

from __future__ import annotations

import random
from pathlib import Path

from broken_imports import broken_off, bundle, ended, stored, wrongs

from jackfield.testing.daemon import Daemon

KILLS = 4


def test_an_import_that_kill_9_breaks_off_is_whole_after_the_next_one(tmp_path: Path) -> None:
    daemon, body, chance = Daemon(tmp_path).start(), bundle(), random.Random(16)
    try:
        middle = sum(broken_off(daemon, body, chance) for _ in range(KILLS))
        assert middle >= 2
        assert stored(daemon) > 0
        report = ended(daemon, body)
        assert wrongs(daemon, body, report) == {}
        again = ended(daemon, body)
        assert {row["status"] for row in again["results"]} == {"unchanged"}
    finally:
        daemon.close()
