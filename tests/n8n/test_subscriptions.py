"""Subscribing triggers beside n8n's own nodes, run in n8n's own contexts: the same requests to the service for
the subscription and its end, and the same items of the same events, signed by the service.

n8n asks whether the subscription is there before it subscribes; how each side asks that is not compared.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest
from tests.plugins.triggers.vendor_trigger_lab import VendorTriggerLab

from jackfield.api.errors import WebhookUnauthorized
from jackfield.api.jsontext import dumps
from jackfield.testing.vendor import Seen, VendorDouble
from jackfield_vendors.templates import as_text

from . import installing
from .further_subscription_cases import CASES as FURTHER
from .more_subscription_cases import CASES as MORE
from .subscription_cases import CASES as FIRST
from .trigger_cases import MOMENT, SECRET, Event, TriggerCase

CASES = [*FIRST, *MORE, *FURTHER]
SCRIPT = Path(__file__).with_name("triggers.js")
SECONDS = 120
URL = "https://me.example/webhook/x/webhook"


def given(case: TriggerCase, action: str, **more: Any) -> dict[str, Any]:
    """The case as the script reads it."""
    replies = [{"path": one.path, "method": one.method, "status": one.status, "body": one.body} for one in case.replies]
    return {
        "kind": case.kind,
        "version": case.version,
        "parameters": case.parameters,
        "credentials": case.credentials,
        "replies": replies,
        "static": case.before if action == "create" and case.before is not None else case.state,
        "action": action,
        **more,
    }


def called(event: Event) -> dict[str, Any]:
    return {
        "method": event.method,
        "headers": {name.lower(): value for name, value in event.headers.items()},
        "query": event.query,
        "body": {event.inside: event.body} if event.inside else event.body,
        "raw": dumps(event.body).decode(),
    }


def of_n8n(asked: list[dict[str, Any]], moment: float = 0) -> list[dict[str, Any]]:
    """What n8n's nodes did. moment: at which their clock stands; 0: it runs. Raises `installing.NotThere`."""
    done = subprocess.run(
        [installing.node(), str(SCRIPT)],
        cwd=installing.directory(),
        env={**os.environ, "MOMENT": str(moment)},
        input=json.dumps(asked).encode(),
        capture_output=True,
        timeout=SECONDS,
        check=True,
    )
    return list(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def theirs() -> Mapping[str, list[dict[str, Any]]]:
    """Label of a case -> what n8n's node did: subscription, end, and each event."""
    asked = []
    for case in CASES:
        asked += [given(case, "create"), given(case, "delete")]
        asked += [given(case, "webhook", call=called(event), webhook=event.webhook) for event in case.events]
    try:
        found = iter(of_n8n(asked, MOMENT))
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    return {case.label: [next(found) for _ in range(2 + len(case.events))] for case in CASES}


@pytest.fixture
def vendor() -> Iterator[VendorDouble]:
    with VendorDouble() as double:
        yield double


def answered(vendor: VendorDouble, case: TriggerCase) -> None:
    for path in {reply.path for reply in case.replies}:
        at = [reply for reply in case.replies if reply.path == path]

        def serve(seen: Seen, at: list[Any] = at) -> Any:
            fits = [reply for reply in at if reply.method in ("", seen.method)]
            return (fits[0].status, fits[0].body) if fits else (404, {"message": "not found"})

        vendor.answers[unquote(path)] = serve


def comparable(requests: list[Any], case: TriggerCase) -> list[Any]:
    """Without what differs on purpose; values of a query as texts."""

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: without(one) for name, one in value.items() if name not in case.hidden}
        if isinstance(value, str) and value.startswith("["):
            return json.loads(value)  # whatever stands between its parts
        return [without(one) for one in value] if isinstance(value, list) else value

    return [
        (
            one["method"],
            one["path"],
            {name: as_text(value) for name, value in (one["query"] or {}).items() if name not in case.hidden},
            without(one["body"] or None),
        )
        for one in requests
    ]


def of_both(theirs: list[Any], case: TriggerCase) -> list[Any]:
    return [one for one in theirs if (one["method"], one["path"]) not in case.only_theirs]


def fields(text: str) -> dict[str, Any]:
    """A form, with `a[0]=1` and `a[b]=1` as the list and the object that they are."""
    found: dict[str, Any] = {}
    for name, value in parse_qsl(text, keep_blank_values=True):
        outer, _, inner = name.partition("[")
        if not inner:
            found[outer] = value
        elif inner[:-1].isdigit() or inner == "]":
            found.setdefault(outer, []).append(value)
        else:
            found.setdefault(outer, {})[inner[:-1]] = value
    return found


def seen_by(vendor: VendorDouble) -> list[Any]:
    found = [
        {
            "method": one.method,
            "path": one.raw_path,
            "query": one.query,
            "body": fields(one.body) if isinstance(one.body, str) else one.body,
        }
        for one in vendor.seen
    ]
    vendor.seen.clear()
    return found


@pytest.mark.parametrize("case", CASES, ids=[case.label for case in CASES])
async def test_a_subscription_is_as_in_n8n(
    case: TriggerCase, theirs: Mapping[str, list[dict[str, Any]]], vendor: VendorDouble, tmp_path: Path
) -> None:
    subscription, end, *events = theirs[case.label]
    lab = VendorTriggerLab(tmp_path, vendor)
    answered(vendor, case)
    node = lab.subscriber(case.kind, "{service}" + case.base)
    values = dict(next(iter(case.credentials.values()), {}))
    run = lab.subscription(node, case.parameters, version=case.version, values=values)
    await node.subscribe(run)
    ours = [one for one in seen_by(vendor) if (one["method"], one["path"]) not in case.besides]
    if not case.unlike:
        assert "error" not in subscription, subscription
        assert comparable(ours, case) == comparable(of_both(subscription["requests"], case), case)
    await node.unsubscribe(run)
    ours = seen_by(vendor)
    if not case.unlike:
        assert comparable(ours, case) == comparable(of_both(end["requests"], case), case)
    for event, found in zip(case.events, events, strict=True):
        assert "error" not in found, found
        query = {**event.query, **event.ours}
        try:
            received = await lab.receive(node, run, event.body, event.headers, query, event.method, MOMENT)
        except WebhookUnauthorized:
            assert event.refused or found["answer"].get("status") == 401, event
            continue
        assert not event.refused, event
        assert found["answer"].get("status") != 401, event
        items = [{"json": item["json"]} for item in received.items or ()] or None
        wanted = [{"json": item["json"]} for item in found["items"] or ()] or None
        assert items == json.loads(json.dumps(wanted).replace(SECRET, "***"))  # n8n's items show it
