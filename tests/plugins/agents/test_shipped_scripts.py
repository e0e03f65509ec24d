"""What the shipped scripts make of a profile, run by the real engine. Skipped where rhai-python is not installed."""

from __future__ import annotations

import json
import tomllib
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("rhai", reason="rhai-python is not installed")

from jackfield.api.scripts import ScriptError
from jackfield.core.manifests import shipped_directory
from jackfield_rhai.engine import RhaiEngine
from jackfield_rhai.settings import RhaiSettings

SCRIPTS = sorted((shipped_directory() / "scripts").glob("*.rhai"))
PROXY = "http://127.0.0.1:4711"
GOOGLE = "https://generativelanguage.googleapis.com"
FAMILIES: dict[str, tuple[str, str | None, str]] = {
    "anthropic": ("anthropic", "anthropic", "https://api.anthropic.com"),
    "anthropic-compatible": ("anthropic-compatible", "anthropic", "https://acme.example/anthropic"),
    "openai": ("openai", "openai", "https://api.openai.com/v1"),
    "openai-compatible": ("openai-compatible", "openai", "https://acme.example/v1"),
    "gemini": ("gemini", "gemini", "https://generativelanguage.googleapis.com"),
    "self": ("self", None, ""),
}
"""Family -> the provider's type, dialect and endpoint."""
MCP = {"custom": {"docs": {"command": "docs-server", "args": ["--fast"]}, "web": {"command": "web", "args": []}}}


def context(
    agent: str,
    family: str,
    *,
    proxy: str | None = None,
    dialect: str | None = None,
    endpoint: str | None = None,
    profile: dict[str, Any] | None = None,
    prefs: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """`ctx`. dialect: what the agent speaks to its proxy, when it is not the provider's."""
    kind, spoken, url = FAMILIES[family]
    return {
        "profile": {
            "alias": "work",
            "home": "/homes/work",
            "model": "acme-large",
            "endpoint": proxy or endpoint or url,
            "dialect": dialect or spoken,
            "proxy_url": proxy,
            "hooks": [],
            "mcp_servers": [],
            "hooks_config": None,
            **(profile or {}),
        },
        "provider": {
            "id": "acme",
            "name": "Acme",
            "type": kind,
            "dialect": spoken,
            "auth_env_key": None if family == "self" else "ACME_API_KEY",
        },
        "agent": {"id": agent, "name": agent.title(), "binary": agent},
        "prefs": {"hooks": {"custom": {}}, "mcp_servers": {"github_token": None, "custom": {}}, **(prefs or {})},
    }


class Made:
    """What a script gave; files parsed, where they are JSON or TOML."""

    def __init__(self, value: Any) -> None:
        self.texts: dict[str, str] = value["files"]
        self.env: dict[str, str] = value["env"]
        self.args: list[str] = value["args"]
        self.files = {
            name: tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
            for name, text in self.texts.items()
            if name.endswith((".toml", ".json"))
        }


class Scripts:
    def __init__(self) -> None:
        self._engine = RhaiEngine(RhaiSettings())

    async def __call__(self, agent: str, family: str, **more: Any) -> Made:
        source = (shipped_directory() / "scripts" / f"{agent}.rhai").read_text()
        return Made(await self._engine.value(source, {"ctx": context(agent, family, **more)}, name=f"{agent}.rhai"))

    async def close(self) -> None:
        await self._engine.close()


@pytest.fixture
async def run() -> AsyncIterator[Scripts]:
    scripts = Scripts()
    yield scripts
    await scripts.close()


# ---------------------------------------------------------------------------------------------------------- all of them


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("agent", [path.stem for path in SCRIPTS])
async def test_files_are_relative_and_no_key_is_an_argument(run: Scripts, agent: str, family: str) -> None:
    if (agent == "gemini") != (family == "gemini") and family != "self" and "gemini" in (agent, family):
        return  # refused, see below
    made = await run(agent, family)
    assert all(not name.startswith("/") and ".." not in name for name in made.texts)
    assert made.args == []
    # The key is in no file of these tools: they read it from the environment.
    assert not any("${API_KEY}" in text for text in made.texts.values())


AIDER = {"AIDER_CHECK_UPDATE": "false", "AIDER_ANALYTICS": "false", "AIDER_SHOW_RELEASE_NOTES": "false"}


@pytest.mark.parametrize("agent", [path.stem for path in SCRIPTS])
async def test_the_tools_own_login_is_left_alone(run: Scripts, agent: str) -> None:
    made = await run(agent, "self")
    schema = {"$schema": "https://opencode.ai/config.json"}
    expected = {
        "codex": {".codex/config.toml": {"cli_auth_credentials_store": "file"}},
        "opencode": {".config/opencode/opencode.json": schema},
        "qwen": {".qwen/settings.json": {"general": {"enableAutoUpdate": False}}},
    }
    assert made.files == expected.get(agent, {})
    assert {name: value for name, value in made.env.items() if name != "AIDER_ANALYTICS_LOG"} == (
        AIDER if agent == "aider" else {}
    )


@pytest.mark.parametrize("agent", [path.stem for path in SCRIPTS])
async def test_a_proxy_takes_the_place_of_the_endpoint(run: Scripts, agent: str) -> None:
    dialect = {"claude": "anthropic", "codex": "openai", "grok": "openai"}.get(agent)
    for family in ("anthropic-compatible", "openai-compatible"):
        for address in (PROXY, f"{PROXY}/v1") if (dialect or FAMILIES[family][1]) == "openai" else (PROXY,):
            made = await run(agent, family, proxy=address, dialect=dialect)
            everything = json.dumps([made.texts, made.env])
            assert "acme.example" not in everything
            assert "/v1/v1" not in everything
            if agent != "claude":  # its address is in the environment that every agent gets
                assert PROXY in everything


@pytest.mark.parametrize("agent", sorted({path.stem for path in SCRIPTS} - {"aider", "grok"}))
async def test_mcp_servers_are_those_wanted(run: Scripts, agent: str) -> None:
    async def named(profile: dict[str, Any], prefs: dict[str, Any]) -> set[str]:
        made = await run(agent, "self", profile=profile, prefs={"mcp_servers": prefs})
        for document in made.files.values():
            for key in ("mcpServers", "mcp_servers", "mcp"):
                if key in document:
                    return set(document[key])
        return set()

    assert await named({}, MCP) == {"docs", "web"}
    assert await named({}, {**MCP, "web": False, "docs": True}) == {"docs"}
    assert await named({"mcp_servers": ["web"]}, MCP) == {"web"}
    assert await named({"mcp_servers": ["none"]}, MCP) == set()


REMOTE = {
    "claude": {"type": "http", "url": "https://mcp.example/a", "headers": {"X-Key": "k"}},
    "codex": {"url": "https://mcp.example/a", "http_headers": {"X-Key": "k"}},
    "droid": {"type": "http", "url": "https://mcp.example/a", "headers": {"X-Key": "k"}},
    "gemini": {"httpUrl": "https://mcp.example/a", "headers": {"X-Key": "k"}},
    "opencode": {"type": "remote", "url": "https://mcp.example/a", "enabled": True, "headers": {"X-Key": "k"}},
    "qwen": {"httpUrl": "https://mcp.example/a", "headers": {"X-Key": "k"}},
}
"""A server of HTTP in each agent's own format."""


@pytest.mark.parametrize("agent", sorted(REMOTE))
async def test_mcp_servers_of_http(run: Scripts, agent: str) -> None:
    wanted = {"url": "https://mcp.example/a", "type": "http", "headers": {"X-Key": "k"}}
    old = {"url": "https://mcp.example/b", "type": "sse"}
    own = {"command": "gh", "env": {"A": "b"}}
    custom = {"far": wanted, "old": old, "github": own}
    made = await run(agent, "self", prefs={"mcp_servers": {"custom": custom, "github_token": "${GITHUB_TOKEN}"}})
    (found,) = (one[key] for one in made.files.values() for key in ("mcpServers", "mcp_servers", "mcp") if key in one)
    assert found["far"] == REMOTE[agent]
    assert found["old"]["url"] == "https://mcp.example/b"
    environment = found["github"]["environment" if agent == "opencode" else "env"]
    assert environment == {"A": "b", "GITHUB_PERSONAL_ACCESS_TOKEN": "${GITHUB_TOKEN}"}


# ---------------------------------------------------------------------------------------------------------- one by one


async def test_both_groks_get_the_servers_in_their_own_form(run: Scripts) -> None:
    far = {"url": "https://mcp.example/a", "type": "http", "headers": {"X-Key": "k"}}
    custom = {"docs": {"command": "docs", "args": ["x"], "env": {"A": "b"}}, "far": far}
    made = await run("grok", "self", prefs={"mcp_servers": {"custom": custom}})
    assert made.files[".grok/config.toml"]["mcp_servers"] == {
        "docs": custom["docs"], "far": {"url": far["url"], "headers": far["headers"]},
    }  # fmt: skip
    listed = made.files[".grok/user-settings.json"]["mcp"]["servers"]
    of_all = {"enabled": True}
    assert sorted(listed, key=lambda one: one["id"]) == [
        {**of_all, "id": "docs", "label": "docs", "transport": "stdio", **custom["docs"]},
        {**of_all, "id": "far", "label": "far", "transport": "http", "url": far["url"], "headers": far["headers"]},
    ]


async def test_claude_asks_no_first_questions_and_gets_no_foreign_settings(run: Scripts) -> None:
    made = await run("claude", "anthropic")
    approved = {"approved": ["${API_KEY_END}"]}
    assert made.files[".claude/.claude.json"] == {"hasCompletedOnboarding": True, "customApiKeyResponses": approved}
    assert list(made.files) == [".claude/.claude.json"]
    assert made.env == {}


async def test_claude_follows_a_manifest_that_sends_anthropics_api_elsewhere(run: Scripts) -> None:
    made = await run("claude", "anthropic", endpoint="https://gateway.example")
    assert made.env == {"ANTHROPIC_BASE_URL": "https://gateway.example"}
    assert (await run("claude", "anthropic", proxy=PROXY)).env == {}


async def test_claude_asks_other_providers_for_the_profiles_model_alone(run: Scripts) -> None:
    for more in ({}, {"proxy": PROXY}):
        made = await run("claude", "anthropic-compatible", **more)
        models = {made.env[f"ANTHROPIC_DEFAULT_{name}_MODEL"] for name in ("OPUS", "SONNET", "HAIKU")}
        assert models | {made.env["CLAUDE_CODE_SUBAGENT_MODEL"]} == {"acme-large"}
        assert made.env["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] == "1"


async def test_claude_gets_the_profiles_hooks_with_their_seconds(run: Scripts) -> None:
    hooks = {"PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "x", "timeout": 5}]}]}
    made = await run("claude", "self", profile={"hooks_config": hooks})
    assert made.files == {".claude/settings.json": {"hooks": hooks}}


async def test_codex_gets_its_provider_by_a_name_that_is_free(run: Scripts) -> None:
    made = await run("codex", "openai-compatible", prefs={"mcp_servers": MCP})
    assert made.files[".codex/config.toml"] == {
        "model": "acme-large",
        "model_provider": "jackfield-acme",
        "model_providers": {
            "jackfield-acme": {
                "name": "Acme",
                "base_url": "https://acme.example/v1",
                "env_key": "OPENAI_API_KEY",
                "wire_api": "responses",
            }
        },
        "mcp_servers": MCP["custom"],
        "analytics": {"enabled": False},
        "check_for_update_on_startup": False,
        "features": {"plugins": False},
    }


async def test_tools_leave_their_makers_alone_where_another_serves_the_model(run: Scripts) -> None:
    native = (await run("codex", "openai")).files[".codex/config.toml"]
    assert not {"analytics", "check_for_update_on_startup", "features"} & native.keys()
    assert (await run("opencode", "anthropic")).env == {}
    assert (await run("opencode", "openai-compatible")).env == {"OPENCODE_DISABLE_MODELS_FETCH": "1"}


async def test_codex_behind_a_translating_proxy_speaks_responses_to_it(run: Scripts) -> None:
    made = await run("codex", "anthropic-compatible", proxy=PROXY, dialect="openai")
    provider = made.files[".codex/config.toml"]["model_providers"]["jackfield-acme"]
    assert provider["base_url"] == f"{PROXY}/v1"
    assert provider["wire_api"] == "responses"


@pytest.mark.parametrize(
    ("family", "more", "package", "base", "variable"),
    [
        ("anthropic", {}, "@ai-sdk/anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
        ("anthropic", {"proxy": PROXY}, "@ai-sdk/anthropic", f"{PROXY}/v1", "ANTHROPIC_AUTH_TOKEN"),
        (
            "anthropic-compatible",
            {},
            "@ai-sdk/anthropic",
            "https://acme.example/anthropic/v1",
            "ANTHROPIC_AUTH_TOKEN",
        ),
        ("openai", {}, "@ai-sdk/openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
        ("openai-compatible", {}, "@ai-sdk/openai-compatible", "https://acme.example/v1", "OPENAI_API_KEY"),
        ("openai-compatible", {"proxy": PROXY}, "@ai-sdk/openai-compatible", f"{PROXY}/v1", "OPENAI_API_KEY"),
    ],
)
async def test_opencode_gets_the_package_for_the_dialect(
    run: Scripts, family: str, more: dict[str, str], package: str, base: str, variable: str
) -> None:
    config = (await run("opencode", family, **more)).files[".config/opencode/opencode.json"]
    assert config["model"] == config["small_model"] == "acme/acme-large"
    assert config["provider"]["acme"] == {
        "npm": package,
        "name": "Acme",
        "options": {"baseURL": base, "apiKey": f"{{env:{variable}}}"},
        "models": {"acme-large": {"name": "acme-large"}},
    }


async def test_opencode_fetches_no_library_for_its_plugins(run: Scripts) -> None:
    assert (await run("opencode", "openai")).texts[".config/opencode/.npmrc"] == "offline=true\n"
    assert ".config/opencode/.npmrc" not in (await run("opencode", "self")).texts


async def test_opencode_starts_mcp_servers_by_one_list(run: Scripts) -> None:
    made = await run("opencode", "self", prefs={"mcp_servers": MCP})
    servers = made.files[".config/opencode/opencode.json"]["mcp"]
    assert servers["docs"] == {"type": "local", "command": ["docs-server", "--fast"], "enabled": True}


@pytest.mark.parametrize(
    ("family", "kind", "variable"),
    [
        ("anthropic", "anthropic", "${ANTHROPIC_API_KEY}"),
        ("anthropic-compatible", "anthropic", "${ANTHROPIC_AUTH_TOKEN}"),
        ("openai", "openai", "${OPENAI_API_KEY}"),
        ("openai-compatible", "generic-chat-completion-api", "${OPENAI_API_KEY}"),
    ],
)
async def test_droid_begins_with_the_profiles_model(run: Scripts, family: str, kind: str, variable: str) -> None:
    settings = (await run("droid", family)).files[".factory/settings.json"]
    (model,) = settings["customModels"]
    assert (model["provider"], model["apiKey"], model["model"]) == (kind, variable, "acme-large")
    assert model["baseUrl"] == FAMILIES[family][2]
    assert settings["sessionDefaultSettings"]["model"] == model["id"] == "custom:work-0"


async def test_both_groks_are_served(run: Scripts) -> None:
    made = await run("grok", "openai-compatible")
    base = "https://acme.example/v1"
    assert made.files[".grok/user-settings.json"] == {
        "baseURL": base,
        "defaultModel": "acme-large",
        "models": ["acme-large"],
    }
    build = made.files[".grok/config.toml"]
    assert build["model"][build["models"]["default"]]["base_url"] == base
    assert made.env["GROK_API_KEY"] == made.env["XAI_API_KEY"] == "${API_KEY}"
    assert made.env["GROK_BASE_URL"] == made.env["GROK_MODELS_BASE_URL"] == base


async def test_gemini_uses_googles_host_in_its_own_dialect(run: Scripts) -> None:
    made = await run("gemini", "openai-compatible", endpoint=f"{GOOGLE}/v1beta/openai")
    assert made.files == {".gemini/settings.json": {"security": {"auth": {"selectedType": "gemini-api-key"}}}}
    assert made.env == {
        "GEMINI_API_KEY": "${API_KEY}",
        "GEMINI_MODEL": "acme-large",
        "GOOGLE_GEMINI_BASE_URL": GOOGLE,
    }


async def test_gemini_uses_a_provider_of_its_dialect(run: Scripts) -> None:
    assert (await run("gemini", "gemini")).env["GOOGLE_GEMINI_BASE_URL"] == GOOGLE


@pytest.mark.parametrize("address", [PROXY, f"{PROXY}/v1"])
async def test_gemini_goes_through_a_proxy_to_any_provider(run: Scripts, address: str) -> None:
    made = await run("gemini", "anthropic", proxy=address)
    assert (made.env["GOOGLE_GEMINI_BASE_URL"], made.env["GEMINI_API_KEY"]) == (PROXY, "${API_KEY}")


@pytest.mark.parametrize("agent", ["aider", "droid", "opencode", "qwen"])
async def test_others_refuse_geminis_dialect(run: Scripts, agent: str) -> None:
    with pytest.raises(ScriptError, match="use the provider google, or enable the profile's proxy"):
        await run(agent, "gemini")


@pytest.mark.parametrize("family", ["anthropic", "anthropic-compatible", "openai", "openai-compatible"])
async def test_gemini_refuses_what_it_cannot_speak_to(run: Scripts, family: str) -> None:
    with pytest.raises(ScriptError, match="use the provider gemini, google or self, or enable"):
        await run("gemini", family)


async def test_qwen_is_told_which_way_in_is_meant(run: Scripts) -> None:
    made = await run("qwen", "openai-compatible")
    assert made.files[".qwen/settings.json"] == {
        "general": {"enableAutoUpdate": False},
        "security": {"auth": {"selectedType": "openai"}},
        "model": {"name": "acme-large"},
        "privacy": {"usageStatisticsEnabled": False},
    }
    assert made.env == {"OPENAI_BASE_URL": "https://acme.example/v1"}
    made = await run("qwen", "anthropic-compatible")
    assert made.files[".qwen/settings.json"]["security"]["auth"]["selectedType"] == "anthropic"
    assert made.env == {
        "ANTHROPIC_API_KEY": "${API_KEY}",
        "ANTHROPIC_BASE_URL": "https://acme.example/anthropic",
    }


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:4000/v1", "http://localhost:1/v1", "http://[::1]:80"])
async def test_qwen_asks_this_machine_past_web_proxies(run: Scripts, endpoint: str) -> None:
    env = (await run("qwen", "openai-compatible", endpoint=endpoint)).env
    assert (env["HTTPS_PROXY"], env["http_proxy"], env["OPENAI_BASE_URL"]) == ("", "", endpoint)


GITHUB = {
    "mcp_servers": {"github_token": "${GITHUB_TOKEN}", "custom": {name: {"command": name} for name in ("github", "x")}}
}


@pytest.mark.parametrize("agent", ["claude", "codex", "droid", "gemini", "opencode", "qwen"])
async def test_githubs_server_alone_gets_the_token(run: Scripts, agent: str) -> None:
    files = (await run(agent, "self", prefs=GITHUB)).files
    [servers] = [found[key] for found in files.values() for key in ("mcpServers", "mcp_servers", "mcp") if key in found]
    env = {"GITHUB_PERSONAL_ACCESS_TOKEN": "${GITHUB_TOKEN}"}
    assert servers["github"].get("env") == env or servers["github"].get("environment") == env
    assert "GITHUB" not in str(servers["x"])
    without = {"mcp_servers": {**GITHUB["mcp_servers"], "github_token": None}}
    assert "GITHUB_" not in str((await run(agent, "self", prefs=without)).texts)


async def test_what_tools_can_format_and_lint_is_switched_on(run: Scripts) -> None:
    wanted = {"hooks": {"auto_format": True, "auto_lint": True}}
    config = (await run("opencode", "self", prefs=wanted)).files[".config/opencode/opencode.json"]
    assert (config["formatter"], config["lsp"]) == (True, True)
    assert (await run("aider", "self", prefs=wanted)).env["AIDER_AUTO_LINT"] == "true"
    assert "AIDER_AUTO_LINT" not in (await run("aider", "self")).env


async def test_aider_names_the_dialect_in_the_model(run: Scripts) -> None:
    made = await run("aider", "openai-compatible")
    assert made.env["AIDER_MODEL"] == made.env["AIDER_WEAK_MODEL"] == "openai/acme-large"
    assert made.env["OPENAI_API_BASE"] == "https://acme.example/v1"
    made = await run("aider", "anthropic-compatible")
    assert made.env["AIDER_MODEL"] == "anthropic/acme-large"
    assert made.env["ANTHROPIC_API_BASE"] == "https://acme.example/anthropic"
    assert made.env["ANTHROPIC_API_KEY"] == "${API_KEY}"
