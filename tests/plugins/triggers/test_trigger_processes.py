"""Worker processes, and daemons side by side over one PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from trigger_lab import SETTINGS, made, numbers, polling, subscribing, until

from jackfield.testing.daemon import Daemon
from jackfield.testing.postgres import PostgresServer
from jackfield.testing.vendor import VendorDouble


def test_workers_take_events(tmp_path: Path, vendor: VendorDouble) -> None:
    daemon = made(tmp_path, vendor, SETTINGS + "\n[daemon]\nworkers = 2\n")
    try:
        api = daemon.start(timeout=60).admin()
        workflow = daemon.live(subscribing(), api)
        until(lambda: vendor.hooks, "the subscription")
        for number in range(6):
            assert vendor.send({"id": f"e{number}", "n": number}) == [200]
        assert vendor.send({"id": "e1", "n": 1}) == [200]
        assert vendor.send({"id": "e9", "n": 9}, secret="another") == [401]
        until(lambda: len(numbers(api, workflow)) == 6, "all events")
        assert sorted(numbers(api, workflow)) == list(range(6))
    finally:
        daemon.close()


@pytest.fixture
def pair(tmp_path: Path, vendor: VendorDouble, jackfield_postgres: PostgresServer) -> Iterator[tuple[Daemon, Daemon]]:
    schema = jackfield_postgres.new_name()
    store = f'\n[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{schema}"\nreaders = 2\n'
    env = {"JACKFIELD_STORE_POSTGRES_DSN": jackfield_postgres.dsn(), "JACKFIELD_ENCRYPTION_KEY": "5" * 64}
    both = [made(tmp_path / name, vendor, SETTINGS + store, env) for name in ("one", "two")]
    try:
        yield both[0].start(timeout=60), both[1].start(timeout=60)
    finally:
        for daemon in both:
            daemon.close()


def test_another_daemon_goes_on_with_polls(pair: tuple[Daemon, Daemon], vendor: VendorDouble) -> None:
    one, two = pair
    vendor.add(2)
    workflow = one.live(polling())
    until(lambda: len(vendor.asked("/items")) > 1, "polls", timeout=40)
    vendor.add(3)
    until(lambda: len(numbers(one.admin(), workflow)) == 3, "what is new", timeout=40)
    leader, other = (one, two) if _leads(one, workflow) else (two, one)
    assert not _leads(other, workflow)
    leader.kill()
    vendor.add(3)
    api = other.admin()
    until(lambda: len(numbers(api, workflow)) >= 6, "the other daemon asks", timeout=60)
    assert sorted(numbers(api, workflow)) == list(range(3, 9))


def _leads(daemon: Daemon, workflow: str) -> bool:
    (row,) = daemon.admin().get(f"/workflows/{workflow}/triggers").json()["data"]
    return row.get("lastPoll") is not None
