"""`/webhook-waiting`: calls that wake executions."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from jackfield.api.engine import WaitingCall
from jackfield.api.errors import Conflict, StoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeAnswer
from jackfield.api.resume import ResumeLinks
from jackfield.api.workflows import Node, Workflow, WorkflowSettings


def wait(
    bench: Any, *, kind: str = "webhook", mode: Any = "webhook", node: dict[str, Any] | None = None, **told: Any
) -> str:
    """An execution that waits with these resolved parameters; its token. node: the parameters as written."""
    ident = new_id()
    waiting = Node("n", "Wait", "n8n-nodes-base.wait", "wait", 1.1, node or {})
    workflow = Workflow("w", "W", 1, True, {"Wait": waiting}, {}, WorkflowSettings(), {}, {})
    bench.engine.waits[ident] = WaitingCall(ident, 3, workflow, waiting, mode, {"kind": kind, "parameters": told})
    return ResumeLinks(bench.context).token(ident)


async def test_the_call_is_the_items_json_as_of_a_webhook(bench: Any) -> None:
    token = wait(bench)
    answer = await bench.waiting(f"{token}?approved=true&approved=twice", "GET", headers={"x-a": "1"})
    assert answer.status == 200
    assert answer.json() == {"message": "Workflow triggered", "executionId": token.partition(".")[0]}
    ((item,),) = bench.engine.resumed
    assert item["json"] == {
        "headers": {"x-a": "1"},
        "params": {},
        "query": {"approved": ["true", "twice"]},
        "body": {},
        "webhookUrl": f"http://127.0.0.1:8765/webhook-waiting/{token}",
        "httpMethod": "GET",
        "executionMode": "production",
    }


async def test_a_second_call_is_a_conflict(bench: Any) -> None:
    token = wait(bench)
    assert (await bench.waiting(token, "GET")).status == 200
    again = await bench.waiting(token, "GET")
    assert (again.status, again.code) == (409, "CONFLICT")
    assert len(bench.engine.resumed) == 1


@pytest.mark.parametrize("change", ["bare", "other", "cut", "none", "unicode"])
async def test_an_address_that_was_not_given_away_is_unknown(bench: Any, change: str) -> None:
    token = wait(bench)
    other = wait(bench)
    ident, _, signature = token.partition(".")
    called = {
        "bare": ident,
        "other": f"{ident}.{other.partition('.')[2]}",
        "cut": f"{ident}.{signature[:-1]}",
        "none": "",
        "unicode": f"{ident}.%C3%A4",
    }[change]
    answer = await bench.waiting(called, "GET")
    assert (answer.status, answer.code) == (404, "NOT_FOUND")
    assert bench.engine.resumed == []


async def test_an_unknown_execution_is_unknown(bench: Any) -> None:
    token = ResumeLinks(bench.context).token(new_id())
    assert (await bench.waiting(token, "GET")).status == 404


async def test_the_suffix_is_part_of_the_address(bench: Any) -> None:
    token = wait(bench, options={"webhookSuffix": "/approve/now"})
    assert (await bench.waiting(token, "GET")).status == 404
    assert (await bench.waiting(f"{token}/reject/now", "GET")).status == 404
    assert (await bench.waiting(f"{token}/approve/now", "GET")).status == 200


async def test_the_method_counts(bench: Any) -> None:
    token = wait(bench, httpMethod="POST")
    wrong = await bench.waiting(token, "GET")
    assert (wrong.status, wrong.headers["allow"], wrong.json()["allowed"]) == (405, "POST", ["POST"])
    assert (await bench.waiting(token, "POST", json={"a": 1})).status == 200
    assert bench.engine.resumed[0][0]["json"]["body"] == {"a": 1}


async def test_files_become_binary_data(bench: Any) -> None:
    token = wait(bench, httpMethod="POST")
    await bench.waiting(token, "POST", body=b"\x00\x01", headers={"content-type": "image/png"})
    assert bench.engine.resumed[0][0]["binary"]["data"]["mimeType"] == "image/png"


@pytest.mark.parametrize("key", ["incomingAuthentication", "authentication"])
async def test_authentication_comes_from_the_document(bench: Any, key: str) -> None:
    written = {key: "basicAuth", "authConfig": {"username": "u", "password": "long-enough"}}
    # What an expression made of the parameters must not open the door.
    token = wait(bench, node=written, authentication="none")
    refused = await bench.waiting(token, "GET")
    assert (refused.status, refused.code) == (401, "UNAUTHORIZED")
    assert refused.headers["www-authenticate"].startswith("Basic")
    right = base64.b64encode(b"u:long-enough").decode()
    assert (await bench.waiting(token, "GET", headers={"authorization": f"Basic {right}"})).status == 200
    assert bench.engine.resumed[0][0]["json"]["headers"]["authorization"] == "***"


async def test_response_modes(bench: Any) -> None:
    token = wait(bench, responseMode="lastNode", responseData="allEntries", responseCode=202)
    answer = await bench.waiting(token, "GET")
    assert (answer.status, answer.json()) == (202, [{"n": 1}, {"n": 2}])
    bench.engine.answer = NodeAnswer(203, (("x-mine", "yes"),), b"said")
    answer = await bench.waiting(wait(bench, responseMode="responseNode"), "GET")
    assert (answer.status, answer.body, answer.headers["x-mine"]) == (203, b"said", "yes")


async def test_a_failed_run_is_500_for_who_waits_for_its_end(bench: Any) -> None:
    bench.engine.failure = "no"
    answer = await bench.waiting(wait(bench, responseMode="lastNode"), "GET")
    assert (answer.status, answer.code) == (500, "EXECUTION_FAILED")


async def test_a_wait_for_a_form_is_not_served_here(bench: Any) -> None:
    assert (await bench.waiting(wait(bench, kind="form"), "GET")).status == 404


async def test_a_run_by_hand_is_told_as_a_test(bench: Any) -> None:
    await bench.waiting(wait(bench, mode="manual"), "GET")
    assert bench.engine.resumed[0][0]["json"]["executionMode"] == "test"


async def test_options_say_what_a_page_may_do(bench: Any) -> None:
    token = wait(bench, httpMethod="POST", options={"allowedOrigins": "https://a.example"})
    answer = await bench.waiting(token, "OPTIONS", headers={"origin": "https://a.example"})
    assert (answer.status, answer.headers["allow"]) == (204, "POST, OPTIONS")
    assert answer.headers["access-control-allow-origin"] == "https://a.example"
    assert bench.engine.resumed == []


@pytest.mark.parametrize(("error", "status"), [(Conflict("running"), 409), (StoreUnavailable("full"), 503)])
async def test_what_the_engine_refuses_is_told(bench: Any, error: Exception, status: int) -> None:
    token = wait(bench)
    bench.engine.waits[token.partition(".")[0]] = error
    assert (await bench.waiting(token, "GET")).status == status
