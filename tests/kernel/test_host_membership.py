"""What a daemon knows of the others that share its store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from jackfield.api.clock import SystemClock
from jackfield.api.storage.hosts import HostEntry, StoredHost
from jackfield.api.storage.ledgers import StoredLedger
from jackfield.core.hosts.membership import Membership
from jackfield.core.hosts.worker_membership import WorkerMembership
from jackfield.core.tables import HostsSettings
from jackfield.testing.clock import FakeClock

if TYPE_CHECKING:
    from pathlib import Path

    from jackfield.api.context import Service
    from jackfield.api.storage import Store


class Shared:
    """A store of daemons, in which this one and two others are."""

    exclusive = False

    def __init__(self) -> None:
        self.ages = {"alpha": 0, "beta": 10, "gone": 60_000}
        self.first: StoredHost | None = None

    async def renew_host(self, entry: HostEntry) -> bool:
        return False

    async def stored_hosts(self) -> Sequence[StoredHost]:
        found = [
            StoredHost(HostEntry(name, name, 1_000, "{}"), draining=False, age_ms=age)
            for name, age in self.ages.items()
        ]
        return found if self.first is None else [self.first, *found]

    async def drain_host(self, name: str, draining: bool) -> bool:
        return False

    async def leave_host(self, name: str, id: str) -> None: ...


async def test_hosts_that_are_gone_are_known_as_long_as_they_are_remembered(tmp_path: Path) -> None:
    service = cast("Service", SimpleNamespace(config_dir=tmp_path, host="127.0.0.1", port=1, version="1"))
    store = cast("Store", Shared())
    here = Membership(lambda: store, SystemClock(), service, HostsSettings(name="alpha"), ["flows"])
    assert here.known == 1
    await here.all()
    assert [host.name for host in here.others] == ["beta"]
    assert here.known == 3


async def test_a_host_that_has_just_come_is_looked_for_at_most_four_times_a_second(tmp_path: Path) -> None:
    service = cast("Service", SimpleNamespace(config_dir=tmp_path, host="127.0.0.1", port=1, version="1"))
    shared, clock = Shared(), FakeClock()
    here = Membership(lambda: cast("Store", shared), clock, service, HostsSettings(name="alpha"), ["flows"])
    await here.look_again()
    assert [host.name for host in here.others] == ["beta"]
    shared.ages["beta"] = 60_000
    await here.look_again()
    assert [host.name for host in here.others] == ["beta"]
    await clock.advance(0.25)
    await here.look_again()
    assert here.others == []


async def test_a_worker_knows_its_first_process_as_that_tells_of_itself(tmp_path: Path) -> None:
    """Also whether it is drained, and of its slots: an agent would be sent there all the same, or never."""
    made = {"config_dir": tmp_path, "host": "0.0.0.0", "port": 1, "version": "1", "worker": 2}
    shared, told = Shared(), {"address": "http://far:1", "roles": ["agents"], "slots": {"agents": [1, 4]}}
    shared.ages = {"beta": 0}
    settings = HostsSettings(name="alpha")
    here = WorkerMembership(
        lambda: cast("Store", shared), SystemClock(), cast("Service", SimpleNamespace(**made)), settings, ["agents"]
    )
    await here.all()
    assert [(host.name, host.address) for host in here.others] == [("beta", ""), ("alpha", "http://127.0.0.1:1")]
    shared.first = StoredHost(HostEntry("alpha", "id", 1_000, json.dumps(told)), draining=True, age_ms=0)
    await here.all()
    first, _ = here.others
    assert (first.name, first.address, first.id) == ("alpha", "http://127.0.0.1:1", "id")
    assert (first.draining, first.slots["agents"].free) == (True, 3)


class OfOne:
    """A store that one daemon has for itself; ids of ledgers that it knows."""

    exclusive = True

    def __init__(self, *ids: str) -> None:
        self.ids = ids

    async def ledgers(self) -> Sequence[StoredLedger]:
        return [StoredLedger(each, each, 0) for each in self.ids]


async def test_a_daemon_alone_looks_for_hosts_that_are_gone_only_in_a_copy_that_has_any(tmp_path: Path) -> None:
    (tmp_path / "host-id").write_text("mine")
    (tmp_path / "host-id").chmod(0o600)
    service = cast("Service", SimpleNamespace(config_dir=tmp_path, host="127.0.0.1", port=1, version="1"))
    for ids, remembers in (((), False), (("mine",), False), (("mine", "old"), True)):
        store = cast("Store", OfOne(*ids))
        here = Membership(lambda found=store: found, SystemClock(), service, HostsSettings(name="a"), ["flows"])  # type: ignore[misc]
        await here.run()
        assert here.here.id == "mine"
        assert here.remembers_others is remembers
