"""Executions of a real daemon that wait for calls: exactly one wakes them, over a kill too."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import httpx

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.vendor import VendorDouble

from .asking import ADDRESS, asked, asking_headers


def node(name: str, kind: str, version: float, **parameters: Any) -> dict[str, Any]:
    made = {"id": name, "name": name, "type": f"n8n-nodes-base.{kind}", "typeVersion": version}
    return {**made, "position": [0, 0], "parameters": parameters}


def chain(*nodes: dict[str, Any]) -> dict[str, Any]:
    names = [each["name"] for each in nodes]
    wires = {left: {"main": [[{"node": right, "type": "main", "index": 0}]]} for left, right in pairwise(names)}
    return {"name": "W", "nodes": list(nodes), "connections": wires}


def waiting_run(daemon: Daemon, **wait: Any) -> tuple[str, str]:
    """An execution that waits for a call; its id and its address."""
    url = {"assignments": {"assignments": [{"name": "url", "type": "string", "value": "={{ $execution.resumeUrl }}"}]}}
    document = chain(
        node("Hook", "webhook", 2, path="begin", httpMethod="POST"),
        node("Url", "set", 3.4, **url),
        node("Wait", "wait", 1.1, resume="webhook", **wait),
        node("After", "set", 3.4, assignments={"assignments": [
            {"name": "said", "type": "string", "value": "={{ $json.query.say }}"},
            {"name": "asked", "type": "string", "value": "={{ $('Url').item.json.url }}"},
        ]}),
    )  # fmt: skip
    api = daemon.admin()
    daemon.live(document, api)
    ident = daemon.client().post("/webhook/begin", json={}).json()["executionId"]
    poll(lambda: api.get(f"/executions/{ident}").json()["status"] == "waiting", "it waits")
    shown = api.get(f"/executions/{ident}").json()["nodes"]["Url"][0]["outputs"][0][0]["json"]["url"]
    return ident, str(shown).removeprefix(daemon.base_url)


def test_a_wait_for_a_call_survives_a_kill_and_is_woken_once(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon()
    ident, path = waiting_run(daemon, options={"webhookSuffix": "decide"})
    assert path.startswith(f"/webhook-waiting/{ident}.")
    daemon.kill()
    daemon.start()
    client = daemon.client()
    assert client.get(f"/webhook-waiting/{ident}/decide").status_code == 404
    assert client.get(path).status_code == 404
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: client.get(f"{path}/decide?say=yes").status_code, range(4)))
    assert sorted(answers) == [200, 409, 409, 409]
    api = daemon.admin()
    poll(lambda: api.get(f"/executions/{ident}").json()["status"] == "success", "it ends")
    run = api.get(f"/executions/{ident}").json()
    assert run["data"][0]["json"] == {"said": "yes", "asked": f"{daemon.base_url}{path}"}
    again = client.get(f"{path}/decide")
    assert (again.status_code, again.json()["code"]) == (409, "CONFLICT")


def test_a_call_that_was_answered_is_not_lost_in_a_kill(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon()
    ident, path = waiting_run(daemon)
    assert daemon.client().get(f"{path}?say=go").status_code == 200
    daemon.kill()
    daemon.start()
    api = daemon.admin()
    poll(lambda: api.get(f"/executions/{ident}").json()["status"] == "success", "it ends")
    assert api.get(f"/executions/{ident}").json()["data"][0]["json"]["said"] == "go"


ASKING = """
[node]
kind = "acmeChat"
title = "Acme chat"
base_url = "{url}"

[[operations]]
title = "Ask"
method = "POST"
path = "/messages"
question = {{ approve = "Yes", decline = "No" }}
body = {{ text = "{{$question.message}}", links = "{{$question.choices | pluck:url}}" }}
"""


def test_a_question_survives_a_kill_and_is_answered_once(new_daemon: Callable[..., Daemon]) -> None:
    with VendorDouble() as chat:
        chat.answers["/messages"] = lambda _: (200, {})
        daemon = new_daemon("[nodes.http]\nallowed_networks = ['127.0.0.0/8']\n", start=False)
        (daemon.config_dir / "nodes.d").mkdir()
        (daemon.config_dir / "nodes.d" / "acme.toml").write_text(ASKING.format(url=chat.url))
        daemon.start()
        document = chain(
            node("Hook", "webhook", 2, path="begin", httpMethod="POST"),
            node("Ask", "acmeChat", 1, message="Ship it?", approvalOptions={"values": {"approvalType": "double"}}),
            node("After", "noOp", 1),
        )
        api = daemon.admin()
        daemon.live(document, api)
        ident = daemon.client().post("/webhook/begin", json={}).json()["executionId"]
        poll(lambda: api.get(f"/executions/{ident}").json()["status"] == "waiting", "it waits")
        (sent,) = chat.seen
    assert isinstance(sent.body, dict)
    no, yes = [str(link).removeprefix(daemon.base_url) for link in sent.body["links"]]
    daemon.kill()
    daemon.start()
    client, api = daemon.client(), daemon.admin()
    for link in (no, yes):
        page = client.get(link)
        assert (page.status_code, "Ship it?" in page.text) == (200, True)
    assert api.get(f"/executions/{ident}").json()["status"] == "waiting"
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda link: client.post(link).status_code, [yes, yes, yes, yes]))
    assert sorted(answers) == [200, 409, 409, 409]
    assert client.post(no).status_code == 409
    poll(lambda: api.get(f"/executions/{ident}").json()["status"] == "success", "it ends")
    (item,) = api.get(f"/executions/{ident}").json()["data"]
    assert item["json"]["data"]["approved"] is True


def test_the_caller_may_wait_for_the_end(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon()
    _, path = waiting_run(daemon, httpMethod="POST", responseMode="lastNode")
    assert daemon.client().get(path).status_code == httpx.codes.METHOD_NOT_ALLOWED
    assert daemon.client().post(f"{path}?say=now").json()["said"] == "now"


def test_a_terminal_that_asks_holds_no_stop_up(new_daemon: Callable[..., Daemon]) -> None:
    """One that survives the daemon shows its own dialog further on."""
    daemon = new_daemon()
    headers, api = asking_headers(daemon.config_dir), daemon.client()
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(daemon.client(timeout=60).post, ADDRESS, json=asked("ls"), headers=headers)
        poll(lambda: api.get("/api/agent-approvals").json()["data"], "it is asked")
        assert daemon.stop(timeout=20) == 0
        assert asking.result().status_code == 503
