"""FileMaker beside a double of its Data API: each request has a session, which ends whatever becomes of it."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from loopback import Loopback, Seen, reply
from service_lab import Services
from test_vendor_lists import Access
from vendor_lab import Lab

from jackfield.api.nodes import NodeError
from jackfield.api.nodes.lists import ListQuestion

PLACE = "/fmi/data/v1/databases/Shop"
SESSION = "token-of-session"
VALUES = {"db": "Shop", "login": "ada", "password": "pass-of-ada"}
LAYOUTS = [
    {"name": "People"},
    {"name": "More", "isFolder": True, "folderLayoutNames": [{"name": "Bills"}, {"name": "-"}]},
    {"name": "Empty", "isFolder": True, "folderLayoutNames": []},
]


class DataApi:
    """answers: path below the database -> status and answer."""

    def __init__(self, server: Loopback) -> None:
        self.server = server
        self.answers: dict[str, tuple[int, Any]] = {}
        server.answer = self.answer

    def answer(self, seen: Seen) -> bytes:
        path = seen.target.removeprefix(PLACE).partition("?")[0]
        if path == "/sessions":
            known = "Basic " + base64.b64encode(b"ada:pass-of-ada").decode()
            if seen.headers.get("authorization") != known:
                refused = [{"code": "212", "message": "Invalid user account"}]
                return reply({"messages": refused, "response": {}}, "401 Unauthorized")
            return reply({"response": {"token": SESSION}, "messages": [{"code": "0"}]})
        if path == f"/sessions/{SESSION}":
            return reply({"response": {}, "messages": [{"code": "0"}]})
        assert seen.headers["authorization"] == f"Bearer {SESSION}"
        status, found = self.answers[path]
        return reply(found, f"{status} X")

    @property
    def asked(self) -> list[str]:
        return [f"{one.method} {one.target.removeprefix(PLACE)}" for one in self.server.seen]


@pytest.fixture
def api(server: Loopback) -> DataApi:
    return DataApi(server)


@pytest.fixture
def services(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Services:
    return Services(lab, monkeypatch)


async def filemaker(services: Services, api: DataApi, parameters: Mapping[str, Any], **values: str) -> Any:
    credential = ("fileMaker", {**VALUES, "host": "files.example", **values})
    made = await services.run("filemaker", 1, {"layout": "People", **parameters}, credential=credential)
    return [item["json"] for item in made]


async def test_fields_can_be_emptied(services: Services, api: DataApi) -> None:
    api.answers["/layouts/People/records/7"] = (200, {"response": {"modId": "4"}, "messages": [{"code": "0"}]})
    fields = {"fields": [{"name": "Name", "value": "N"}, {"name": "City", "value": ""}]}
    await filemaker(services, api, {"action": "edit", "recid": 7, "fieldsParametersUi": fields, "modId": 3})
    assert api.server.seen[1].json == {"fieldData": {"Name": "N", "City": ""}, "modId": "3"}
    assert api.asked[-1] == f"DELETE /sessions/{SESSION}"


async def test_a_node_without_an_action_gets_a_record(services: Services, api: DataApi) -> None:
    api.answers["/layouts/People/records/7"] = (200, {"response": {"data": []}, "messages": [{"code": "0"}]})
    assert await filemaker(services, api, {"recid": 7}) == [{"response": {"data": []}, "messages": [{"code": "0"}]}]
    with pytest.raises(NodeError, match="recid is empty"):
        await filemaker(services, api, {})


async def test_a_session_ends_after_a_failure(services: Services, api: DataApi) -> None:
    missing = {"response": {}, "messages": [{"code": "101", "message": "Record is missing"}]}
    api.answers["/layouts/People/records/7"] = (404, missing)
    with pytest.raises(NodeError, match="FileMaker answered with status 404: Record is missing"):
        await filemaker(services, api, {"action": "record", "recid": 7})
    assert api.asked[-1] == f"DELETE /sessions/{SESSION}"


async def test_nothing_found_is_an_answer_as_in_n8n(services: Services, api: DataApi) -> None:
    nothing = {"response": {}, "messages": [{"code": "401", "message": "No records match the request"}]}
    api.answers["/layouts/People/_find"] = (500, nothing)
    queries = {"query": [{"fields": {"field": [{"name": "Name", "value": "N"}]}}]}
    assert await filemaker(services, api, {"action": "find", "queries": queries}) == [nothing]


async def test_a_login_that_fails_is_told_and_has_no_session_to_end(services: Services, api: DataApi) -> None:
    with pytest.raises(NodeError, match="Invalid user account") as failed:
        await filemaker(services, api, {"action": "record", "recid": 7}, password="wrong-one")
    assert "wrong-one" not in str(failed.value)
    assert api.asked == ["POST /sessions"]


async def test_a_sort_of_a_list_is_sent(services: Services, api: DataApi) -> None:
    """n8n's node fails there."""
    api.answers["/layouts/People/records"] = (200, {"response": {"data": []}, "messages": [{"code": "0"}]})
    rules = {"rules": [{"name": "Name", "value": "descend"}]}
    await filemaker(services, api, {"action": "records", "setSort": True, "sortParametersUi": rules})
    asked = parse_qs(urlsplit(api.server.seen[1].target).query)
    assert asked["_sort"] == ['[{"fieldName":"Name","sortOrder":"descend"}]']


async def test_a_cancelled_run_ends_its_session(services: Services, api: DataApi) -> None:
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()

    def answer(seen: Seen) -> bytes | None:
        if "/records/" in seen.target:
            loop.call_soon_threadsafe(asked.set)
            return b""  # of an answer that does not come
        return api.answer(seen)

    api.server.answer = answer
    run = asyncio.create_task(filemaker(services, api, {"action": "record", "recid": 7}))
    await asked.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert api.asked[-1] == f"DELETE /sessions/{SESSION}"


async def test_lists_have_sessions_too(lab: Lab, services: Services, api: DataApi) -> None:
    node = services.node("filemaker")
    api.answers["/layouts"] = (200, {"response": {"layouts": LAYOUTS}, "messages": []})
    api.answers["/scripts"] = (200, {"response": {"scripts": [{"name": "-"}, {"name": "Count"}]}, "messages": []})
    found = {"fieldMetaData": [{"name": "Name"}], "portalMetaData": {"Orders": []}}
    api.answers["/layouts/People"] = (200, {"response": found, "messages": []})
    access = Access(lab.kinds, {**VALUES, "host": "files.example"})
    lists = {}
    for name in ("layouts", "responseLayouts", "scripts", "fields", "portals"):
        page = await node.listed(ListQuestion(name, None, {"layout": "People"}, "fileMaker"), access)
        assert page is not None
        lists[name] = [row.value for row in page.rows]
    assert lists == {
        "layouts": ["People", "Bills"],
        "responseLayouts": ["", "People", "Bills"],
        "scripts": ["Count"],
        "fields": ["Name"],
        "portals": ["Orders"],
    }
    assert api.asked[2::3] == [f"DELETE /sessions/{SESSION}"] * 5


async def test_a_list_that_fails_ends_its_session(lab: Lab, services: Services, api: DataApi) -> None:
    node = services.node("filemaker")
    api.answers["/scripts"] = (500, {"response": {}, "messages": [{"code": "9", "message": "Not enough privileges"}]})
    access = Access(lab.kinds, {**VALUES, "host": "files.example"})
    with pytest.raises(NodeError, match="Not enough privileges"):
        await node.listed(ListQuestion("scripts", None, {}, "fileMaker"), access)
    assert api.asked[-1] == f"DELETE /sessions/{SESSION}"
