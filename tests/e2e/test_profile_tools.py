"""Tools of the daemon for agents of profiles: each run has a token of its own, which reaches what was chosen for the
profile, at /mcp alone, and ends with the run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from jackfield.testing.daemon import Daemon, poll

pytest.importorskip("mcp")
pytest.importorskip("rhai")

from mcp.shared.exceptions import MCPError

from .profile_probes import Probes, connected, names


@pytest.fixture(scope="module")
def probes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Probes]:
    directory = tmp_path_factory.mktemp("tools")
    daemon = Daemon(directory, env={"HOME": str(directory)})
    try:
        yield Probes(daemon)
    finally:
        daemon.close()


async def test_a_run_reaches_the_tools_of_its_profile_and_no_others(probes: Probes) -> None:
    probes.profile("reader", daemon_tools={"tools": ["list_workflows"]})
    await asyncio.to_thread(probes.start, "reader")
    token = probes.token("reader")
    async with connected(probes.daemon, token) as client:
        assert await names(client) == {"list_workflows"}
        assert not (await client.call_tool("list_workflows", {})).is_error
        for tool, arguments in (("get_workflow", {"workflow_id": "x"}), ("list_variables", {})):
            with pytest.raises(MCPError, match="Unknown tool"):
                await client.call_tool(tool, arguments)
        for asked in (client.list_resources, client.list_prompts):
            with pytest.raises(MCPError):
                await asked()


def test_the_token_counts_at_mcp_alone_and_is_written_nowhere(probes: Probes) -> None:
    probes.profile("quiet", daemon_tools={"tools": ["list_workflows"]})
    session = probes.start("quiet")
    token = probes.token("quiet")
    for path in ("/api/v1/workflows", "/api/profiles", "/api/v1/mcp/profile-tokens", "/api/v1/credentials"):
        assert probes.ask(path, token).status_code == 401, path
    (row,) = [one for one in probes.tokens() if one["profile"] == "quiet"]
    assert (row["kind"], row["tools"], row["scopes"]) == ("terminal_session", ["list_workflows"], ["workflows:read"])
    assert "Bearer ${JACKFIELD_TOOLS_TOKEN}" in probes.home("quiet").joinpath("servers.json").read_text()
    kept = [place for place in probes.daemon.directory.rglob("*") if place.is_file() and place.name != "told"]
    assert not [place for place in kept if token.encode() in place.read_bytes()]
    told = [probes.api.get(path).text for path in (f"/api/terminal/sessions/{session}", "/api/profiles/quiet/env")]
    assert token not in "".join(told)
    assert token not in probes.daemon.tail()


def test_the_token_ends_with_its_run(probes: Probes) -> None:
    probes.profile("brief", daemon_tools={"tools": ["list_workflows"]})
    first = probes.start("brief")
    token = probes.token("brief")
    assert probes.ask("/mcp", token).status_code == 405
    second = probes.start("brief")
    assert probes.token("brief") != token
    probes.api.delete(f"/api/terminal/sessions/{first}").raise_for_status()
    poll(lambda: probes.ask("/mcp", token).status_code == 401, "the token has ended")
    assert probes.ask("/mcp", probes.token("brief")).status_code == 405
    probes.api.delete(f"/api/terminal/sessions/{second}").raise_for_status()
    poll(lambda: not [one for one in probes.tokens() if one["profile"] == "brief"], "no token is left")


def test_a_token_is_revoked(probes: Probes) -> None:
    probes.profile("gone", daemon_tools={"tools": ["list_workflows"]})
    probes.start("gone")
    (row,) = [one for one in probes.tokens() if one["profile"] == "gone"]
    api = probes.daemon.admin()
    assert api.delete(f"/mcp/profile-tokens/{row['id']}").status_code == 204
    assert api.delete(f"/mcp/profile-tokens/{row['id']}").status_code == 404
    assert probes.ask("/mcp", probes.token("gone")).status_code == 401


def test_without_tools_there_is_neither_server_nor_token(probes: Probes) -> None:
    probes.profile("plain")
    probes.profile("off", daemon_tools={"tools": ["list_workflows"]}, mcp_servers={"jackfield_tools": False})
    for alias in ("plain", "off"):
        probes.start(alias)
        assert probes.token(alias) == ""
        assert "jackfield_tools" not in probes.home(alias).joinpath("servers.json").read_text()


def test_unknown_tools_are_refused_by_name(probes: Probes) -> None:
    probes.profile("strict")
    answer = probes.api.patch("/api/profiles/strict", json={"daemon_tools": {"tools": ["list_workflow"]}})
    assert answer.status_code == 400
    assert "list_workflow" in answer.json()["error"]
    assert "daemon_tools.tools" in answer.json()["details"]


def test_a_profile_may_choose_and_leave_out_as_many_as_its_fields_take(probes: Probes) -> None:
    without = [f"other_{number}" for number in range(100)]
    probes.profile("many", daemon_tools={"tools": ["list_workflows", "get_workflow"], "without": without})
    probes.start("many")
    assert probes.ask("/mcp", probes.token("many")).status_code == 405


def test_a_run_that_cannot_start_leaves_no_token(probes: Probes) -> None:
    probes.profile("caged", daemon_tools={"tools": ["list_workflows"]}, sandbox="standard")
    answer = probes.api.post("/api/profiles/caged/run", json={"args": ["-c", "true"], "working_dir": "/"})
    assert (answer.status_code, answer.json()["code"][:8]) == (400, "SANDBOX_"), answer.text
    assert not [one for one in probes.tokens() if one["profile"] == "caged"]
