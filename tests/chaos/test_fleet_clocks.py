"""Three daemons whose clocks of the day differ: leases are those of the database's clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from jackfield.testing.postgres import PostgresServer

from ..e2e.conftest import StartDaemon
from .effects import Effects
from .faults import Faults
from .figures import Figures
from .fleet import COUNT, directory, made
from .fleet_verdict import check
from .kills import PATIENCE
from .test_fleet import in_time, killed

OFFSETS = (10.0, -10.0, 0.0)
"""Seconds of the daemons' clocks of the day."""
APART = max(OFFSETS) - min(OFFSETS)
"""Seconds. A wait that goes from one daemon to another is due by the clock of the other one: so much later at worst."""


@pytest.mark.scenario("fleet-clocks", 3)
def test_clocks_differ(
    jackfield_postgres: PostgresServer, new_daemon: StartDaemon, effects: Effects, figures: Figures, tmp_path: Path
) -> None:
    """Leases are those of the database's clock; clocks of daemons go to and fro, and one of them is killed."""
    figures.unit = "times three clocks were 10 s ahead, 10 s behind and right, and a daemon was killed"
    faults = [Faults(tmp_path / f"faults{n}", directory(tmp_path, n)) for n in range(COUNT)]
    environments = [one.environment() for one in faults]
    fleet = made(jackfield_postgres, new_daemon, effects, environments=environments).begin()
    took = []
    for turn in range(figures.count):
        for number, one in enumerate(faults):
            one.clock(OFFSETS[(number + turn) % COUNT])
        with fleet.load():
            victims = killed(fleet, turn % COUNT)
            took.append(in_time(fleet, figures, victims, more=APART))
            fleet.daemons[turn % COUNT].start(timeout=PATIENCE)
    fleet.settle()
    figures.times("taken over and ended", took)
    check(fleet, figures)
