"""When a daemon looks for what others have changed, and how often."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from jackfield.api.bus import WORKFLOW_CHANGED
from jackfield.api.errors import StoreUnavailable
from jackfield.api.shared_workflows import ChangedWorkflows
from jackfield.api.storage import StoredWorkflow
from jackfield.core.bus import MemoryBus, MemoryHub
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_workflows.saved import peers
from jackfield_workflows.saved.confirming import FOLLOWED, PATIENCE, Confirming
from jackfield_workflows.saved.peers import WorkflowsOfPeers
from jackfield_workflows.settings import WorkflowsSettings

LIMIT = 10.0


class CountingStore(MemoryStore):
    """A shared one that counts looks."""

    looks = 0

    async def changed_workflows(self, since: int | None) -> ChangedWorkflows:
        self.looks += 1
        return await super().changed_workflows(since)

    async def change(self, ident: str) -> None:
        await self.delete_workflow(ident)
        await self.add_workflow(StoredWorkflow(ident, "W", False, 1, {"nodes": []}, 1, 1), [], None)


class Followed:
    """Stands in for `Following`."""

    def __init__(self) -> None:
        self.ids: asyncio.Queue[str] = asyncio.Queue()
        self.free = asyncio.Event()
        self.free.set()

    async def catch_up(self, workflow_id: str) -> None:
        await self.free.wait()
        self.ids.put_nowait(workflow_id)

    async def next(self) -> str:
        return await asyncio.wait_for(self.ids.get(), LIMIT)


class Lab:
    """One daemon, and the bus of another."""

    def __init__(self, directory: Path, *, interval: float = 1000.0, exclusive: bool = False) -> None:
        self.store = CountingStore(None if exclusive else FakeClock())
        self.followed = Followed()
        hub = MemoryHub()
        self.context = FakeContext(directory, tables=[WorkflowsSettings.model_construct(peer_interval=interval)])
        self.bus, self.other = MemoryBus(self.context.clock, hub), MemoryBus(self.context.clock, hub)
        self.context.ports.update({"Store": self.store, "Bus": self.bus, "Following": self.followed})
        self.peers = WorkflowsOfPeers(self.context)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        for bus in (self.bus, self.other):
            await bus.open()
        task = asyncio.create_task(self.peers.run())
        try:
            yield
        finally:
            task.cancel()
            for bus in (self.bus, self.other):
                await bus.close()


async def test_the_bus_tells_at_once(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    async with lab.running():
        await lab.store.change("one")
        assert await lab.followed.next() == "one"
        await lab.store.change("two")
        lab.other.publish(WORKFLOW_CHANGED, {"id": "two"})
        assert await lab.followed.next() == "two"


async def test_without_a_word_it_looks_by_itself(tmp_path: Path) -> None:
    lab = Lab(tmp_path, interval=0.05)
    async with lab.running():
        for ident in ("one", "two"):
            await lab.store.change(ident)
            assert await lab.followed.next() == ident


async def test_an_exclusive_store_is_not_looked_at(tmp_path: Path) -> None:
    lab = Lab(tmp_path, exclusive=True)
    assert not lab.peers.shared
    await lab.peers.catch_up()
    assert lab.store.looks == 0


async def test_many_at_once_share_a_look(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    await lab.store.change("one")
    await asyncio.gather(*(lab.peers.catch_up() for _ in range(100)))
    assert lab.store.looks == 1
    assert lab.followed.ids.qsize() == 1


async def test_who_comes_during_a_look_waits_for_the_next(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    await lab.store.change("one")
    lab.followed.free.clear()
    early = asyncio.create_task(lab.peers.catch_up())
    async with asyncio.timeout(LIMIT):
        while not lab.store.looks:
            await asyncio.sleep(0.001)
    await lab.store.change("two")
    late = asyncio.create_task(lab.peers.catch_up())
    await asyncio.sleep(0)
    assert not late.done()
    lab.followed.free.set()
    await asyncio.gather(early, late)
    assert [lab.followed.ids.get_nowait() for _ in range(2)] == ["one", "two"]


async def test_an_outage_is_told_and_what_it_hid_is_followed_later(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    await lab.store.change("one")
    lab.store.fail_with = StoreUnavailable("gone")
    with pytest.raises(StoreUnavailable):
        await lab.peers.catch_up()
    lab.store.fail_with = None
    await lab.peers.catch_up()
    assert await lab.followed.next() == "one"


async def test_a_change_is_answered_once_the_others_serve_it(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    other = FakeContext(tmp_path)
    other.ports["Bus"] = lab.other
    there = Confirming(other)
    async with lab.running():
        listening = asyncio.create_task(there.listen())
        here = lab.context.port(Confirming)
        async with asyncio.timeout(LIMIT):
            while not here._peers or not there._peers:
                await asyncio.sleep(0.001)
            await lab.store.change("two")
            began = asyncio.get_running_loop().time()
            async with there.confirmed() as change:
                lab.other.publish(WORKFLOW_CHANGED, {"id": "two", "change": change})
            assert lab.followed.ids.get_nowait() == "two", "it is served before the change is answered"
            assert there._peers, "the other has confirmed it"
            lab.followed.free.clear()
            async with there.confirmed() as change:
                await lab.store.change("three")
                lab.other.publish(WORKFLOW_CHANGED, {"id": "three", "change": change})
            assert asyncio.get_running_loop().time() - began >= PATIENCE
            assert not there._peers, "nobody waits again for one that does not answer"
            lab.followed.free.set()
            assert await lab.followed.next() == "three"
            while not there._peers:
                await asyncio.sleep(0.001)
        listening.cancel()


async def test_a_change_is_confirmed_only_once_it_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long that takes, and after an outage with the next look."""
    monkeypatch.setattr(peers, "PATIENCE", 0.0)
    lab = Lab(tmp_path)
    heard: list[object] = []

    async def listen() -> None:
        with lab.other.subscribe(FOLLOWED) as messages:
            async for message in messages:
                heard.append(message.payload["change"])  # noqa: PERF401 - as it comes, not at the end

    async def settled() -> None:
        for _ in range(50):
            await asyncio.sleep(0)

    listening = asyncio.create_task(listen())
    async with lab.running(), asyncio.timeout(LIMIT):
        while heard != [""]:  # it listens
            await asyncio.sleep(0.001)
        lab.followed.free.clear()
        await lab.store.change("one")
        lab.other.publish(WORKFLOW_CHANGED, {"id": "one", "change": "first"})
        looks = lab.store.looks
        while lab.store.looks == looks:
            await asyncio.sleep(0.001)
        await settled()
        assert heard == [""], "it is looked at still"
        lab.followed.free.set()
        while heard != ["", "first"]:
            await asyncio.sleep(0.001)
        lab.store.fail_with = StoreUnavailable("gone")
        lab.other.publish(WORKFLOW_CHANGED, {"id": "one", "change": "second"})
        while "second" not in lab.peers._told:
            await asyncio.sleep(0.001)
        await settled()
        lab.store.fail_with = None
        lab.other.publish(WORKFLOW_CHANGED, {"id": "one", "change": "third"})
        while sorted(map(str, heard[2:])) != ["second", "third"]:
            await asyncio.sleep(0.001)
    listening.cancel()


async def test_a_late_word_of_one_change_confirms_no_other(tmp_path: Path) -> None:
    hub = MemoryHub()
    contexts = [FakeContext(tmp_path / name) for name in "ab"]
    buses = [MemoryBus(context.clock, hub) for context in contexts]
    for context, bus in zip(contexts, buses, strict=True):
        context.ports["Bus"] = bus
        await bus.open()
    here, there = (context.port(Confirming) for context in contexts)
    listening = [asyncio.create_task(one.listen()) for one in (here, there)]
    async with asyncio.timeout(LIMIT):
        while not here._peers:
            await asyncio.sleep(0.001)
        async with here.confirmed() as first:
            pass  # nobody confirms it in time
        there.confirm([""])
        while not here._peers:
            await asyncio.sleep(0.001)
        began = asyncio.get_running_loop().time()
        async with here.confirmed():
            there.confirm([first])
        assert asyncio.get_running_loop().time() - began >= PATIENCE
    for task in listening:
        task.cancel()
    for bus in buses:
        await bus.close()
