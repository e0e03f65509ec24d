"""Two daemons over one PostgreSQL: a token that one has made counts at the other, until it ends at either."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields
from jackfield.testing.postgres import PostgresServer

pytest.importorskip("mcp")
pytest.importorskip("rhai")

from .profile_probes import Probes, connected, names

KEY = "an-encryption-key-that-both-daemons-have"


async def test_a_token_counts_at_both_daemons(
    new_daemon: Callable[..., Daemon], jackfield_postgres: PostgresServer
) -> None:
    schema = jackfield_postgres.new_name()
    settings = f'[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{schema}"\n'
    env = {"JACKFIELD_STORE_POSTGRES_DSN": jackfield_postgres.dsn(), "JACKFIELD_ENCRYPTION_KEY": KEY}
    probes, second = Probes(new_daemon(settings, env=env)), new_daemon(settings, env=env).start()
    start = node("Call", "executeWorkflowTrigger", {"inputSource": "passthrough"}, version=1.1)
    document = chain("Echo", start, set_fields("Set", said="={{ $json.word }}"))
    document["settings"] = {"offerAsTool": {"enabled": True, "name": "echo"}}
    ident = await asyncio.to_thread(second.live, document)
    probes.profile("both")
    for _ in range(2):
        await asyncio.to_thread(probes.start, "both")
    api, token = second.admin(), probes.token("both")
    async with connected(second, token) as client:
        assert await names(client) == {"echo"}
        result = await client.call_tool("echo", {"word": "there"})
    assert not result.is_error, result.content
    assert "there" in str(result.structured_content)
    assert api.get("/executions", params={"workflowId": ident}).json()["data"][0]["status"] == "success"
    rows = api.get("/mcp/profile-tokens").json()["data"]
    assert [row["profile"] for row in rows] == ["both", "both"]
    api.delete(f"/mcp/profile-tokens/{rows[-1]['id']}").raise_for_status()
    assert probes.ask("/mcp", token).status_code == 401
    poll(lambda: len(probes.tokens()) == 1, "the other one is left")
