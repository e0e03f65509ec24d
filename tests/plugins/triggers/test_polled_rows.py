"""Files of polled rows, and what is taken as seen when a poll looks back behind the time that it began with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from vendor_trigger_lab import NOW, VendorTriggerLab

from jackfield.testing.vendor import Seen, VendorDouble

MINUTE = 60_000


@pytest.fixture
async def lab(tmp_path: Path, vendor: VendorDouble) -> AsyncIterator[VendorTriggerLab]:
    made = VendorTriggerLab(tmp_path, vendor)
    yield made
    await made.close()


async def test_attachments_of_airtable_are_fetched_where_its_key_belongs(lab: VendorTriggerLab) -> None:
    node, state = lab.poller("airtableTrigger"), {}
    parameters = {
        "baseId": "b",
        "tableId": "t",
        "triggerField": "At",
        "downloadAttachments": True,
        "downloadFieldNames": "Photos,None",
    }
    assert not (await lab.poll(node, parameters, state)).items
    assert not lab.vendor.seen  # the first poll takes the present time
    photos = [
        {"url": f"{lab.vendor.url}/p1", "filename": "p1.png"},
        {"url": "https://else.example/p2", "filename": "p2.png"},
        {"url": f"{lab.vendor.url}/p3", "filename": "p3.png"},
    ]
    record = {"id": "rec1", "fields": {"At": "2026-01-01T00:00:30.000Z", "Photos": photos}}
    lab.vendor.answers["/b/t"] = lambda seen: {"records": [record]}
    for name in ("p1", "p3"):
        lab.vendor.answers[f"/{name}"] = lambda seen: {"of": seen.path}
    item = (await lab.poll(node, parameters, state, now=NOW + MINUTE)).items[0]
    assert item["json"] == record
    assert {key: file.get("fileName") for key, file in item["binary"].items()} == {
        "Photos_0": "p1.png",
        "Photos_2": "p3.png",
    }


async def test_attachments_of_outlook_are_fetched_of_messages_that_have_some(lab: VendorTriggerLab) -> None:
    node, state = lab.poller("microsoftOutlookTrigger"), {}
    parameters = {"output": "raw", "options": {"downloadAttachments": True, "attachmentsPrefix": "file_"}}
    mails: list[dict[str, Any]] = []
    lab.vendor.answers["/messages"] = lambda seen: {"value": mails}
    assert not (await lab.poll(node, parameters, state)).items
    mails += [
        {"id": f"m{number}", "hasAttachments": bool(number), "receivedDateTime": f"2026-01-01T00:00:3{number}Z"}
        for number in (0, 1)
    ]
    lab.vendor.answers["/messages/m1/attachments"] = lambda seen: {"value": [{"id": "a1", "name": "a.txt"}]}
    lab.vendor.answers["/messages/m1/attachments/a1/$value"] = lambda seen: {"a": 1}
    found = (await lab.poll(node, parameters, state, now=NOW + MINUTE)).items
    assert [item["json"]["id"] for item in found] == ["m0", "m1"]
    assert "binary" not in found[0]
    assert {key: file.get("fileName") for key, file in found[1]["binary"].items()} == {"file_0": "a.txt"}


async def test_pages_of_the_minute_in_which_a_workflow_goes_live_count_as_seen(lab: VendorTriggerLab) -> None:
    node, state = lab.poller("notionTrigger"), {}
    pages = [{"id": "old", "created_time": "2025-12-31T23:59:30.000Z"}]
    lab.vendor.answers["/data_sources/d/query"] = lambda seen: {"results": pages}
    parameters = {"dataSourceId": "d", "simple": False}
    assert not (await lab.poll(node, parameters, state, version=1.1)).items
    asked = lab.vendor.seen[-1].body
    assert asked["filter"] == {"timestamp": "created_time", "created_time": {"on_or_after": "2025-12-31T23:59:00.000Z"}}
    pages.insert(0, {"id": "new", "created_time": "2025-12-31T23:59:40.000Z"})  # Notion rounds times down
    found = (await lab.poll(node, parameters, state, version=1.1, now=NOW + MINUTE)).items
    assert [item["json"]["id"] for item in found] == ["new"]


async def test_the_newest_message_is_the_test_event_whatever_was_seen(lab: VendorTriggerLab) -> None:
    node = lab.poller("microsoftOutlookTrigger")
    mail = {"id": "m", "receivedDateTime": "2020-01-01T00:00:00Z"}
    lab.vendor.answers["/messages"] = lambda seen: {"value": [mail]}
    found = (await lab.poll(node, {"output": "raw", "filters": {"readStatus": "unread"}}, {}, test=True)).items
    assert [item["json"] for item in found] == [mail]
    asked = lab.vendor.seen[-1].query
    assert asked["$filter"] == "receivedDateTime ge 1900-01-01T00:00:00Z and (isRead eq false)"
    assert (asked["$orderby"], asked["$top"]) == ("receivedDateTime desc", "1")


async def test_all_pages_of_a_step_are_read(lab: VendorTriggerLab) -> None:
    """More than a page of new messages; of a test event no more than it needs."""
    node, state = lab.poller("microsoftOutlookTrigger"), {}
    mails = [{"id": f"m{number}", "receivedDateTime": "2026-01-01T00:00:30Z"} for number in range(130)]

    def page(seen: Seen) -> Any:
        first = int(seen.query.get("skip", 0))
        more = {"@odata.nextLink": f"{lab.vendor.url}/messages?skip={first + 40}"} if first + 40 < len(mails) else {}
        return {"value": mails[first : first + 40], **more}

    lab.vendor.answers["/messages"] = lambda seen: {"value": []}
    assert not (await lab.poll(node, {"output": "raw"}, state, limit=1000)).items
    lab.vendor.answers["/messages"] = page
    found = await lab.poll(node, {"output": "raw"}, state, now=NOW + MINUTE, limit=1000)
    assert sorted(item["json"]["id"] for item in found.items) == sorted(mail["id"] for mail in mails)
    lab.vendor.seen.clear()
    assert len((await lab.poll(node, {"output": "raw"}, {}, test=True)).items) == 1
    assert len(lab.vendor.asked("/messages")) == 2
