"""Nextcloud, Google Cloud Storage and SharePoint: files over WebDAV beside a real server of it, the rest beside doubles
made of the services' references."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from loopback import Loopback, Seen, reply
from service_lab import Services
from vendor_lab import Lab

from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Items

TOKEN = {"accessToken": "canary"}


@pytest.fixture
def services(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Services:
    return Services(lab, monkeypatch)


def rows(made: Items) -> list[Any]:
    return [item["json"] for item in made]


@pytest.fixture
def dav(tmp_path: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """A directory, and the credential of the server that has it."""
    app = pytest.importorskip("wsgidav.wsgidav_app")
    wsgi = pytest.importorskip("cheroot.wsgi")
    folder = tmp_path / "files"
    folder.mkdir()
    users = {"*": {"ada": {"password": "p-w"}}}
    config = {
        "provider_mapping": {"/remote.php/webdav": str(folder)},
        "simple_dc": {"user_mapping": users},
        "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
        "verbose": 0,
        "logging": {"enable": False},
    }
    server = wsgi.Server(("127.0.0.1", 0), app.WsgiDAVApp(config), shutdown_timeout=1)
    server.prepare()
    thread = threading.Thread(target=server.serve)
    thread.start()
    address = f"http://127.0.0.1:{server.bind_addr[1]}/remote.php/webdav"
    yield folder, {"webDavUrl": address, "user": "ada", "password": "p-w"}
    server.stop()
    thread.join()


async def test_nextcloud_keeps_files(services: Services, dav: tuple[Path, dict[str, str]]) -> None:
    folder, values = dav
    file = await services.lab.files.write(b"\x00picture", mime_type="image/png", file_name="p.png")
    given: Any = {"json": {}, "binary": {"data": file}}

    async def run(work: str, item: Any = None, **parameters: Any) -> Items:
        resource, operation = work.split(".")
        wanted = {"resource": resource, "operation": operation, **parameters}
        more = [item] if item else []
        return await services.run("nextCloud", 1, wanted, *more, credential=("nextCloudApi", values))

    await run("folder.create", path="/my files")
    await run("file.upload", given, path="/my files/a #1.png", binaryDataUpload=True)
    await run("file.upload", path="my files/text ü.txt", fileContent="Grüße")
    assert (folder / "my files/a #1.png").read_bytes() == b"\x00picture"
    assert (folder / "my files/text ü.txt").read_text() == "Grüße"
    listed = sorted(rows(await run("folder.list", path="/my files")), key=str)
    assert [(unquote(row["path"]), row["type"]) for row in listed] == [
        ("my files/a #1.png", "file"),
        ("my files/text ü.txt", "file"),
    ]
    assert listed[0]["contentLength"] == "8"
    assert [row["type"] for row in rows(await run("folder.list"))] == ["folder"]
    (found,) = await run("file.download", path="/my files/a #1.png", binaryPropertyName="picture")
    assert await services.lab.files.read(found["binary"]["picture"]) == b"\x00picture"
    assert found["binary"]["picture"]["fileName"] == "a #1.png"
    await run("file.copy", path="/my files/text ü.txt", toPath="/copy.txt")
    await run("file.move", path="/copy.txt", toPath="/my files/moved.txt")
    assert (folder / "my files/moved.txt").read_text() == "Grüße"
    await run("file.delete", path="/my files/moved.txt")
    await run("folder.copy", path="/my files", toPath="/second")
    await run("folder.move", path="/second", toPath="/third")
    await run("folder.delete", path="/my files")
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) == [
        "third",
        "third/a #1.png",
        "third/text ü.txt",
    ]
    for path in ("/../../secret", "/none"):
        with pytest.raises(NodeError, match="status 404"):
            await run("file.download", path=path)
    wrong = {**values, "password": "wrong-and-secret"}
    with pytest.raises(NodeError, match="status 401") as failed:
        await services.run("nextCloud", 1, {"operation": "delete", "path": "/x"}, credential=("nextCloudApi", wrong))
    assert "wrong-and-secret" not in failed.value.message


def ocs(data: str, status: str = "ok", message: str = "") -> bytes:
    meta = f"<meta><status>{status}</status><statuscode>100</statuscode><message>{message}</message></meta>"
    text = f'<?xml version="1.0"?><ocs>{meta}<data>{data}</data></ocs>'
    return reply(text.encode(), content_type="text/xml; charset=UTF-8")


async def test_nextcloud_shares_and_manages_users(services: Services, server: Loopback) -> None:
    values = {"webDavUrl": server.url("/cloud/remote.php/webdav/"), "user": "ada", "password": "p-w"}
    answers = [ocs("<id>7</id><url>https://x/s/abc</url>")]
    server.answer = lambda asked: answers[0]

    async def run(work: str, **parameters: Any) -> list[Any]:
        resource, operation = work.split(".")
        wanted = {"resource": resource, "operation": operation, **parameters}
        return rows(await services.run("nextCloud", 1, wanted, credential=("nextCloudApi", values)))

    def form() -> dict[str, list[str]]:
        return parse_qs(server.seen[-1].body.decode())

    share = {"path": "/a b.txt", "shareType": 4, "email": "bob@example.com", "options": {"permissions": 1}}
    assert await run("file.share", **share) == [{"id": "7", "url": "https://x/s/abc"}]
    assert server.seen[-1].target == "/cloud/ocs/v2.php/apps/files_sharing/api/v1/shares"
    assert server.seen[-1].headers["ocs-apirequest"] == "true"
    assert form() == {
        "path": ["/a b.txt"],
        "shareType": ["4"],
        "shareWith": ["bob@example.com"],
        "permissions": ["1"],
    }
    await run("folder.share", path="/f", user="eve")
    assert (form()["shareType"], form()["shareWith"]) == (["0"], ["eve"])
    prop = "<d:propstat><d:prop><oc:fileid>42</oc:fileid></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>"
    names = 'xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"'
    row = f"<d:response><d:href>/x</d:href>{prop}</d:response>"
    text = f'<?xml version="1.0"?><d:multistatus {names}>{row}</d:multistatus>'
    answers[0] = reply(text.encode(), "207 Multi-Status", content_type="application/xml; charset=utf-8")
    assert await run("file.share", path="/x", shareType=200) == [{"link": server.url("/cloud/f/42")}]
    assert (server.seen[-1].method, server.seen[-1].headers["depth"]) == ("PROPFIND", "0")
    answers[0] = ocs("<id>bob</id>")
    user = {"userId": "bob", "email": "bob@example.com", "additionalFields": {"displayName": "Bob & Co"}}
    assert await run("user.create", **user) == [{"id": "bob"}]
    assert form() == {"userid": ["bob"], "email": ["bob@example.com"], "displayName": ["Bob & Co"]}
    assert (await run("user.update", userId="bob", updateFields={"field": {"key": "email", "value": "x"}}))[0] == {
        "status": "ok",
        "statuscode": "100",
        "message": "",
    }
    assert (server.seen[-1].method, form()) == ("PUT", {"key": ["email"], "value": ["x"]})
    answers[0] = ocs("<users><element>ada</element><element>bob</element></users>")
    assert await run("user.getAll", limit=2, options={"search": "b"}) == [{"id": "ada"}, {"id": "bob"}]
    assert parse_qs(urlsplit(server.seen[-1].target).query) == {"search": ["b"], "limit": ["2"]}
    answers[0] = ocs("<users><element>ada</element></users>")
    assert await run("user.getAll", returnAll=True) == [{"id": "ada"}]
    answers[0] = ocs("", "failure", "The requested user could not be found")
    with pytest.raises(NodeError, match=r"Nextcloud: The requested user could not be found\."):
        await run("user.delete", userId="none")


async def test_google_cloud_storage_keeps_objects(services: Services, server: Loopback) -> None:
    kept: dict[str, Any] = {}

    def answer(asked: Seen) -> bytes:
        parts = urlsplit(asked.target)
        query, path = parse_qs(parts.query), parts.path
        if asked.method == "POST" and path.startswith("/upload/"):
            name = query["name"][0]
            kept[name] = (asked.body, {"name": name, "contentType": asked.headers["content-type"]})
            return reply(kept[name][1])
        if path == "/storage/v1/b/bucket/o":
            names = sorted(kept)
            first = int(query.get("pageToken", ["0"])[0])
            size = min(int(query["maxResults"][0]), 2)
            following = {"nextPageToken": str(first + size)} if first + size < len(names) else {}
            return reply({"items": [kept[name][1] for name in names[first : first + size]], **following})
        name = unquote(path.rpartition("/")[2])
        if name not in kept:
            return reply({"error": {"message": f"No such object: bucket/{name}"}}, "404 Not Found")
        if asked.method == "PATCH":
            kept[name][1].update(asked.json)
        if asked.method == "DELETE":
            del kept[name]
            return reply(b"", "204 No Content")
        return reply(kept[name][0] if query.get("alt") == ["media"] else kept[name][1])

    server.answer = answer

    async def run(operation: str, item: Any = None, **parameters: Any) -> Items:
        wanted = {"resource": "object", "operation": operation, "bucketName": "bucket", **parameters}
        more = [item] if item else []
        return await services.run(
            "googleCloudStorage", 1.1, wanted, *more, credential=("googleCloudStorageOAuth2Api", TOKEN)
        )

    file = await services.lab.files.write(b"\x00picture", mime_type="image/png", file_name="p.png")
    item: Any = {"json": {}, "binary": {"data": file}}
    more: Any = {"metadata": '{"a": "b"}', "cacheControl": "no-store"}
    (made,) = rows(await run("create", item, objectName="a/b #.png", createData=more))
    assert made == {"name": "a/b #.png", "contentType": "image/png", "metadata": {"a": "b"}, "cacheControl": "no-store"}
    first = server.seen[0]
    assert urlsplit(first.target).path == "/upload/storage/v1/b/bucket/o"
    assert first.headers["authorization"] == "Bearer canary"
    await run(
        "create", objectName="t.txt", createFromBinary=False, createContent="ü", createData={"contentType": "text/x"}
    )
    assert kept["t.txt"][0] == "ü".encode()
    (found,) = await run("get", objectName="a/b #.png", alt="media", getParameters={"generation": 5})
    assert await services.lab.files.read(found["binary"]["data"]) == b"\x00picture"
    assert found["binary"]["data"]["fileName"] == "b #.png"
    assert "generation=5" in server.seen[-1].target
    assert rows(await run("get", objectName="t.txt"))[0]["contentType"] == "text/x"
    for name in "xyz":
        await run("create", objectName=name, createFromBinary=False, createContent=name)
    assert len(await run("getAll", returnAll=True)) == 5
    assert len(await run("getAll", maxResults=1)) == 1
    (changed,) = rows(await run("update", objectName="x", updateData={"metadata": {"n": "1"}, "contentLanguage": "de"}))
    assert (changed["metadata"], changed["contentLanguage"]) == ({"n": "1"}, "de")
    assert rows(await run("delete", objectName="x")) == [{"success": True}]
    with pytest.raises(NodeError, match="404: No such object"):
        await run("get", objectName="x")


async def test_google_cloud_storage_manages_buckets(services: Services, server: Loopback) -> None:
    server.answer = lambda asked: reply(
        {"items": [{"id": "one"}, {"id": "two"}]} if asked.method == "GET" else {"id": "b"}
    )

    async def run(operation: str, version: float = 1.1, **parameters: Any) -> list[Any]:
        wanted = {"operation": operation, **parameters}
        credential = ("googleCloudStorageOAuth2Api", TOKEN)
        return rows(await services.run("googleCloudStorage", version, wanted, credential=credential))

    def query() -> dict[str, list[str]]:
        return parse_qs(urlsplit(server.seen[-1].target).query)

    project = {"__rl": True, "mode": "list", "value": "p1"}
    body = {"labels": '{"a": "b"}', "location": "EU"}
    more = {"createAcl": {"predefinedAcl": "private"}, "createBody": body}
    assert await run("create", projectRLC=project, bucketName="b", **more) == [{"id": "b"}]
    assert server.seen[-1].json == {"name": "b", "labels": {"a": "b"}, "location": "EU"}
    assert query() == {"project": ["p1"], "projection": ["noAcl"], "predefinedAcl": ["private"]}
    assert len(await run("getAll", 1, projectId="p2", prefix="x")) == 2
    assert query() == {"project": ["p2"], "prefix": ["x"], "projection": ["noAcl"], "maxResults": ["1000"]}
    assert len(await run("getAll", projectRLC=project, returnAll=True)) == 2
    await run(
        "update", bucketName="b", getFilters={"ifMetagenerationMatch": 3}, createBody={"versioning": {"enabled": True}}
    )
    assert (server.seen[-1].method, query()["ifMetagenerationMatch"]) == ("PATCH", ["3"])
    assert await run("delete", bucketName="b") == [{"success": True}]


class Lists:
    """A list of SharePoint: `answer` serves a loopback server."""

    def __init__(self, server: Loopback) -> None:
        self.items = {"1": {"Title": "one", "N": 1}, "2": {"Title": "two", "N": 2}, "3": {"Title": "two", "N": 3}}
        self._server = server
        server.answer = self.answer

    def answer(self, asked: Seen) -> bytes:
        parts = urlsplit(asked.target)
        query, name = parse_qs(parts.query), parts.path.rpartition("/")[2]
        if "/drive/" in parts.path:
            return self._file(asked, parts.path)
        if asked.method == "POST":
            self.items["4"] = asked.json["fields"]
            return reply(self._row("4"), "201 Created")
        if name == "items":
            wanted = query.get("$filter", [""])[0]
            names = [
                key for key, row in self.items.items() if not wanted or wanted == f"fields/Title eq '{row['Title']}'"
            ]
            if "$skiptoken" not in parts.query and len(names) > 2:
                link = self._server.url(f"{parts.path}?$skiptoken=2")
                return reply({"value": [self._row(key) for key in names[:2]], "@odata.nextLink": link})
            return reply({"value": [self._row(key) for key in (names[2:] if "$skiptoken" in parts.query else names)]})
        if name not in self.items:
            return reply({"error": {"message": "The specified list item was not found"}}, "404 Not Found")
        if asked.method == "PATCH":
            self.items[name] |= asked.json["fields"]
        if asked.method == "DELETE":
            del self.items[name]
            return reply(b"", "204 No Content")
        return reply(self._row(name))

    def _row(self, name: str) -> Any:
        return {"@odata.etag": "x", "id": name, "fields": {"@odata.etag": "y", **self.items[name]}}

    def _file(self, asked: Seen, path: str) -> bytes:
        if path.endswith("/content") and asked.method == "GET":
            return reply(b"content", "200 OK", content_type="text/x-file")
        return reply({"id": "f1", "name": "r é.txt", "size": len(asked.body)})


def columns(*matching: str, **values: Any) -> dict[str, Any]:
    schema = [{"id": name, "type": "url" if name == "Link" else "string"} for name in values]
    return {"mappingMode": "defineBelow", "matchingColumns": [*matching], "value": values, "schema": schema}


@pytest.mark.parametrize("version", [1, 2])
async def test_sharepoint_reads_and_changes_items(services: Services, server: Loopback, version: float) -> None:
    lists = Lists(server)
    credential = ("microsoftOAuth2Api", TOKEN)  # without a subdomain the address is Graph's, in both versions

    async def run(operation: str, **parameters: Any) -> list[Any]:
        wanted = {"resource": "item", "operation": operation, "site": "h,a,b", "list": "L 1", **parameters}
        wanted["authentication"] = "microsoftOAuth2Api"
        return rows(await services.run("microsoftSharePoint", version, wanted, credential=credential))

    assert await run("getAll", returnAll=True) == [{"id": name, "fields": row} for name, row in lists.items.items()]
    assert server.seen[0].target.startswith("/v1.0/sites/h%2Ca%2Cb/lists/L%201/items?")
    assert len(await run("getAll", limit=1, simplify=False, options={"fields": ["id", "fields"]})) == 1
    query = parse_qs(urlsplit(server.seen[-1].target).query)
    assert (query["$select"], query["$expand"]) == (["id,fields"], ["fields"])
    (found,) = await run("get", item="1", simplify=False)
    assert found["@odata.etag"] == "x"
    await run("create", columns=columns(Title="new", Link="https://x"))
    assert lists.items["4"] == {"Title": "new", "Link": {"Description": "https://x", "Url": "https://x"}}
    await run("update", columns=columns("Title", Title="one", N=10))
    assert lists.items["1"]["N"] == 10
    await run("update", columns=columns("id", id="2", N=20))
    assert lists.items["2"] == {"Title": "two", "N": 20}
    await run("upsert", columns=columns("Title", Title="new", N=4))
    assert lists.items["4"]["N"] == 4
    lists.items.pop("4")
    await run("upsert", columns=columns("Title", Title="it's new", N=5))
    assert lists.items["4"] == {"Title": "it's new", "N": 5}
    assert "it''s new" in unquote(server.seen[-2].target).replace("+", " ")
    with pytest.raises(NodeError, match="fit several items"):
        await run("update", columns=columns("Title", Title="two"))
    with pytest.raises(NodeError, match="do not fit any item"):
        await run("update", columns=columns("Title", Title="none"))
    assert await run("delete", item="1") == [{"success": True}]
    with pytest.raises(NodeError, match="404: The specified list item was not found"):
        await run("get", item="1")


@pytest.mark.parametrize(("version", "field"), [(1, "fileContents"), (2, "binaryPropertyName")])
async def test_sharepoint_keeps_files(services: Services, server: Loopback, version: float, field: str) -> None:
    Lists(server)
    file = await services.lab.files.write(b"12345", mime_type="text/plain", file_name="x.txt")
    item: Any = {"json": {}, "binary": {"up": file}}

    async def run(operation: str, *given: Any, **parameters: Any) -> Items:
        wanted = {"resource": "file", "operation": operation, "site": "s", "folder": "root", "file": "f1", **parameters}
        wanted["authentication"] = "microsoftOAuth2Api"
        return await services.run(
            "microsoftSharePoint", version, wanted, *given, credential=("microsoftOAuth2Api", TOKEN)
        )

    assert rows(await run("upload", item, fileName="r é.txt", **{field: "up"}))[0]["size"] == 5
    assert server.seen[-1].target == "/v1.0/sites/s/drive/items/root:/r%20%C3%A9.txt:/content"
    (found,) = await run("download")
    assert await services.lab.files.read(found["binary"]["data"]) == b"content"
    assert found["binary"]["data"]["fileName"] == "r é.txt"
    await run("update", fileName="new.txt")
    assert (server.seen[-1].method, server.seen[-1].json) == ("PATCH", {"name": "new.txt"})
    await run("update", item, changeFileContent=True, fileName="new.txt", **{field: "up"})
    assert [(one.method, urlsplit(one.target).path.rpartition("/")[2]) for one in server.seen[-2:]] == [
        ("PATCH", "f1"),
        ("PUT", "content"),
    ]
