"""Creating, changing and deleting, and what a failure leaves."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from profile_lab import KEY, Lab, agent

from jackfield.api.agents import Isolation
from jackfield.api.errors import Conflict, InvalidInput, JackfieldError, NotFound
from jackfield.api.providers import Provider
from jackfield_profiles.editing.creating import directory
from jackfield_profiles.editing.homes import MARK, home_of
from jackfield_profiles.ports import NewProfile
from jackfield_profiles.preferences import ServerPreferences


async def test_created_file_is_as_specified(lab: Lab) -> None:
    await lab.create("work", env={"A": "b"}, args=["--x"], working_dir="~/src", sandbox="strict")
    stored = lab.stored("work")
    metadata = stored.pop("metadata")
    assert stored == {
        "alias": "work", "agent_id": "echo", "provider_id": "acme", "endpoint_id": "main", "model": "large",
        "env": {"A": "b"}, "args": ["--x"], "working_dir": str(lab.root / "user" / "src"),
    }  # fmt: skip
    assert metadata.pop("created_at").endswith("Z")
    assert metadata == {
        "last_used": None, "profile_home": str(lab.homes / "work"), "hooks_config": {}, "proxy_config": None,
        "sandbox": "strict",
    }  # fmt: skip
    assert lab.events() == [("profile_created", "work")]
    assert lab.launcher.hooks == [("create", "work")]


async def test_whether_sessions_survive_the_daemon_is_stored_where_it_is_asked_for(lab: Lab) -> None:
    await lab.create("work", persist=True)
    assert lab.stored("work")["metadata"]["persist"] is True


@pytest.mark.parametrize(
    ("asked", "error", "code"),
    [
        ({"agent_id": "none"}, NotFound, "AGENT_NOT_FOUND"),
        ({"provider_id": "none"}, NotFound, "PROVIDER_NOT_FOUND"),
        ({"endpoint_id": "none"}, InvalidInput, "ENDPOINT_UNKNOWN"),
        ({"provider_id": "beta"}, InvalidInput, "DIALECT_MISMATCH"),
        ({"provider_id": "self", "proxy_config": {"enabled": True}}, InvalidInput, "PROXY_WITHOUT_PROVIDER"),
        ({"provider_id": "bare"}, InvalidInput, "ENDPOINT_INVALID"),
        ({"api_key": None}, InvalidInput, "KEY_REQUIRED"),
        ({"api_key": "  "}, InvalidInput, "KEY_REQUIRED"),
        ({"alias": "../x"}, InvalidInput, "ALIAS_INVALID"),
        ({"hooks_config": {"Nope": []}}, InvalidInput, "HOOK_EVENT_UNKNOWN"),
        ({"proxy_config": {"port": "x"}}, InvalidInput, "PROXY_CONFIG_INVALID"),
        ({"agent_id": "missing"}, InvalidInput, "AGENT_NOT_INSTALLED"),
        ({"agent_id": "missing", "mcp_servers": {"docs": {"command": "d"}}}, InvalidInput, "MCP_UNSUPPORTED"),
    ],
)
async def test_refused_creation_leaves_nothing(
    lab: Lab, asked: dict[str, Any], error: type[JackfieldError], code: str
) -> None:
    lab.agents.known["missing"] = agent("missing", mcp=())
    bare = {"id": "bare", "type": "anthropic-compatible", "endpoints": {"main": "api.acme.example"}}
    lab.providers.known["bare"] = Provider.model_validate(bare)
    with pytest.raises(error) as caught:
        await lab.create(**asked)
    assert caught.value.code == code
    assert lab.everything() == {}
    assert not lab.homes.exists()


async def test_servers_that_the_agent_cannot_have_are_told(lab: Lab) -> None:
    lab.agents.known["echo"] = lab.agents.known["echo"].model_copy(update={"mcp": ("stdio", "http")})
    far, old = {"url": "https://mcp.example"}, {"url": "https://mcp.example", "type": "sse"}
    table = ServerPreferences.model_validate({"custom": {"far": far, "old": old}})
    lab.context.tables = [*lab.context.tables, table]
    made = await lab.creating.create(NewProfile("echo", "work", "acme", api_key=KEY, mcp_servers={"far": far}))
    assert list(made.warnings) == ["echo does not take these MCP servers of all profiles: old."]
    off = await lab.creating.create(NewProfile("echo", "other", "acme", api_key=KEY, mcp_servers={"old": False}))
    assert list(off.warnings) == [], "it is switched off for this profile"
    with pytest.raises(InvalidInput) as caught:
        await lab.changing.change("work", {"mcp_servers": {"far": far, "old": old}})
    assert (caught.value.code, list(caught.value.details or {})) == ("MCP_UNSUPPORTED", ["mcp_servers.old"])
    assert "stdio and http" in str(caught.value.details)


async def test_what_the_agents_script_refuses_is_not_made(lab: Lab) -> None:
    lab.launcher.refused = "It does not speak to proxies."
    with pytest.raises(InvalidInput, match="speak to proxies"):
        await lab.create("work", proxy_config={"enabled": True})
    assert lab.everything() == {}
    lab.launcher.refused = None
    await lab.create("work")
    before = lab.stored("work")
    lab.launcher.refused = "It does not speak to proxies."
    with pytest.raises(InvalidInput, match="speak to proxies"):
        await lab.changing.change("work", {"proxy_config": {"enabled": True}})
    assert lab.stored("work") == before


async def test_failed_hook_undoes_everything(lab: Lab) -> None:
    lab.launcher.failing.add("create")
    with pytest.raises(JackfieldError, match="create hook"):
        await lab.create("work", shim=True)
    assert lab.everything() == {}
    assert not lab.homes.exists()
    assert not lab.events()
    assert not await lab.keys.aliases()


async def test_failure_keeps_a_home_that_was_there(lab: Lab) -> None:
    home = lab.homes / "work"
    home.mkdir(parents=True)
    (home / "mine").write_text("x")
    lab.launcher.failing.add("create")
    with pytest.raises(JackfieldError):
        await lab.create("work")
    assert [path.name for path in home.iterdir()] == ["mine"]


async def test_one_of_many_wins(lab: Lab) -> None:
    made = await asyncio.gather(*(lab.create("work", model=f"m{n}") for n in range(8)), return_exceptions=True)
    assert sum(isinstance(one, Conflict) for one in made) == 7
    winner = next(one for one in made if not isinstance(one, BaseException))
    assert lab.stored("work")["model"] == winner.model
    assert await lab.keys.own("work") == KEY


async def test_two_daemons_over_one_directory_make_it_once(lab: Lab) -> None:
    other = Lab(lab.root)
    made = await asyncio.gather(lab.create("work"), other.create("work", api_key="k2"), return_exceptions=True)
    assert sum(isinstance(one, Conflict) for one in made) == 1
    assert await lab.keys.own("work") == (KEY if isinstance(made[1], Conflict) else "k2")


async def test_aliases_differ_in_more_than_case(lab: Lab) -> None:
    await lab.create("Work")
    with pytest.raises(Conflict, match="Work"):
        await lab.create("wORK")


async def test_the_limit_of_profiles_is_kept(tmp_path: Path) -> None:
    lab = Lab(tmp_path, limit=1)
    await lab.create("one")
    with pytest.raises(Conflict, match=r"profiles\.limit"):
        await lab.create("two")


async def test_a_translating_proxy_makes_dialects_fit(lab: Lab) -> None:
    await lab.create("work", provider_id="beta", proxy_config={"enabled": True})
    with pytest.raises(InvalidInput) as caught:
        await lab.changing.change("work", {"proxy_config": None})
    assert caught.value.code == "DIALECT_MISMATCH"
    assert lab.stored("work")["metadata"]["proxy_config"]["enabled"] is True


async def test_own_login_fits_every_agent_and_needs_no_key(lab: Lab) -> None:
    profile = await lab.create("work", provider_id="self", api_key=None)
    assert (profile.endpoint_id, profile.model) == ("native", "echo-model")


async def test_missing_agent_can_be_allowed(lab: Lab) -> None:
    lab.agents.installed.clear()
    assert (await lab.create("work", allow_missing=True)).alias == "work"


# ---------------------------------------------------------------------------------------------------------------- homes


@pytest.mark.parametrize("template", ["~", "/", "relative/{alias}", "~/..", "{alias}/../../..", "~nobody-here/{alias}"])
def test_a_home_that_is_not_the_profiles_alone_is_refused(lab: Lab, template: str) -> None:
    strange = agent("strange", profile=Isolation(source_home=template))
    if template == "~":  # gets the alias below it
        assert home_of(strange, "work", lab.config) == Path.home() / "work"
        return
    with pytest.raises(InvalidInput):
        home_of(strange, "user" if template == "~/.." else "etc/.." if template == "/" else "work", lab.config)


async def test_a_working_directory_of_a_user_who_is_not_there_is_refused(lab: Lab) -> None:
    with pytest.raises(InvalidInput) as caught:
        await lab.create("work", working_dir="~nobody-here/x")
    assert "working_dir" in (caught.value.details or {})


def test_default_home_is_named_by_the_agent(lab: Lab) -> None:
    assert home_of(agent("tool"), "work", lab.config) == Path.home() / ".tool-profiles" / "work"


async def test_a_linked_home_is_refused(lab: Lab) -> None:
    lab.homes.mkdir()
    (lab.root / "elsewhere").mkdir()
    (lab.homes / "work").symlink_to(lab.root / "elsewhere")
    with pytest.raises(JackfieldError, match="symbolic link"):
        await lab.create("work")
    assert not lab.path("work").exists()


async def test_purge_removes_what_was_made_and_follows_no_link(lab: Lab) -> None:
    await lab.create("work")
    outside = lab.root / "user" / "precious"
    outside.mkdir()
    (outside / "file").write_text("x")
    (lab.homes / "work" / "link").symlink_to(outside)
    assert not await lab.deleting.delete("work", purge=True, force=False)
    assert not (lab.homes / "work").exists()
    assert lab.homes.is_dir()
    assert (outside / "file").read_text() == "x"


async def test_purge_waits_for_a_run_and_leaves_the_home_to_a_profile_that_has_come(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    await lab.create()
    (lab.homes / "work" / "kept").touch()

    async def settled(alias: str) -> None:
        """The run ends, and meanwhile somebody makes the profile anew."""
        assert (alias, lab.path("work").exists()) == ("work", False)
        await asyncio.wait_for(lab.create(), 5)

    monkeypatch.setattr(lab.launcher, "settled", settled)
    (told,) = await lab.deleting.delete("work", purge=True, force=False)
    assert "another profile work was made meanwhile" in told
    assert (lab.homes / "work" / "kept").exists()


@pytest.mark.parametrize("where", ["user", "config", "", "other", "link"])
async def test_purge_keeps_what_is_not_the_profiles(lab: Lab, where: str) -> None:
    target = lab.root / where
    if where == "other":
        target.mkdir()
    elif where == "link":
        real = lab.root / "real"
        real.mkdir()
        (real / MARK).write_text("work")
        target.symlink_to(real)
    if where in ("user", "config", ""):
        target.mkdir(exist_ok=True)
        (target / MARK).write_text("work")
    document = lab.store("work")
    document["metadata"]["profile_home"] = str(target)
    lab.store("work", metadata=document["metadata"])
    left = await lab.deleting.delete("work", purge=True, force=False)
    assert "kept" in left[0]
    assert os.path.lexists(target)
    assert not lab.path("work").exists()


async def test_a_home_that_was_kept_may_be_purged_with_the_next_profile(lab: Lab) -> None:
    await lab.create("work")
    (lab.homes / "work" / "notes").write_text("x")
    await lab.deleting.delete("work", purge=False, force=False)
    await lab.create("work")
    assert (lab.homes / "work" / "notes").exists()
    assert not await lab.deleting.delete("work", purge=True, force=False)
    assert not (lab.homes / "work").exists()


# --------------------------------------------------------------------------------------------------------------- delete


async def test_a_live_session_prevents_deletion_unless_forced(lab: Lab) -> None:
    await lab.create("work")
    lab.terminals.sessions["work"] = ["s1"]
    with pytest.raises(Conflict, match="live session"):
        await lab.deleting.delete("work", purge=False, force=False)
    await lab.deleting.delete("work", purge=False, force=True)
    assert not lab.terminals.sessions
    assert not lab.path("work").exists()


async def test_a_failing_delete_hook_prevents_deletion_unless_forced(lab: Lab) -> None:
    await lab.create("work")
    lab.launcher.failing.add("delete")
    with pytest.raises(JackfieldError, match="delete hook"):
        await lab.deleting.delete("work", purge=False, force=False)
    assert lab.path("work").exists()
    assert "hook" in (await lab.deleting.delete("work", purge=False, force=True))[0]


async def test_a_damaged_profile_can_be_removed_by_force(lab: Lab) -> None:
    await lab.create("work")
    lab.path("work").write_text("{")
    await lab.deleting.delete("work", purge=True, force=True)
    assert not lab.path("work").exists()
    assert (lab.homes / "work").exists()
    assert await lab.keys.own("work") is None


# --------------------------------------------------------------------------------------------------------------- change


async def test_key_and_file_change_together_or_not_at_all(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    await lab.create("work")

    async def fail(alias: str, change: object) -> None:
        raise JackfieldError("The disk is full.")

    monkeypatch.setattr(lab.profiles, "rewrite", fail)
    with pytest.raises(JackfieldError, match="disk"):
        await lab.changing.change("work", {"api_key": "the-new-one", "model": "small"})
    assert await lab.keys.own("work") == KEY


async def test_key_can_be_removed_when_the_environment_has_one(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    await lab.create("work")
    with pytest.raises(InvalidInput):
        await lab.changing.change("work", {"api_key": None})
    assert await lab.keys.own("work") == KEY
    monkeypatch.setenv("ACME_TEST_KEY", "from-the-environment")
    await lab.changing.change("work", {"api_key": None})
    assert await lab.keys.own("work") is None


async def test_a_change_works_when_agent_and_provider_have_gone(lab: Lab) -> None:
    await lab.create("work")
    lab.agents.known.clear()
    lab.providers.known.clear()
    await lab.changing.change("work", {"env": {"A": "1"}, "proxy_config": {"enabled": False}, "hooks_config": {}})
    assert lab.stored("work")["env"] == {"A": "1"}
    with pytest.raises(NotFound):
        await lab.changing.change("work", {"model": "small"})


async def test_a_working_directory_in_the_configuration_directory_is_refused_unless_it_is_the_home(lab: Lab) -> None:
    for given in (str(lab.config), str(lab.config / "not-there" / "yet")):
        with pytest.raises(InvalidInput, match="configuration directory") as caught:
            await lab.create("refused", working_dir=given)
        assert "working_dir" in (caught.value.details or {})
    await lab.create("work", working_dir=str(lab.root / "elsewhere"))
    with pytest.raises(InvalidInput, match="configuration directory"):
        await lab.changing.change("work", {"working_dir": str(lab.config / "keys")})
    assert lab.stored("work")["working_dir"] == str(lab.root / "elsewhere")
    home = str(lab.config / "homes" / "own")
    assert directory(f"{home}/src", lab.config, Path(home)) == f"{home}/src"


async def test_null_is_the_default_again(lab: Lab) -> None:
    await lab.create("work", endpoint_id="backup", model="small", working_dir="/")
    await lab.changing.change("work", {"endpoint_id": None, "model": None, "working_dir": None})
    stored = lab.stored("work")
    assert (stored["endpoint_id"], stored["model"], stored["working_dir"]) == ("main", "large", None)
