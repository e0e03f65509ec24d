"""Three daemons on one PostgreSQL; kill -9, SIGSTOP or an orderly end for one process: every acknowledged call ends."""

from __future__ import annotations

import os
import signal
import time

import pytest

from jackfield.testing.daemon import poll
from jackfield.testing.nats import NatsServer
from jackfield.testing.postgres import PostgresServer

from ..e2e.conftest import StartDaemon
from .effects import Effects
from .figures import Figures
from .fleet import COUNT, LEASE, TAKEN_OVER, Fleet, is_ready, made, quiet
from .fleet_verdict import check
from .kills import PATIENCE

CALM = 1.0
"""Seconds under load between two faults."""


@pytest.fixture(params=["memory", "nats"])
def bus(request: pytest.FixtureRequest) -> str | None:
    """The address of a server; None: no daemon hears of the other."""
    if request.param == "memory":
        return None
    server: NatsServer = request.getfixturevalue("nats")
    return server.address


def killed(fleet: Fleet, number: int) -> set[str]:
    """Its open executions."""
    with fleet.in_flight():
        fleet.daemons[number].kill()
    return fleet.struck(number)


def in_time(
    fleet: Fleet, figures: Figures, executions: set[str], since: float | None = None, more: float = 0.0
) -> float:
    """What a dead daemon ran ends within the lease and two seconds. since: its death (monotonic); None: now; more:
    seconds that it may take beyond."""
    took = fleet.ended(executions, time.monotonic() if since is None else since)
    if took > LEASE + TAKEN_OVER * quiet() + more:
        figures.violate({"taken over too late": [f"{took:.1f} s"]})
    return took


@pytest.mark.scenario("fleet-kill", 2)
def test_a_daemon_is_killed(
    bus: str | None, jackfield_postgres: PostgresServer, new_daemon: StartDaemon, effects: Effects, figures: Figures
) -> None:
    figures.scenario, figures.unit = f"fleet-kill, {'nats' if bus else 'no bus'}", "daemons of three killed"
    fleet = made(jackfield_postgres, new_daemon, effects, bus).begin()
    took = []
    for number in range(figures.count):
        with fleet.load():
            victims = killed(fleet, number % COUNT)
            took.append(in_time(fleet, figures, victims))
            fleet.daemons[number % COUNT].start(timeout=PATIENCE)
    fleet.settle()
    figures.times("taken over and ended", took)
    check(fleet, figures)


@pytest.mark.scenario("fleet-sigstop", 1)
def test_a_daemon_stands_still_for_longer_than_its_lease(
    jackfield_postgres: PostgresServer, new_daemon: StartDaemon, effects: Effects, figures: Figures, nats: NatsServer
) -> None:
    figures.unit = f"daemons of three stopped for {LEASE + 3:g} s"
    fleet = made(jackfield_postgres, new_daemon, effects, nats.address).begin()
    took = []
    for number in range(figures.count):
        daemon = fleet.daemons[number % COUNT]
        with fleet.load():
            with fleet.in_flight():
                os.kill(daemon.pid, signal.SIGSTOP)
            since = time.monotonic()
            try:
                victims = fleet.struck(number % COUNT)
                took.append(in_time(fleet, figures, victims, since))
                before = fleet.rows(victims)
                time.sleep(max(0.0, since + LEASE + 3 - time.monotonic()))  # the stop lasts as long as it is said to
            finally:
                os.kill(daemon.pid, signal.SIGCONT)
            poll(lambda daemon=daemon: is_ready(daemon), "it goes on", timeout=PATIENCE)
            time.sleep(CALM)  # in which a daemon that was fenced would write
        after = fleet.rows(victims)
        figures.violate({"written by a fenced daemon": [row for row in after if row not in before]})
    fleet.settle()
    figures.times("taken over and ended", took)
    check(fleet, figures)


@pytest.mark.scenario("fleet-rollout", 3)
def test_a_rolling_restart(
    jackfield_postgres: PostgresServer, new_daemon: StartDaemon, effects: Effects, figures: Figures, nats: NatsServer
) -> None:
    figures.unit = "daemons of three restarted in order"
    fleet = made(jackfield_postgres, new_daemon, effects, nats.address).begin()
    for number in range(figures.count):
        daemon = fleet.daemons[number % COUNT]
        fleet.lost[f"d{number % COUNT}"] += 1  # a life ends; nothing may run again
        with fleet.load():
            time.sleep(CALM)
            figures.violate({"ended otherwise": [code for code in [daemon.stop(PATIENCE)] if code]})
            daemon.start(timeout=PATIENCE)
    fleet.settle()
    check(fleet, figures)


@pytest.mark.scenario("fleet-nats", 1)
def test_the_bus_is_gone_and_a_daemon_beside(
    jackfield_postgres: PostgresServer, new_daemon: StartDaemon, effects: Effects, figures: Figures, nats: NatsServer
) -> None:
    figures.unit = "times the bus was killed, a daemon while it was down, and it came back"
    fleet = made(jackfield_postgres, new_daemon, effects, nats.address).begin()
    took = []
    for number in range(figures.count):
        with fleet.load():
            nats.kill()
            time.sleep(CALM)
            victims = killed(fleet, number % COUNT)
            took.append(in_time(fleet, figures, victims))
            nats.start()
            fleet.daemons[number % COUNT].start(timeout=PATIENCE)
            time.sleep(CALM)
    fleet.settle()
    figures.times("taken over and ended", took)
    check(fleet, figures)
