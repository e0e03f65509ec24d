"""Workflows that the daemon itself starts: with their activation, their change, and each start of the daemon."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from trigger_lab import SETTINGS, executions, until
from trigger_world import World

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node
from jackfield_triggers.lifecycle.trigger import LifecycleTrigger


def watching(*events: str, kind: str = "n8nTrigger") -> dict[str, Any]:
    return chain("Watches", node("Own", kind, {"events": list(events)}, version=1), node("End", "noOp", version=1))


def told(api: httpx.Client, workflow: str) -> list[str]:
    found = []
    for ident in reversed(executions(api, workflow)):
        (item,) = api.get(f"/executions/{ident}").raise_for_status().json()["data"]
        assert item["json"]["workflow_id"] == workflow
        found.append(item["json"]["event"])
    return found


def test_a_workflow_starts_with_its_own_events(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, settings=SETTINGS)
    try:
        api = daemon.start().admin()
        every = daemon.live(watching("activate", "update", "init"), api)
        old = daemon.live(watching("update", "activate", kind="workflowTrigger"), api)
        starts = daemon.live(watching("init"), api)
        until(lambda: len(told(api, every)) == 1, "the activation")
        changed = (every, watching("activate", "init", "update")), (old, watching("update", kind="workflowTrigger"))
        for ident, document in changed:
            document["settings"] = {"timeout": 60}
            api.put(f"/workflows/{ident}", json=document).raise_for_status()
        until(lambda: len(told(api, every)) == 2, "the change")
        daemon.kill()
        api = daemon.start().admin()
        until(lambda: len(told(api, every)) == 3, "the start")
        until(lambda: told(api, starts), "the start of the other one")
        api.post(f"/workflows/{every}/deactivate").raise_for_status()
        api.post(f"/workflows/{every}/activate").raise_for_status()
        until(lambda: len(told(api, every)) == 4, "the second activation")
        assert told(api, every) == ["Workflow published", "Workflow updated", "Instance started", "Workflow published"]
        assert told(api, old) == ["Workflow activated", "Workflow updated"]
        assert told(api, starts) == ["Instance started"]
        by_hand = api.post(f"/workflows/{starts}/execute").raise_for_status().json()
        assert by_hand["data"][0]["json"]["event"] == "Manual execution"
        refused = api.post("/workflows", json=watching("install")).json()["id"]
        answer = api.post(f"/workflows/{refused}/activate")
        assert (answer.status_code, "There is no event install" in answer.text) == (400, True)
    finally:
        daemon.close()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_of_several_daemons_one_tells_an_event(world: World) -> None:
    triggers = [LifecycleTrigger(world.bare()) for _ in range(3)]
    await world.stored("n8nTrigger", events=["activate", "update"])
    await asyncio.gather(*(one.begun() for one in triggers))
    assert [item["json"]["event"] for item in world.engine.items] == ["Workflow published"]
    await world.stored("n8nTrigger", events=["update", "activate"])
    await asyncio.gather(*(one.begun() for one in triggers))
    assert [item["json"]["event"] for item in world.engine.items] == ["Workflow published", "Workflow updated"]


async def test_what_a_crash_has_cut_off_is_told_with_the_next_start(world: World) -> None:
    """The store has the change, and nobody was left to follow it."""
    ident = await world.stored("n8nTrigger", events=["activate", "init"])
    await LifecycleTrigger(world.bare()).begun()
    await world.switch(ident, active=False)
    await LifecycleTrigger(world.bare()).begun()
    await world.switch(ident, active=True)
    await LifecycleTrigger(world.bare()).begun()
    published = ["Workflow published", "Instance started"]
    assert [item["json"]["event"] for item in world.engine.items] == [*published, *published]
