"""A large file on its way: uploaded to a webhook, read by nodes, answered, kept with its execution, deleted with it."""

from __future__ import annotations

import codecs
import hashlib
from pathlib import Path

import httpx

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, webhook

LARGE = b"name,n\n" + b"".join(f"row-{number},{number}\n".encode() for number in range(20_000))
DIGEST = hashlib.sha256(LARGE).hexdigest()


def kept(daemon: Daemon) -> list[str]:
    root = daemon.config_dir / "binary"
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def executions(api: httpx.Client) -> list[str]:
    found = api.get("/executions").raise_for_status().json()
    return [row["id"] for row in found["data"]] if "data" in found else [row["id"] for row in found["executions"]]


def test_an_uploaded_file(daemon: Daemon) -> None:
    document = chain(
        "upload",
        webhook("upload", responseMode="lastNode", responseData="firstEntryBinary", responseBinaryPropertyName="f"),
        node("Kept", "noOp"),
    )
    daemon.live(document)
    answer = daemon.client().post("/webhook/upload", files={"f": ("rows.csv", LARGE, "text/csv")})
    assert (answer.status_code, answer.headers["content-type"], answer.content) == (200, "text/csv", LARGE)
    api = daemon.admin()
    (execution,) = executions(api)
    assert kept(daemon) == [f"content/{DIGEST[:2]}/{DIGEST}", f"executions/{execution}/{DIGEST}"]
    assert (daemon.config_dir / "binary").stat().st_mode & 0o777 == 0o700
    shown = poll(lambda: done(api, execution), "the execution is stored")
    (item,) = shown["data"]
    file = item["binary"]["f"]
    assert (file["id"], file["data"], file["fileName"], file["bytes"]) == (DIGEST, "", "rows.csv", len(LARGE))
    assert api.delete(f"/executions/{execution}").status_code == 204
    assert kept(daemon) == []


def test_the_digest_of_an_uploaded_file(daemon: Daemon) -> None:
    document = chain(
        "digest",
        webhook("digest", responseMode="lastNode", responseData="firstEntryJson"),
        node("Digest", "crypto", {"type": "SHA256", "binaryData": True, "binaryPropertyName": "f"}, version=1),
    )
    daemon.live(document)
    answer = daemon.client().post("/webhook/digest", files={"f": ("rows.csv", LARGE, "text/csv")})
    assert answer.json()["data"] == DIGEST


def done(api: httpx.Client, execution: str) -> dict[str, list[dict[str, dict[str, dict[str, str]]]]] | None:
    found = api.get(f"/executions/{execution}").raise_for_status().json()
    return found if found["status"] == "success" else None


def test_rows_of_an_uploaded_file_and_back(daemon: Daemon) -> None:
    document = chain(
        "rows",
        webhook("rows", responseMode="lastNode", responseData="firstEntryBinary"),
        node("Rows", "extractFromFile", {"operation": "csv", "binaryPropertyName": "f"}, version=1),
        node("File", "convertToFile", {"operation": "csv"}, version=1.1),
    )
    daemon.live(document)
    answer = daemon.client().post("/webhook/rows", files={"f": ("rows.csv", LARGE, "text/csv")}, timeout=30)
    assert answer.content == codecs.BOM_UTF8 + LARGE.rstrip(b"\n")


def test_files_of_the_machine_are_off_by_default(daemon: Daemon, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("secret")
    read = node("Read", "readWriteFile", {"fileSelector": str(tmp_path / "x")}, version=1)
    run = daemon.admin().post("/workflows/run", json={"workflow": chain("r", node("S", "manualTrigger"), read)})
    assert "nodes.files.root" in run.json()["error"]["message"]
