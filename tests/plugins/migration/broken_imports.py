"""Imports that kill -9 of the daemon breaks off, and what must hold once the same import has ended."""

from __future__ import annotations

import random
import sqlite3
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import Any

import httpx
from n8n_documents import credential, header_values, node, workflow

from jackfield.testing.daemon import Daemon, poll

WORKFLOWS = 120
CREDENTIALS = 20
SOURCE = "broken"
PATIENCE = 60.0
"""Seconds."""


def bundle(workflows: int = WORKFLOWS) -> dict[str, Any]:
    """Each workflow calls another one, names a credential and a tag, and remembers something."""
    return {
        "credentials": [credential(header_values(), f"cred{number}", f"C{number}") for number in range(CREDENTIALS)],
        "variables": [{"key": f"broken_{number}", "value": str(number)} for number in range(CREDENTIALS)],
        "workflows": [_document(number, workflows) for number in range(workflows)],
    }


def _document(number: int, workflows: int) -> dict[str, Any]:
    nodes = [
        node("Hook", "webhook", {"path": f"broken-{number}"}),
        node("Ask", "httpRequest", {"url": "http://127.0.0.1/"}, credentials=_named(number % CREDENTIALS)),
        node("Call", "executeWorkflow", {"workflowId": _ident((number * 7 + 1) % workflows)}),
    ]
    more = {"staticData": {"seen": number}, "tags": [{"name": f"tag {number % 5}"}], "active": True}
    return workflow(_ident(number), f"Broken off {number}", nodes, **more)


def _ident(number: int) -> str:
    return f"Broken{number:010}"


def _named(number: int) -> dict[str, Any]:
    return {"httpHeaderAuth": {"id": f"cred{number}", "name": f"C{number}"}}


def stored(daemon: Daemon) -> int:
    """Workflows and credentials that the store holds, whoever asks."""
    sql = "SELECT (SELECT count(*) FROM workflows) + (SELECT count(*) FROM credentials)"
    with closing(sqlite3.connect(f"file:{daemon.config_dir / 'jackfield.db'}?mode=ro", uri=True)) as connection:
        return int(connection.execute(sql).fetchone()[0])


def ended(daemon: Daemon, body: Mapping[str, Any]) -> dict[str, Any]:
    """The report of an import that nobody breaks off."""
    answer = daemon.admin(timeout=PATIENCE).post("/import", json=body, params={"source": SOURCE, "activate": "true"})
    assert answer.status_code == httpx.codes.OK, answer.text
    return answer.json()  # type: ignore[no-any-return]


def broken_off(daemon: Daemon, body: Mapping[str, Any], chance: random.Random) -> bool:
    """Begin an import, kill the daemon at a random moment of it, and start it again. Whether it was in the middle."""
    api = daemon.admin(timeout=PATIENCE)
    before, most = stored(daemon), len(body["workflows"]) + len(body["credentials"])
    moment = chance.randint(before, most)
    over = threading.Event()

    def send() -> None:
        with suppress(httpx.HTTPError):
            api.post("/import", json=body, params={"source": SOURCE, "activate": "true"})
        over.set()

    sender = threading.Thread(target=send)
    sender.start()
    poll(lambda: over.is_set() or stored(daemon) >= moment, "the import has come so far", timeout=PATIENCE)
    in_the_middle = not over.is_set()
    daemon.kill()
    sender.join(PATIENCE)
    daemon.start(timeout=PATIENCE)
    return in_the_middle


def wrongs(daemon: Daemon, body: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, list[str]]:
    """By kind: what is there twice, half, or points elsewhere."""
    api = daemon.admin(timeout=PATIENCE)
    own = {row["foreignId"]: row["id"] for row in report["results"]}
    found: dict[str, list[str]] = {"twice": [], "again": [], "half": [], "links": [], "report": []}
    for path, wanted in (("/workflows", "workflows"), ("/credentials", "credentials"), ("/variables", "variables")):
        total = api.get(path).json()["total"]
        if total != len(body[wanted]):
            found["twice"].append(f"{total} of {len(body[wanted])} {wanted}")
    if not report["complete"]:
        found["report"].append("not complete")
    for given in body["workflows"]:
        shown = api.get(f"/workflows/{own[given['id']]}").json()
        _, ask, call = shown["nodes"]
        if call["parameters"]["workflowId"] != own[given["nodes"][2]["parameters"]["workflowId"]]:
            found["links"].append(f"{given['name']}: {call['parameters']['workflowId']}")
        if ask["credentials"]["httpHeaderAuth"]["id"] != own[given["nodes"][1]["credentials"]["httpHeaderAuth"]["id"]]:
            found["links"].append(f"{given['name']}: {ask['credentials']}")
        if shown["version"] != 1:
            found["again"].append(f"{given['name']}: version {shown['version']}")
        if not shown["active"] or [tag["name"] for tag in shown["tags"]] != [given["tags"][0]["name"]]:
            found["half"].append(f"{given['name']}: active {shown['active']}, tags {shown['tags']}")
    remembered = _remembered(daemon)
    if missing := own.keys() & {one["id"] for one in body["workflows"] if own[one["id"]] not in remembered}:
        found["half"].append(f"static data of {sorted(missing)}")
    return {kind: which for kind, which in found.items() if which}


def _remembered(daemon: Daemon) -> set[str]:
    with closing(sqlite3.connect(f"file:{daemon.config_dir / 'jackfield.db'}?mode=ro", uri=True)) as connection:
        return {str(row[0]) for row in connection.execute("SELECT workflow_id FROM static_data")}
