"""Documents that nobody could keep, bodies that are too large, and workflows that only a person can start."""

from __future__ import annotations

from typing import Any

import pytest
from n8n_documents import credential, header_values, node, sub_workflow, workflow
from test_import import imported, results

from jackfield.testing.daemon import Daemon

LONG = 200_000
"""Characters."""
SET = [node("Only", "set")]


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (workflow("a" * LONG, "Long id", SET), "200,000 characters"),
        (workflow("nul\0id", "Nul", SET), "id has a NUL"),
        (workflow("Nul0000000000001", "nul\0name", SET), "name has a NUL"),
        (credential(header_values(), "c" * LONG), "200,000 characters"),
        (credential(header_values(), "c\0d"), "id has a NUL"),
        (credential(header_values(), "nul00002", "a\0b"), "name has a NUL"),
        (credential(header_values(), "nul00003", kind="k" * LONG), "type has 200,000"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_kept_gets_a_line_and_the_rest_goes_on(daemon: Daemon, document: Any, reason: str) -> None:
    report = imported(daemon.admin(), [document, sub_workflow()], source="keeping")
    assert [(row["name"], row["status"] in ("created", "unchanged")) for row in report["results"]] == [("Greets", True)]
    (row,) = report["unreadable"]
    assert reason in row["reason"]
    assert len(row["origin"]) < 200


def test_long_names_are_cut_and_said_and_long_references_stay_what_they_are(daemon: Daemon) -> None:
    api = daemon.admin()
    named = {"httpHeaderAuth": {"id": "i" * LONG, "name": "Nobody"}}
    nodes = [node("Call", "executeWorkflow", {"workflowId": "w" * LONG}, credentials=named)]
    given = workflow("Long000000000001", "n" * 300, nodes, settings={"callerIds": "x" * LONG})
    (row,) = imported(api, [given], source="long")["results"]
    assert (row["status"], len(row["name"])) == ("created", 255)
    assert "It was cut to 255 characters." in {problem["message"] for problem in row["problems"]}
    shown = api.get(f"/workflows/{row['id']}").json()
    assert shown["settings"]["callerIds"] == "x" * LONG
    assert shown["nodes"][0]["parameters"]["workflowId"] == "w" * LONG


def test_a_body_that_is_too_large_names_the_setting_and_the_command(daemon: Daemon) -> None:
    api = daemon.admin(timeout=60)
    as_json = api.post("/import", content=b" " * 50_000_000, headers={"Content-Type": "application/json"})
    as_form = api.post("/import", files={"files": ("all.json", b" " * 50_000_000)})
    for answer in (as_json, as_form):
        assert (answer.status_code, answer.json()["code"]) == (413, "PAYLOAD_TOO_LARGE")
        message = answer.json()["message"]
        assert ("server.body_limit" in message, "jackfield import n8n" in message) == (True, True)


def test_what_was_active_and_only_a_person_can_start_is_told(daemon: Daemon) -> None:
    off = node("Off", "scheduleTrigger", {"rule": {"interval": [{}]}}, typeVersion=1.2, disabled=True)
    documents = [
        workflow("ByHand0000000001", "By hand", [node("Start", "manualTrigger"), *SET], active=True),
        workflow("ByHand0000000002", "Switched off", [off, *SET], active=True),
        {**sub_workflow(), "active": True},
    ]
    rows = results(imported(daemon.admin(), documents, source="by-hand", activate="true"))
    told = {row["name"]: [problem["message"] for problem in row["problems"]] for row in rows.values()}
    assert all("only a person can start it" in " ".join(told[name]) for name in ("By hand", "Switched off"))
    assert told["Greets"] == []
    assert {row["active"] for row in rows.values()} == {None}


@pytest.mark.parametrize(
    ("policy", "live", "by_hand"), [("all", "none", False), ("non-manual", "none", None), ("manual-only", None, False)]
)
def test_what_n8n_hides_is_not_kept(daemon: Daemon, policy: str, live: str | None, by_hand: bool | None) -> None:
    api = daemon.admin()
    given = workflow(f"Hidden{policy}", f"Hidden {policy}", SET, settings={"redactionPolicy": policy})
    (row,) = imported(api, [given], source="hidden")["results"]
    told = [problem["message"] for problem in row["problems"] if problem["path"] == "settings.redactionPolicy"]
    assert (row["status"], len(told)) == ("created", 1)
    shown = api.get(f"/workflows/{row['id']}").json()["settings"]
    kept = [shown.get(name) for name in ("saveDataSuccessExecution", "saveDataErrorExecution", "saveManualExecutions")]
    assert kept == [live, live, by_hand]
    assert "redactionPolicy" not in shown
