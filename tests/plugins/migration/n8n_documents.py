"""Documents in the form of n8n's exports."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

SUB, MAIN, ERRORS = "SubWorkflow00001", "MainWorkflow0001", "ErrorWorkflow001"
HOOK = "7e3f9c3a-5a5e-4d0b-9a55-0f6a2f7b9c11"
SECRET = "s3cr3t-of-the-header-credential"


def node(name: str, kind: str, parameters: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": f"id-{name}", "name": name, "type": f"n8n-nodes-base.{kind}", "typeVersion": 1, "position": [0, 0],
        "parameters": parameters or {}, **more,
    }  # fmt: skip


def workflow(ident: str, name: str, nodes: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Its nodes run one after another."""
    wires = {
        one["name"]: {"main": [[{"node": following["name"], "type": "main", "index": 0}]]}
        for one, following in pairwise(nodes)
    }
    return {
        "id": ident, "name": name, "active": False, "nodes": nodes, "connections": wires,
        "settings": {"executionOrder": "v1"}, **more,
    }  # fmt: skip


def sub_workflow() -> dict[str, Any]:
    return workflow(
        SUB,
        "Greets",
        [
            node("Called", "executeWorkflowTrigger", {"inputSource": "passthrough"}, typeVersion=1.1),
            node(
                "Greet", "code", {"jsCode": "return [{json: {hello: $input.first().json.params.id}}];"}, typeVersion=2
            ),
        ],
    )


def main_workflow() -> dict[str, Any]:
    return workflow(
        MAIN,
        "Main/with a slash",
        [
            node("Hook", "webhook", {"path": "cust/:id", "responseMode": "lastNode"}, typeVersion=2, webhookId=HOOK),
            node("Call", "executeWorkflow", {"workflowId": located(SUB), "options": {}}, typeVersion=1.2),
        ],
        active=True,
        settings={"executionOrder": "v1", "errorWorkflow": ERRORS, "callerIds": f"{SUB}, {ERRORS}"},
        tags=[{"id": "t1", "name": "customers"}],
    )


def error_workflow() -> dict[str, Any]:
    return workflow(ERRORS, "Errors", [node("Failed", "errorTrigger")])


def located(ident: str) -> dict[str, Any]:
    return {"__rl": True, "value": ident, "mode": "list", "cachedResultUrl": f"/workflow/{ident}"}


def credential(
    data: Any, ident: str = "cred0001", name: str = "Header", kind: str = "httpHeaderAuth"
) -> dict[str, Any]:
    return {"id": ident, "name": name, "type": kind, "data": data}


def header_values() -> dict[str, str]:
    return {"name": "X-Key", "value": SECRET}
