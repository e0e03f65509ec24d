"""Whether a service still has a subscription: what its list says is believed, and gives back an id that was lost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from vendor_trigger_lab import VendorTriggerLab

from jackfield.testing.vendor import VendorDouble

URL = "https://me.example/webhook/x/webhook"
PROVEN = f"{URL}?secret={'5' * 64}"
GONE: dict[str, Any] = {"url": "https://else.example", "name": "another"}


@pytest.fixture
async def lab(tmp_path: Path, vendor: VendorDouble) -> AsyncIterator[VendorTriggerLab]:
    made = VendorTriggerLab(tmp_path, vendor)
    yield made
    await made.close()


NINJA = {"target_url": PROVEN, "is_deleted": False, "id": 1}
AUDIENCE = {"list": "l", "events": ["subscribe"], "sources": ["api"]}
LISTS = [
    ("affinityTrigger", {"events": ["note.created"]}, "/webhook", "", {"webhook_url": PROVEN, "id": 1}),
    ("invoiceNinjaTrigger", {"event": "create_quote"}, "/webhooks", "data", NINJA),
    ("mailchimpTrigger", AUDIENCE, "/lists/l/webhooks", "webhooks", {"url": PROVEN, "id": 1}),
    ("pipedriveTrigger", {}, "/webhooks", "data", {"subscription_url": URL, "id": 1}),
]


@pytest.mark.parametrize(("kind", "parameters", "path", "key", "row"), LISTS, ids=[one[0] for one in LISTS])
async def test_a_list_says_whether_it_is_there(
    lab: VendorTriggerLab, kind: str, parameters: dict[str, Any], path: str, key: str, row: dict[str, Any]
) -> None:
    node = lab.subscriber(kind)
    run = lab.subscription(node, parameters)
    listed: list[dict[str, Any]] = [GONE]
    lab.vendor.answers[path] = lambda seen: {key: listed, "success": True} if key else listed
    assert not await node.check(run)
    listed.append(row)
    assert await node.check(run)
    assert run.state == {"id": 1}


async def test_a_list_that_does_not_exist_is_not_asked_for(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("invoiceNinjaTrigger")
    run = lab.subscription(node, {"event": "create_quote", "apiVersion": "v4"})
    assert not await node.check(run)
    run.state["id"] = 1
    assert await node.check(run)
    assert not lab.vendor.seen


async def test_a_webhook_of_jira_is_found_by_its_name_and_address(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("jiraTrigger")
    run = lab.subscription(node, {"events": ["*"]}, values={"domain": "https://j.example"})
    lab.vendor.answers["/rest/api/2/serverInfo"] = lambda seen: {"deploymentType": "Cloud"}
    lab.vendor.answers["/rest/webhooks/1.0/webhook"] = lambda seen: listed
    listed = [GONE | {"url": PROVEN}]
    assert not await node.check(run)
    await node.subscribe(run)
    made = next(one.body for one in lab.vendor.seen if one.method == "POST")
    listed.append({"name": made["name"], "url": made["url"], "self": "https://j.example/rest/webhooks/1.0/webhook/72"})
    assert await node.check(run)
    assert run.state == {"id": "72", "filePath": "webhooks/1.0/webhook"}


async def test_the_target_of_hubspot_may_have_been_taken_by_another(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("hubspotTrigger")
    run = lab.subscription(node, {"eventsUi": {"eventValues": [{}]}}, values={"appId": "1", "apiKey": "k"})
    assert not await node.check(run)  # 404
    target = {"targetUrl": "https://else.example"}
    lab.vendor.answers["/webhooks/v3/1/settings"] = lambda seen: target
    assert not await node.check(run)
    target["targetUrl"] = URL
    assert await node.check(run)
