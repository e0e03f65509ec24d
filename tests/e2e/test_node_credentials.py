"""What node types say of the credentials that they take."""

from __future__ import annotations

from pathlib import Path

from jackfield.testing.daemon import Daemon

NOT_STORED = {"aws", "crypto", "salesforceJwtApi"}
"""Kinds that documents name and no plugin offers; the nodes say so when they need one."""


def test_the_credentials_of_nodes_are_of_known_kinds(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path).start()
    try:
        api = daemon.admin()
        known = {one["kind"] for one in api.get("/credential-kinds").json()["data"]}
        types = api.get("/node-types", params={"schemas": "false", "unavailable": "true"}).json()["data"]
    finally:
        daemon.close()
    used = {one["kind"]: [credential["name"] for credential in one["credentials"]] for one in types}
    assert {
        (kind, name) for kind, names in used.items() for name in names if name and name not in known | NOT_STORED
    } == set()
    assert used["slack"][0] == "slackApi"
    assert used["postgres"] == ["postgres"]
    assert used["langchain.lmChatOpenAi"] == ["openAiApi"]
    assert used["noOp"] == []
