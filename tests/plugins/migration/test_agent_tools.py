"""`jackfield import` of tools for coding agents: what they have is here once, and keys are sealed."""

from __future__ import annotations

import json
import signal
import sqlite3
import tomllib
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.errors import InvalidInput
from jackfield.cli.main import main
from jackfield_migration.agents import addresses, claude_code_router, reading, ringlet
from jackfield_migration.agents.config_toml import bring_settings
from jackfield_migration.agents.manifest_files import LARGEST, ManifestFiles
from jackfield_migration.agents.wanted import WantedFile, WantedSetting, named

Imported = Callable[..., tuple[int, dict[str, Any]]]
ROUTER = """{
  // as people write it
  "APIKEY": "client-secret",
  "Providers": [
    {"name": "openrouter", "api_base_url": "https://openrouter.ai/api/v1/chat/completions",
     "api_key": "sk-secret-router", "models": ["google/gemini", "anthropic/claude"]},
    {"name": "my ds", "api_base_url": "https://ds.example/chat/completions", "api_key": "$MY_DS_KEY",
     "models": ["chat", "reason"], "transformer": {"use": ["deepseek"]}},
    {"name": "gate", "api_base_url": "https://gate.example/v1/messages", "api_key": "sk-secret-gate",
     "models": ["claude-x"], "transformer": {"use": ["Anthropic"]}},
    {"name": "off", "api_base_url": "gate.example"},
  ],
  "Router": {"default": "my ds,chat", "background": "gate,claude-x", "think": "my ds,reason",
             "longContext": "openrouter,google/gemini", "longContextThreshold": 50000, "webSearch": "gone,x"},
}
"""
GATEWAY = """
model_list:
  - model_name: big
    litellm_params: {model: openai/gpt-9, api_key: os.environ/OPENAI_API_KEY}
  - model_name: fast
    litellm_params: {model: groq/llama, api_key: sk-secret-groq, weight: 3}
  - model_name: fast
    litellm_params: {model: deepseek/deepseek-chat, api_key: os.environ/GIVEN}
  - model_name: house
    litellm_params: {model: hosted_vllm/qwen, api_base: "http://10.0.0.5:8000/v1", api_key: sk-secret-house}
  - model_name: cloud
    litellm_params: {model: azure/eu, api_base: "https://x.openai.azure.com/", api_key: sk-secret-az, api_version: v1}
  - model_name: rock
    litellm_params: {model: bedrock/anthropic.claude}
  - model_name: "anthropic/*"
    litellm_params: {model: "anthropic/*"}
environment_variables: {GIVEN: sk-secret-given}
router_settings: {routing_strategy: simple-shuffle, model_group_alias: {largest: big}}
litellm_settings: {fallbacks: [{house: [fast]}]}
general_settings: {master_key: sk-secret-master}
"""
PROFILE = {
    "alias": "work", "agent_id": "claude", "provider_id": "minimax", "endpoint_id": "international",
    "model": "MiniMax-M2.1", "env": {"FOO": "bar", "_RINGLET_KEYCHAIN_KEY": "ringlet-work"}, "args": ["--verbose"],
    "working_dir": None,
    "metadata": {
        "home": "/home/u/.claude-profiles/work", "created_at": "2026-01-01T00:00:00Z", "last_used": None,
        "total_runs": 0, "enabled_hooks": [], "enabled_mcp_servers": [],
        "hooks_config": {"PreToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": "check", "timeout": 1500}, {"type": "url", "url": "http://127.0.0.1:9/x"},
        ]}]},
        "proxy_config": {
            "enabled": True, "port": 8081,
            "routing": {"strategy": "adaptive", "rules": [
                {"name": "long", "condition": {"type": "token_count", "min": 100000}, "target": "openrouter/g",
                 "priority": 10, "weight": 0.5},
                {"name": "rest", "condition": {"type": "all", "conditions": [{"type": "thinking_mode"}]},
                 "target": "minimax/MiniMax-M2.1"},
            ]},
            "model_aliases": {"claude-x": {"provider": "zai", "model": "glm-4.7"}},
        },
    },
}  # fmt: skip
CONFIG = """
[defaults]
provider = "anthropic"
bin_dir = "~/bin"
[hooks]
auto_format = true
auto_lint = false
[[hooks.custom.PostToolUse]]
matcher = "Edit"
type = "command"
command = "fmt"
[mcp_servers]
filesystem = true
github = false
[mcp_servers.custom.db]
command = "npx"
args = ["-y", "db"]
[mcp_servers.custom.db.env]
A = "1"
[daemon]
idle_timeout_secs = 600
http_port = 8800
[telemetry]
enabled = true
resource_monitoring = false
"""


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A home of its own, no keyring, and `main`'s handler put back."""
    before = signal.getsignal(signal.SIGINT)
    (tmp_path / "user").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("JACKFIELD_PROFILES_KEY_STORE", "file")
    for name in ("MY_DS_KEY", "OPENAI_API_KEY", "GIVEN", "GROQ_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(ringlet, "_key", {"work": "sk-secret-work"}.get)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Imported:
    def run(source: str, path: Path, *options: str) -> tuple[int, dict[str, Any]]:
        config = str(tmp_path / "config")
        with pytest.raises(SystemExit) as ended:
            main(["import", source, str(path), *options, "--json", "--config-dir", config])
        told = capsys.readouterr()
        assert "secret" not in told.out + told.err
        return int(str(ended.value.code or 0)), json.loads(told.out) if told.out else json.loads(told.err)

    return run


def statuses(report: dict[str, Any]) -> dict[tuple[str, str], str]:
    return {(row["kind"], row["name"]): row["status"] for row in report["results"]}


def profile(tmp_path: Path, alias: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((tmp_path / "config" / "profiles" / f"{alias}.json").read_text())
    return found


def rules(found: dict[str, Any]) -> list[tuple[str, str, int]]:
    routing = found["metadata"]["proxy_config"]["routing"]["rules"]
    return [(rule["name"], rule["target"], rule["priority"]) for rule in routing]


def no_secret_is_readable(tmp_path: Path) -> bool:
    files = [file for file in (tmp_path / "config").rglob("*") if file.is_file()]
    return not any(b"secret" in file.read_bytes() for file in files)


def test_the_router_becomes_a_profile_with_its_routes(
    tmp_path: Path, imported: Imported, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text(ROUTER)
    monkeypatch.setenv("MY_DS_KEY", "sk-secret-ds")
    code, report = imported("claude-code-router", tmp_path)
    found = statuses(report)
    assert code == 0, report
    assert found["provider", "openrouter"] == "matched"
    assert found["provider", "my ds"] == found["provider", "gate"] == found["profile", "ccr"] == "created"
    assert found["key", "openrouter"] == found["key", "gate"] == "created"
    assert found["provider", "off"] == found["route", "webSearch"] == found["setting", "APIKEY"] == "skipped"
    made = profile(tmp_path, "ccr")
    assert (made["agent_id"], made["provider_id"], made["model"]) == ("claude", "my-ds", "chat")
    assert rules(made) == [
        ("longContext", "openrouter/google/gemini", 60), ("background", "gate/claude-x", 50),
        ("think", "my-ds/reason", 30), ("default", "my-ds/chat", 10),
    ]  # fmt: skip
    assert made["env"] == {"ANTHROPIC_DEFAULT_HAIKU_MODEL": "claude-haiku-4-5"}
    manifest = tomllib.loads((tmp_path / "config/providers.d/my-ds.toml").read_text())
    assert (manifest["endpoints"]["api"], manifest["auth"]["env_key"]) == ("https://ds.example", "MY_DS_KEY")
    gate = tomllib.loads((tmp_path / "config/providers.d/gate.toml").read_text())
    assert (gate["type"], gate["endpoints"]["api"]) == ("anthropic-compatible", "https://gate.example")
    assert no_secret_is_readable(tmp_path)


def test_imported_twice_everything_is_here_once(
    tmp_path: Path, imported: Imported, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text(ROUTER)
    monkeypatch.setenv("MY_DS_KEY", "sk-secret-ds")
    imported("claude-code-router", tmp_path)
    before = {file: file.read_bytes() for file in (tmp_path / "config").rglob("*.toml")}
    _, report = imported("claude-code-router", tmp_path)
    kept = {row["status"] for row in report["results"] if row["kind"] in ("provider", "key", "profile")}
    assert kept == {"unchanged", "matched", "skipped"}
    assert statuses(report)["profile", "ccr"] == "unchanged"
    assert {file: file.read_bytes() for file in (tmp_path / "config").rglob("*.toml")} == before


def test_a_dry_run_changes_nothing(tmp_path: Path, imported: Imported, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text(ROUTER)
    monkeypatch.setenv("MY_DS_KEY", "sk-secret-ds")
    code, report = imported("claude-code-router", tmp_path, "--dry-run", "--alias", "mine", "--agent", "codex")
    assert (code, report["dryRun"], statuses(report)["profile", "mine"]) == (0, True, "created")
    assert not list((tmp_path / "config").rglob("*.toml")) + list((tmp_path / "config").rglob("*.sealed"))
    assert not (tmp_path / "user" / ".codex-profiles").exists()


def test_a_dry_run_refuses_what_the_import_would_refuse(tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "config.json").write_text(ROUTER)
    dry = imported("claude-code-router", tmp_path, "--dry-run")
    assert dry[0] == 1
    real = imported("claude-code-router", tmp_path)
    assert real[0] == 1
    assert statuses(dry[1]) == statuses(real[1])
    told = [[row["problems"] for row in report["results"] if row["kind"] == "profile"] for _, report in (dry, real)]
    assert told[0] == told[1]
    assert statuses(dry[1])["profile", "ccr"] == "refused"


def test_what_was_changed_here_stays(tmp_path: Path, imported: Imported, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text(ROUTER)
    monkeypatch.setenv("MY_DS_KEY", "sk-secret-ds")
    imported("claude-code-router", tmp_path)
    (tmp_path / "config.json").write_text(
        ROUTER.replace("sk-secret-gate", "sk-secret-other").replace('"think": "my ds,reason"', '"think": "my ds,chat"')
    )
    _, report = imported("claude-code-router", tmp_path)
    found = {(row["kind"], row["name"]): row for row in report["results"]}
    assert found["key", "gate"]["status"] == found["profile", "ccr"]["status"] == "matched"
    assert "differs in proxy_config" in str(found["profile", "ccr"]["problems"])
    assert ("think", "my-ds/reason", 30) in rules(profile(tmp_path, "ccr"))


def test_a_missing_key_is_told_and_nothing_is_half_made(tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "config.json").write_text(ROUTER)
    code, report = imported("claude-code-router", tmp_path)
    found = {(row["kind"], row["name"]): row for row in report["results"]}
    assert (code, report["complete"]) == (1, False)
    assert found["key", "my ds"]["verdict"] == "attention"
    assert "MY_DS_KEY" in str(found["profile", "ccr"]["problems"])
    assert not (tmp_path / "config" / "profiles" / "ccr.json").exists()


def test_the_routers_database_is_read(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "config.sqlite")
    database.execute("create table app_config (key text primary key, value_json text, updated_at text)")
    config = {
        "Providers": [
            {"name": "A", "baseUrl": "https://a.example/v1", "apiKey": "k1", "models": ["m"],
             "type": "openai_responses"},
            {"name": "B", "baseUrl": "https://b.example/v1", "type": "anthropic_messages", "models": ["n"],
             "credentials": [{"apiKey": "k2", "enabled": False}, {"apiKey": "k3"}]},
            {"name": "C", "baseUrl": "https://c.example", "enabled": False, "models": []},
        ],
        "Router": {"rules": [{"name": "r", "type": "condition"}]},
    }  # fmt: skip
    database.execute("insert into app_config values ('app', ?, '')", [json.dumps(config)])
    database.commit()
    database.close()
    setup = claude_code_router.read(tmp_path, None, None)
    assert [(one.type, one.url, one.key) for one in setup.providers] == [
        ("openai-compatible", "https://a.example/v1", "k1"), ("anthropic-compatible", "https://b.example", "k3"),
    ]  # fmt: skip
    assert {(one.kind, one.name) for one in setup.left} == {("provider", "C"), ("route", "r")}
    assert setup.profiles[0].provider_id == "A"


def test_the_gateways_models_become_routes_and_aliases(tmp_path: Path, imported: Imported) -> None:
    pytest.importorskip("yaml")
    (tmp_path / "config.yaml").write_text(GATEWAY)
    _, report = imported("litellm", tmp_path, "--agent", "opencode")
    found = statuses(report)
    assert found["profile", "litellm"] == "refused"  # its first model's key is nowhere
    (tmp_path / "config.yaml").write_text(GATEWAY.replace("os.environ/OPENAI_API_KEY", "sk-secret-openai"))
    code, report = imported("litellm", tmp_path, "--agent", "opencode")
    found = statuses(report)
    assert code == 0, report
    assert found["provider", "openai"] == found["provider", "groq"] == "matched"
    assert found["provider", "hosted_vllm"] == "unchanged"
    assert found["route", "rock"] == "skipped"
    made = profile(tmp_path, "litellm")
    config = made["metadata"]["proxy_config"]
    assert config["model_aliases"] == {
        "big": "openai/gpt-9", "cloud": "azure/eu", "anthropic/*": "anthropic/*", "largest": "openai/gpt-9",
    }  # fmt: skip
    azure = tomllib.loads((tmp_path / "config/providers.d/azure.toml").read_text())
    assert (azure["endpoints"]["api"], azure["query"]) == (
        "https://x.openai.azure.com/openai/deployments/{model}", {"api-version": "v1"},
    )  # fmt: skip
    assert azure["auth"]["kind"] == "api-key"
    assert config["routing"]["strategy"] == "Weighted"
    found_rules = [
        (rule["name"], rule["target"], rule.get("weight"), rule.get("fallback")) for rule in config["routing"]["rules"]
    ]
    assert found_rules == [
        ("fast 1", "groq/llama", 3.0, None), ("fast 2", "deepseek/deepseek-chat", 1.0, None),
        ("house 1", "hosted_vllm/qwen", 1.0, None), ("house fallback 1", "groq/llama", None, True),
        ("house fallback 2", "deepseek/deepseek-chat", None, True),
    ]  # fmt: skip
    assert (made["model"], made["provider_id"]) == ("big", "openai")
    assert no_secret_is_readable(tmp_path)


def ringlet_directory(tmp_path: Path) -> Path:
    directory = tmp_path / "ringlet"
    for folder in ("profiles", "agents.d", "scripts", "registry/commits/abc/agents"):
        (directory / folder).mkdir(parents=True)
    (directory / "config.toml").write_text(CONFIG)
    (directory / "profiles/work.json").write_text(json.dumps(PROFILE))
    (directory / "profiles/broken.json").write_text("{")
    (directory / "agents.d/mine.toml").write_text('id = "mine"\nname = "Mine"\nbinary = "mine"\n')
    (directory / "scripts/mine.rhai").write_text("#{}")
    (directory / "registry/registry.lock").write_text('{"commit": "abc", "channel": "stable"}')
    for name in ("claude", "newer"):
        (directory / f"registry/commits/abc/agents/{name}.toml").write_text(f'id = "{name}"\nbinary = "{name}"\n')
    return directory


def test_ringlets_directory_is_here_afterwards(tmp_path: Path, imported: Imported) -> None:
    code, report = imported("ringlet", ringlet_directory(tmp_path))
    found = statuses(report)
    assert code == 1
    assert [row["origin"].rsplit("/", 1)[1] for row in report["unreadable"]] == ["broken.json"]
    assert found["profile", "work"] == "created", report
    assert found["agent", "mine.toml"] == found["script", "mine.rhai"] == found["agent", "newer.toml"] == "created"
    assert ("agent", "claude.toml") not in found
    made = profile(tmp_path, "work")
    assert (made["env"], made["args"], made["endpoint_id"]) == ({"FOO": "bar"}, ["--verbose"], "international")
    assert made["metadata"]["hooks_config"]["PreToolUse"][0]["hooks"] == [
        {"type": "command", "command": "check", "timeout": 2}, {"type": "http", "url": "http://127.0.0.1:9/x"},
    ]  # fmt: skip
    config = made["metadata"]["proxy_config"]
    assert (config["routing"]["strategy"], config["port"]) == ("LowestLatency", 8081)
    assert config["model_aliases"] == {"claude-x": "zai/glm-4.7"}
    settings = tomllib.loads((tmp_path / "config" / "config.toml").read_text())
    assert settings["server"]["port"] == 8800
    assert settings["profiles"]["bin_dir"] == "~/bin"
    assert settings["hooks"]["custom"]["PostToolUse"][0]["command"] == "fmt"
    assert settings["mcp_servers"]["custom"]["db"]["env"] == {"A": "1"}
    assert found["setting", "daemon.idle_timeout_secs"] == "skipped"
    _, again = imported("ringlet", tmp_path / "ringlet")
    assert {row["status"] for row in again["results"]} <= {"unchanged", "skipped"}, again
    assert no_secret_is_readable(tmp_path)


@pytest.mark.parametrize("timeout", [float("inf"), float("-inf"), float("nan")])
def test_a_time_of_a_hook_that_is_none_is_left_out(tmp_path: Path, imported: Imported, timeout: float) -> None:
    directory = ringlet_directory(tmp_path)
    hook = {"type": "command", "command": "check", "timeout": timeout}
    metadata = {**PROFILE["metadata"], "hooks_config": {"Stop": [{"hooks": [hook]}]}}
    (directory / "profiles/work.json").write_text(json.dumps({**PROFILE, "metadata": metadata}))
    _, report = imported("ringlet", directory)
    assert statuses(report)["profile", "work"] == "created", report
    made = profile(tmp_path, "work")["metadata"]["hooks_config"]["Stop"]
    assert made == [{"matcher": "*", "hooks": [{"type": "command", "command": "check"}]}]


async def test_of_a_file_that_is_too_large_no_more_is_read_than_tells_that(tmp_path: Path) -> None:
    source = tmp_path / "huge.toml"
    with source.open("wb") as file:
        file.truncate(64 * LARGEST)
    files = ManifestFiles(tmp_path / "config", "ringlet", dry_run=False)
    tracemalloc.start()
    try:
        result = await files.bring(WantedFile("agents.d", source))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (result.status, [problem.message for problem in result.problems]) == (
        "refused", [f"it has more than {LARGEST} bytes"]
    )  # fmt: skip
    assert peak < 8 * LARGEST


def test_ringlets_settings_in_our_place_do_not_stop_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.toml").write_text(CONFIG)
    with pytest.raises(SystemExit) as ended:
        main(["config", "--json", "--config-dir", str(tmp_path)])
    told = capsys.readouterr()
    assert not ended.value.code, told.err
    assert json.loads(told.out)


SURFACE = f"{addresses.GOOGLE}/v1beta/openai"
CODEX = """model_provider = "custom"
model = "gpt-9"
[model_providers.custom]
name = "Gate"
base_url = "https://gate.example/v1"
wire_api = "responses"
"""


def stored() -> list[tuple[str, str, str, dict[str, Any], dict[str, Any]]]:
    address = {"ANTHROPIC_BASE_URL": "https://kimi.example/anthropic", "ANTHROPIC_AUTH_TOKEN": "sk-secret-kimi"}
    chat = {"ANTHROPIC_BASE_URL": "https://chat.example/v1", "ANTHROPIC_AUTH_TOKEN": "sk-secret-chat"}
    return [
        (
            "1",
            "claude",
            "Kimi",
            {"env": {**address, "ANTHROPIC_MODEL": "k2", "API_TIMEOUT_MS": "9", "X_TOKEN": "s"}},
            {},
        ),
        ("2", "claude", "Claude Official", {"env": {}}, {}),
        ("3", "claude", "Chat", {"env": {**chat, "ANTHROPIC_MODEL": "c"}}, {"apiFormat": "openai_chat"}),
        ("4", "codex", "Kimi", {"auth": {"OPENAI_API_KEY": "sk-secret-codex"}, "config": CODEX}, {}),
        ("5", "hermes", "H", {}, {}),
    ]


FAR = {"type": "sse", "url": "https://mcp.example/sse", "headers": {"X-Team": "docs"}}
SWITCHED: tuple[tuple[str, dict[str, Any], int, int, int], ...] = (
    ("db", {"command": "npx", "args": ["db"], "env": {"TOKEN": "t-1"}}, 1, 1, 0),
    ("far", FAR, 1, 0, 0),
    ("off", {"command": "npx", "env": {"TOKEN": "sk-secret-off"}}, 0, 0, 0),
    ("other", {"command": "npx"}, 0, 0, 1),
    ("web", {"type": "http", "url": "u"}, 1, 0, 0),
    ("odd", {"command": "npx", "env": {"A B": "1"}}, 1, 0, 0),
)
"""MCP servers: name, form, and whether each is on for claude, codex and gemini."""


@pytest.fixture
def cc_switch(tmp_path: Path) -> Callable[..., Path]:
    def written(
        providers: list[tuple[str, str, str, dict[str, Any], dict[str, Any]]],
        servers: tuple[tuple[str, dict[str, Any], int, int, int], ...] = (),
    ) -> Path:
        with closing(sqlite3.connect(tmp_path / "cc-switch.db")) as database, database:
            database.execute(
                "create table providers (id text, app_type text, name text, settings_config text, meta text,"
                " sort_index integer, created_at integer, is_current boolean)"
            )
            database.execute(
                "create table mcp_servers (id text, name text, server_config text, enabled_claude boolean,"
                " enabled_codex boolean, enabled_gemini boolean)"
            )
            for number, app, name, settings, meta in providers:
                row = [number, app, name, json.dumps(settings), json.dumps(meta), int(number)]
                database.execute("insert into providers values (?, ?, ?, ?, ?, ?, 0, 0)", row)
            for name, server, *on in servers:
                row = [name, name, json.dumps(server), *on]
                database.execute("insert into mcp_servers values (?, ?, ?, ?, ?, ?)", row)
        return tmp_path

    return written


def test_each_provider_of_cc_switch_becomes_a_profile(
    tmp_path: Path, imported: Imported, cc_switch: Callable[..., Path]
) -> None:
    code, report = imported("cc-switch", cc_switch(stored()))
    found = statuses(report)
    assert code == 0, report
    created = {name for (kind, name), status in found.items() if kind == "profile" and status == "created"}
    assert created == {"Kimi", "Claude-Official", "Chat", "Kimi-codex"}
    assert found["profile", "H"] == "skipped"
    kimi, own, chat, codex = (profile(tmp_path, name) for name in ("Kimi", "Claude-Official", "Chat", "Kimi-codex"))
    assert (kimi["provider_id"], kimi["model"], kimi["env"]) == ("Kimi", "k2", {"API_TIMEOUT_MS": "9"})
    assert own["provider_id"] == "self"
    assert chat["metadata"]["proxy_config"]["enabled"]
    assert (codex["agent_id"], codex["model"], codex["provider_id"]) == ("codex", "gpt-9", "Kimi-2")
    assert no_secret_is_readable(tmp_path)


def test_a_server_of_cc_switch_goes_where_it_was_on(
    tmp_path: Path, imported: Imported, cc_switch: Callable[..., Path]
) -> None:
    code, report = imported("cc-switch", cc_switch(stored(), SWITCHED))
    assert code == 0, report
    assert not (tmp_path / "config" / "config.toml").exists(), "none is for every profile"
    db = {"command": "npx", "args": ["db"], "env": {"TOKEN": "t-1"}}
    assert profile(tmp_path, "Kimi")["metadata"]["mcp_servers"] == {"db": db, "far": FAR}
    assert profile(tmp_path, "Claude-Official")["metadata"]["mcp_servers"] == {"db": db, "far": FAR}
    assert profile(tmp_path, "Kimi-codex")["metadata"]["mcp_servers"] == {"db": db}
    (kimi,) = [row["problems"] for row in report["results"] if row["name"] == "Kimi-codex"]
    assert "were on for codex: db" in str(kimi)
    left = {row["name"]: row["problems"][0]["message"] for row in report["results"] if row["kind"] == "setting"}
    assert "switched off" in left["mcp_servers.off"]
    assert "switched on for gemini" in left["mcp_servers.other"]
    assert {"mcp_servers.web", "mcp_servers.odd"} < left.keys()
    assert no_secret_is_readable(tmp_path)
    _, again = imported("cc-switch", tmp_path)
    assert statuses(again)["profile", "Kimi"] == "unchanged"


def test_a_server_that_the_agent_cannot_have_makes_no_difference_later(
    tmp_path: Path, imported: Imported, cc_switch: Callable[..., Path]
) -> None:
    codex = [one for one in stored() if one[1] == "codex"]
    source = cc_switch(codex, (("db", {"command": "npx"}, 0, 1, 0), ("far", FAR, 0, 1, 0)))
    for status in ("created", "unchanged"):
        _, report = imported("cc-switch", source)
        assert statuses(report)["profile", "Kimi"] == status
        (row,) = [row for row in report["results"] if row["kind"] == "profile"]
        assert "mcp_servers.far" in {problem["path"] for problem in row["problems"]}


def test_servers_of_the_same_id_are_both_kept_and_told(
    tmp_path: Path, imported: Imported, cc_switch: Callable[..., Path]
) -> None:
    mine, yours = {"command": "npx", "args": ["mine"]}, {"command": "npx", "args": ["yours"]}
    servers = (("my db", mine, 1, 0, 0), ("my-db", yours, 1, 0, 0), ("my-db", yours, 1, 0, 0))
    _, report = imported("cc-switch", cc_switch(stored()[:1], servers))
    kept = profile(tmp_path, "Kimi")["metadata"]["mcp_servers"]
    assert {name: server["args"] for name, server in kept.items()} == {"my-db": ["mine"], "my-db-2": ["yours"]}
    (problems,) = [str(row["problems"]) for row in report["results"] if row["kind"] == "profile"]
    assert "'my db' and 'my-db' would have the same name here; the second one is my-db-2" in problems.replace("\\", "")


def test_the_older_file_of_cc_switch_is_read(tmp_path: Path, imported: Imported) -> None:
    providers = {key: {"name": name, "settingsConfig": settings} for key, _, name, settings, _ in stored()[:2]}
    servers = {"db": {"server": {"command": "npx"}}, "off": {"server": {"command": "npx"}, "enabled": False}}
    shared = {"new": {"server": {"command": "npx"}, "apps": {"claude": True, "codex": False}}}
    config = {
        "version": 2, "claude": {"providers": providers, "current": "1"},
        "mcp": {"claude": {"servers": servers}, "servers": shared},
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    code, report = imported("cc-switch", tmp_path)
    assert code == 0, report
    assert statuses(report)["setting", "mcp_servers.off"] == "skipped"
    assert profile(tmp_path, "Kimi")["metadata"]["mcp_servers"].keys() == {"db", "new"}


@pytest.mark.parametrize(
    ("address", "matched"),
    [
        ("https://api.z.ai/api/anthropic", "zai"),
        ("https://open.bigmodel.cn/api/anthropic", None),
        ("https://api.minimaxi.com/anthropic", None),
    ],
)
def test_a_key_goes_to_the_host_that_it_was_meant_for(
    address: str, matched: str | None, tmp_path: Path, imported: Imported, cc_switch: Callable[..., Path]
) -> None:
    env = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_AUTH_TOKEN": "sk-secret-glm"}
    code, report = imported("cc-switch", cc_switch([("1", "claude", "GLM", {"env": env}, {})]))
    assert code == 0, report
    made = profile(tmp_path, "GLM")
    assert made["provider_id"] == (matched or "GLM")
    if matched is None:
        manifest = tomllib.loads((tmp_path / "config/providers.d/GLM.toml").read_text())
        assert manifest["endpoints"][made["endpoint_id"]] == address


@pytest.mark.parametrize("source", ["claude-code-router", "litellm", "ringlet", "cc-switch"])
def test_what_is_nothing_of_the_tool_is_told(source: str, tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "empty").mkdir()
    code, told = imported(source, tmp_path / "empty")
    assert (code, told["error"]["code"]) == (1, "VALIDATION_ERROR")
    assert str(tmp_path / "empty") in told["error"]["message"]


def test_a_broken_file_is_told_without_its_content(tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "config.json").write_text('{"Providers": [{"api_key": "sk-secret"')
    code, told = imported("claude-code-router", tmp_path)
    assert (code, "line 1" in told["error"]["message"]) == (1, True)


@pytest.mark.parametrize(
    ("address", "spoken", "expected"),
    [
        ("https://api.anthropic.com/v1/messages", "", ("anthropic", "https://api.anthropic.com")),
        ("https://api.openai.com/v1/responses", "", ("openai", "https://api.openai.com/v1")),
        (
            "https://generativelanguage.googleapis.com.x.example",
            "",
            ("openai-compatible", "https://generativelanguage.googleapis.com.x.example"),
        ),
        ("https://x.example/anthropic/", "", ("anthropic-compatible", "https://x.example/anthropic")),
        ("https://x.example/v1/chat/completions", "", ("openai-compatible", "https://x.example/v1")),
        ("https://x.example/v1", "anthropic", ("anthropic-compatible", "https://x.example")),
        (f"{addresses.GOOGLE}/v1beta/models/", "", ("gemini", addresses.GOOGLE)),
        (f"{addresses.GOOGLE}/", "gemini", ("gemini", addresses.GOOGLE)),
        (f"{SURFACE}/chat/completions", "", ("openai-compatible", SURFACE)),
        (SURFACE, "gemini", ("openai-compatible", SURFACE)),
        ("https://g.example/x/v1beta/models", "gemini", ("gemini-compatible", "https://g.example/x")),
        ("https://g.example/v1beta/models/gemini-pro", "gemini", ("gemini-compatible", "https://g.example")),
        ("https://g.example", "gemini", ("gemini-compatible", "https://g.example")),
    ],
)
def test_addresses_of_endpoints_become_base_addresses(address: str, spoken: str, expected: tuple[str, str]) -> None:
    assert addresses.base_of(address, spoken) == expected


def _manifests(place: Path) -> dict[str, tuple[str, str]]:
    """Type and address of each provider that was made."""
    found = [tomllib.loads(file.read_text()) for file in (place / "config" / "providers.d").glob("*.toml")]
    return {one["id"]: (one["type"], next(iter(one["endpoints"].values()))) for one in found}


def test_gemini_keeps_its_own_dialect(tmp_path: Path, imported: Imported) -> None:
    """The service itself is the built-in provider; only who writes the OpenAI surface's address gets that one."""
    providers = [
        {"name": "g", "api_base_url": f"{addresses.GOOGLE}/v1beta/models/", "api_key": "sk-secret-g", "models": ["gx"],
         "transformer": {"use": ["gemini"]}},
        {"name": "far", "api_base_url": "https://far.example/v1beta/models/", "api_key": "sk-secret-far",
         "models": ["gy"], "transformer": {"use": ["gemini"]}},
    ]  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps({"Providers": providers, "Router": {"default": "g,gx"}}))
    code, report = imported("claude-code-router", tmp_path)
    assert code == 0, report
    assert profile(tmp_path, "ccr")["provider_id"] == "gemini"
    assert _manifests(tmp_path) == {"far": ("gemini-compatible", "https://far.example")}

    (tmp_path / "config.json").unlink()
    (tmp_path / "config.yaml").write_text(
        "model_list:\n"
        "  - {model_name: a, litellm_params: {model: gemini/gx, api_key: sk-secret-g}}\n"
        "  - {model_name: b, litellm_params: {model: gemini/gy, api_key: sk-secret-h,"
        " api_base: https://near.example/v1beta}}\n"
        f"  - {{model_name: c, litellm_params: {{model: openai/gz, api_key: sk-secret-i, api_base: {SURFACE}}}}}\n"
    )
    code, report = imported("litellm", tmp_path)
    assert code == 0, report
    aliases = profile(tmp_path, "litellm")["metadata"]["proxy_config"]["model_aliases"]
    assert (aliases["a"], aliases["c"]) == ("gemini/gx", "google/gz")
    assert _manifests(tmp_path)[aliases["b"].partition("/")[0]] == ("gemini-compatible", "https://near.example")

    settings = [
        ("1", {"GEMINI_API_KEY": "sk-secret-g", "GEMINI_MODEL": "gx"}),
        ("2", {"GEMINI_API_KEY": "sk-secret-j", "GOOGLE_GEMINI_BASE_URL": "https://relay.example/gemini/"}),
    ]
    (tmp_path / "config.yaml").unlink()
    known = {key: {"name": f"G{key}", "settingsConfig": {"env": env}} for key, env in settings}
    (tmp_path / "config.json").write_text(json.dumps({"version": 2, "gemini": {"providers": known, "current": "1"}}))
    code, report = imported("cc-switch", tmp_path)
    assert code == 0, report
    assert (profile(tmp_path, "G1")["provider_id"], profile(tmp_path, "G1")["agent_id"]) == ("gemini", "gemini")
    assert _manifests(tmp_path)[profile(tmp_path, "G2")["provider_id"]] == (
        "gemini-compatible", "https://relay.example/gemini"
    )  # fmt: skip
    assert no_secret_is_readable(tmp_path)


def test_comments_and_commas_of_people_are_read_and_texts_stay(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"a": "// no, /* comment */ ,]", /* b */ "c": [1, 2, // x\n ], }')
    assert reading.json_file(file) == {"a": "// no, /* comment */ ,]", "c": [1, 2]}
    file.write_text("[]")
    with pytest.raises(InvalidInput, match="no table"):
        reading.json_file(file)


def test_names_of_other_tools_become_ids() -> None:
    assert named("my gate/é!") == "my-gate"
    assert named("..") == "imported"
    assert named("a b", ["a-b", "a-b-2"]) == "a-b-3"


def test_a_line_of_slashes_after_a_comma_is_read_at_once(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"a": [1, ' + "/" * 4000 + "\n /* b */ // c // d\n 2, " + "/" * 4000 + "\n ]}")
    assert reading.json_file(file) == {"a": [1, 2]}


async def test_settings_that_would_stop_the_start_are_not_written(tmp_path: Path) -> None:
    good: list[tuple[str, str, Any]] = [
        ("server", "port", 8080),
        ("hooks", "custom", {"Stop": [{"command": "true", "timeout": 5}]}),
        ("mcp_servers.custom", "ok", {"command": "npx", "args": ["a"]}),
        ("mcp_servers.custom", "web", {"url": "https://a.example/mcp"}),
        ("custom", "any", {"a": [1]}),
    ]
    bad: list[tuple[str, str, Any]] = [
        ("server", "port", "x"),
        ("hooks", "auto_format", "sometimes"),
        ("hooks", "custom", {"Stop": [{"command": "true", "timeout": 5000}]}),
        ("mcp_servers.custom", "my server", {"command": "npx"}),
        ("mcp_servers.custom", "typed", {"command": "npx", "type": "stdio"}),
    ]
    refused = await bring_settings(tmp_path, [WantedSetting(*one, "a") for one in bad], dry_run=False)
    assert {result.status for result in refused} == {"refused"}
    assert not (tmp_path / "config.toml").exists()
    made = await bring_settings(tmp_path, [WantedSetting(*one, "a") for one in good], dry_run=False)
    assert [result.status for result in made] == ["created"] * len(good)
