"""Each shipped trigger against its service's own answers: what it asks, what is new, and the items that n8n gives."""

from __future__ import annotations

import base64
import hashlib
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from vendor_trigger_lab import NOW, VendorTriggerLab

from jackfield.api.errors import WebhookUnauthorized
from jackfield.api.triggers.failures import ServiceRefusal
from jackfield.testing.vendor import Refuse, Seen, VendorDouble
from jackfield_integrations.rss_feed_trigger import RssFeedTriggerNode


@pytest.fixture
async def lab(tmp_path: Path, vendor: VendorDouble) -> AsyncIterator[VendorTriggerLab]:
    made = VendorTriggerLab(tmp_path, vendor)
    yield made
    await made.close()


def message(number: int, seconds: int) -> dict[str, Any]:
    """As Gmail gives it with the format metadata."""
    return {
        "id": f"m{number}",
        "threadId": f"t{number}",
        "labelIds": ["INBOX"],
        "internalDate": str(NOW + seconds * 1000),
        "payload": {"mimeType": "text/plain", "headers": [{"name": "Subject", "value": f"Mail {number}"}]},
    }


async def test_gmail(lab: VendorTriggerLab) -> None:
    mails: dict[str, Any] = {}
    asked: list[str] = []

    def listed(seen: Seen) -> Any:
        asked.append(seen.query.get("q", ""))
        return {"messages": [{"id": ident, "threadId": "t"} for ident in mails]}

    lab.vendor.answers["/messages"] = listed
    lab.vendor.answers["/labels"] = lambda seen: {"labels": [{"id": "INBOX", "name": "Inbox"}]}
    node, state = lab.poller("gmailTrigger"), {}
    parameters = {"simple": True, "filters": {"q": "has:attachment", "sender": "a@x.example"}}
    assert not (await lab.poll(node, parameters, state, version=1.2)).items
    assert not asked  # the first poll takes the present time
    for number in (1, 2):
        mails[f"m{number}"] = message(number, number)
        lab.vendor.answers[f"/messages/m{number}"] = lambda seen, number=number: message(number, number)
    found = (await lab.poll(node, parameters, state, version=1.2)).items
    assert [item["json"]["Subject"] for item in found] == ["Mail 1", "Mail 2"]
    assert found[0]["json"]["labels"] == [{"id": "INBOX", "name": "Inbox"}]
    assert asked == [f"has:attachment from:a@x.example after:{NOW // 1000} -in:draft"]
    assert not (await lab.poll(node, parameters, state, version=1.2)).items
    tested = await lab.poll(node, parameters, {}, version=1.2, test=True)
    assert [item["json"]["id"] for item in tested.items] == ["m1"]


async def test_whole_mails_are_read_beside_the_event_loop(
    lab: VendorTriggerLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of 25 MB takes a second."""
    threads: list[threading.Thread] = []

    def parsed(given: Any) -> Any:
        threads.append(threading.current_thread())
        return {"id": given["message"]["id"]}

    monkeypatch.setattr("jackfield_vendors.messages.mail.parsed", parsed)
    lab.vendor.answers["/messages"] = lambda seen: {"messages": [{"id": "m1", "threadId": "t"}]}
    lab.vendor.answers["/messages/m1"] = lambda seen: {**message(1, 1), "raw": ""}
    node, state = lab.poller("gmailTrigger"), {}
    parameters = {"simple": False}
    await lab.poll(node, parameters, state, version=1.2)
    found = (await lab.poll(node, parameters, state, version=1.2)).items
    assert [item["json"]["id"] for item in found] == ["m1"]
    assert threads
    assert threading.main_thread() not in threads


async def test_a_refusal_says_when_to_come_again(lab: VendorTriggerLab) -> None:
    lab.vendor.misbehave(Refuse(429, 7))
    with pytest.raises(ServiceRefusal) as refused:
        await lab.poll(lab.poller("gmailTrigger"), {}, {"latest": 1.0, "at": {}})
    assert (refused.value.status, refused.value.retry_after) == (429, 7)


async def test_telegram(lab: VendorTriggerLab) -> None:
    hook: dict[str, Any] = {"url": ""}

    def set_webhook(seen: Seen) -> Any:
        hook.update(seen.body)
        return {"ok": True, "result": True}

    lab.vendor.answers["/bot1:t/setWebhook"] = set_webhook
    lab.vendor.answers["/bot1:t/getWebhookInfo"] = lambda seen: {"ok": True, "result": {"url": hook["url"]}}
    lab.vendor.answers["/bot1:t/deleteWebhook"] = lambda seen: hook.update(url="") or {"ok": True}
    node = lab.subscriber("telegramTrigger", "{service}/bot{$credential.accessToken}")
    run = lab.subscription(node, {"updates": ["message", "*"]}, values={"accessToken": "1:t"})
    assert not await node.check(run)
    await node.subscribe(run)
    assert hook == {"url": run.url, "allowed_updates": [], "secret_token": run.secret}
    assert await node.check(run)
    update = {"update_id": 7, "message": {"message_id": 1, "chat": {"id": 5}, "from": {"id": 6}, "text": "hi"}}
    with pytest.raises(WebhookUnauthorized):
        await lab.receive(node, run, update)
    proof = {"x-telegram-bot-api-secret-token": run.secret}
    received = await lab.receive(node, run, update, proof)
    assert (list(received.items or ()), received.delivery) == ([{"json": update}], "7")
    others = {"updates": ["*"], "additionalFields": {"chatIds": "8, 9"}}
    narrow = lab.subscription(node, others, version=1.2, values={"accessToken": "1:t"})
    assert (await lab.receive(node, narrow, update, {**proof})).items is None
    await node.unsubscribe(run)
    assert hook["url"] == ""


async def test_telegram_fetches_files(lab: VendorTriggerLab) -> None:
    lab.vendor.answers["/bot1:t/getFile"] = lambda seen: {"ok": True, "result": {"file_path": "photos/a.jpg"}}
    lab.vendor.answers["/file/bot1:t/photos/a.jpg"] = lambda seen: "picture"
    node = lab.subscriber("telegramTrigger", "{service}/bot{$credential.accessToken}")
    parameters = {"updates": ["message"], "additionalFields": {"download": True}}
    run = lab.subscription(node, parameters, values={"accessToken": "1:t", "baseUrl": lab.vendor.url})
    update = {"update_id": 8, "message": {"photo": [{"file_id": "s"}, {"file_id": "m"}, {"file_id": "l"}]}}
    received = await lab.receive(node, run, update, {"x-telegram-bot-api-secret-token": run.secret})
    (item,) = received.items or ()
    assert item["binary"]["data"]["fileName"] == "a.jpg"
    assert base64.b64decode(item["binary"]["data"]["data"]) == b"picture"
    assert lab.vendor.asked("/bot1:t/getFile")[0].query == {"file_id": "l"}


async def test_github(lab: VendorTriggerLab) -> None:
    hooks: list[Any] = []

    def serve(seen: Seen) -> Any:
        if seen.method == "GET":
            return hooks
        hooks.append({**seen.body, "id": 41})
        return 201, hooks[-1]

    lab.vendor.answers["/repos/o/r/hooks"] = serve
    lab.vendor.answers["/repos/o/r/hooks/41"] = lambda seen: hooks.clear() or (204, None)
    node = lab.subscriber("githubTrigger")
    owner = {"__rl": True, "mode": "url", "value": "https://github.com/o"}
    run = lab.subscription(node, {"owner": owner, "repository": "r", "events": ["push", "issues"]})
    await node.subscribe(run)
    assert run.state == {"id": 41}
    assert hooks[0]["events"] == ["push", "issues"]
    assert hooks[0]["config"] == {"url": run.url, "content_type": "json", "secret": run.secret, "insecure_ssl": "0"}
    run.state.clear()  # as after a crash between the answer and its storage
    assert await node.check(run)
    assert run.state == {"id": 41}
    event = {"ref": "refs/heads/main"}
    signature = {"x-hub-signature-256": "sha256=" + lab.signed(run, event).hex(), "x-github-delivery": "d1"}
    received = await lab.receive(node, run, event, signature)
    (item,) = received.items or ()
    assert (item["json"]["body"], item["json"]["query"], received.delivery) == (event, {}, "d1")
    ping = {"hook_id": 41, "zen": "Keep it logically awesome."}
    proof = {"x-hub-signature-256": "sha256=" + lab.signed(run, ping).hex()}
    assert (await lab.receive(node, run, ping, proof)).items is None
    with pytest.raises(WebhookUnauthorized):
        await lab.receive(node, run, {"ref": "other"}, signature)
    await node.unsubscribe(run)
    assert not hooks
    await node.unsubscribe(run)  # what has gone is done


async def test_typeform(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("typeformTrigger")
    run = lab.subscription(node, {"formId": "f"})
    tags: list[Any] = []

    def put(seen: Seen) -> Any:
        tags.append({**seen.body, "tag": seen.path.rpartition("/")[2]})
        return tags[-1]

    tag = "jackfield-" + hashlib.sha256(run.secret.encode()).hexdigest()[:16]
    lab.vendor.answers[f"/forms/f/webhooks/{tag}"] = put
    lab.vendor.answers["/forms/f/webhooks"] = lambda seen: {"items": tags}
    await node.subscribe(run)
    assert (run.state, tags[0]["url"], tags[0]["secret"]) == ({"tag": tag}, run.url, run.secret)
    assert await node.check(run)
    answers = [
        {"type": "text", "text": "Ada", "field": {"id": "1"}},
        {"type": "choice", "choice": {"label": "Red"}, "field": {"id": "2"}},
        {"type": "choices", "choices": {"labels": ["A", "B"]}, "field": {"id": "3"}},
    ]
    fields = [{"id": "1", "title": "Name"}, {"id": "2", "title": "Color"}, {"id": "3", "title": "Many"}]
    event = {"event_id": "e", "form_response": {"definition": {"fields": fields}, "answers": answers}}
    proof = {"typeform-signature": "sha256=" + base64.b64encode(lab.signed(run, event)).decode()}
    received = await lab.receive(node, run, event, proof)
    simple = {"Name": "Ada", "Color": "Red", "Many": ["A", "B"]}
    assert (list(received.items or ()), received.delivery) == ([{"json": simple}], "e")
    whole = lab.subscription(node, {"formId": "f", "onlyAnswers": False})
    (item,) = (await lab.receive(node, whole, event, proof)).items or ()
    assert item["json"] == {**event, "form_response": {**event["form_response"], "answers": simple}}


def sheet(lab: VendorTriggerLab, rows: list[list[Any]]) -> None:
    """A document with one sheet, which may be changed in place."""
    properties = {"sheetId": 0, "title": "Sheet1"}
    lab.vendor.answers["/spreadsheets/d"] = lambda seen: {"sheets": [{"properties": properties}]}

    def values(seen: Seen) -> Any:
        cells = seen.path.rpartition("!")[2]
        listed = rows[:1] if cells == "A1:ZZZ1" else rows[1:] if cells.startswith("A2:") else rows
        return {"values": listed}

    for cells in ("A1:ZZZ1", "A2:ZZZ", "A:ZZZ"):
        lab.vendor.answers[f"/spreadsheets/d/values/'Sheet1'!{cells}"] = values


LOCATORS = {
    "documentId": {"__rl": True, "mode": "url", "value": "https://docs.google.com/spreadsheets/d/d/edit"},
    "sheetName": {"__rl": True, "mode": "list", "value": "gid=0"},
}


async def test_google_sheets_rows_that_are_added(lab: VendorTriggerLab) -> None:
    rows: list[list[Any]] = [["Name", "Age"], ["Ada", 36]]
    sheet(lab, rows)
    node, state = lab.poller("googleSheetsTrigger"), {}
    parameters = {**LOCATORS, "event": "rowAdded"}
    assert not (await lab.poll(node, parameters, state)).items
    rows += [["Bob", 0], ["Cy"], ["Dan", 4]]
    found = await lab.poll(node, parameters, state, limit=2)
    assert [item["json"] for item in found.items] == [{"Name": "Bob", "Age": ""}, {"Name": "Cy", "Age": ""}]
    assert found.more
    assert [item["json"]["Name"] for item in (await lab.poll(node, parameters, state)).items] == ["Dan"]
    assert not (await lab.poll(node, parameters, state)).items
    tested = await lab.poll(node, parameters, {}, test=True)
    assert len(tested.items) == 4


async def test_google_sheets_rows_that_are_changed(lab: VendorTriggerLab) -> None:
    rows: list[list[Any]] = [["Name", "Age"], ["Ada", 36], ["Bob", 7]]
    sheet(lab, rows)
    node, state = lab.poller("googleSheetsTrigger"), {}
    parameters = {**LOCATORS, "includeInOutput": "both"}
    assert not (await lab.poll(node, parameters, state)).items
    rows[1] = ["Ada", 37]
    rows.append(["Cy", 1])
    changed, new = (item["json"] for item in (await lab.poll(node, parameters, state)).items)
    assert changed == {
        "previous": {"row_number": 2, "change_type": "updated", "Name": "Ada", "Age": 36},
        "current": {"row_number": 2, "change_type": "updated", "Name": "Ada", "Age": 37},
        "differences": {"row_number": 2, "Age": {"previous": 36, "current": 37}},
    }
    assert new["current"] == {"row_number": 4, "change_type": "added", "Name": "Cy", "Age": 1}
    assert not (await lab.poll(node, parameters, state)).items
    updates = {**LOCATORS, "event": "rowUpdate", "options": {"columnsToWatch": ["Age"]}}
    rows[2] = ["Bert", 7]
    rows.append(["Eve", 3])
    assert not (await lab.poll(node, updates, dict(state))).items
    rows[2] = ["Bert", 8]
    (found,) = (await lab.poll(node, updates, dict(state))).items
    assert found["json"] == {"row_number": 3, "Name": "Bert", "Age": 8}


async def test_rss(lab: VendorTriggerLab) -> None:
    lab.vendor.add(2, at=NOW / 1000)
    node = RssFeedTriggerNode(lab.context)
    parameters, state = {"feedUrl": f"{lab.vendor.url}/feed"}, {}
    assert not (await lab.poll(node, parameters, state)).items
    lab.vendor.add(2, at=NOW / 1000 - 60)  # dated back, as entries that waited for a review are
    found = await lab.poll(node, parameters, state)
    assert [item["json"]["title"] for item in found.items] == ["Item 4", "Item 3"]
    assert found.items[0]["json"] == {
        "title": "Item 4",
        "link": "http://x.example/4",
        "pubDate": "Wed, 31 Dec 2025 23:59:00 GMT",
        "guid": "i4",
        "id": "i4",
        "isoDate": "2025-12-31T23:59:00.000Z",
    }
    assert not (await lab.poll(node, parameters, state)).items
    tested = await lab.poll(node, parameters, {}, test=True)
    assert [item["json"]["guid"] for item in tested.items] == ["i4"]
    lab.vendor.misbehave(Refuse(503, 9))
    with pytest.raises(ServiceRefusal) as refused:
        await lab.poll(node, parameters, state)
    assert refused.value.retry_after == 9
