"""Pins of a commit, and syncs side by side with pins, with each other and with the daemon."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine

import pytest
from registry_lab import Lab
from sync_lab import DAY, ONE, THREE, TWO

from jackfield.api.errors import Conflict
from jackfield.api.records import replace
from jackfield_registry.synced.lockfile import read_lock, write_lock


async def test_a_pin_wins_over_force(lab: Lab) -> None:
    await lab.service.sync()
    assert (await lab.service.pin(ONE)).pinned == ONE
    lab.source.publish(TWO, "two")
    status = await lab.service.sync(force=True)
    assert (status.commit, status.pinned, status.updated) == (ONE, ONE, False)


async def test_a_pin_to_a_commit_that_is_here_is_taken_at_once(lab: Lab) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two")
    await lab.service.sync(force=True)
    status = await lab.service.pin(ONE)
    assert (status.commit, status.pinned, lab.label) == (ONE, ONE, "one")
    assert status.last_sync is not None


async def test_a_pin_to_another_commit_is_taken_with_the_next_sync(lab: Lab) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two")
    lab.source.publish(THREE, "three")
    assert (await lab.service.pin(TWO)).commit == ONE
    assert (await lab.service.sync()).commit == TWO


async def test_unpinned_it_goes_with_the_channel_again(lab: Lab) -> None:
    lab.source.publish(ONE, "one", sequence=7)
    await lab.service.sync()
    lab.source.publish(TWO, "two", sequence=8)
    await lab.service.pin(ONE)
    await lab.service.sync()
    assert (await lab.service.pin(None)).pinned is None
    assert (await lab.service.sync()).commit == TWO
    assert lab.lock["sequence"] == 8


async def test_a_pin_to_what_is_older_does_not_open_the_way_for_a_downgrade(lab: Lab) -> None:
    lab.source.publish(ONE, "one", sequence=1)
    await lab.service.sync()
    lab.source.publish(TWO, "two", sequence=2)
    await lab.service.sync(force=True)
    await lab.service.pin(ONE)
    await lab.service.sync()
    await lab.service.pin(None)
    lab.source.publish(ONE, "one", sequence=1)
    with pytest.raises(Conflict, match="after 2"):
        await lab.service.sync()


async def test_a_pinned_commit_that_is_damaged_is_fetched_again(lab: Lab) -> None:
    await lab.service.sync()
    await lab.service.pin(ONE)
    (lab.root / "current" / "scripts" / "three.rhai").write_bytes(b"")
    lab.source.publish(TWO, "two")
    status = await lab.service.sync()
    assert (status.commit, status.updated, lab.label) == (ONE, True, "one")


async def test_one_sync_at_a_time(lab: Lab) -> None:
    first, second = await asyncio.gather(lab.service.sync(), lab.service.sync())
    assert first == second
    assert lab.events() == ["sync_started", "sync_completed"]


async def test_a_forced_sync_is_not_content_with_an_unforced(lab: Lab) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two")
    unforced, forced, joined = await asyncio.gather(
        lab.service.sync(), lab.service.sync(force=True), lab.service.sync(force=True)
    )
    assert (unforced.commit, forced.commit, joined) == (ONE, TWO, forced)


async def test_a_caller_who_leaves_does_not_end_the_sync(lab: Lab) -> None:
    caller = asyncio.ensure_future(lab.service.sync())
    await asyncio.sleep(0)
    caller.cancel()
    status = await lab.service.sync()
    assert (status.commit, lab.label) == (ONE, "one")
    assert lab.events().count("sync_started") == 1


async def test_another_process_that_syncs_is_a_conflict(lab: Lab) -> None:
    release = lab.service.content.acquire()
    with pytest.raises(Conflict, match="running"):
        await lab.service.sync()
    release()
    assert (await lab.service.sync()).commit == ONE


async def test_a_pin_that_comes_while_a_sync_begins_is_kept(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two")
    content, first = lab.service.content, lab.service.content.acquire

    def second() -> Callable[[], None]:
        # Between the sync's look and its turn another process pins.
        monkeypatch.setattr(content, "acquire", first)
        write_lock(lab.root, replace(read_lock(lab.root), pinned_ref=ONE))
        return first()

    monkeypatch.setattr(content, "acquire", second)
    await lab.service.sync(force=True)
    assert (lab.label, lab.lock["pinned_ref"]) == ("one", ONE)


async def test_who_goes_away_while_pinning_leaves_nothing_locked(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    await lab.service.sync()
    begun, go_on, acquire = threading.Event(), threading.Event(), lab.service.content.acquire

    def slow() -> Callable[[], None]:
        begun.set()
        go_on.wait(10)
        return acquire()

    monkeypatch.setattr(lab.service.content, "acquire", slow)
    leaving = asyncio.ensure_future(lab.service.pin(ONE))
    await asyncio.to_thread(begun.wait, 10)
    leaving.cancel()
    go_on.set()
    await asyncio.gather(leaving, return_exceptions=True)
    assert (await lab.service.pin(ONE)).pinned == ONE


def keep_tasks(lab: Lab) -> list[asyncio.Task[None]]:
    """The tasks that the daemon would cancel when it stops."""
    kept: list[asyncio.Task[None]] = []
    spawn = lab.context.spawn

    def keeping(name: str, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        kept.append(spawn(name, work))
        return kept[-1]

    lab.context.spawn = keeping  # type: ignore[method-assign]
    return kept


async def test_a_sync_that_is_cancelled_at_any_time_leaves_the_old_or_the_new(lab: Lab) -> None:
    await lab.service.sync()
    for steps in range(0, 60, 3):
        lab.source.publish(TWO, f"two-{steps}")
        before = lab.label
        lab.configure()
        tasks = keep_tasks(lab)
        waiting = asyncio.ensure_future(lab.service.sync(force=True))
        for _ in range(steps):
            await asyncio.sleep(0.0002)
        for task in tasks:
            task.cancel()
        await asyncio.gather(waiting, *tasks, return_exceptions=True)
        assert lab.label in (before, f"two-{steps}")
        assert lab.leftovers() == []


async def test_the_daemon_syncs_by_itself(lab: Lab) -> None:
    from jackfield_registry.upkeep import start

    lab.configure(auto_sync=True)
    spawned = keep_tasks(lab)
    start(lab.context)
    service = lab.service
    for commit, label, wait in ((ONE, "one", 0), (TWO, "two", DAY + 3600)):
        lab.source.publish(commit, label)
        await lab.clock.advance(wait)
        async with asyncio.timeout(10):
            while lab.label != label or service._running is not None:
                await asyncio.sleep(0.01)
    for task in spawned:
        task.cancel()
    await asyncio.gather(*spawned, return_exceptions=True)
