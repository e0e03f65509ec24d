"""A workflow whose stored document is damaged: told, not shown, and replaced, or restored from an earlier version."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import httpx

from jackfield.testing.documents import chain, node, webhook

from .conftest import StartDaemon

SECRET: dict[str, Any] = {"authentication": "hmac", "authConfig": {"secret": "planted-damage-1", "preset": "github"}}


def test_it_is_replaced_or_restored(new_daemon: StartDaemon) -> None:
    daemon = new_daemon()
    api = daemon.admin()
    document = chain("Orders", webhook("orders", **SECRET), node("End", "noOp"))
    ident = daemon.live(document, api)
    assert api.put(f"/workflows/{ident}", json={**document, "name": "Second"}).status_code == httpx.codes.OK
    daemon.stop()
    with closing(sqlite3.connect(daemon.config_dir / "jackfield.db")) as connection, connection:
        connection.execute("UPDATE workflow_versions SET document = x'7b7d' WHERE version = 2")
    daemon.start()
    api = daemon.admin()
    assert api.get(f"/workflows/{ident}").json()["code"] == "DATA_DAMAGED"
    assert api.patch(f"/workflows/{ident}", json={"name": "x"}).json()["code"] == "DATA_DAMAGED"

    masked = chain("Orders", webhook("orders", authentication="hmac", authConfig={"secret": "***"}))
    refused = api.put(f"/workflows/{ident}", json=masked)
    assert refused.status_code == httpx.codes.BAD_REQUEST
    assert "secrets" in refused.json()["message"]
    stale = api.put(f"/workflows/{ident}", json=document, headers={"If-Match": '"1"'})
    assert stale.status_code == httpx.codes.CONFLICT

    restored = api.post(f"/workflows/{ident}/versions/1/restore")
    assert restored.status_code == httpx.codes.OK, restored.text
    assert restored.headers["ETag"] == '"3"'
    found = api.get(f"/workflows/{ident}").json()
    assert (found["name"], found["active"]) == ("Orders", True)
    assert api.put(f"/workflows/{ident}", json=document).status_code == httpx.codes.OK
