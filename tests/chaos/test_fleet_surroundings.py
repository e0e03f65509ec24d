"""Three daemons, one of which is cut off, and an execution that kills whoever runs it."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, webhook
from jackfield.testing.nats import NatsServer
from jackfield.testing.postgres import PostgresServer

from ..e2e.conftest import StartDaemon
from .effects import Effects
from .figures import Figures
from .fleet import COUNT, ENVIRONMENT, KEY, LEASE, MAX_RESUMES, Fleet, is_ready, made, settings
from .fleet_links import ALIAS, FAR, NETWORKS, Away, Cable, Relay, links
from .fleet_verdict import check
from .kills import PATIENCE
from .test_fleet import CALM, in_time

GIVEN_UP = 120.0
"""Seconds in which an execution has killed so many daemons as it may."""


@pytest.mark.scenario("fleet-poison", 1)
def test_an_execution_kills_its_daemons(
    jackfield_postgres: PostgresServer, new_daemon: StartDaemon, effects: Effects, figures: Figures, nats: NatsServer
) -> None:
    figures.unit = "executions that kill whoever runs them"
    commands = "[integrations]\nexecute_command = true\n"
    fleet = made(jackfield_postgres, new_daemon, effects, nats.address, more=commands).begin()
    kill = node("Kill", "executeCommand", {"command": "kill -9 $PPID"}, version=1)
    fleet.daemons[0].live(chain("poison", webhook("poison"), kill))
    with fleet.load():
        for number in range(figures.count):
            caller = fleet.daemons[number % COUNT].client()
            ident = caller.post("/webhook/poison", json={}).raise_for_status().json()["executionId"]
            deaths = outlived(fleet, ident)
            figures.note(daemons_killed=deaths)
            if deaths > MAX_RESUMES + 1:
                figures.violate({"killed too many": [ident, deaths]})
    fleet.settle()
    ((status, error),) = fleet.run("SELECT status, convert_from(error, 'UTF8') FROM executions WHERE id = %s", [ident])
    assert status == "failed"
    assert "executions.max_resumes" in str(error)
    check(fleet, figures)


def outlived(fleet: Fleet, ident: str) -> int:
    """Start whoever dies, until this execution is over; how many died."""
    deaths = 0

    def over() -> bool:
        nonlocal deaths
        for number, daemon in enumerate(fleet.daemons):
            if not daemon.running:
                deaths += 1
                fleet.struck(number)
                daemon.start(timeout=PATIENCE)
        return not fleet.open_of({ident})

    poll(over, "it is given up", timeout=GIVEN_UP)
    return deaths


@pytest.mark.scenario("fleet-partition", 1)
def test_a_daemon_is_cut_off(
    jackfield_postgres: PostgresServer,
    new_daemon: StartDaemon,
    effects: Effects,
    figures: Figures,
    nats: NatsServer,
    tmp_path: Path,
) -> None:
    figures.unit = f"times one daemon of three was cut off from everything for {LEASE + 3:g} s"
    effects_port = httpx.URL(effects.url).port or 0
    relays = [Relay(port) for port in (jackfield_postgres.port, nats.port, effects_port)]
    with Cable() as cable, links(relays), contextlib.ExitStack() as ends:
        fleet = made(jackfield_postgres, new_daemon, effects, nats.address, http=NETWORKS)
        fleet.daemons[-1] = elsewhere = distant(fleet, cable, relays, tmp_path / "away")
        ends.callback(elsewhere.close)
        fleet.begin(f"http://{ALIAS}:{relays[-1].port}")
        took = []
        for _ in range(figures.count):
            with fleet.load():
                with fleet.in_flight():
                    cable.cut()
                since = time.monotonic()
                try:
                    victims = fleet.struck(COUNT - 1)
                    fleet.lost[f"d{COUNT - 1}"] += 1  # while it is alone, it begins anew once more
                    took.append(in_time(fleet, figures, victims, since))
                    before = fleet.rows(victims)
                    time.sleep(max(0.0, since + LEASE + 3 - time.monotonic()))  # the cut lasts as long as is said
                finally:
                    cable.mend()
                poll(lambda: is_ready(elsewhere), "it goes on", timeout=PATIENCE)
                time.sleep(CALM)  # in which a daemon that was fenced would write
            figures.violate({"written by a fenced daemon": [row for row in fleet.rows(victims) if row not in before]})
        fleet.settle()
        figures.times("taken over and ended", took)
        check(fleet, figures)


def distant(fleet: Fleet, cable: Cable, relays: list[Relay], place: Path) -> Daemon:
    """The last one of the fleet, at the other end of the cable."""
    database, bus, _ = relays
    dsn = fleet.server.dsn(port=database.port).replace("127.0.0.1", ALIAS)
    found = Away(place, env={ENVIRONMENT: dsn, "JACKFIELD_ENCRYPTION_KEY": KEY}, prefix=cable.prefix)
    named = f'[server]\npublic_hosts = ["{FAR}:{found.port}"]\n'
    text = settings(COUNT - 1, fleet.schema, f"nats://{ALIAS}:{bus.port}", named, NETWORKS)
    (found.config_dir / "config.toml").write_text(text, encoding="utf-8")
    return found
