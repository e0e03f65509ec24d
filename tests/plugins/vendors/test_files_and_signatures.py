"""Files that services get, files that they give, and requests that are signed."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import parse_qs

import jwt
import pytest
from loopback import Loopback, Seen, reply
from service_lab import Services
from vendor_lab import Lab

from jackfield.api.http_client import HttpCall
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Item
from jackfield.testing.node_runs import items
from jackfield_credentials.kinds import KINDS
from jackfield_vendors.functions.named import byte_count, new_id, rows_beside
from jackfield_vendors.signing import ghost


@pytest.fixture
def services(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Services:
    return Services(lab, monkeypatch)


def with_file(kind: str, content: bytes, name: str = "a.bin") -> Item:
    [item] = items({})
    item["binary"] = {"data": {"data": base64.b64encode(content).decode(), "mimeType": kind, "fileName": name}}
    return item


def form(seen: Seen) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(seen.body.decode()).items()}


X = ("twitterOAuth1Api", {"consumerKey": "c", "consumerSecret": "consumer-secret"})
UPLOAD = "/1.1/media/upload.json"


async def test_pictures_and_films_go_with_a_post(services: Services, server: Loopback) -> None:
    services.lab.kinds.update({one.name: one for one in KINDS})
    server.answer = lambda seen: reply({"id": 1, "media_id_string": "m1"})
    post: Any = {"resource": "tweet", "operation": "create", "text": "Hi", "additionalFields": {"attachments": "data"}}
    await services.run("twitter", 1, post, with_file("image/png", b"picture"), credential=X)
    picture, status = server.seen
    assert picture.target == UPLOAD
    assert form(picture) == {"media_data": base64.b64encode(b"picture").decode()}
    assert picture.headers["authorization"].startswith("OAuth ")
    assert "media_ids=m1" in status.target
    server.seen.clear()
    await services.run("twitter", 1, post, with_file("video/mp4", b"a film"), credential=X)
    assert [form(one).get("command") for one in server.seen] == ["INIT", "APPEND", "FINALIZE", None]
    assert form(server.seen[0])["total_bytes"] == "6"
    assert base64.b64decode(form(server.seen[1])["media_data"]) == b"a film"
    assert "media_ids=m1" in server.seen[-1].target


@pytest.mark.parametrize(("field", "name"), [("data", "file"), ("source:data", "source")])
async def test_a_file_goes_to_facebook(services: Services, server: Loopback, field: str, name: str) -> None:
    server.answer = lambda _: reply({"id": "v1"})
    given = {
        "node": "me",
        "edge": "videos",
        "graphApiVersion": "v23.0",
        "sendBinaryData": True,
        "binaryPropertyName": field,
    }
    host = server.url("").removeprefix("http://")
    sent = {**given, "httpRequestMethod": "POST", "hostUrl": "graph-video.facebook.com"}
    assert host
    made = await services.run(
        "facebookGraphApi",
        1,
        sent,
        with_file("video/mp4", b"a film", "film.mp4"),
        credential=("facebookGraphApi", {"accessToken": "token-of-facebook"}),
    )
    assert made[0]["json"] == {"id": "v1"}
    [seen] = server.seen
    assert seen.target.startswith("/v23.0/me/videos?")
    assert f'name="{name}"; filename="film.mp4"'.encode() in seen.body
    assert b"video/mp4\r\n\r\na film\r\n" in seen.body


async def test_a_text_becomes_a_file_in_box(services: Services, server: Loopback) -> None:
    server.answer = lambda _: reply({"entries": [{"id": "1"}]})
    text = {
        "resource": "file",
        "operation": "upload",
        "fileName": "a.txt",
        "fileContent": "Hello, \u00e9",
        "parentId": "7",
    }
    made = await services.run("box", 1, text, credential=("boxOAuth2Api", {"accessToken": "token-of-box"}))
    assert made[0]["json"] == {"id": "1"}
    body = server.seen[0].body
    assert b'name="file"; filename="a.txt"' in body
    assert "text/plain\r\n\r\nHello, \u00e9\r\n".encode() in body
    assert json.dumps({"name": "a.txt", "parent": {"id": "7"}}, separators=(",", ":")).encode() in body


async def test_a_picture_is_fetched_at_once(services: Services, server: Loopback) -> None:
    def answer(seen: Seen) -> bytes:
        if seen.target.startswith("/made/"):
            return reply(b"picture", content_type="image/png")
        return reply({"status": "success", "download_url": server.url("/made/a.png")})

    server.answer = answer
    wanted: Any = {
        "resource": "image",
        "operation": "create",
        "imageTemplateId": "t1",
        "download": True,
        "binaryProperty": "shot",
        "options": {"fileName": "b.png"},
    }
    [made] = await services.run(
        "apiTemplateIo", 1, wanted, credential=("apiTemplateIoApi", {"apiKey": "key-of-template"})
    )
    assert made["json"] == {"status": "success", "download_url": server.url("/made/a.png")}
    assert made["binary"]["shot"]["fileName"] == "b.png"
    assert await services.lab.files.read(made["binary"]["shot"]) == b"picture"
    assert "x-api-key" not in server.seen[-1].headers


async def test_contacts_of_mautic_come_page_by_page(services: Services, server: Loopback) -> None:
    def answer(seen: Seen) -> bytes:
        begin = int(seen.target.partition("start=")[2].partition("&")[0])
        rows = {str(n): {"id": n, "fields": {"all": {"n": n}}} for n in range(begin, min(begin + 30, 40))}
        return reply({"total": "40", "contacts": rows})

    server.answer = answer
    wanted = {"resource": "contact", "operation": "getAll", "returnAll": True}
    credential = ("mauticApi", {"url": server.url("").rstrip("/"), "username": "ada", "password": "password-of-mautic"})
    made = await services.run("mautic", 1, wanted, credential=credential)
    assert [one["json"] for one in made] == [{"n": n} for n in range(40)]


async def test_an_answer_of_vlm_run_is_waited_for(services: Services, server: Loopback) -> None:
    def answer(seen: Seen) -> bytes:
        if seen.target.endswith("/predictions/p1"):
            return reply({"id": "p1", "status": "completed", "response": {"total": 4}})
        return reply({"id": "f1"} if seen.target.endswith("/files") else {"id": "p1", "status": "pending"})

    server.answer = answer
    kind = "@vlm-run__n8n-nodes-vlmrun.vlmRun"
    wanted = {"operation": "document", "domain": "document.invoice"}
    [made] = await services.run(
        kind, 1, wanted, with_file("application/pdf", b"%PDF"), credential=("vlmRunApi", {"apiKey": "key-of-vlm"})
    )
    assert made["json"] == {"id": "p1", "status": "completed", "response": {"total": 4}}


def test_requests_of_ghost_are_signed() -> None:
    call = HttpCall("GET", "https://a.example/ghost/api/admin/posts/")
    signed = ghost(call, {"apiKey": "id1:abcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcd"})
    [(name, value)] = signed.headers
    token = value.removeprefix("Ghost ")
    assert name == "authorization"
    assert jwt.get_unverified_header(token) == {"alg": "HS256", "kid": "id1", "typ": "JWT"}
    claims = jwt.decode(
        token,
        bytes.fromhex("abcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcd"),
        ["HS256"],
        audience="/admin/",
    )
    assert claims["exp"] - claims["iat"] == 300
    assert token in signed.secrets
    assert "authorization" in signed.secret_headers


@pytest.mark.parametrize(
    "key", ["", "id1", "id1:", "id1:xyz", ":abcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcd"]
)
def test_a_key_of_ghost_that_is_none(key: str) -> None:
    with pytest.raises(NodeError, match="no admin key"):
        ghost(HttpCall("GET", "https://a.example"), {"apiKey": key})


def test_functions_of_uploads() -> None:
    assert byte_count({"content": base64.b64encode(b"four!").decode()}) == 5
    assert byte_count({}) == 0
    assert rows_beside({"rows": [{"a": 1}], "beside": [{"b": 2}, {"b": 3}]}) == [{"a": 1, "b": 2}]
    assert rows_beside({}) is None
    assert new_id({}) != new_id({})


SLACK = ("slackApi", {"accessToken": "token-of-slack"})


@pytest.mark.parametrize("version", [2, 2.3])
async def test_a_file_goes_to_slack(services: Services, server: Loopback, version: float) -> None:
    def answer(seen: Seen) -> bytes:
        if "getUploadURLExternal" in seen.target:
            return reply({"ok": True, "upload_url": server.url("/upload/1"), "file_id": "F1"})
        return reply({"ok": True, "files": [{"id": "F1"}]}) if "complete" in seen.target else reply("OK - 5")

    server.answer = answer
    options = {"channelId": "C1", "initialComment": "Look", "title": "Film"}
    sent: Any = {
        "resource": "file",
        "operation": "upload",
        "binaryData": True,
        "binaryPropertyName": "data",
        "options": options,
    }
    [made] = await services.run("slack", version, sent, with_file("text/plain", b"hello", "a.txt"), credential=SLACK)
    assert made["json"] == {"id": "F1"}
    place, upload, complete = server.seen
    assert "filename=a.txt&length=5" in place.target
    assert b'filename="a.txt"' in upload.body
    assert "authorization" not in upload.headers
    assert complete.json == {"channel_id": "C1", "initial_comment": "Look", "files": [{"id": "F1", "title": "Film"}]}


async def test_a_text_goes_to_slack_as_a_file(services: Services, server: Loopback) -> None:
    server.answer = lambda seen: reply(
        {"ok": True, "upload_url": server.url("/upload/1"), "file_id": "F1", "files": []}
    )
    sent = {"resource": "file", "operation": "upload", "fileContent": "h\u00e9", "options": {"fileName": "b.txt"}}
    await services.run("slack", 1, sent, credential=SLACK)
    assert "filename=b.txt&length=3" in server.seen[0].target
    assert "h\u00e9".encode() in server.seen[1].body


async def test_a_field_of_a_form_has_several_files_and_json_goes_without_any(
    services: Services, server: Loopback
) -> None:
    server.answer = lambda _: reply({"_id": "~1"})
    given: Any = {
        "resource": "log",
        "operation": "create",
        "taskId": "~2",
        "logFields": {"mappingMode": "defineBelow", "value": {"message": "M", "tags": "a, b"}},
    }
    credential = ("theHiveProjectApi", {"url": server.url(""), "ApiKey": "key-of-hive"})
    item = with_file("text/plain", b"first file")
    item["binary"]["other"] = with_file("text/plain", b"second file", "b.bin")["binary"]["data"]
    attached = {"values": [{"field": "data"}, {"field": " other "}]}
    await services.run("theHiveProject", 1, {**given, "attachmentsUi": attached}, item, credential=credential)
    await services.run("theHiveProject", 1, given, item, credential=credential)
    with_files, without = server.seen
    assert with_files.body.count(b'name="attachments"') == 2
    assert with_files.body.index(b"first file") < with_files.body.index(b"second file")
    assert b'{"message":"M","tags":["a","b"]}' in with_files.body
    assert json.loads(without.body) == {"message": "M", "tags": ["a", "b"]}
