"""Mail, files, calendars and the rest of Google, Microsoft, Box and Dropbox, with parameters as real workflows have
them."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from loopback import Loopback, Seen, reply
from office_lab import VALUES, moved
from vendor_lab import Lab

from jackfield.api.nodes import NodeError

Run = Callable[..., Awaitable[Any]]
PICTURE: Any = {"data": base64.b64encode(b"\x89PNG").decode(), "mimeType": "image/png", "fileName": "a.png"}
WITH_FILE: Any = [{"json": {"k": 1}, "binary": {"data": PICTURE}}]


@pytest.fixture
def run(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr("vendor_lab.CREDENTIALS", VALUES)

    async def ran(kind: str, version: float, parameters: Any, given: Any = None, **more: Any) -> Any:
        return await lab.run(kind, version, parameters, given, node=moved(lab, kind), **more)

    return ran


def path(seen: Seen) -> str:
    return unquote(urlsplit(seen.target).path)


def query(seen: Seen) -> dict[str, list[str]]:
    return parse_qs(urlsplit(seen.target).query)


# ---------------------------------------------------------------------------------------------------------------- gmail


def sent(seen: Seen) -> EmailMessage:
    raw = seen.json.get("raw") or seen.json["message"]["raw"]
    made = message_from_bytes(base64.urlsafe_b64decode(raw + "=="), policy=default)
    assert isinstance(made, EmailMessage)
    return made


async def test_gmail_sends_with_a_file_and_a_name(run: Run, server: Loopback) -> None:
    server.answer = lambda seen: reply({"emailAddress": "me@x.example"} if "profile" in seen.target else {"id": "m1"})
    options = {
        "senderName": "Ada, Countess",
        "ccList": "c@x.example",
        "appendAttribution": False,
        "attachmentsUi": {"attachmentsBinary": [{"property": "data"}]},
    }
    parameters = {
        "sendTo": "ü@x.example, b@x.example",
        "subject": "Grüße\r\nBcc: evil@x.example",
        "message": "<b>x</b>",
    }
    (item,) = await run(
        "gmail", 2.1, {**parameters, "sendTo": "a@x.example, b@x.example", "options": options}, WITH_FILE
    )
    assert item["json"] == {"id": "m1"}
    assert path(server.seen[-1]) == "/gmail/v1/users/me/messages/send"
    made = sent(server.seen[-1])
    assert (made["To"], made["Cc"], made["Bcc"]) == ("a@x.example, b@x.example", "c@x.example", None)
    assert made["Subject"] == "Grüße Bcc: evil@x.example"
    assert made["From"] == '"Ada, Countess" <me@x.example>'
    body = made.get_body(("html",))
    assert body is not None
    assert body.get_content().strip() == "<b>x</b>"
    (file,) = made.iter_attachments()
    assert (file.get_filename(), file.get_content()) == ("a.png", b"\x89PNG")


async def test_gmail_version_1_drafts_where_no_resource_is_named(run: Run, server: Loopback) -> None:
    await run("gmail", 1, {"subject": "S", "message": "t", "additionalFields": {"toList": ["a@x.example"]}})
    assert path(server.seen[0]).endswith("/drafts")
    made = sent(server.seen[0])
    assert (made["To"], made.get_content().strip()) == ("a@x.example", "t")


async def test_gmail_answers_all_but_itself(run: Run, server: Loopback) -> None:
    headers = {
        "From": "Bob <bob@x.example>",
        "To": "me@x.example, Cy <cy@x.example>",
        "Subject": "Hi",
        "Message-ID": "<1>",
    }
    original = {"threadId": "t1", "payload": {"headers": [{"name": n, "value": v} for n, v in headers.items()]}}
    answers = {"profile": {"emailAddress": "ME@x.example"}, "m1": original}
    server.answer = lambda seen: reply(answers.get(path(seen).rpartition("/")[2], {}))
    await run("gmail", 2.1, {"operation": "reply", "messageId": "m1", "emailType": "text", "message": "ok"})
    made = sent(server.seen[-1])
    assert server.seen[-1].json["threadId"] == "t1"
    assert (made["To"], made["Subject"]) == ("Bob <bob@x.example>, Cy <cy@x.example>", "Re: Hi")
    assert (made["In-Reply-To"], made["References"]) == ("<1>", "<1>")


async def test_gmail_lists_messages(run: Run, server: Loopback) -> None:
    def answer(seen: Seen) -> bytes:
        last = path(seen).rpartition("/")[2]
        if last == "labels":
            return reply({"labels": [{"id": "L1", "name": "Work"}]})
        if last == "messages":
            return reply({"messages": [{"id": "a"}, {"id": "b"}]})
        return reply({"id": last, "labelIds": ["L1"], "payload": {"headers": [{"name": "From", "value": "x"}]}})

    server.answer = answer
    filters = {
        "q": "in:inbox",
        "sender": "x@x.example",
        "readStatus": "unread",
        "receivedAfter": "2026-01-02T00:00:00Z",
    }
    found = await run("gmail", 2.1, {"operation": "getAll", "limit": 2, "filters": filters})
    row = {"payload": {}, "From": "x", "labels": [{"id": "L1", "name": "Work"}]}
    assert [item["json"] for item in found] == [{"id": "a", **row}, {"id": "b", **row}]
    assert query(server.seen[0]) == {
        "q": ["in:inbox from:x@x.example is:unread after:1767312000"],
        "maxResults": ["2"],
    }
    assert query(server.seen[1])["format"] == ["metadata"]


async def test_gmail_gets_a_whole_message_with_its_files(run: Run, lab: Lab, server: Loopback) -> None:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "Bob <b@x.example>", "a@x.example", "Hi"
    made.set_content("plain")
    made.add_alternative("<i>x</i>", subtype="html")
    made.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="a.pdf")
    raw = base64.urlsafe_b64encode(made.as_bytes()).decode().rstrip("=")
    server.answer = lambda _: reply({"id": "m", "threadId": "t", "raw": raw})
    parameters = {"operation": "get", "messageId": "m", "simple": False, "options": {"downloadAttachments": True}}
    (item,) = await run("gmail", 2.1, parameters)
    json = item["json"]
    assert (json["id"], json["subject"], json["text"].strip(), json["html"].strip()) == ("m", "Hi", "plain", "<i>x</i>")
    assert json["from"] == {"value": [{"address": "b@x.example", "name": "Bob"}], "text": "Bob <b@x.example>"}
    assert "raw" not in json
    file = item["binary"]["attachment_0"]
    assert (file["fileName"], file["mimeType"]) == ("a.pdf", "application/pdf")
    assert await lab.files.read(file) == b"%PDF"


# --------------------------------------------------------------------------------------------------------------- drive

ROOT = {"__rl": True, "mode": "list", "value": "root"}


async def test_drive_uploads_in_a_session(run: Run, server: Loopback) -> None:
    server.answer = lambda seen: (
        reply(b"", location=server.url("/session?upload_id=u1")) if seen.method == "POST" else reply({"id": "f1"})
    )
    folder = {"__rl": True, "mode": "url", "value": "https://drive.google.com/drive/folders/F-1_x?usp=sharing"}
    drive = {"__rl": True, "mode": "list", "value": "My Drive"}
    (item,) = await run("googleDrive", 3, {"driveId": drive, "folderId": folder, "options": {}}, WITH_FILE)
    assert item["json"] == {"id": "f1"}
    session, content = server.seen
    assert path(session) == "/upload/drive/v3/files"
    assert query(session)["uploadType"] == ["resumable"]
    assert session.headers["x-upload-content-type"] == "image/png"
    assert session.json == {"name": "a.png", "parents": ["F-1_x"]}
    assert (content.method, content.target, content.body) == ("PUT", "/session?upload_id=u1", b"\x89PNG")
    assert content.headers["content-type"] == "image/png"


@pytest.mark.parametrize(
    ("kind", "target", "asked"),
    [
        ("image/png", "/drive/v3/files/f1", {"alt": ["media"]}),
        ("application/vnd.google-apps.spreadsheet", "/drive/v3/files/f1/export", {"mimeType": ["text/csv"]}),
    ],
)
async def test_drive_downloads(run: Run, lab: Lab, server: Loopback, kind: str, target: str, asked: Any) -> None:
    server.answer = lambda seen: (
        reply({"mimeType": kind, "name": "Näme"}) if "fields=" in seen.target else reply(b"xy", content_type="a/b")
    )
    locator = {"__rl": True, "mode": "url", "value": "https://docs.google.com/spreadsheets/d/f1/edit"}
    parameters = {"operation": "download", "fileId": locator, "options": {"binaryPropertyName": "doc"}}
    other = await lab.files.write(b"o", mime_type="text/plain")
    (item,) = await run("googleDrive", 3, parameters, [{"json": {}, "binary": {"other": other}}])
    assert path(server.seen[1]) == target
    assert item["binary"]["other"] == other  # as in n8n, the item keeps its other files
    assert query(server.seen[1]) == {**asked, "supportsAllDrives": ["true"]}
    assert item["binary"]["doc"]["fileName"] == "Näme"
    assert await lab.files.read(item["binary"]["doc"]) == b"xy"


async def test_drive_searches(run: Run, server: Loopback) -> None:
    server.answer = lambda _: reply({"files": [{"id": "1"}]})
    where = {"folderId": {"__rl": True, "mode": "id", "value": "F1"}, "whatToSearch": "files"}
    parameters = {"resource": "fileFolder", "queryString": "it's", "filter": where, "returnAll": True}
    assert [item["json"] for item in await run("googleDrive", 3, parameters)] == [{"id": "1"}]
    asked = query(server.seen[0])
    folder = "application/vnd.google-apps.folder"
    assert asked["q"] == [f"name contains 'it\\'s' and mimeType != '{folder}' and 'F1' in parents and trashed = false"]
    assert asked["fields"] == ["nextPageToken, files(id, name)"]


async def test_drive_moves_and_bins(run: Run, server: Loopback) -> None:
    server.answer = lambda _: reply({"parents": ["a", "b"]})
    await run("googleDrive", 3, {"operation": "move", "fileId": "f1", "folderId": ROOT})
    assert query(server.seen[1])["removeParents"] == ["a,b"]
    assert query(server.seen[1])["addParents"] == ["root"]
    (item,) = await run("googleDrive", 3, {"operation": "deleteFile", "fileId": "f1", "options": {}})
    assert (server.seen[2].method, server.seen[2].json) == ("PATCH", {"trashed": True})
    assert item["json"] == {"id": "f1", "success": True}
    await run("googleDrive", 3, {"operation": "deleteFile", "fileId": "f1", "options": {"deletePermanently": True}})
    assert server.seen[3].method == "DELETE"


# ------------------------------------------------------------------------------------------------- the rest of Google's


async def test_calendar_creates_and_lists(run: Run, server: Loopback) -> None:
    server.answer = lambda _: reply({"items": [{"id": "e"}]})
    calendar = {"__rl": True, "mode": "list", "value": "a@x.example"}
    fields = {"summary": "S", "attendees": ["b@x.example,c@x.example"]}
    times = {"start": "2026-01-02T10:00:00", "end": "2026-01-02T11:00:00"}
    await run("googleCalendar", 1.3, {"calendar": calendar, **times, "additionalFields": fields})
    assert path(server.seen[0]) == "/calendar/v3/calendars/a@x.example/events"
    assert server.seen[0].json == {
        "summary": "S",
        "attendees": [{"email": "b@x.example"}, {"email": "c@x.example"}],
        "reminders": {"useDefault": True},
        "start": {"dateTime": "2026-01-02T10:00:00", "timeZone": "UTC"},
        "end": {"dateTime": "2026-01-02T11:00:00", "timeZone": "UTC"},
    }
    allday = {**times, "additionalFields": {"allday": "yes", "repeatFrecuency": "Daily", "repeatHowManyTimes": 2}}
    await run("googleCalendar", 1.2, {"calendar": calendar, **allday})
    assert server.seen[1].json["start"] == {"date": "2026-01-02"}
    assert server.seen[1].json["recurrence"] == ["RRULE:FREQ=DAILY;COUNT=2"]
    more = {"operation": "getAll", "limit": 10, "timeMin": "2026-01-01T00:00:00Z"}
    assert [item["json"] for item in await run("googleCalendar", 1.3, {"calendar": calendar, **more})] == [{"id": "e"}]
    asked = query(server.seen[2])
    assert asked["timeMin"] == ["2026-01-01T00:00:00Z"]
    assert (asked["maxResults"], asked["singleEvents"], "timeMax" in asked) == (["10"], ["true"], True)


@pytest.mark.parametrize(("busy", "free"), [([], True), ([{"start": "x", "end": "y"}], False)])
async def test_calendar_tells_whether_it_is_free(run: Run, server: Loopback, busy: Any, free: bool) -> None:
    server.answer = lambda _: reply({"calendars": {"c": {"busy": busy}}})
    (item,) = await run("googleCalendar", 1.3, {"resource": "calendar", "calendar": "c"})
    assert item["json"] == {"available": free}


async def test_docs(run: Run, server: Loopback) -> None:
    lines = [{"paragraph": {"elements": [{"textRun": {"content": text}}]}} for text in ("a", "b\n")]
    server.answer = lambda _: reply({"documentId": "d", "body": {"content": [{"sectionBreak": {}}, *lines]}})
    address = "https://docs.google.com/document/d/d1/edit"
    (item,) = await run("googleDocs", 2, {"operation": "get", "documentURL": address})
    assert item["json"] == {"documentId": "d1", "content": "ab\n"}
    actions = {"actionFields": [{"action": "insert", "text": "x"}]}
    await run("googleDocs", 1, {"operation": "update", "documentURL": address, "simple": False, "actionsUi": actions})
    assert path(server.seen[1]) == "/v1/documents/d1:batchUpdate"
    assert server.seen[1].json == {"requests": [{"insertText": {"text": "x", "endOfSegmentLocation": {}}}]}
    odd = {"actionFields": [{"action": "fly", "object": "text"}]}
    with pytest.raises(NodeError, match="The action fly of text is not supported"):
        await run("googleDocs", 2, {"operation": "update", "documentURL": address, "actionsUi": odd})
    await run("googleDocs", 2, {"title": "T", "folderId": "default"})
    assert server.seen[2].json["parents"] == ["root"]


async def test_analytics(run: Run, server: Loopback) -> None:
    rows = [{"dimensionValues": [{"value": "20260101"}], "metricValues": [{"value": "3"}, {"value": "4"}]}]
    heads = {"dimensionHeaders": [{"name": "date"}], "metricHeaders": [{"name": "totalUsers"}, {"name": "eventCount"}]}
    server.answer = lambda _: reply({**heads, "rows": rows})
    parameters = {
        "dateRange": "custom",
        "startDate": "2026-01-01T00:00:00.000Z",
        "endDate": "2026-01-02",
        "metricsGA4": {
            "metricValues": [{}, {"listName": "eventCount"}, {"listName": "other", "name": "active1DayUsers"}]
        },
        "dimensionsGA4": {"dimensionValues": [{}]},
        "propertyId": {"__rl": True, "mode": "list", "value": "448"},
        "additionalFields": {"keepEmptyRows": True},
    }
    (item,) = await run("googleAnalytics", 2, parameters)
    assert item["json"] == {"date": "20260101", "totalUsers": "3", "eventCount": "4"}
    assert path(server.seen[0]) == "/v1beta/properties/448:runReport"
    assert server.seen[0].json == {
        "dateRanges": [{"startDate": "2026-01-01", "endDate": "2026-01-02"}],
        "metrics": [{"name": "totalUsers"}, {"name": "eventCount"}, {"name": "active1DayUsers"}],
        "dimensions": [{"name": "date"}],
        "limit": 50,
        "keepEmptyRows": True,
    }
    with pytest.raises(NodeError, match="Google has closed Universal Analytics"):
        await run("googleAnalytics", 2, {"propertyType": "universal"})


async def test_contacts_change_only_what_is_given(run: Run, server: Loopback) -> None:
    server.answer = lambda _: reply({"resourceName": "people/c1", "etag": "e1"})
    company = {"companyUi": {"companyValues": [{"name": "A", "current": True}]}}
    (item,) = await run("googleContacts", 1, {"operation": "update", "contactId": "c1", "updateFields": company})
    assert item["json"]["contactId"] == "c1"
    assert query(server.seen[1])["updatePersonFields"] == ["organizations"]
    assert server.seen[1].json == {"etag": "e1", "organizations": [{"name": "A", "current": True}]}


async def test_youtube_uploads(run: Run, server: Loopback) -> None:
    server.answer = lambda seen: (
        reply(b"", location=server.url("/session")) if seen.method == "POST" else reply({"id": "v1"})
    )
    parameters = {"resource": "video", "operation": "upload", "title": "T", "categoryId": "27", "regionCode": "IN"}
    (item,) = await run("youTube", 1, {**parameters, "options": {"tags": "a,b"}}, WITH_FILE)
    assert item["json"] == {"uploadId": "v1", "id": "v1"}
    assert server.seen[0].json == {"snippet": {"title": "T", "categoryId": "27", "tags": ["a", "b"]}}
    assert server.seen[1].body == b"\x89PNG"


async def test_slides_and_tasks(run: Run, server: Loopback) -> None:
    texts = {"textValues": [{"text": "{{A}}", "replaceText": "x"}]}
    given = {"operation": "replaceText", "presentationId": "p", "textUi": texts, "options": {"revisionId": ""}}
    await run("googleSlides", 2, given)
    assert server.seen[0].json == {
        "requests": [{"replaceAllText": {"replaceText": "x", "containsText": {"text": "{{A}}"}}}]
    }
    await run("googleTasks", 1, {"task": "l1", "title": "T", "additionalFields": {"dueDate": "2026-01-01T00:00:00Z"}})
    assert path(server.seen[1]) == "/tasks/v1/lists/l1/tasks"
    assert server.seen[1].json == {"title": "T", "due": "2026-01-01T00:00:00Z"}


# ----------------------------------------------------------------------------------------------------------- Microsoft


async def test_outlook_sends_and_lists(run: Run, server: Loopback) -> None:
    def page(seen: Seen) -> bytes:
        more = {} if "skip" in seen.target else {"@odata.nextLink": server.url("/v1.0/me/messages?$skip=1")}
        return reply({"value": [{"id": len(server.seen)}], **more})

    server.answer = page

    fields = {
        "bodyContentType": "html",
        "importance": "High",
        "attachments": {"attachments": [{"binaryPropertyName": "data"}]},
    }
    given = {
        "toRecipients": "a@x.example, b@x.example",
        "subject": "S",
        "bodyContent": "<p>",
        "additionalFields": fields,
    }
    (item,) = await run("microsoftOutlook", 2, given, WITH_FILE)
    assert item["json"] == {"success": True}
    message = server.seen[0].json["message"]
    assert [one["emailAddress"]["address"] for one in message["toRecipients"]] == ["a@x.example", "b@x.example"]
    assert message["body"] == {"content": "<p>", "contentType": "html"}
    assert message["attachments"][0]["contentBytes"] == PICTURE["data"]
    filters = {
        "values": {"filters": {"receivedAfter": "2026-01-02T00:00:00+01:00", "sender": "o'x", "readStatus": "unread"}}
    }
    listed = {"operation": "getAll", "returnAll": True, "output": "fields", "fields": ["subject"], "filtersUI": filters}
    assert [row["json"] for row in await run("microsoftOutlook", 2, listed)] == [{"id": 2}, {"id": 3}]
    asked = query(server.seen[1])
    assert asked["$select"] == ["id,subject"]
    people = "(from/emailAddress/address eq 'o''x' or from/emailAddress/name eq 'o''x')"
    assert asked["$filter"] == [f"receivedDateTime ge 2026-01-01T23:00:00.000Z and isRead eq false and {people}"]
    await run("microsoftOutlook", 1, {"operation": "update", "messageId": "m", "updateFields": {"isRead": True}})
    assert (server.seen[-1].method, server.seen[-1].json) == ("PATCH", {"isRead": True})


async def test_excel_appends_below_the_used_rows(run: Run, server: Loopback) -> None:
    server.answer = lambda _: reply({"address": "Data!B2:C3", "values": [["Name", "Age"], ["Ada", 36]]})
    base = {"resource": "worksheet", "workbook": "w", "worksheet": {"__rl": True, "mode": "id", "value": "{s}"}}
    rows: Any = [{"json": {"Age": 1, "x": 2}}, {"json": {"Name": "B"}}]
    await run("microsoftExcel", 2, {**base, "operation": "append", "dataMode": "autoMap"}, rows)
    assert path(server.seen[1]) == "/v1.0/me/drive/items/w/workbook/worksheets/{s}/range(address='B4:C5')"
    assert server.seen[1].json == {"values": [["", 1], ["B", ""]]}
    fields = {"values": [{"column": "Age", "fieldValue": 37}]}
    match = {"columnToMatchOn": "Name", "valueToMatchOn": "Ada", "fieldsUi": fields}
    await run("microsoftExcel", 2, {**base, "operation": "update", **match})
    assert path(server.seen[3]).endswith("range(address='C3')")
    assert [item["json"] for item in await run("microsoftExcel", 2, {**base, "operation": "readRows"})] == [
        {"Name": "Ada", "Age": 36}
    ]


async def test_onedrive_and_teams(run: Run, server: Loopback) -> None:
    found = [{"name": "a", "file": {}}, {"name": "d", "folder": {"childCount": 1}}]
    server.answer = lambda _: reply({"value": found})
    await run("microsoftOneDrive", 1, {"parentId": "p", "binaryData": True}, WITH_FILE)
    assert (path(server.seen[0]), server.seen[0].body) == ("/v1.0/me/drive/items/p:/a.png:/content", b"\x89PNG")
    parameters = {"resource": "folder", "operation": "search", "query": "o'x"}
    assert [item["json"]["name"] for item in await run("microsoftOneDrive", 1, parameters)] == ["d"]
    assert path(server.seen[1]).endswith("search(q='o''x')")
    chat = {"resource": "chatMessage", "chatId": {"__rl": True, "mode": "list", "value": "19:x"}}
    await run("microsoftTeams", 2, {**chat, "message": "hi", "contentType": "html", "options": {}})
    assert path(server.seen[2]) == "/v1.0/chats/19:x/messages"
    assert server.seen[2].json == {"body": {"contentType": "html", "content": "hi"}}


# ----------------------------------------------------------------------------------------------------- Box and Dropbox


async def test_box(run: Run, server: Loopback) -> None:
    server.answer = lambda _: reply({"entries": [{"id": "1"}]})
    (item,) = await run("box", 1, {"binaryData": True, "fileName": "b.png"}, WITH_FILE)
    assert item["json"] == {"id": "1"}
    for part in (b'{"name":"b.png","parent":{"id":"0"}}', b"\x89PNG"):
        assert part in server.seen[0].body
    await run("box", 1, {"resource": "folder", "name": "n8n-rocks", "options": {}})
    assert server.seen[1].json == {"name": "n8n-rocks", "parent": {"id": "0"}}
    with pytest.raises(NodeError, match="fileName is empty"):
        await run("box", 1, {"fileContent": "x"})


async def test_dropbox(run: Run, server: Loopback) -> None:
    server.answer = lambda _: reply({"entries": [{"name": "a"}], "has_more": True})
    await run("dropbox", 1, {"path": "/ä.zip", "binaryData": True}, WITH_FILE)
    assert server.seen[0].headers["dropbox-api-arg"] == '{"mode": "overwrite", "path": "/\\u00e4.zip"}'
    assert server.seen[0].headers["content-type"] == "application/octet-stream"
    assert server.seen[0].body == b"\x89PNG"
    listed = {"resource": "folder", "operation": "list", "path": "/"}
    assert [item["json"] for item in await run("dropbox", 1, listed)] == [{"name": "a"}]
    assert server.seen[1].json == {"path": "", "limit": 50}
    with pytest.raises(NodeError, match="more than 2000 entries"):
        await run("dropbox", 1, {**listed, "returnAll": True})


async def test_the_credential_that_a_node_has_is_taken(run: Run, server: Loopback) -> None:
    with pytest.raises(NodeError, match="googleApi"):
        await run("googleDocs", 2, {"operation": "get", "documentURL": "d"}, credentials={"googleApi": {"id": "1"}})
    assert server.seen == []


async def test_a_kept_file_as_the_whole_body(lab: Lab, run: Run, server: Loopback) -> None:
    server.answer = lambda _: reply({})
    large = bytes(range(256)) * 400
    file = await lab.files.write(large, mime_type="image/png", file_name="a.png")
    assert file["data"] == ""
    await run("dropbox", 1, {"path": "/a.png", "binaryData": True}, [{"json": {}, "binary": {"data": file}}])
    (seen,) = server.seen
    assert (seen.body, seen.headers["content-length"]) == (large, str(len(large)))
    assert "transfer-encoding" not in seen.headers
