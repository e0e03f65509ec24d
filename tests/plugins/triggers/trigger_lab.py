"""A daemon with triggers of a made-up service that misbehaves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node
from jackfield.testing.vendor import VendorDouble

POLLED = """
[node]
kind = "acmeTrigger"
title = "Acme Trigger"
trigger = true
base_url = "{url}"

[trigger.poll]
path = "/items"
query = {{ size = 5 }}
rows = "items"
paging = {{ kind = "cursor", send = "page", read = "next" }}
newest_first = true
new = {{ by = "id" }}
"""
SUBSCRIBED = """
[node]
kind = "bellTrigger"
title = "Bell Trigger"
trigger = true
base_url = "{url}"
parameters = [{{ name = "topic", default = "all" }}]

[trigger.subscribe.create]
method = "POST"
path = "/hooks"
body = {{ url = "{{$url}}", secret = "{{$secret}}", topic = "{{topic}}" }}
state = {{ id = "{{$response.id}}" }}
expires = "{{$response.expires}}"

[trigger.subscribe.check]
path = "/hooks"
rows = ""
same = [["{{url}}", "{{$url}}"]]
state = {{ id = "{{id}}" }}

[trigger.subscribe.renew]
method = "POST"
path = "/hooks/{{$state.id}}/renew"
expires = "{{$response.expires}}"

[trigger.subscribe.delete]
method = "DELETE"
path = "/hooks/{{$state.id}}"

[trigger.subscribe.proof]
header = "x-vendor-signature"
prefix = "sha256="

[[trigger.subscribe.handshake]]
when = {{ has = ["{{$query | get:'hub.challenge'}}"] }}
answer = {{ body = "{{$query | get:'hub.challenge'}}" }}

[trigger.subscribe.event]
delivery = "{{$body.id}}"
item = {{ "$merge" = ["{{$body}}"] }}
"""
SETTINGS = """
[nodes.http]
allowed_networks = ["127.0.0.0/8"]

[triggers]
poll_least = 0.1
poll_jitter = 0.05
backoff = 0.2
backoff_most = 0.5
"""
EVERY_SECOND = {"pollTimes": {"item": [{"mode": "custom", "cronExpression": "* * * * * *"}]}}


def made(
    directory: Path, vendor: VendorDouble, settings: str = SETTINGS, env: Mapping[str, str | None] | None = None
) -> Daemon:
    """Not started yet; it knows the address at which the service reaches it."""
    daemon = Daemon(directory, settings=settings, env=env)
    address = f'[server]\npublic_url = "{daemon.base_url}"\n'
    (daemon.config_dir / "config.toml").write_text(settings + address)
    nodes = daemon.config_dir / "nodes.d"
    nodes.mkdir()
    (nodes / "acme.toml").write_text(POLLED.format(url=vendor.url))
    (nodes / "bell.toml").write_text(SUBSCRIBED.format(url=vendor.url))
    return daemon


def polling(**parameters: Any) -> dict[str, Any]:
    """A workflow that hands on what its poll finds."""
    start = node("Acme", "acmeTrigger", {**EVERY_SECOND, **parameters}, version=1)
    return chain("Polls", start, node("End", "noOp", version=1))


def subscribing(**parameters: Any) -> dict[str, Any]:
    start: Any = node("Bell", "bellTrigger", parameters, version=1)
    start["webhookId"] = "bell-1"
    return chain("Rings", start, node("End", "noOp", version=1))


def numbers(api: httpx.Client, workflow: str) -> list[int]:
    """`n` of every item that any ended execution of the workflow began with, oldest execution first."""
    found: list[int] = []
    for ident in reversed(executions(api, workflow)):
        whole = api.get(f"/executions/{ident}").raise_for_status().json()
        found += [item["json"]["n"] for item in whole["data"]]
    return found


def executions(api: httpx.Client, workflow: str) -> list[str]:
    """Ids of all that have ended, newest first."""
    found: list[str] = []
    while True:
        query: dict[str, Any] = {"workflowId": workflow, "status": "success", "limit": 100, "offset": len(found)}
        rows = api.get("/executions", params=query).raise_for_status().json()["data"]
        found += [row["id"] for row in rows]
        if len(rows) < 100:
            return found


def until(probe: Any, told: str, timeout: float = 20) -> Any:
    return poll(probe, told, timeout=timeout)
