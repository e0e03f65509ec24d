"""FTP against aioftp's own server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from integration_fakes import Bench, rows

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError

aioftp = pytest.importorskip("aioftp")
PASSWORD = "ftp-pass-word"
Values = dict[str, dict[str, str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "server"
    made.mkdir()
    return made


@pytest.fixture
async def values(home: Path) -> AsyncIterator[Values]:
    server = aioftp.Server([aioftp.User("ada", PASSWORD, base_path=home)])
    await server.start("127.0.0.1", 0)
    port = server.server.sockets[0].getsockname()[1]
    yield {"ftp": {"host": "127.0.0.1", "port": str(port), "username": "ada", "password": PASSWORD}}
    await server.close()


@pytest.fixture
def node(bench: Bench, values: Values) -> Callable[..., Any]:
    async def run(operation: str, given: Any = None, **more: Json) -> Any:
        return await bench.items("ftp", 1, {"operation": operation, **more}, given, credentials=values)

    return run


async def test_files(bench: Bench, home: Path, node: Callable[..., Any]) -> None:
    item = rows({"n": 1})
    content = bytes(range(256)) * 2000
    item[0]["binary"] = {"data": await bench.files.write(content, mime_type="image/png", file_name="a.png")}
    (made,) = await node("upload", item, path="/new/dir/a.png")
    assert made["json"] == {"success": True}
    assert (home / "new/dir/a.png").read_bytes() == content
    await node("upload", path="/new/t.txt", binaryData=False, fileContent="ü")
    assert (home / "new/t.txt").read_text() == "ü"
    (made,) = await node("download", rows({"n": 1}), path="/new/dir/a.png", binaryPropertyName="file")
    assert made["json"] == {"n": 1}
    assert await bench.files.read(made["binary"]["file"]) == content
    listed = [made["json"] for made in await node("list", path="/", recursive=True)]
    assert {(row["path"], row["type"]) for row in listed} == {
        ("/new", "d"),
        ("/new/dir", "d"),
        ("/new/t.txt", "-"),
        ("/new/dir/a.png", "-"),
    }
    assert next(row["size"] for row in listed if row["name"] == "a.png") == len(content)
    await node("rename", oldPath="/new/t.txt", newPath="/x/y.txt", options={"createDirectories": True})
    await node("delete", path="/x/y.txt")
    await node("delete", path="/x", options={"folder": True})
    await node("delete", path="/new", options={"folder": True, "recursive": True})
    assert list(home.iterdir()) == []


async def test_failures(make_bench: Callable[..., Bench], home: Path, values: Values) -> None:
    (home / "large").write_bytes(b"x" * 5000)
    bench = make_bench()
    with pytest.raises(NodeError, match="FTP: /none: "):
        await bench.json("ftp", 1, {"path": "/none"}, credentials=values)
    with pytest.raises(NodeError, match="control characters"):
        await bench.json("ftp", 1, {"operation": "delete", "path": "/a\r\nDELE large"}, credentials=values)
    assert (home / "large").exists()
    with pytest.raises(NodeError, match="larger than 1024 bytes"):
        await make_bench(max_bytes=1024).json("ftp", 1, {"path": "/large"}, credentials=values)
    wrong = {"ftp": values["ftp"] | {"password": "wrong-and-secret"}}
    with pytest.raises(NodeError, match="No connection to") as failed:
        await bench.json("ftp", 1, {"path": "/large"}, credentials=wrong)
    assert "wrong-and-secret" not in failed.value.message
    secure = {"ftp": values["ftp"] | {"secure": "true"}}
    with pytest.raises(NodeError, match="No connection to"):
        await bench.json("ftp", 1, {"path": "/large"}, credentials=secure)
    with pytest.raises(NodeError, match=r"integrations\.allowed_hosts"):
        await make_bench(allowed_hosts=[]).json("ftp", 1, {"path": "/large"}, credentials=values)
