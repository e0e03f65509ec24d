"""Bodies of events count against the daemon's memory of bodies while they come in, whoever sends them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jackfield.api.body_budget import BODY_BUDGET, BodyBudget
from jackfield.api.errors import MemoryExhausted
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.subscribing.events import IncomingEvents

PART = b" " * 65_536


def incoming(directory: Path) -> IncomingEvents:
    context = FakeContext(directory, clock=FakeClock(), tables=[TriggerSettings()])
    context.ports["Store"] = MemoryStore()
    return IncomingEvents(context)


def sender(parts: int, budget: BodyBudget, used: list[int]) -> Any:
    left = [PART] * parts

    async def receive() -> dict[str, Any]:
        used.append(budget.used)
        return {"type": "http.request", "body": left.pop(), "more_body": bool(left)}

    return receive


async def test_a_body_takes_memory_while_it_comes_and_gives_it_back(tmp_path: Path) -> None:
    budget, used = BodyBudget(64_000_000, 64_000_000), list[int]()
    scope = {"type": "http", "method": "POST", "headers": [], "path": "/", BODY_BUDGET: budget}
    events = incoming(tmp_path)
    call, _, _ = await events._call(events._head(scope), scope, sender(100, budget, used))
    assert len(call.body) == 100 * len(PART)
    assert all(taken >= place * len(PART) - len(PART) for place, taken in enumerate(used))
    assert max(used) <= 2 * len(call.body)
    assert budget.used == 0


async def test_a_body_without_room_is_refused_before_it_has_come(tmp_path: Path) -> None:
    budget, used = BodyBudget(1_000_000, 64_000_000), list[int]()
    scope = {"type": "http", "method": "POST", "headers": [], "path": "/", BODY_BUDGET: budget}
    held = budget.take(400_000)
    events = incoming(tmp_path)
    with pytest.raises(MemoryExhausted):
        await events._call(events._head(scope), scope, sender(100, budget, used))
    assert len(used) < 20
    assert budget.used == held.size
