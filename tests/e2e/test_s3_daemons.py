"""Two daemons over one PostgreSQL and one bucket: files and long outputs of one are there for the other."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook
from jackfield.testing.postgres import PostgresServer
from jackfield.testing.s3 import ACCESS_KEY, SECRET_KEY, S3Server

StartDaemon = Callable[..., Daemon]
LARGE = os.urandom(300_000)
ROWS = [{"n": number, "text": "x" * 40} for number in range(2000)]


def settings(bucket: str, server: S3Server) -> str:
    return (
        '[binary]\nname = "s3"\n'
        f'[binary.s3]\nbucket = "{bucket}"\nendpoint = "{server.endpoint}"\npresigned = 60\nretries = 0\ntimeout = 2\n'
    )


OURS = {"JACKFIELD_BINARY_S3_ACCESS_KEY_ID": ACCESS_KEY, "JACKFIELD_BINARY_S3_SECRET_ACCESS_KEY": SECRET_KEY}
AMAZONS = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}


@pytest.fixture
def bucket(jackfield_s3: S3Server) -> str:
    return jackfield_s3.new_bucket()


@pytest.fixture
def two(
    new_daemon: StartDaemon, jackfield_postgres: PostgresServer, jackfield_s3: S3Server, bucket: str
) -> tuple[Daemon, Daemon]:
    text = settings(bucket, jackfield_s3) + (
        f'[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{jackfield_postgres.new_name()}"\n'
        "[executions]\nlease = 1\nrenewal_interval = 0.2\npoll_interval = 1\nspill_bytes = 50_000\n"
    )
    env = {
        "JACKFIELD_STORE_POSTGRES_DSN": jackfield_postgres.dsn(),
        "JACKFIELD_ENCRYPTION_KEY": "an-encryption-key-that-both-daemons-have",
    }
    return new_daemon(text, env={**env, **OURS}), new_daemon(text, env={**env, **AMAZONS})


def finished(api: httpx.Client) -> list[dict[str, Any]] | None:
    found = api.get("/executions").raise_for_status().json()["data"]
    assert "failed" not in {row["status"] for row in found}, [api.get(f"/executions/{row['id']}").text for row in found]
    return found if [row["status"] for row in found] == ["success"] * 2 else None


def test_the_other_daemon_has_the_files(two: tuple[Daemon, Daemon], bucket: str, jackfield_s3: S3Server) -> None:
    first, second = two
    for daemon in two:
        assert SECRET_KEY.encode() not in Path(f"/proc/{daemon.pid}/environ").read_bytes()
    wait = node("Wait", "wait", {"resume": "timeInterval", "amount": 2, "unit": "seconds"}, version=1.1)
    digest = node("Digest", "crypto", {"type": "SHA256", "binaryData": True, "binaryPropertyName": "f"}, version=1)
    first.live(chain("File", webhook("file"), wait, digest))
    first.live(chain("Rows", webhook("rows"), node("Pass", "noOp"), wait, set_fields("Set", done=True)))
    client, api = first.client(), second.admin()
    assert client.post("/webhook/file", files={"f": ("a.bin", LARGE, "application/x-own")}).status_code == 200
    assert client.post("/webhook/rows", json={"rows": ROWS}).status_code == 200
    first.kill()
    rows = poll(lambda: finished(api), "the other daemon has brought both to their end", timeout=30)
    whole = [api.get(f"/executions/{row['id']}", params={"items": 1}).raise_for_status().text for row in rows]
    assert sum(hashlib.sha256(LARGE).hexdigest() in text for text in whole) == 1
    assert not (second.config_dir / "binary").exists()
    assert len(jackfield_s3.client().list_objects_v2(Bucket=bucket)["Contents"]) >= 3, "a file, and spilled outputs"
    (execution,) = [row["id"] for row, text in zip(rows, whole, strict=True) if "x-own" in text]
    downloaded(api, execution)
    for daemon in two:
        assert SECRET_KEY not in daemon.tail(1_000_000)


def downloaded(api: httpx.Client, execution: str) -> None:
    """A client is sent to the bucket; a script of a page gets the file here."""
    address = f"/executions/{execution}/file?run=0&output=0&item=0&name=f"
    sent = api.get(address)
    assert (sent.status_code, sent.headers["referrer-policy"]) == (307, "no-referrer")
    answer = httpx.get(sent.headers["location"])
    assert (answer.content, answer.headers["content-type"]) == (LARGE, "application/x-own")
    assert answer.headers["content-disposition"] == 'attachment; filename="a.bin"'
    here = api.get(address, headers={"Sec-Fetch-Mode": "cors"})
    assert (here.status_code, here.content) == (200, LARGE)
    assert here.headers["content-disposition"] == answer.headers["content-disposition"]


def test_a_daemon_without_its_bucket(new_daemon: StartDaemon, jackfield_s3: S3Server, bucket: str) -> None:
    """It starts and says so; what has large files is refused, and the rest works."""
    text = settings(bucket, jackfield_s3).replace(jackfield_s3.endpoint, "http://127.0.0.1:1")
    daemon = new_daemon(text, env=OURS)
    daemon.live(chain("File", webhook("file"), node("Pass", "noOp")))
    client = daemon.client()
    poll(lambda: "files over binary.inline_limit fail" in daemon.tail(100_000), "the log tells")
    assert client.post("/webhook/file", json={"a": 1}).status_code == 200
    answer = client.post("/webhook/file", files={"f": ("a.bin", LARGE, "application/x-own")})
    assert (answer.status_code, answer.json()["code"]) == (503, "BINARY_STORE_UNAVAILABLE")
    assert "Traceback" not in daemon.tail(100_000)
    assert SECRET_KEY not in daemon.tail(100_000)


def test_a_store_and_its_files_move_into_a_bucket_and_back(
    new_daemon: StartDaemon, jackfield_s3: S3Server, bucket: str, tmp_path: Path
) -> None:
    """An execution that waits has its file wherever it goes on."""
    in_bucket = settings(bucket, jackfield_s3).replace("presigned = 60", "presigned = 0")
    on_disk = in_bucket.replace('name = "s3"', 'name = "disk"')
    daemon = new_daemon(on_disk, env=OURS)
    wait = node("Wait", "wait", {"resume": "timeInterval", "amount": 12, "unit": "seconds"}, version=1.1)
    daemon.live(chain("Plain", webhook("plain"), node("Pass", "noOp")))
    daemon.live(chain("Waits", webhook("waits"), wait, node("Pass", "noOp")))
    plain, waits = given(daemon, "plain", "success"), given(daemon, "waits", "waiting")
    daemon.stop()

    moved, back = tmp_path / "moved.db", tmp_path / "back.db"
    assert copied(daemon, "--files-to", "disk")["error"]["code"] == "VALIDATION_ERROR", "they are there"
    (file,) = (path for path in (daemon.config_dir / "binary" / "content").rglob("*") if path.is_file())
    file.write_bytes(LARGE[:-1])
    cut = copied(daemon, "--to", str(moved), "--files-to", "s3")
    assert (cut["equal"], cut["copied"]["damaged"], moved.exists()) == (False, [file.name], False)
    file.write_bytes(LARGE)
    there = copied(daemon, "--to", str(moved), "--files-to", "s3")
    assert (there["equal"], there["copied"]["files"], there["copied"]["references"]) == (True, 1, 2)
    assert there["copied"]["checksum"] == there["copied"]["copiedChecksum"]
    assert {row["table"]: row["copiedRows"] for row in there["tables"]}["file_references"] == 2
    shutil.rmtree(daemon.config_dir / "binary")
    begin_on(daemon, moved, in_bucket)
    assert ended(daemon, waits) == ended(daemon, plain) == LARGE
    fresh = given(daemon, "plain", "success")
    daemon.stop()

    again = copied(daemon, "--to", str(back), "--files-to", "disk")
    assert (again["equal"], again["copied"]["files"], again["copied"]["references"]) == (True, 2, 3)
    client = jackfield_s3.client()
    for found in client.list_objects_v2(Bucket=bucket)["Contents"]:
        client.delete_object(Bucket=bucket, Key=found["Key"])
    begin_on(daemon, back, on_disk)
    assert ended(daemon, waits) == ended(daemon, plain) == ended(daemon, fresh) == LARGE
    daemon.stop()

    alone = copied(daemon, "--files-to", "s3")
    assert (alone["equal"], alone["copied"]["sent"], alone["tables"]) == (True, 2, [])
    shutil.rmtree(daemon.config_dir / "binary")
    begin_on(daemon, back, in_bucket)
    assert ended(daemon, fresh) == LARGE
    assert "takes them" in command(daemon, "doctor")


def given(daemon: Daemon, path: str, status: str) -> str:
    """An execution that has a file, once it has come so far."""
    answer = daemon.client().post(f"/webhook/{path}", files={"f": ("a.bin", LARGE, "application/x-own")})
    ident = str(answer.json()["executionId"])
    api = daemon.admin()
    poll(lambda: api.get(f"/executions/{ident}").json().get("status") == status, f"it is {status}")
    return ident


def ended(daemon: Daemon, execution: str) -> bytes:
    """The file of the execution's last node."""
    api = daemon.admin()
    poll(lambda: api.get(f"/executions/{execution}").json()["status"] == "success", "it ends", timeout=40)
    answer = api.get(f"/executions/{execution}/file?run=0&output=0&item=0&name=f")
    assert answer.status_code == 200, answer.text
    return answer.content


def begin_on(daemon: Daemon, store: Path, text: str) -> None:
    (daemon.config_dir / "config.toml").write_text(f'{text}[store.sqlite]\nfile = "{store}"\n')
    daemon.start()


def copied(daemon: Daemon, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(command(daemon, "store", "copy", *arguments, "--json"))
    return found


def command(daemon: Daemon, *arguments: str) -> str:
    program = [daemon.command()[0], *arguments, "--config-dir", str(daemon.config_dir)]
    run = subprocess.run(program, capture_output=True, text=True, env=daemon.environment(), check=False, timeout=60)
    assert SECRET_KEY not in run.stdout + run.stderr
    return run.stdout + run.stderr
