"""`hooks_config` and `proxy_config`: what is accepted, what is refused and how it is named."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from profile_lab import Lab, agent

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.proxy import STRATEGY_NAMES
from jackfield_profiles.editing import hooks_config, proxy_config

HOOK = {"type": "command", "command": "echo", "timeout": 5}
WITH = agent("echo", supports_hooks=True)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["type", "name", "rules", "routing", "condition", "target", "Stop", "hooks", "matcher"])
        | st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def hooks(*actions: Json, event: str = "Stop") -> dict[str, Json]:
    return {event: [{"matcher": "*", "hooks": list(actions)}]}


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"Stop": []},
        hooks(HOOK),
        hooks({"type": "command", "command": "x", "statusMessage": "kept"}),
        hooks({"type": "http", "url": "https://example.test/x"}, {"type": "prompt", "prompt": "ask"}),
        hooks(HOOK, event="SessionStart"),
        {"PreToolUse": [{"hooks": []}]},
    ],
)
def test_good_hooks_are_stored_as_given(config: dict[str, Json]) -> None:
    assert hooks_config.checked(config, WITH) == config


@pytest.mark.parametrize(
    ("config", "names"),
    [
        ({"Nope": []}, "hooks_config"),
        ({"Stop": {}}, "hooks_config.Stop"),
        (hooks({"type": "command"}), "command.command"),
        (hooks({**HOOK, "timeout": 5000}), "timeout"),
        (hooks({**HOOK, "timeout": 0}), "timeout"),
        (hooks({**HOOK, "timeout": "5"}), "timeout"),
        (hooks({"type": "url", "url": "http://x"}), "hooks_config.Stop[0].hooks[0]"),
        (hooks({"type": "http", "url": "file:///x"}), "url"),
        ({"Stop": [{"matcher": 1, "hooks": []}]}, "matcher"),
        ({"Stop": [{"matcher": "*", "hook": []}]}, "hook"),
    ],
)
def test_bad_hooks_name_the_field(config: dict[str, Json], names: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        hooks_config.checked(config, WITH)
    assert any(names in path for path in caught.value.details or {}), caught.value.details


def test_an_agent_without_hooks_may_have_none() -> None:
    assert hooks_config.checked({"Stop": []}, agent("plain")) == {"Stop": []}
    with pytest.raises(InvalidInput) as caught:
        hooks_config.checked(hooks(HOOK), agent("plain"))
    assert caught.value.code == "HOOKS_UNSUPPORTED"


@given(st.dictionaries(st.sampled_from(["Stop", "PreToolUse", "x"]), anything, max_size=2))
def test_any_hooks_are_accepted_or_refused(config: dict[str, Any]) -> None:
    with contextlib.suppress(InvalidInput):
        assert hooks_config.checked(config, WITH) == config


# ---------------------------------------------------------------------------------------------------- proxy


def rule(condition: Json, **more: Json) -> dict[str, Json]:
    return {"name": "r", "condition": condition, "target": "acme/large", **more}


def routed(*rules: Json, **more: Json) -> dict[str, Json]:
    return {"enabled": True, "port": None, "routing": {"strategy": "Conditional", "rules": list(rules)}, **more}


@pytest.mark.parametrize(
    "condition",
    [
        {"type": "always"},
        {"type": "token_count", "min": 5},
        {"type": "token_count", "min": 5, "max": 5},
        {"type": "has_tools"},
        {"type": "thinking"},
        {"type": "model_pattern", "pattern": "*opus*"},
        {"type": "header", "name": "X-A", "equals": ""},
        {"type": "time", "from": "22:00", "to": "06:30"},
        {"type": "script", "path": "routes/mine.rhai"},
        {"type": "not", "condition": {"type": "any", "conditions": [{"type": "image"}, {"type": "web_search"}]}},
    ],
)
def test_every_condition_is_kept(condition: dict[str, Json]) -> None:
    stored: Any = proxy_config.checked(routed(rule(condition, priority=3, weight=0.5)))
    assert stored["routing"]["rules"] == [rule(condition, priority=3, weight=0.5)]


@pytest.mark.parametrize(
    ("config", "names"),
    [
        (routed(rule("always")), "condition"),
        (routed(rule({"type": "none-such"})), "condition"),
        (routed(rule({"type": "token_count"})), "condition"),
        (routed(rule({"type": "token_count", "min": 5, "max": 4})), "condition"),
        (routed(rule({"type": "token_count", "mni": 5})), "mni"),
        (routed(rule({"type": "time", "from": "24:00", "to": "1:00"})), "from"),
        (routed(rule({"type": "script", "path": "../x.rhai"})), "path"),
        (routed(rule({"type": "all", "conditions": []})), "conditions"),
        (routed(rule({"type": "always"}, priority="high")), "priority"),
        (routed(rule({"type": "always"}, target="no-slash")), "target"),
        (routed(rule({"type": "always"}), rule({"type": "always"})), "rules"),
        (routed(port=0), "port"),
        (routed(port="8080"), "port"),
        (routed(model_aliases={"fast": "no-slash"}), "model_aliases"),
        (routed(enabled="yes"), "enabled"),
        ({"routing": {"strategy": "BestGuess"}}, "strategy"),
        ({"prot": 1}, "prot"),
    ],
)
def test_bad_proxy_configuration_names_the_field(config: dict[str, Json], names: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        proxy_config.checked(config)
    assert any(names in path for path in caught.value.details or {}), caught.value.details


@pytest.mark.parametrize("given_", [*STRATEGY_NAMES, "conditional", "ROUNDROBIN", "round_robin"])
def test_strategies_are_known_in_any_spelling(given_: str) -> None:
    stored: Any = proxy_config.checked({"routing": {"strategy": given_}})
    assert stored["routing"]["strategy"] in STRATEGY_NAMES


def test_defaults_are_written_down() -> None:
    assert proxy_config.checked({}) == {
        "enabled": True, "port": None, "routing": {"strategy": "Conditional", "rules": []}, "model_aliases": {},
    }  # fmt: skip


@given(st.dictionaries(st.sampled_from(["enabled", "port", "routing", "model_aliases"]), anything, max_size=4))
def test_any_configuration_is_accepted_or_refused_and_stays_accepted(config: dict[str, Any]) -> None:
    with contextlib.suppress(InvalidInput):
        stored = proxy_config.checked(config)
        assert proxy_config.checked(stored) == stored


# ---------------------------------------------------------------------------------------------------- routes


async def test_hooks_one_by_one(lab: Lab) -> None:
    await lab.create("work")
    client = lab.client()
    base = "/api/profiles/work/hooks"
    for n in range(2):
        answer = await client.post(base, json={"event": "Stop", "matcher": "*", "command": f"echo {n}", "timeout": 5})
        assert answer.status_code == 200
    assert [one["hooks"][0]["command"] for one in (await answer.json)["data"]["Stop"]] == ["echo 0", "echo 1"]
    assert (await client.delete(f"{base}/Stop/5")).status_code == 404
    assert (await client.delete(f"{base}/Nope/0")).status_code == 400
    answer = await client.delete(f"{base}/Stop/0")
    assert [one["hooks"][0]["command"] for one in (await answer.json)["data"]["Stop"]] == ["echo 1"]
    exported = (await (await client.get(f"{base}/export")).json)["data"]
    await client.delete(f"{base}/Stop/0")
    assert (await (await client.get(base)).json)["data"] == {}
    assert (await client.post(f"{base}/import", json=exported)).status_code == 200
    assert lab.stored("work")["metadata"]["hooks_config"] == exported
    assert (await client.post(f"{base}/import", json=[])).status_code == 400


async def test_hooks_of_an_agent_without_them_are_400(lab: Lab) -> None:
    await lab.create("work", agent_id="plain")
    answer = await lab.client().post("/api/profiles/work/hooks", json={"event": "Stop", "command": "x"})
    assert answer.status_code == 400
    assert (await answer.json)["code"] == "HOOKS_UNSUPPORTED"
