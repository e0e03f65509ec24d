"""The four shipped nodes, with parameters as real workflows have them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from loopback import Loopback, Seen, reply
from vendor_lab import Lab

from jackfield.api.nodes import NodeError

LOCATOR = {"__rl": True, "mode": "id", "value": "C1"}
PAGE = "1d858554d218807c936cd06c8a8ec769"

LARGE = bytes(range(256)) * 400
"""Bytes of a file that is kept outside of its item."""


def only(server: Loopback) -> Seen:
    (seen,) = server.seen
    return seen


# ---------------------------------------------------------------------------------------------------------------- slack


@pytest.mark.parametrize(
    ("version", "parameters", "body"),
    [
        (2.2, {"select": "channel", "channelId": LOCATOR, "text": "hi"}, {"channel": "C1", "text": "hi"}),
        (
            1,
            {"channel": "general", "text": "hi", "otherOptions": {"mrkdwn": True}},
            {"channel": "general", "text": "hi", "mrkdwn": True},
        ),
        (
            2.3,
            {
                "select": "user",
                "user": {"__rl": True, "value": "U1", "mode": "list"},
                "messageType": "block",
                "blocksUi": '{"blocks": [{"type": "divider"}]}',
                "otherOptions": {
                    "thread_ts": {"replyValues": {"thread_ts": 1.5, "reply_broadcast": True}},
                    "includeLinkToWorkflow": False,
                },
            },
            {"channel": "U1", "blocks": [{"type": "divider"}], "thread_ts": "1.5", "reply_broadcast": True},
        ),
    ],
)
async def test_slack_posts(lab: Lab, server: Loopback, version: float, parameters: Any, body: Any) -> None:
    server.answer = lambda _: reply({"ok": True, "ts": "1"})
    named = "ts" if version == 1 else "message_timestamp"
    assert await lab.json("slack", version, parameters) == [{"ok": True, named: "1"}]
    seen = only(server)
    assert (seen.method, seen.target, seen.json) == ("POST", "/chat.postMessage", body)
    assert seen.headers["authorization"] == "Bearer xoxb-secret"


async def test_slack_says_why_it_refuses(lab: Lab, server: Loopback) -> None:
    server.answer = lambda _: reply({"ok": False, "error": "channel_not_found"})
    with pytest.raises(NodeError, match="Slack answered with status 200: channel_not_found"):
        await lab.json("slack", 2.2, {"channelId": LOCATOR, "text": "x"})


async def test_slack_lists_by_cursor(lab: Lab, server: Loopback) -> None:
    def answer(seen: Seen) -> bytes:
        more = "" if "cursor=next%3D" in seen.target else "next="
        return reply({"ok": True, "channels": [{"id": len(server.seen)}], "response_metadata": {"next_cursor": more}})

    server.answer = answer
    parameters = {
        "resource": "channel",
        "operation": "getAll",
        "returnAll": True,
        "filters": {"types": ["public_channel", "im"]},
    }
    assert await lab.json("slack", 2.2, parameters) == [{"id": 1}, {"id": 2}]
    assert "types=public_channel%2Cim" in server.seen[0].target


async def test_slack_defaults_of_a_resource(lab: Lab, server: Loopback) -> None:
    server.answer = lambda _: reply({"ok": True, "user": {"id": "U1"}})
    assert await lab.json("slack", 2.1, {"resource": "user", "user": {"__rl": True, "value": "U1"}}) == [{"id": "U1"}]
    assert only(server).target == "/users.info?user=U1"


# ------------------------------------------------------------------------------------------------------------- telegram


async def test_telegram_sends_text(lab: Lab, server: Loopback) -> None:
    server.answer = lambda _: reply({"ok": True, "result": {"message_id": 5}})
    keyboard = {"rows": [{"row": {"buttons": [{"text": "A", "additionalFields": {"callback_data": "a"}}]}}]}
    fields = {"appendAttribution": False, "disable_notification": True}
    parameters = {
        "chatId": 42,
        "text": "hi",
        "replyMarkup": "inlineKeyboard",
        "inlineKeyboard": keyboard,
        "additionalFields": fields,
    }
    assert (await lab.json("telegram", 1.2, parameters))[0]["ok"] is True
    seen = only(server)
    assert seen.target == "/bot123:secret/sendMessage"
    assert seen.json == {
        "chat_id": "42",
        "text": "hi",
        "parse_mode": "Markdown",
        "disable_notification": True,
        "reply_markup": {"inline_keyboard": [[{"text": "A", "callback_data": "a"}]]},
    }


async def test_telegram_sends_a_photo_of_the_item(lab: Lab, server: Loopback) -> None:
    server.answer = lambda _: reply({"ok": True})
    file: Any = {"data": base64.b64encode(b"\x89PNG").decode(), "mimeType": "image/png", "fileName": "a.png"}
    parameters = {"operation": "sendPhoto", "chatId": "1", "binaryData": True, "additionalFields": {"caption": "ä"}}
    await lab.run("telegram", 1.2, parameters, [{"json": {}, "binary": {"data": file}}])
    seen = only(server)
    assert seen.headers["content-type"].startswith("multipart/form-data")
    for part in (b'name="photo"; filename="a.png"', b"\x89PNG", "ä".encode(), b'name="chat_id"'):
        assert part in seen.body


async def test_a_kept_file_goes_into_a_form(lab: Lab, server: Loopback) -> None:
    server.answer = lambda _: reply({"ok": True})
    file = await lab.files.write(LARGE, mime_type="image/png", file_name="a.png")
    assert file["data"] == ""
    given: Any = [{"json": {}, "binary": {"data": file}}]
    await lab.run("telegram", 1.2, {"operation": "sendPhoto", "chatId": "1", "binaryData": True}, given)
    seen = only(server)
    assert b'name="photo"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n' + LARGE + b"\r\n--" in seen.body
    assert (seen.headers["content-length"], "transfer-encoding" in seen.headers) == (str(len(seen.body)), False)


async def test_a_large_download_is_kept(lab: Lab, server: Loopback) -> None:
    answers = [reply(LARGE, content_type="image/png; x=1"), reply({"message": "no"}, "400 Bad")]
    server.answer = lambda _: answers.pop(0)
    parameters = {"chartType": "bar", "output": "out", "data": "[1]"}
    (item,) = await lab.run("quickChart", 1, parameters)
    file = item["binary"]["out"]
    assert (file["mimeType"], file["bytes"], lab.files.kept[file["id"]]) == ("image/png", len(LARGE), LARGE)
    with pytest.raises(NodeError, match="answered with status 400"):
        await lab.run("quickChart", 1, parameters)


async def test_telegram_gets_a_file(lab: Lab, server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    from vendor_lab import CREDENTIALS

    server.answer = lambda seen: (
        reply({"ok": True, "result": {"file_path": "photos/a.jpg"}})
        if "getFile" in seen.target
        else reply(b"\xff\xd8", content_type="image/jpeg")
    )
    here = {"telegramApi": {**CREDENTIALS["telegramApi"], "baseUrl": server.url("")}}
    monkeypatch.setattr("vendor_lab.CREDENTIALS", here)
    (item,) = await lab.run("telegram", 1.2, {"resource": "file", "fileId": "f1"})
    assert [seen.target for seen in server.seen] == [
        "/bot123:secret/getFile?file_id=f1",
        "/file/bot123:secret/photos/a.jpg",
    ]
    assert await lab.files.read(item["binary"]["data"]) == b"\xff\xd8"


async def test_telegram_does_not_show_its_token(lab: Lab, server: Loopback) -> None:
    server.answer = lambda seen: reply({"ok": False, "description": f"bad {seen.target}"}, "400 Bad")
    with pytest.raises(NodeError, match=r"\*\*\*") as caught:
        await lab.run("telegram", 1.2, {"chatId": "1", "text": "x"})
    assert "123:secret" not in caught.value.message


async def test_an_empty_required_parameter_is_named(lab: Lab, server: Loopback) -> None:
    with pytest.raises(NodeError, match="The parameter chatId is empty"):
        await lab.run("telegram", 1.2, {"text": "x"})
    assert server.seen == []


# --------------------------------------------------------------------------------------------------------------- notion

PROPERTIES = [
    ({"key": "Name|title", "title": "T"}, {"title": [{"type": "text", "text": {"content": "T"}}]}),
    ({"key": "Note|rich_text", "textContent": "x"}, {"rich_text": [{"type": "text", "text": {"content": "x"}}]}),
    ({"key": "Qty|number", "numberValue": "3"}, {"number": 3}),
    ({"key": "State|status", "statusValue": "Done"}, {"status": {"name": "Done"}}),
    ({"key": "Tags|multi_select", "multiSelectValue": "a, b"}, {"multi_select": [{"name": "a"}, {"name": "b"}]}),
    ({"key": "Ok|checkbox", "checkboxValue": False}, {"checkbox": False}),
    ({"key": "At|date", "date": "2026-01-02T03:04:05Z", "includeTime": False}, {"date": {"start": "2026-01-02"}}),
    ({"key": "At|date", "date": "2026-01-02T03:04:05Z"}, {"date": {"start": "2026-01-02T03:04:05Z"}}),
    (
        {"key": "F|files", "fileUrls": {"fileUrl": [{"name": "n", "url": "https://x/"}]}},
        {"files": [{"type": "external", "name": "n", "external": {"url": "https://x/"}}]},
    ),
]


@pytest.mark.parametrize(("row", "made"), PROPERTIES)
async def test_notion_writes_properties(lab: Lab, server: Loopback, row: Any, made: Any) -> None:
    parameters = {
        "resource": "databasePage",
        "operation": "update",
        "pageId": {"__rl": True, "mode": "url", "value": f"https://www.notion.so/A-Title-{PAGE}?pvs=4"},
        "propertiesUi": {"propertyValues": [row]},
        "simple": False,
    }
    await lab.json("notion", 2.2, parameters)
    seen = only(server)
    assert (seen.method, seen.target) == ("PATCH", f"/pages/{PAGE}")
    assert seen.json == {"properties": {row["key"].split("|")[0]: made}}
    assert seen.headers["notion-version"] == "2022-06-28"


async def test_notion_queries_with_filters_and_pages(lab: Lab, server: Loopback) -> None:
    page = {
        "id": "p1",
        "url": "https://n/p1",
        "properties": {
            "Task name": {"type": "title", "title": [{"plain_text": "Do "}, {"plain_text": "it"}]},
            "State": {"type": "status", "status": {"name": "Open"}},
        },
    }
    server.answer = lambda seen: reply(
        {"results": [page], "next_cursor": None if "start_cursor" in seen.json else "c2"}
    )
    conditions = [
        {"key": "State|status", "condition": "equals", "statusValue": "Open"},
        {"key": "Created time|created_time", "condition": "past_week"},
    ]
    parameters = {
        "resource": "databasePage",
        "operation": "getAll",
        "databaseId": {"__rl": True, "mode": "id", "value": PAGE},
        "returnAll": True,
        "filterType": "manual",
        "matchType": "allFilters",
        "filters": {"conditions": conditions},
    }
    found = await lab.json("notion", 2.2, parameters)
    row = {"id": "p1", "name": "Do it", "url": "https://n/p1", "property_task_name": "Do it", "property_state": "Open"}
    assert found == [row, row]
    assert server.seen[0].json == {
        "filter": {
            "and": [
                {"property": "State", "status": {"equals": "Open"}},
                {"timestamp": "created_time", "created_time": {"past_week": {}}},
            ]
        },
        "page_size": 100,
    }
    assert server.seen[1].json["start_cursor"] == "c2"


async def test_notion_creates_a_page_with_blocks(lab: Lab, server: Loopback) -> None:
    blocks = {"blockValues": [{"type": "paragraph", "textContent": "Hello"}]}
    await lab.json(
        "notion", 2.2, {"pageId": {"__rl": True, "mode": "id", "value": PAGE}, "title": "T", "blockUi": blocks}
    )
    body = only(server).json
    assert body["parent"] == {"page_id": PAGE}
    assert body["properties"]["title"][0]["text"]["content"] == "T"
    assert body["children"][0]["paragraph"]["rich_text"][0]["text"]["content"] == "Hello"


# --------------------------------------------------------------------------------------------------------------- github

REPO = {
    "owner": {"__rl": True, "mode": "url", "value": "https://github.com/ada/"},
    "repository": {"__rl": True, "mode": "name", "value": "it"},
}


async def test_github_gets_a_file(lab: Lab, server: Loopback) -> None:
    server.answer = lambda _: reply({"name": "a.json", "content": base64.b64encode(b"{}").decode() + "\n"})
    parameters = {"resource": "file", "operation": "get", "filePath": "/docs/../a b.json", **REPO}
    (item,) = await lab.run("github", 1, parameters)
    assert only(server).target == "/repos/ada/it/contents/docs/a%20b.json"
    assert await lab.files.read(item["binary"]["data"]) == b"{}"
    assert item["binary"]["data"]["fileName"] == "a.json"


async def test_github_edits_a_file_that_it_looked_up(lab: Lab, server: Loopback) -> None:
    server.answer = lambda seen: reply({"sha": "abc"} if seen.method == "GET" else {"commit": {}})
    parameters = {
        "resource": "file",
        "operation": "edit",
        "filePath": "a",
        "fileContent": "x",
        "commitMessage": "m",
        **REPO,
    }
    await lab.json("github", 1, parameters)
    assert server.seen[1].json == {"message": "m", "content": "eA==", "sha": "abc"}


async def test_github_follows_links_up_to_the_limit(lab: Lab, server: Loopback) -> None:
    def answer(seen: Seen) -> bytes:
        number = len(server.seen)
        return reply([{"id": number}], link=f'<{server.url(f"/next/{number}")}>; rel="next"')

    server.answer = answer
    parameters = {"resource": "release", "operation": "getAll", "limit": 3, **REPO}
    assert await lab.json("github", 1, parameters) == [{"id": 1}, {"id": 2}, {"id": 3}]
    assert server.seen[0].target == "/repos/ada/it/releases?per_page=3"


async def test_github_does_not_leave_its_server_for_a_link(lab: Lab, server: Loopback) -> None:
    server.answer = lambda _: reply([{"id": 1}], link='<http://localhost:1/steal>; rel="next"')
    parameters = {"resource": "release", "operation": "getAll", "returnAll": True, **REPO}
    assert await lab.json("github", 1, parameters) == [{"id": 1}]


async def test_a_path_cannot_be_left(lab: Lab, server: Loopback) -> None:
    parameters = {"resource": "issue", "operation": "get", "issueNumber": 1, "owner": "a%2e", "repository": "a/b?c#d"}
    await lab.json("github", 1, parameters)
    assert only(server).target == "/repos/a%252e/a%2Fb%3Fc%23d/issues/1"


@pytest.mark.parametrize("name", [".", ".."])
async def test_a_path_is_not_climbed(lab: Lab, server: Loopback, name: str) -> None:
    parameters = {"resource": "issue", "operation": "get", "issueNumber": 1, **REPO, "owner": name}
    with pytest.raises(NodeError, match="which is no name"):
        await lab.json("github", 1, parameters)
    assert server.seen == []


async def test_a_link_after_a_redirect_does_not_take_the_credential_along(lab: Lab, server: Loopback) -> None:
    """The redirect drops the credential; the next page at that place would get it again."""
    elsewhere = f"http://localhost:{server.port}"

    def answer(seen: Seen) -> bytes:
        if seen.headers["host"].startswith("127."):
            return reply("", "302 Found", location=f"{elsewhere}/rows")
        return reply([{"id": 1}], link=f'<{elsewhere}/steal>; rel="next"')

    server.answer = answer
    parameters = {"resource": "release", "operation": "getAll", "returnAll": True, **REPO}
    assert await lab.json("github", 1, parameters) == [{"id": 1}]
    assert [seen.target for seen in server.seen[1:]] == ["/rows"]
    assert "authorization" not in server.seen[1].headers


async def test_the_pages_of_a_list_are_bounded(lab: Lab, server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jackfield_vendors.requests.paging.MOST_BYTES", 1000)
    server.answer = lambda _: reply(
        [{"id": "x" * 300}], link=f'<{server.url(f"/next/{len(server.seen)}")}>; rel="next"'
    )
    parameters = {"resource": "release", "operation": "getAll", "returnAll": True, **REPO}
    with pytest.raises(NodeError, match="more than 1000 bytes"):
        await lab.json("github", 1, parameters)
    assert len(server.seen) == 4


async def test_a_list_that_leads_back_to_itself_ends(lab: Lab, server: Loopback) -> None:
    server.answer = lambda _: reply([{"id": 1}], link=f'<{server.url("/again")}>; rel="next"')
    parameters = {"resource": "release", "operation": "getAll", "returnAll": True, **REPO}
    with pytest.raises(NodeError, match="the same page"):
        await lab.json("github", 1, parameters)
    assert len(server.seen) == 2


async def test_errors_become_items_when_the_node_goes_on(lab: Lab, server: Loopback) -> None:
    server.answer = lambda _: reply({"message": "Not Found"}, "404 Not Found")
    parameters = {"resource": "repository", "operation": "get", **REPO}
    found = await lab.json("github", 1, parameters, on_error="continueRegularOutput")
    assert json.loads(json.dumps(found)) == [{"error": "GitHub answered with status 404: Not Found."}]
