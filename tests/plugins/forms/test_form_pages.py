"""The pages as an application: endings, states, and what is refused. The engine does what a test says."""

from __future__ import annotations

import asyncio
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from quart.datastructures import FileStorage
from tests.plugins.forms.form_lab import HOST, NAME, Site

from jackfield.api.binary import BinaryStore
from jackfield.api.engine import WaitingCall
from jackfield.api.errors import Conflict, StoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeAnswer, NodeRun, Suspend
from jackfield.api.records import replace
from jackfield.api.workflows import Items, Node
from jackfield.testing.binary import MemoryFiles
from jackfield_forms.nodes import FormNode, FormParameters
from jackfield_forms.settings import FormSettings


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path, FormSettings())


async def test_on_received_ends_with_a_text_of_its_own(site: Site) -> None:
    await site.form(options={"respondWithOptions": {"values": {"formSubmittedText": "Ta <b>"}}})
    status, text = await site.post("/form/f", field_0="Ann")
    assert (status, "Ta &lt;b&gt;" in text) == (200, True)
    request = site.engine.requests[0]
    assert (request.mode, request.start, request.durability) == ("webhook", "F", "accept")
    assert request.items[0]["json"] == {
        "Name": "Ann",
        "submittedAt": "2026-01-01T00:00:00.000Z",
        "formMode": "production",
    }


async def test_another_address_is_gone_to_by_a_page(site: Site) -> None:
    await site.form(
        options={"respondWithOptions": {"values": {"respondWith": "redirect", "redirectUrl": "https://a.b/?x=1&y"}}}
    )
    status, text = await site.post("/form/f", field_0="Ann")
    assert status == 200
    assert '<meta http-equiv="refresh" content="0; url=https://a.b/?x=1&amp;y">' in text


@pytest.mark.parametrize(
    ("json", "told"),
    [
        ({"formSubmittedText": "By the run"}, "By the run"),
        ({"redirectURL": "https://a.b"}, "url=https://a.b"),
        ({}, "recorded"),
    ],
)
async def test_the_last_node_may_name_the_ending(site: Site, json: Any, told: str) -> None:
    await site.form(responseMode="lastNode")
    site.engine.items = [{"json": json}]
    assert told in (await site.post("/form/f", field_0="A"))[1]


async def test_a_run_that_fails_is_told(site: Site) -> None:
    await site.form(responseMode="lastNode")
    site.engine.failed = True
    status, text = await site.post("/form/f", field_0="A")
    assert (status, "could not be worked on" in text) == (500, True)


async def test_a_respond_node_answers(site: Site) -> None:
    await site.form(responseMode="responseNode")
    site.engine.answer = NodeAnswer(201, (("content-type", "text/html"),), b"<script>1</script>")
    answer = await site.client.post("/form/f", headers=HOST, form={"field-0": "A"})
    assert (answer.status_code, await answer.get_data()) == (201, b"<script>1</script>")
    assert answer.headers["Content-Security-Policy"].startswith("sandbox")
    site.engine.answer = NodeAnswer(200, (("content-type", "application/json"),), b'{"formSubmittedText": "Said"}')
    assert "Said" in (await site.post("/form/f", field_0="A"))[1]
    site.engine.answer = None
    assert (await site.post("/form/f", field_0="A"))[0] == 500


async def test_a_respond_node_answers_with_a_kept_file(site: Site) -> None:
    await site.form(responseMode="responseNode")
    files, body = MemoryFiles(), b"[1]" * 40_000
    content = await files.content(await files.write(body, mime_type="application/json"))
    site.engine.answer = NodeAnswer(201, (("content-type", "application/json"),), content)
    answer = await site.client.post("/form/f", headers=HOST, form={"field-0": "A"})
    assert (answer.status_code, await answer.get_data()) == (201, body)
    assert (answer.headers["Content-Length"], answer.headers["Content-Type"]) == (str(len(body)), "application/json")


async def test_a_workflow_with_more_pages_leads_on(site: Site) -> None:
    await site.form("f", "n8n-nodes-base.form")
    answer = await site.client.post("/form/f", headers=HOST, form={"field-0": "A"})
    assert answer.status_code == 303
    assert re.fullmatch(r"/form-waiting/[0-9a-f-]{36}\.[\w-]{22}", answer.headers["Location"])


async def test_the_test_form_may_be_off(tmp_path: Path) -> None:
    site = Site(tmp_path, FormSettings(test_enabled=False))
    await site.form()
    assert (await site.get("/form-test/f"))[0] == 404
    assert (await site.get("/form/f"))[0] == 200


async def test_test_forms_run_with_pinned_data(site: Site) -> None:
    await site.form()
    assert (await site.post("/form-test/f", field_0="A"))[0] == 200
    assert (site.engine.requests[0].mode, site.engine.requests[0].use_pin_data) == ("test", True)


@pytest.mark.parametrize("error", [StoreUnavailable("full"), Conflict("stopping")])
async def test_what_cannot_be_stored_is_told(site: Site, error: Exception) -> None:
    await site.form()
    site.engine.refuse = error
    assert (await site.post("/form/f", field_0="A"))[0] == 503


async def test_only_so_many_are_taken_in_at_a_time(tmp_path: Path) -> None:
    site = Site(tmp_path, FormSettings(submissions=1))
    await site.form()
    async with site.client.request(
        "/form/f", method="POST", headers={**HOST, "Content-Type": "multipart/form-data; boundary=x"}
    ) as slow:
        await slow.send(b"--x\r\n")
        for _ in range(50):
            await asyncio.sleep(0)
        assert (await site.post("/form/f", field_0="A"))[0] == 503
        await slow.send(b'Content-Disposition: form-data; name="field-0"\r\n\r\nB\r\n--x--\r\n')
        await slow.send_complete()
        assert (await slow.as_response()).status_code == 200
    assert (await site.post("/form/f", field_0="A"))[0] == 200


async def test_one_address_does_not_take_every_place(tmp_path: Path) -> None:
    site = Site(tmp_path, FormSettings(submissions=2))
    await site.form()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    slow_one, other = {"jackfield.client": "192.0.2.1"}, {"jackfield.client": "192.0.2.2"}

    async def send(client: dict[str, str]) -> int:
        answer = await site.client.post("/form/f", headers={**HOST, **kind}, data="field-0=A", scope_base=client)
        return answer.status_code

    async with site.client.request("/form/f", method="POST", headers={**HOST, **kind}, scope_base=slow_one) as slow:
        await slow.send(b"field-0=")
        for _ in range(50):
            await asyncio.sleep(0)
        assert await send(slow_one) == 503
        assert await send(other) == 200
        await slow.send(b"B")
        await slow.send_complete()
        assert (await slow.as_response()).status_code == 200
    assert await send(slow_one) == 200


async def test_large_files_are_kept_outside_of_the_item(site: Site) -> None:
    await site.form(formFields={"values": [{"fieldLabel": "Doc", "fieldType": "file", "multipleFiles": False}]})
    large = FileStorage(BytesIO(b"x" * 2_000_000), "a.bin", "field-0", "application/x-big")
    answer = await site.client.post("/form/f", headers=HOST, files={"field-0": large})
    assert answer.status_code == 200
    (request,) = site.engine.requests
    assert request.id is not None
    file = request.items[0]["binary"]["Doc"]
    assert file.get("id")
    assert await site.context.port(BinaryStore).files(request.id).read(file) == b"x" * 2_000_000


# -- /form-waiting


async def test_a_page_that_is_waited_for(site: Site) -> None:
    address = site.wait(options={"formTitle": "Second"})
    status, text = await site.get(address)
    assert (status, "Second" in text, f'action="{address}?page=4"' in text) == (200, True, True)
    assert (await site.post(f"{address}?page=4"))[0] == 400
    answer = await site.client.post(f"{address}?page=4", headers=HOST, form={"field-0": "B"})
    assert (answer.status_code, answer.headers["Location"]) == (303, address)
    (items,) = site.engine.resumed
    assert items is not None
    assert items[0]["json"]["Name"] == "B"


async def test_a_large_file_of_a_page_that_is_waited_for_is_kept_for_its_execution(site: Site) -> None:
    address = site.wait(formFields={"values": [{"fieldLabel": "Doc", "fieldType": "file", "multipleFiles": False}]})
    large = FileStorage(BytesIO(b"x" * 2_000_000), "a.bin", "field-0", "application/x-big")
    answer = await site.client.post(f"{address}?page=4", headers=HOST, files={"field-0": large})
    assert answer.status_code == 303
    (items,) = site.engine.resumed
    assert items is not None
    file = items[0]["binary"]["Doc"]
    assert (file["data"], file["bytes"]) == ("", 2_000_000)
    assert await site.context.port(BinaryStore).files(next(iter(site.engine.waits))).read(file) == b"x" * 2_000_000


async def test_the_form_that_was_begun_says_who_may_see_its_pages(site: Site) -> None:
    address = site.wait()
    ident, wait = next(iter(site.engine.waits.items()))
    assert isinstance(wait, WaitingCall)
    kind = "n8n-nodes-base.formTrigger"
    nodes = {
        "Open": Node("1", "Open", kind, "formTrigger", 2, {"path": "open"}),
        "Shut": Node("2", "Shut", kind, "formTrigger", 2, {"path": "shut", "authentication": "basicAuth"}),
    }
    workflow = replace(wait.workflow, nodes={**nodes, **wait.workflow.nodes})
    for start, status in (("Open", 200), ("Shut", 401)):
        site.engine.waits[ident] = replace(wait, workflow=workflow, start=start)
        assert (await site.get(address))[0] == status


async def test_an_earlier_page_sent_again_is_refused(site: Site) -> None:
    assert (await site.post(f"{site.wait()}?page=3", field_0="B"))[0] == 409
    assert (await site.post(site.wait(page="completion"), field_0="B"))[0] == 409
    assert site.engine.resumed == []


async def test_the_last_page_lets_the_workflow_go_on(site: Site) -> None:
    address = site.wait(page="completion", completionTitle="Done", completionMessage="Bye")
    assert "Bye" in (await site.get(address))[1]
    assert site.engine.resumed == [None]


@pytest.mark.parametrize(
    ("status", "code", "told"),
    [
        ("running", 200, 'content="1"'),
        ("waiting", 200, 'content="5"'),
        ("success", 200, "recorded"),
        ("failed", 500, "could not"),
        ("cancelled", 500, "could not"),
    ],
)
async def test_the_state_of_an_execution_that_does_not_wait(site: Site, status: str, code: int, told: str) -> None:
    address = site.state(new_id(), Conflict("no", details={"status": status}))
    found, text = await site.get(address)
    assert (found, told in text) == (code, True)
    assert (await site.post(address, field_0="A"))[0] == 409


async def test_a_form_of_a_wait_node_ends_with_its_text(site: Site) -> None:
    address = site.wait("wait", options={"respondWithOptions": {"values": {"formSubmittedText": "Noted"}}})
    assert "Noted" in (await site.post(address, field_0="A"))[1]


async def test_addresses_that_nobody_gave_away(site: Site) -> None:
    assert (await site.get(f"/form-waiting/{new_id()}"))[0] == 404
    assert (await site.get(site.state(new_id())))[0] == 404


async def test_a_page_of_another_site_may_not_send(site: Site) -> None:
    await site.form()
    for path in ("/form/f", site.wait()):
        answer = await site.client.post(path, headers={**HOST, "Sec-Fetch-Site": "cross-site"}, form={"field-0": "A"})
        assert answer.status_code == 403
    assert (site.engine.requests, site.engine.resumed) == ([], [])


async def test_whatever_fails_is_a_page_without_details(site: Site) -> None:
    await site.form()
    site.engine.refuse = RuntimeError("secret detail")
    status, text = await site.post("/form/f", field_0="A")
    assert (status, "secret" in text, "<!doctype html>" in text) == (500, False, True)


# -- the node


@pytest.mark.parametrize(
    ("parameters", "until", "page"),
    [
        ({"operation": "page", "formFields": NAME}, None, "page"),
        ({"formFields": NAME, "limitWaitTime": True, "resumeAmount": 2, "resumeUnit": "minutes"}, 120_000, "page"),
        ({"operation": "completion"}, 60_000, "completion"),
    ],
)
async def test_the_form_node_waits(site: Site, parameters: dict[str, Any], until: int | None, page: str) -> None:
    class Run:
        items: Items = [{"json": {"n": 1}}]  # noqa: RUF012

        async def resolve_first(self) -> FormParameters:
            return FormParameters.model_validate(parameters)

    run: NodeRun = Run()  # type: ignore[assignment]  # what the node uses
    result = await FormNode(site.context).execute(run)
    assert isinstance(result, Suspend)
    assert result.until == (None if until is None else site.context.clock.now_ms() + until)
    assert result.call is not None
    assert (result.call["kind"], result.call["page"]) == ("form", page)
    assert result.outputs == [[{"json": {"n": 1}, "pairedItem": {"item": 0}}]]


async def test_a_form_says_when_it_starts(site: Site) -> None:
    told = await site.trigger.starts(await site.form("/feedback/"))
    assert [(start.node_name, start.text) for start in told] == [("F", "The form at /form/feedback")]
