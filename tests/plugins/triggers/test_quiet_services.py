"""Services at which nothing happens for long, and answers that got lost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from vendor_trigger_lab import NOW, VendorTriggerLab

from jackfield.api.triggers.failures import ServiceRefusal
from jackfield.testing.vendor import Refuse, Seen, VendorDouble

DAY = 86_400_000
CALENDAR = {"calendarId": "c", "triggerOn": "eventUpdated"}


@pytest.fixture
async def lab(tmp_path: Path, vendor: VendorDouble) -> AsyncIterator[VendorTriggerLab]:
    made = VendorTriggerLab(tmp_path, vendor)
    yield made
    await made.close()


async def test_a_calendar_is_not_asked_for_what_lies_months_back(lab: VendorTriggerLab) -> None:
    """Google answers 410 (updatedMinTooLongAgo) then, for ever."""
    asked: list[str] = []
    lab.vendor.answers["/calendars/c/events"] = lambda seen: asked.append(seen.query["updatedMin"]) or {"items": []}
    node, state = lab.poller("googleCalendarTrigger"), {}
    for day in range(60):
        await lab.poll(node, CALENDAR, state, now=NOW + day * DAY)
    assert asked[-1] == "2026-02-27T00:00:00.000Z"  # it is March 1
    late = {"id": "e", "created": "2026-01-01T00:00:00Z", "updated": "2026-02-28T10:00:00Z"}
    lab.vendor.answers["/calendars/c/events"] = lambda seen: {"items": [late]}
    found = await lab.poll(node, CALENDAR, state, now=NOW + 60 * DAY)
    assert [item["json"]["id"] for item in found.items] == ["e"]


async def test_a_calendar_that_was_not_asked_for_months_goes_on_and_says_so(lab: VendorTriggerLab) -> None:
    node, state = lab.poller("googleCalendarTrigger"), {}
    await lab.poll(node, CALENDAR, state)
    lab.vendor.misbehave(Refuse(410), Refuse(403))
    found = await lab.poll(node, CALENDAR, state, now=NOW + 90 * DAY)
    assert not found.items
    assert "What happened since 2026-01-01T00:00:00.000Z is not looked at." in found.left_out
    with pytest.raises(ServiceRefusal):
        await lab.poll(node, CALENDAR, state, now=NOW + 90 * DAY)
    assert state["latest"] == (NOW + 90 * DAY) / 1000


async def test_gitlab_s_webhook_is_found_whose_answer_got_lost(lab: VendorTriggerLab) -> None:
    """A second one would tell each event twice, as both have the secret."""
    hooks: list[Any] = []

    def serve(seen: Seen) -> Any:
        if seen.method == "POST":
            hooks.append({**seen.body, "id": 7})
        return hooks if seen.method == "GET" else (201, hooks[-1])

    lab.vendor.answers["/projects/g/s/p/hooks"] = serve
    node = lab.subscriber("gitlabTrigger")
    run = lab.subscription(node, {"owner": "g/s", "repository": "p", "events": ["push"]})
    assert not await node.check(run)
    await node.subscribe(run)
    run.state.clear()
    assert await node.check(run)
    assert run.state == {"id": 7}
