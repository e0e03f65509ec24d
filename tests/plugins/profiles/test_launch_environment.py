"""What an agent finds in its environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from launch_lab import KEY, FakeProxies, Lab, provider

from jackfield.api.errors import InvalidInput
from jackfield.api.profiles import LaunchRequest
from jackfield_profiles.mcp_servers import StdioServer
from jackfield_profiles.preferences import ServerPreferences
from jackfield_profiles.running_settings import RunSettings
from jackfield_profiles.wiring.environment import hidden, inherited, masked, with_headers


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    for name, value in {
        "JACKFIELD_ADMIN_PASSWORD": "admin-secret-1",
        "OTHER_API_KEY": "other-secret-1",
        "AWS_SECRET_ACCESS_KEY": "aws-secret-1",
        "SSH_AUTH_SOCK": "/run/ssh",
        "LC_TIME": "de_DE.UTF-8",
        "HTTPS_PROXY": "http://proxy.example:3128",
        "HTTP_PROXY": "http://me:web-secret-1@proxy.example:3128",
    }.items():
        monkeypatch.setenv(name, value)
    made = Lab(tmp_path)
    made.providers.append(provider(id="other", auth={"env_key": "OTHER_API_KEY"}))
    return made


async def environment(lab: Lab) -> dict[str, str]:
    return dict(await lab.launcher.environment(lab.profile, secrets=True))


async def test_a_compatible_provider_gives_base_url_token_model_and_its_own_variable(lab: Lab) -> None:
    found = await environment(lab)
    assert found["ANTHROPIC_BASE_URL"] == "https://acme.example/a"
    assert found["ANTHROPIC_AUTH_TOKEN"] == found["ACME_API_KEY"] == KEY
    assert found["ANTHROPIC_MODEL"] == "m-1"
    assert "ANTHROPIC_API_KEY" not in found


async def test_a_native_provider_gives_the_key_variable_alone(lab: Lab) -> None:
    vendor = {"main": "https://vendor.example", "backup": "https://b.example"}
    lab.providers[0] = provider(type="anthropic", endpoints=vendor, auth={"env_key": "ANTHROPIC_API_KEY"})
    found = await environment(lab)
    assert found["ANTHROPIC_API_KEY"] == KEY
    assert not {"ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN"} & found.keys()
    lab.profile_fields["endpoint_id"] = "backup"
    # The key of a user's own provider must not go to the vendor.
    assert (await environment(lab))["ANTHROPIC_BASE_URL"] == "https://b.example"


async def test_own_login_gives_nothing_of_a_provider(lab: Lab) -> None:
    lab.providers[0] = provider(type="self", endpoints={"native": ""}, auth={"required": False})
    lab.profile_fields["endpoint_id"] = "native"
    lab.key = None
    assert not [name for name in await environment(lab) if name.startswith(("ANTHROPIC", "OPENAI", "ACME"))]


async def test_a_provider_without_a_key_still_gives_a_token(lab: Lab) -> None:
    lab.providers[0] = provider(type="openai-compatible", auth={"required": False})
    lab.key = None
    found = await environment(lab)
    assert found["OPENAI_BASE_URL"] == "https://acme.example/a"
    assert found["OPENAI_API_KEY"]


async def test_home_and_the_tools_own_variables_lie_in_the_home(lab: Lab) -> None:
    lab.agent_fields["profile"] = {"env": {"TOOL_CONFIG_DIR": "{home}/.tool", "TOOL_FILE": "{home}/a.json"}}
    found = await environment(lab)
    assert found["HOME"] == str(lab.home)
    assert found["TOOL_CONFIG_DIR"] == f"{lab.home}/.tool"
    assert all(found[name].startswith(f"{lab.home}/") for name in found if name.startswith("XDG_"))
    lab.program("")
    lab.context.ports["Agents"].path = lab.path  # type: ignore[attr-defined]
    await lab.launcher.prepare(lab.profile, LaunchRequest(kind="profile_run"))
    assert (lab.home / ".tool").is_dir()
    assert not (lab.home / "a.json").exists()


async def test_secrets_of_the_daemon_and_of_other_providers_are_not_inherited(lab: Lab) -> None:
    lab.settings = RunSettings(inherit=["SSH_AUTH_SOCK", "OTHER_API_KEY"])
    found = await environment(lab)
    assert found["LC_TIME"] == "de_DE.UTF-8"
    assert found["SSH_AUTH_SOCK"] == "/run/ssh"
    assert found["HTTPS_PROXY"] == "http://proxy.example:3128"
    assert not [value for value in found.values() if "-secret-1" in value]


def test_the_daemons_variables_cannot_be_inherited() -> None:
    with pytest.raises(ValueError, match="JACKFIELD_X"):
        RunSettings(inherit=["JACKFIELD_X"])
    assert inherited({"JACKFIELD_X": "1", "PATH": "/bin"}, ["JACKFIELD_X"], ()) == {"PATH": "/bin"}


async def test_the_profiles_variables_win_but_not_over_home(lab: Lab) -> None:
    lab.profile_fields["env"] = {"ANTHROPIC_MODEL": "mine", "HOME": "/elsewhere", "OTHER_API_KEY": "on purpose"}
    found = await environment(lab)
    assert (found["ANTHROPIC_MODEL"], found["HOME"], found["OTHER_API_KEY"]) == ("mine", str(lab.home), "on purpose")


@pytest.mark.parametrize(
    ("kind", "dialect", "base", "variables"),
    [
        ("anthropic-compatible", None, "http://127.0.0.1:7000", ("ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN")),
        ("anthropic", "openai", "http://127.0.0.1:7000/v1", ("OPENAI_BASE_URL", "OPENAI_API_KEY")),
    ],
)
async def test_behind_a_proxy_the_agent_gets_its_address_and_token_and_never_the_key(
    lab: Lab, kind: str, dialect: Any, base: str, variables: tuple[str, str]
) -> None:
    lab.proxies = FakeProxies()
    lab.metadata["proxy_config"] = {"enabled": True}
    lab.providers[0] = provider(type=kind)
    lab.agent_fields["dialect"] = dialect
    found = await environment(lab)
    assert (found[variables[0]], found[variables[1]]) == (base, "proxy-token-1")
    assert KEY not in found.values()
    assert "127.0.0.1" in found["NO_PROXY"]


@pytest.mark.parametrize(
    ("kind", "variable", "base"),
    [
        ("anthropic", "ANTHROPIC_BASE_URL", "http://127.0.0.1:7000/t/proxy-token-1"),
        ("openai", "OPENAI_BASE_URL", "http://127.0.0.1:7000/t/proxy-token-1/v1"),
    ],
)
async def test_an_agent_that_logs_in_by_itself_gets_an_address_with_the_token_and_no_key(
    lab: Lab, kind: str, variable: str, base: str
) -> None:
    lab.proxies = FakeProxies()
    lab.metadata["proxy_config"] = {"enabled": True}
    lab.providers[0] = provider(type=kind, auth={"kind": "agent"})
    found = await environment(lab)
    assert found[variable] == base
    assert not {"ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"} & found.keys()
    shown = await lab.launcher.environment(lab.profile)
    assert "proxy-token-1" not in str(shown)


async def test_secrets_are_masked(lab: Lab) -> None:
    lab.profile_fields["env"] = {"NOTE": f"bearer {KEY}!", "MAX_TOKENS": "5", "MY_PASSWORD": "x"}
    found = await lab.launcher.environment(lab.profile)
    assert not [value for value in found.values() if KEY in value]
    assert (found["NOTE"], found["MAX_TOKENS"], found["MY_PASSWORD"]) == ("bearer ***!", "5", "***")
    assert list(found) == sorted(found)


async def test_what_mcp_servers_are_given_is_secret(lab: Lab) -> None:
    lab.program("")
    lab.key = KEY
    lab.metadata["mcp_servers"] = {
        "far": {"url": "https://mcp.example", "headers": {"Authorization": "Bearer far-secret-1", "X-Note": "short"}},
        "docs": {
            "command": "docs",
            "env": {"DOCS_PASSWORD": "pw-12345", "DATABASE": "pg://a:b@db.example", "ROOT": "/home/me/project"},
        },
    }
    launch = await lab.launcher.prepare(lab.profile, LaunchRequest(kind="profile_run"))
    assert set(launch.secrets) == {KEY, "Bearer far-secret-1", "far-secret-1", "pw-12345", "pg://a:b@db.example"}
    assert lab.context.secrets.hide("it is pw-12345") == "it is ***"


async def test_servers_of_all_profiles_have_secrets_too(lab: Lab) -> None:
    lab.program("")
    server = StdioServer(command="docs", env={"DOCS_TOKEN": "docs-secret-1"})
    lab.context.tables = [*lab.context.tables, ServerPreferences(custom={"docs": server})]
    launch = await lab.launcher.prepare(lab.profile, LaunchRequest(kind="profile_run"))
    assert "docs-secret-1" in launch.secrets


def test_longer_secrets_are_hidden_first() -> None:
    assert hidden("abcdef abcd x", ["abcd", "abcdef", "x"]) == "*** *** x"
    assert masked({"A": ""}, []) == {"A": ""}


async def test_a_missing_key_is_told_with_the_ways_to_give_it(lab: Lab) -> None:
    lab.key = None
    lab.program("")
    assert "ACME_API_KEY" not in await environment(lab)
    with pytest.raises(InvalidInput, match=r"api_key.*ACME_API_KEY"):
        await lab.launcher.prepare(lab.profile, LaunchRequest(kind="profile_run"))
    assert not lab.home.exists()


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("", "traceparent: 00-1\ntracestate: a=b"),
        ("X-Own: 1\n\n", "X-Own: 1\ntraceparent: 00-1\ntracestate: a=b"),
        ("X-Own: 1\u2028X-No: 2", "X-Own: 1\u2028X-No: 2\ntraceparent: 00-1\ntracestate: a=b"),
        ("Traceparent : 00-2", "Traceparent : 00-2"),
    ],
)
def test_headers_of_a_profile_stay_beside_those_of_a_trace(own: str, expected: str) -> None:
    assert with_headers(own, [("traceparent", "00-1"), ("tracestate", "a=b")]) == expected
