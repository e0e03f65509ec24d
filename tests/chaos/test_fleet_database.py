"""The database of three daemons ends, is away for longer than their leases, or commits without saying so."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from jackfield.testing.daemon import poll
from jackfield.testing.nats import NatsServer
from jackfield.testing.postgres import PostgresServer, postgres_server

from ..e2e.conftest import StartDaemon
from ..plugins.store_postgres.postgres_links import COMMIT, Link
from .effects import Effects
from .figures import Figures
from .fleet import COUNT, LEASE, made
from .fleet_links import links
from .fleet_verdict import check
from .kills import PATIENCE

AWAY = LEASE + 2
"""Seconds: longer than a lease."""
LIVES = 3
"""One ends after two thirds of the lease, and so do those that follow while the database is away."""
SHARE = 0.2
"""Of all commits whose answer is cut off."""
CUTS = 20


@pytest.fixture
def own_server(jackfield_postgres: PostgresServer) -> Iterator[PostgresServer]:
    """One that a test may end."""
    with postgres_server() as server:
        yield server


@pytest.mark.scenario("fleet-database-kill", 2)
def test_the_database_is_killed(
    own_server: PostgresServer, new_daemon: StartDaemon, effects: Effects, figures: Figures, nats: NatsServer
) -> None:
    """It is back within the leases: nobody is taken over, and nothing runs again."""
    figures.unit = "times the database was killed and started again"
    fleet = made(own_server, new_daemon, effects, nats.address).begin()
    for _ in range(figures.count):
        with fleet.load() as loads:
            with fleet.in_flight():
                own_server.kill()
            own_server.start()
            before = [load.answers for load in loads]
            poll(lambda: sum(load.answers for load in loads) > sum(before), "calls are answered", timeout=PATIENCE)  # noqa: B023
    fleet.settle()
    check(fleet, figures)


@pytest.mark.scenario("fleet-database-gone", 1)
def test_the_database_is_gone_for_longer_than_the_lease(
    own_server: PostgresServer, new_daemon: StartDaemon, effects: Effects, figures: Figures, nats: NatsServer
) -> None:
    """Everybody lets go of what he runs, and it goes on with whoever gets it."""
    figures.unit = f"times the database was gone for {AWAY:g} s"
    fleet = made(own_server, new_daemon, effects, nats.address).begin()
    for _ in range(figures.count):
        with fleet.load():
            for number in range(COUNT):
                fleet.lost[f"d{number}"] += LIVES
            with fleet.in_flight():
                own_server.kill()
            time.sleep(AWAY)
            own_server.start()
            owned = [one for number in range(COUNT) for one in fleet.owned(f"d{number}")]
            fleet.victims.update(owned)
            took = fleet.ended(set(owned), time.monotonic())
            figures.times("ended after it came back", [took])
    fleet.settle()
    check(fleet, figures)


@pytest.mark.scenario("fleet-cuts", CUTS)
def test_commits_whose_answer_is_lost(
    jackfield_postgres: PostgresServer, new_daemon: StartDaemon, effects: Effects, figures: Figures, seed: int
) -> None:
    """What was committed is neither done again nor lost."""
    figures.unit = f"connections cut after a COMMIT, {SHARE:.0%} of them"
    chance = random.Random(seed)
    with links([Link(jackfield_postgres.port) for _ in range(COUNT)]) as between:
        fleet = made(jackfield_postgres, new_daemon, effects, ports=[link.port for link in between]).begin()
        for link in between:
            link.cut_at = lambda piece: COMMIT in piece and chance.random() < SHARE
        with fleet.load():
            cut = lambda: sum(link.cuts for link in between) >= figures.count  # noqa: E731
            poll(cut, "connections are cut", timeout=PATIENCE)
            for link in between:
                link.cut_at = lambda _: False
        fleet.settle()
        figures.note(cuts=sum(link.cuts for link in between))
        check(fleet, figures)
