"""What a document registers, what keeps it from going live, settings, the node type, retention."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from jackfield.api.errors import StoreUnavailable
from jackfield.api.jsontext import Json
from jackfield.api.records import replace
from jackfield.api.storage import NewCall
from jackfield.api.triggers import WorkflowChange
from jackfield.api.workflows import Node, Workflow
from jackfield.testing.node_runs import FakeNodeRun, items
from jackfield_webhooks.answers.plans import plan
from jackfield_webhooks.calls import masking
from jackfield_webhooks.node import ExportedWebhookParameters, WebhookNode, WebhookParameters
from jackfield_webhooks.parameters import read
from jackfield_webhooks.settings import WebhookSettings
from jackfield_webhooks.trigger import start

Bench = Any
NodeOf = Callable[..., dict[str, Any]]
Parse = Callable[..., Workflow]
ENTRY = "options.responseHeaders.entries[0]"


def registered(bench: Bench, workflow: Workflow) -> set[tuple[str, str, str]]:
    return {(found.method, found.path, found.pattern) for found in bench.trigger.registrations(workflow)}


async def test_each_node_says_when_it_starts(bench: Bench, node_of: NodeOf, parse: Parse) -> None:
    several = node_of("c", name="Three", httpMethod=["GET", "PUT", "POST"])
    workflow = parse(node_of("/a/:id/", name="One"), several, {**node_of("e", name="Off"), "disabled": True})
    told = {start.node_name: start.text for start in await bench.trigger.starts(workflow)}
    assert told == {"One": "A POST to /webhook/a/:id", "Three": "A GET, PUT or POST to /webhook/c"}


def test_registrations(bench: Bench, node_of: NodeOf, parse: Parse) -> None:
    found = registered(
        bench,
        parse(
            node_of("/a/:id/", name="One"),
            node_of("b", name="Two", version=2),
            node_of("c", name="Three", httpMethod=["get", "PUT", "GET"]),
            node_of("d", name="Four", multipleMethods=True, version=2),
            {**node_of("e", name="Off"), "disabled": True},
            {**node_of("f", name="Answer"), "type": "jackfield.respondToWebhook"},
            {**node_of("g", name="Namespaced"), "type": "n8n-nodes-base.webhook"},
        ),
    )
    assert found == {
        ("POST", "/a/:id", "a/:"),
        ("GET", "/b", "b"),
        ("GET", "/c", "c"),
        ("PUT", "/c", "c"),
        ("GET", "/d", "d"),
        ("POST", "/d", "d"),
        ("POST", "/g", "g"),
    }


@pytest.mark.parametrize(("version", "path"), [(2, "wh-1"), (None, "")])
def test_an_exported_node_without_a_path_has_its_webhook_id(version: float | None, path: str) -> None:
    found = read(Node("i", "n", "webhook", "webhook", version, {"path": ""}, webhook_id="wh-1"))
    assert (found.path, found.registrable) == (path, bool(path))


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"path": ""}, "path"),
        ({"path": "/"}, "path"),
        ({"path": "={{ $json.x }}"}, "path"),
        ({"path": "a/:"}, "path"),
        ({"path": ":a/:a"}, "path"),
        ({"path": "a?b"}, "path"),
        ({"path": "a/" * 70}, "path"),
        ({"httpMethod": "TRACE"}, "httpMethod"),
        ({"httpMethod": []}, "httpMethod"),
        ({"httpMethod": 5}, "httpMethod"),
        ({"responseMode": "stream"}, "responseMode"),
        ({"responseData": "all"}, "responseData"),
        ({"responseCode": 99}, "responseCode"),
        ({"responseCode": "={{ 200 }}"}, "responseCode"),
        ({"options": {"responseCode": {"values": {"responseCode": 600}}}}, "options.responseCode.values.responseCode"),
        ({"authentication": "digest"}, "authentication"),
        ({"options": {"ipWhitelist": "10.0.0.0/99"}}, "options.ipWhitelist"),
        ({"options": {"ipWhitelist": "={{ $json }}"}}, "options.ipWhitelist"),
        ({"options": {"ipWhitelist": " , "}}, "options.ipWhitelist"),
        (
            {"authentication": "jwtAuth", "authConfig": {"algorithm": "RS256", "publicKey": "no key"}},
            "authConfig.publicKey",
        ),
        (
            {
                "authentication": "jwtAuth",
                "authConfig": {"secret": "-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----\n"},
            },
            "authConfig.secret",
        ),
        (
            {"options": {"responseHeaders": {"entries": [{"name": "Bad Name"}]}}},
            "options.responseHeaders.entries[0].name",
        ),
        ({"options": {"responseHeaders": {"entries": ["x"]}}}, "options.responseHeaders.entries[0]"),
        ({"options": {"responseData": "={{ $json }}"}}, "options.responseData"),
    ],
)
async def test_what_keeps_a_workflow_from_going_live(
    bench: Bench, node_of: NodeOf, parse: Parse, parameters: dict[str, Any], field: str
) -> None:
    workflow = parse(node_of(parameters.pop("path", "fine"), **parameters))
    problems = await bench.trigger.activation_problems(workflow)
    assert [problem.path for problem in problems] == [f"nodes[0].parameters.{field}"]
    assert problems[0].severity == "error"
    assert problems[0].message.endswith(".")


async def test_a_route_may_be_there_once(bench: Bench, node_of: NodeOf, parse: Parse) -> None:
    workflow = parse(node_of("a/:x", name="One"), node_of("a/:y", name="Two"), node_of("a/:x", name="Off"))
    problems = await bench.trigger.activation_problems(workflow)
    assert [problem.path for problem in problems] == ["nodes[1].parameters.path", "nodes[2].parameters.path"]


async def test_a_sound_workflow_has_no_problems(bench: Bench, node_of: NodeOf, parse: Parse) -> None:
    options = {"allowedOrigins": "*", "ipWhitelist": "10.0.0.0/8", "responseCode": {"values": {"responseCode": 202}}}
    assert await bench.trigger.activation_problems(parse(node_of("=a/b", version=2, options=options))) == []


PARAMETER = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(
    ["path", "httpMethod", "authentication", "authConfig", "responseMode", "responseData", "responseCode", "options"]
)


@given(
    st.dictionaries(NAMES, PARAMETER), st.dictionaries(st.sampled_from(["responseHeaders", "responseCode"]), PARAMETER)
)
def test_odd_parameters_are_findings_and_no_failure(parameters: dict[str, Any], options: dict[str, Any]) -> None:
    parameters.setdefault("options", options)
    found = read(Node("i", "n", "webhook", "webhook", 2, parameters))
    assert all(message.endswith(".") for message in found.findings.values())
    assert 200 <= plan(found, {}).code <= 599


# ------------------------------------------------------------------------------------------------------- the node


def test_defaults_depend_on_the_version(bench: Bench) -> None:
    node = WebhookNode(bench.context)
    assert issubclass(node.parameters(None), WebhookParameters)
    assert issubclass(node.parameters(2), ExportedWebhookParameters)
    spec, exported = WebhookParameters(path="a"), ExportedWebhookParameters(path="a")
    assert (spec.httpMethod, spec.responseData) == ("POST", "allEntries")
    assert (exported.httpMethod, exported.responseData) == ("GET", "firstEntryJson")
    assert {"path", "httpMethod", "options"} <= WebhookParameters.model_json_schema()["properties"].keys()


@pytest.mark.parametrize(
    "wrong", [{}, {"path": ""}, {"path": "a", "httpMethod": "X"}, {"path": "a", "responseMode": "x"},
              {"path": "a", "authentication": "x"}],
)  # fmt: skip
def test_the_model_refuses_what_cannot_be_served(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        WebhookParameters.model_validate(wrong)


async def test_in_a_run_by_hand_the_node_passes_its_input_on(bench: Bench) -> None:
    parameters: dict[str, Json] = {"path": "a", "httpMethod": ["GET", "PUT"]}
    outcome = await FakeNodeRun(WebhookNode(bench.context), parameters, items({"a": 1})).outcome()
    assert (outcome.json(), [one.item for one in outcome.origins()[0]]) == ([[{"a": 1}], []], [0])


# ------------------------------------------------------------------------------------------------------- upkeep


def test_settings_are_checked() -> None:
    made = WebhookSettings.model_validate(
        {"response_timeout": 1, "rateLimit": {"enabled": True}, "history": {"max_calls": 5}}
    )
    assert (made.response_timeout, made.rate_limit.requests, made.history.max_age_days) == (1, 100, 30)
    for wrong in ({"response_timeout": 0}, {"unknown": 1}, {"rateLimit": {"window": 0}}):
        with pytest.raises(ValidationError):
            WebhookSettings.model_validate(wrong)


async def test_old_calls_are_pruned_and_executions_are_left_alone(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"history": {"max_age_days": 0.005, "max_calls": 3, "prune_interval": 60}})
    ident = await bench.hook("kept", responseMode="lastNode")
    (row,) = await bench.webhooks(ident)
    for n in range(5):
        await bench.store.add_call(NewCall(f"c{n}", row.id, bench.clock.now_ms() + n, "POST", b"{}", ""))
    await bench.call("kept")
    await start(bench.context)
    await bench.clock.advance(61)
    assert len(await bench.calls(ident)) == 3
    await bench.clock.advance(500)
    assert await bench.calls(ident) == []
    assert await bench.store.execution(bench.engine.executions[0].id) is not None
    await stop_tasks()


@pytest.mark.parametrize("worker", [0, 1])
async def test_the_cap_of_calls_holds_in_each_process(make_bench: Callable[..., Bench], worker: int) -> None:
    bench = make_bench({"history": {"max_calls": 3, "prune_interval": 3600}})
    bench.context.service = replace(bench.context.service, worker=worker)
    ident = await bench.hook("kept")
    await start(bench.context)
    for _ in range(5):
        await bench.call("kept")
    assert len(await bench.calls(ident)) == 3
    await stop_tasks()


async def test_counts_are_written_when_the_store_is_back(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"history": {"rejected_per_minute": 0}})
    ident = await bench.hook("refused")
    (row,) = await bench.webhooks(ident)
    await bench.call("refused", "PUT")
    bench.store.fail_with = StoreUnavailable()
    await bench.rejected.flush()
    bench.store.fail_with = None
    assert (await bench.store.webhook_stats(row.id)).total_calls == 0
    await bench.rejected.flush()
    assert (await bench.store.webhook_stats(row.id)).total_calls == 1


async def test_routes_are_read_again_when_the_store_is_back(bench: Bench, node_of: NodeOf) -> None:
    ident = await bench.hook("moved")
    bench.reader.saved.pop(ident)
    await bench.store.delete_workflow(ident)
    bench.store.fail_with = StoreUnavailable()
    await bench.trigger.follow(WorkflowChange(ident, "deleted", None))
    assert (await bench.call("moved", "PUT")).status == 405
    bench.store.fail_with = None
    await bench.clock.advance(1)
    assert (await bench.call("moved")).status == 404
    await stop_tasks()


def test_which_headers_are_secret() -> None:
    for name in ("authorization", "cookie", "set-cookie", "x-api-key", "x-hub-signature", "webhook-signature",
                 "x-gitlab-token", "x-shopify-hmac-sha256", "proxy-authorization", "x-apikey"):  # fmt: skip
        assert masking.is_secret(name), name
    for name in ("host", "content-type", "user-agent", "x-github-delivery", "x-custom", "accept"):
        assert not masking.is_secret(name), name


async def stop_tasks() -> None:
    """End what the plugin runs in the background."""
    mine = asyncio.current_task()
    tasks = [task for task in asyncio.all_tasks() if task is not mine]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
