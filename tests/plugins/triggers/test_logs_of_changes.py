"""Polls that follow a service's own log or query, page by page: OneDrive and SeaTable."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from vendor_trigger_lab import NOW, VendorTriggerLab

from jackfield.api.nodes import NodeError
from jackfield.testing.vendor import Refuse, Seen, VendorDouble

MINUTE = 60_000
LOG = "/me/drive/root/delta"


@pytest.fixture
async def lab(tmp_path: Path, vendor: VendorDouble) -> AsyncIterator[VendorTriggerLab]:
    made = VendorTriggerLab(tmp_path, vendor)
    yield made
    await made.close()


def entry(ident: str, made: str, changed: str = "") -> dict[str, Any]:
    times = {"createdDateTime": made, "lastModifiedDateTime": changed or made}
    return {"id": ident, "name": ident, "file": {}, "fileSystemInfo": times}


class Drive:
    """rows: of the log, each place of which is a number of them; places that were asked for stand in `asked`."""

    def __init__(self, vendor: VendorDouble, page: int = 100) -> None:
        self.rows: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.page = page
        vendor.answers[LOG] = self.answer

    def answer(self, seen: Seen) -> Any:
        token = seen.query.get("token", "0")
        self.asked.append(token)
        first = len(self.rows) if token == "latest" else int(token)
        until = min(len(self.rows), first + self.page)
        name = "deltaLink" if until == len(self.rows) else "nextLink"
        link = f"https://elsewhere.example/v1.0/me/drive/root/delta?token={until}"
        return {"value": self.rows[first:until], f"@odata.{name}": link}


async def test_the_log_of_a_drive_tells_each_file_once(lab: VendorTriggerLab) -> None:
    """Whatever is there at the first poll is seen; more than an execution's items come with the next polls; the host of
    a link gets no credential."""
    drive, state = Drive(lab.vendor, page=4), {}
    node = lab.poller("microsoftOneDriveTrigger")
    drive.rows = [entry("old", "2025-12-31T23:59:59Z")]
    assert not (await lab.poll(node, {"event": "fileCreated"}, state)).items
    drive.rows += [entry(f"f{number}", "2026-01-01T00:00:10Z") for number in range(10)]
    drive.rows.append(entry("f3", "2026-01-01T00:00:10Z", "2026-01-01T00:00:40Z"))
    found: list[str] = []
    for number in range(8):
        polled = await lab.poll(node, {"event": "fileCreated"}, state, now=NOW + MINUTE + number, limit=3)
        found += [str(item["json"]["id"]) for item in polled.items]
        if not polled.more:
            break
    assert found == [f"f{number}" for number in range(10)]
    assert not (await lab.poll(node, {"event": "fileCreated"}, state, now=NOW + 2 * MINUTE)).items
    assert drive.asked[-1] == str(len(drive.rows))


async def test_a_change_of_a_new_file_is_none_of_an_old_one(lab: VendorTriggerLab) -> None:
    drive, state = Drive(lab.vendor), {}
    node, parameters = lab.poller("microsoftOneDriveTrigger"), {"event": "fileUpdated"}
    assert not (await lab.poll(node, parameters, state)).items
    drive.rows = [
        entry("new", "2026-01-01T00:00:10Z"),
        entry("old", "2025-01-01T00:00:00Z", "2026-01-01T00:00:20Z"),
        entry("old", "2025-01-01T00:00:00Z", "2026-01-01T00:00:20Z"),  # listed twice
    ]
    polled = await lab.poll(node, parameters, state, now=NOW + MINUTE)
    assert [item["json"]["id"] for item in polled.items] == ["old"]
    drive.rows.append(entry("new", "2026-01-01T00:00:10Z", "2026-01-01T00:01:30Z"))
    polled = await lab.poll(node, parameters, state, now=NOW + 2 * MINUTE)
    assert [item["json"]["id"] for item in polled.items] == ["new"]


async def test_a_log_that_is_too_old_begins_anew_and_says_so(lab: VendorTriggerLab) -> None:
    drive, state = Drive(lab.vendor), {}
    node = lab.poller("microsoftOneDriveTrigger")
    assert not (await lab.poll(node, {}, state)).items
    drive.rows = [entry("lost", "2026-01-01T00:00:10Z")]
    lab.vendor.misbehave(Refuse(410))
    polled = await lab.poll(node, {}, state, now=NOW + MINUTE)
    assert (list(polled.items), "is not looked at" in polled.left_out) == ([], True)
    drive.rows.append(entry("next", "2026-01-01T00:01:10Z"))
    polled = await lab.poll(node, {}, state, now=NOW + 2 * MINUTE)
    assert [item["json"]["id"] for item in polled.items] == ["next"]


async def test_what_is_no_folder_is_refused(lab: VendorTriggerLab) -> None:
    Drive(lab.vendor)
    lab.vendor.answers["/me/drive/items/F1"] = lambda seen: {"id": "F1", "file": {}}
    node, state = lab.poller("microsoftOneDriveTrigger"), {}
    parameters = {"event": "fileCreated", "watchFolder": True, "folderId": "F1", "options": {"folderChild": True}}
    with pytest.raises(NodeError, match="folderId names is no folder"):
        await lab.poll(node, parameters, state)


async def test_a_query_of_seatable_goes_back_to_what_was_seen(lab: VendorTriggerLab) -> None:
    """By pages of a thousand; the token of the base is asked for with the credential's own, and quotes are escaped."""
    rows: list[dict[str, Any]] = []
    queries: list[str] = []

    def answer(seen: Seen) -> Any:
        queries.append(seen.body["sql"])
        first = int(seen.body["sql"].partition("OFFSET ")[2] or 0)
        return {"results": rows[first : first + 1000], "metadata": []}

    lab.vendor.answers["/api/v2.1/dtable/app-access-token/"] = lambda seen: {"access_token": "t", "dtable_uuid": "u-1"}
    lab.vendor.answers["/api-gateway/api/v2/dtables/u-1/sql"] = answer
    lab.vendor.answers["/api-gateway/api/v2/dtables/u-1/related-users/"] = lambda seen: {}
    node, state = lab.poller("seaTableTrigger"), {}
    parameters = {"event": "newRow", "tableName": "a`b", "options": {"simple": False}}
    rows[:] = [{"_id": "old", "_ctime": "2025-06-01T00:00:00.000+00:00"}]
    assert not (await lab.poll(node, parameters, state, version=2)).items
    assert queries == ["SELECT * FROM `a``b` ORDER BY _ctime DESC LIMIT 1000"]
    rows[:0] = [{"_id": f"r{number}", "_ctime": "2026-01-01T00:00:30.000+00:00"} for number in range(1500)]
    found: list[str] = []
    for number in range(4):
        polled = await lab.poll(node, parameters, state, version=2, now=NOW + MINUTE + number, limit=1000)
        found += [str(item["json"]["_id"]) for item in polled.items]
    assert sorted(found) == sorted(f"r{number}" for number in range(1500))
    headers = {one.path: one.headers["authorization"] for one in lab.vendor.seen}
    assert headers["/api-gateway/api/v2/dtables/u-1/sql"] == "Token t"


async def test_without_a_token_of_the_base_nothing_is_asked(lab: VendorTriggerLab) -> None:
    lab.vendor.answers["/api/v2.1/dtable/app-access-token/"] = lambda seen: {"access_token": "t", "dtable_uuid": "../x"}
    node = lab.poller("seaTableTrigger")
    with pytest.raises(NodeError, match="no access to the base"):
        await lab.poll(node, {"event": "newRow", "tableName": "T"}, {}, version=2)
    assert len(lab.vendor.seen) == 1
