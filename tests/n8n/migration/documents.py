"""Fifty linked workflows with credentials, as n8n exports them, and the calls that tell whether they work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

ERRORS = "Errors0000000000"
USER, PASSWORD, HEADER, TOKEN = "caller", "correct-horse-battery", "X-Migration-Key", "token-of-the-migration"
CHATS = ("0b9d3c1e-0001-4000-8000-00000000c4a7", "0b9d3c1e-0002-4000-8000-00000000c4a7")
CREDENTIALS = [
    {"id": "CredBasic0000001", "name": "Callers", "type": "httpBasicAuth",
     "data": {"user": USER, "password": PASSWORD}},
    {"id": "CredHeader000001", "name": "Header", "type": "httpHeaderAuth", "data": {"name": HEADER, "value": TOKEN}},
    {"id": "CredTwin00000001", "name": "Header", "type": "httpHeaderAuth", "data": {"name": HEADER, "value": "other"}},
]  # fmt: skip


def _condition(left: str, right: Any, kind: str, operation: str) -> dict[str, Any]:
    options = {"caseSensitive": True, "typeValidation": "loose", "version": 2}
    one = {"id": "c", "leftValue": left, "rightValue": right, "operator": {"type": kind, "operation": operation}}
    return {"conditions": {"options": options, "combinator": "and", "conditions": [one]}, "options": {}}


def _assigned(name: str, value: str) -> dict[str, Any]:
    return {
        "assignments": {"assignments": [{"id": "a", "name": name, "value": value, "type": "string"}]},
        "options": {},
    }


_REVERSED = "return $input.all().map(i => ({json: {n: i.json.who.length, who: [...i.json.who].reverse().join('')}}));"
_FORMATTED = {
    "operation": "formatDate", "date": "2026-02-03T04:05:06.000Z", "format": "custom", "customFormat": "yyyy LLL dd",
    "options": {},
}  # fmt: skip
_HASHED = {"action": "hash", "type": "SHA256", "value": "={{ $json.who }}", "dataPropertyName": "hash"}
STEPS: Sequence[tuple[str, float, dict[str, Any]]] = (
    ("set", 3.4, _assigned("hello", "={{ $json.who.toUpperCase() }}")),
    ("code", 2, {"jsCode": _REVERSED}),
    ("if", 2.2, _condition("={{ $json.who }}", "a", "string", "contains")),
    ("dateTime", 2, _FORMATTED),
    ("splitOut", 1, {"fieldToSplitOut": "list", "options": {}}),
    ("aggregate", 1, {"fieldsToAggregate": {"fieldToAggregate": [{"fieldToAggregate": "who"}]}, "options": {}}),
    ("sort", 1, {"sortFieldsUi": {"sortField": [{"fieldName": "who", "order": "descending"}]}, "options": {}}),
    ("limit", 1, {}),
    ("renameKeys", 1, {"keys": {"key": [{"currentKey": "who", "newKey": "person"}]}, "additionalOptions": {}}),
    ("crypto", 1, _HASHED),
    ("noOp", 1, {}),
    ("filter", 2.2, _condition("={{ $json.list.length }}", 1, "number", "gt")),
    ("summarize", 1.1, {"fieldsToSummarize": {"values": [{"aggregation": "count", "field": "who"}]}, "options": {}}),
)
"""Kinds of nodes that a sub-workflow of each tries."""


@dataclass(frozen=True)
class Call:
    """A request, and which of its answer is compared. path: below the server's address."""

    path: str
    method: str = "GET"
    json: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    auth: tuple[str, str] | None = None
    body: bool = True


def workflows() -> list[dict[str, Any]]:
    return [
        _workflow(ERRORS, "Errors", [_node("Failed", "errorTrigger", 1), _node("Note", "noOp", 1)]),
        *map(_sub, range(len(STEPS))),
        *map(_caller, range(len(STEPS))),
        *map(_caller_by_expression, range(4)),
        *map(_guarded, range(4)),
        *map(_failing, range(4)),
        *map(_chat, range(len(CHATS))),
        *map(_form, range(2)),
        *map(_chain, range(4)),
        *_circle(),
    ]


def published() -> list[str]:
    """Ids of what is live, callees first. All of it: n8n wants that of sub-workflows."""
    return [each["id"] for each in workflows()]


def calls() -> Iterator[Call]:
    body = {"who": "ada", "list": [3, 1, 2]}
    for number in range(len(STEPS)):
        if number % 2:
            yield Call(f"/webhook/{_ident(number)}/cust-{number}/{number}/orders", "POST", body)
        else:
            yield Call(f"/webhook/migrated-{number}", "POST", body)
    for number in range(4):
        yield Call(f"/webhook/by-expression-{number}", "POST", body)
    for number in range(4):
        path = f"/webhook/guarded-{number}"
        yield Call(path, body=False)
        yield Call(path, auth=(USER, "wrong"), body=False)
        yield Call(path, auth=(USER, PASSWORD)) if number % 2 else Call(path, headers={HEADER: TOKEN})
    for number in range(4):
        yield Call(f"/webhook/failing-{number}", body=False)
        yield Call(f"/webhook/chain-{number}", "POST", body)
    for chat in CHATS:
        yield Call(f"/webhook/{chat}/chat", "POST", {"action": "sendMessage", "sessionId": "s", "chatInput": "hi"})
    for number in range(2):
        yield Call(f"/form/{_form_path(number)}", body=False)
    yield Call("/webhook/circle", "POST", {"left": 3})
    yield Call("/webhook/nobody", body=False)


def _sub(number: int) -> dict[str, Any]:
    kind, version, parameters = STEPS[number]
    start = _node("Called", "executeWorkflowTrigger", 1.1, {"inputSource": "passthrough"})
    flat = _node("Flat", "code", 2, {"jsCode": "return [{json: $input.first().json.body}];"})
    return _workflow(_sub_id(number), f"Step {kind}", [start, flat, _node("Step", kind, version, parameters)])


def _caller(number: int) -> dict[str, Any]:
    path = f"cust-{number}/:number/orders" if number % 2 else f"migrated-{number}"
    return _live(f"Caller{number:010}", f"Calls/{number}", path, [_call(_located(_sub_id(number)))], _ident(number))


def _caller_by_expression(number: int) -> dict[str, Any]:
    choice = f"={{{{ $json.body.who ? '{_sub_id(number)}' : '{ERRORS}' }}}}"
    chosen = _call(_by_expression(choice))
    return _live(f"Expression{number:06}", f"By expression {number}", f"by-expression-{number}", [chosen])


def _guarded(number: int) -> dict[str, Any]:
    kind, credential = ("httpBasicAuth", CREDENTIALS[0]) if number % 2 else ("httpHeaderAuth", CREDENTIALS[1])
    made = _live(f"Guarded{number:09}", f"Guarded {number}", f"guarded-{number}", [_answer("let in")], method="GET")
    hook = made["nodes"][0]
    hook["parameters"]["authentication"] = "basicAuth" if number % 2 else "headerAuth"
    hook["credentials"] = {kind: {"id": credential["id"], "name": credential["name"]}}
    return made


def _failing(number: int) -> dict[str, Any]:
    stop = _node("Stop", "stopAndError", 1, {"errorMessage": f"failed {number}"})
    made = _live(f"Failing{number:09}", f"Failing {number}", f"failing-{number}", [stop], method="GET")
    made["settings"]["errorWorkflow"] = ERRORS
    return made


def _chain(number: int) -> dict[str, Any]:
    """Each calls two sub-workflows, one after the other."""
    first = _call(_located(_sub_id(8)))
    again = _node("Again", "set", 3.4, {
        "mode": "raw", "jsonOutput": '={{ JSON.stringify({body: {who: $json.person, list: [1]} }) }}', "options": {},
    })  # fmt: skip
    second = {**_call(_located(_sub_id(number))), "name": "Second", "id": "second"}
    return _live(f"Chain{number:011}", f"Chain {number}", f"chain-{number}", [first, again, second])


def _circle() -> list[dict[str, Any]]:
    """Two workflows that call each other until a condition ends it."""
    down = {"jsCode": "const left = $input.first().json.left - 1; return left > 0 ? [{json: {left}}] : [];"}
    parts = [
        _workflow(f"Circle{number:010}", f"Circle {number}", [
            _node("Called", "executeWorkflowTrigger", 1.1, {"inputSource": "passthrough"}),
            _node("Down", "code", 2, down), _call(_by_expression(f"={{{{ 'Circle{1 - number:010}' }}}}")),
        ])
        for number in range(2)
    ]  # fmt: skip
    start = _node("Start", "code", 2, {"jsCode": "return [{json: {left: $input.first().json.body.left}}];"})
    entry = _live(
        "CircleEntry00000", "Circle entry", "circle", [start, _call(_located("Circle0000000000")), _answer("done")]
    )
    return [*parts, entry]


def _chat(number: int) -> dict[str, Any]:
    trigger = _node("Chat", "chatTrigger", 1.1, {"public": True, "options": {"responseMode": "lastNode"}})
    trigger |= {"type": "@n8n/n8n-nodes-langchain.chatTrigger", "webhookId": CHATS[number]}
    answer = _node("Answer", "set", 3.4, _assigned("output", f"={{{{ 'chat {number}: ' + $json.chatInput }}}}"))
    return _workflow(f"Chat{number:012}", f"Chat {number}", [trigger, answer], active=True)


def _form(number: int) -> dict[str, Any]:
    parameters: dict[str, Any] = {
        "formTitle": f"Form {number}", "formFields": {"values": [{"fieldLabel": "Name"}]}, "options": {},
    }  # fmt: skip
    trigger = _node("Form", "formTrigger", 2.2, parameters) | {"webhookId": _form_path(number)}
    return _workflow(f"Form{number:012}", f"Form {number}", [trigger, _node("Done", "noOp", 1)], active=True)


def _live(
    ident: str, name: str, path: str, nodes: list[dict[str, Any]], webhook_id: str = "", method: str = "POST"
) -> dict[str, Any]:
    parameters = {"httpMethod": method, "path": path, "responseMode": "lastNode", "options": {}}
    hook = _node("Webhook", "webhook", 2, parameters) | {"webhookId": webhook_id or f"hook-{ident}"}
    return _workflow(ident, name, [hook, *nodes], active=True)


def _answer(text: str) -> dict[str, Any]:
    return _node("Answer", "set", 3.4, _assigned("text", text)) | {"alwaysOutputData": True, "executeOnce": True}


def _call(workflow: Any) -> dict[str, Any]:
    return _node("Call", "executeWorkflow", 1.2, {"workflowId": workflow, "options": {}}) | {"alwaysOutputData": True}


def _located(ident: str) -> dict[str, Any]:
    return {"__rl": True, "mode": "list", "value": ident, "cachedResultName": "whatever"}


def _by_expression(text: str) -> dict[str, Any]:
    return {"__rl": True, "mode": "id", "value": text}


def _node(name: str, kind: str, version: float, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "id": name.lower(), "name": name, "type": f"n8n-nodes-base.{kind}", "typeVersion": version, "position": [0, 0],
        "parameters": parameters or {},
    }  # fmt: skip


def _workflow(ident: str, name: str, nodes: list[dict[str, Any]], *, active: bool = False) -> dict[str, Any]:
    wires = {
        one["name"]: {"main": [[{"node": following["name"], "type": "main", "index": 0}]]}
        for one, following in pairwise(nodes)
    }
    settings: dict[str, Any] = {"executionOrder": "v1"}
    return {"id": ident, "name": name, "active": active, "nodes": nodes, "connections": wires, "settings": settings}


def _sub_id(number: int) -> str:
    return f"Step{number:012}"


def _ident(number: int) -> str:
    return f"5e3c1a70-{number:04}-4000-8000-0000000000aa"


def _form_path(number: int) -> str:
    return f"f0a3c1a7-{number:04}-4000-8000-0000000000bb"
