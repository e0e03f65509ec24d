"""Which MCP servers a profile has: those of all profiles by their switches, then its own."""

from __future__ import annotations

from typing import Any

import pytest

from jackfield.api.agents import Agent
from jackfield.api.profiles import Profile
from jackfield.testing.context import FakeContext
from jackfield_profiles.mcp_servers import nameless
from jackfield_profiles.preferences import ServerPreferences, preferences

DOCS: Any = {"command": "docs", "args": []}
FAR: Any = {"url": "https://mcp.example", "type": "http"}


def servers(table: dict[str, Any], tmp_path: Any, mcp: tuple[Any, ...] | None = None, **metadata: Any) -> Any:
    settings = ServerPreferences.model_validate(table)
    context = FakeContext(tmp_path, tables=[settings])
    profile = Profile(
        "p", "a", "acme", "main", "m", working_dir="/work", metadata={"profile_home": "/home", **metadata}
    )
    return preferences(context, Agent(id="a", binary="a", mcp=mcp), profile, {})["mcp_servers"]


def test_a_switch_acts_on_what_it_names(tmp_path: Any) -> None:
    table = {
        "custom": {"docs": DOCS, "far": FAR},
        "far": False,
        "filesystem": True,
        "github": True,
        "github_token": "t",
    }
    found = servers(table, tmp_path)
    assert set(found["custom"]) == {"docs", "filesystem", "github"}
    assert found["custom"]["docs"] == DOCS
    assert found["custom"]["filesystem"]["args"][-1] == "/work"
    assert found["custom"]["github"]["headers"] == {"Authorization": "Bearer ${GITHUB_TOKEN}"}
    assert (found["github"], found["far"], found["github_token"]) == (True, False, "${GITHUB_TOKEN}")
    assert servers({"github": False}, tmp_path)["custom"] == {}


def test_a_server_of_ones_own_counts_before_a_known_one(tmp_path: Any) -> None:
    assert servers({"custom": {"github": DOCS}, "github": True}, tmp_path)["custom"] == {"github": DOCS}


def test_a_profile_adds_replaces_and_leaves_out(tmp_path: Any) -> None:
    table = {"custom": {"docs": DOCS, "far": FAR}, "far": False}
    own = {"far": FAR, "docs": False, "mine": DOCS}
    found = servers(table, tmp_path, mcp_servers=own)
    assert found["custom"] == {"far": FAR, "mine": DOCS}
    assert (found["far"], found["docs"]) == (True, False)
    assert set(servers({"custom": {"a": DOCS, "b": DOCS}}, tmp_path, enabled_mcp_servers=["b"])["custom"]) == {"b"}


def test_an_agent_gets_the_servers_that_it_takes(tmp_path: Any) -> None:
    table = {"custom": {"docs": DOCS, "far": FAR, "old": {**FAR, "type": "sse"}}}
    assert servers(table, tmp_path, mcp=("stdio", "http"))["custom"].keys() == {"docs", "far"}
    assert servers(table, tmp_path, mcp=())["custom"] == {}
    assert servers(table, tmp_path)["custom"].keys() == {"docs", "far", "old"}, "nothing is said of it"


def test_a_switch_that_names_nothing_is_told() -> None:
    settings = ServerPreferences.model_validate({"gihtub": True, "old": False, "docs": True, "custom": {"docs": DOCS}})
    assert nameless(settings.custom, settings.__pydantic_extra__) == ["gihtub"]


@pytest.mark.parametrize(
    "server", [{}, {"command": "x", "url": "https://y"}, {"url": "y"}, {"command": "x", "port": 1}]
)
def test_what_is_no_server_is_refused(server: Any) -> None:
    with pytest.raises(ValueError, match=r"custom\.docs"):
        ServerPreferences.model_validate({"custom": {"docs": server}})
