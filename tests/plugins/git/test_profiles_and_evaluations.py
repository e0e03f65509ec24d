"""Profiles and evaluations go from one environment to the next, and what is a host's own stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.plugins.git.environments_lab import Place, ok, sides, two_environments

KEY = "sk-of-dev-0123456789abcdef"
PRIVATE = ("private-of-header", "private-of-flag", "private-of-variable", "private-of-hook", "private-of-server")
PROFILE, EVALUATION = "profiles/triage.json", "evaluations/quality.v1.json"
HOOKS = {
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check --strict", "timeout": 5}]}],
    "Stop": [
        {"hooks": [{"type": "http", "url": "https://a.example/x", "headers": {"X-Team": "private-of-hook"}}]},
    ],
}  # fmt: skip
SERVERS = {
    "search": {
        "url": "https://mcp.example/mcp",
        "headers": {"X-Team": "private-of-header", "Authorization": "Bearer ${TEAM_TOKEN}"},
    },
    "files": {"command": "files-server", "args": ["--root", "."], "env": {"MODE": "private-of-server"}},
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    root = tmp_path_factory.mktemp("profiles-in-git")
    yield from two_environments(root, {}, {"ANTHROPIC_API_KEY": "sk-of-prod-0123456789abcdef"})


@pytest.fixture(scope="module")
def first(place: Place) -> dict[str, str]:
    """The repository's files after dev has pushed."""
    body: dict[str, Any] = {
        "agent_id": "claude", "alias": "triage", "provider_id": "anthropic", "model": "claude-opus-4-5", "api_key": KEY,
        "env": {"MINE": "private-of-variable"}, "working_dir": "/srv/dev", "args": ["--max-turns", "5"],
        "hooks_config": {"PreToolUse": HOOKS["PreToolUse"]}, "mcp_servers": SERVERS, "sandbox": "standard",
        "proxy_config": {"enabled": False, "port": 40_111}, "allow_missing": True,
    }  # fmt: skip
    ok(place.dev_root().post("/api/profiles", json=body))
    table = ok(place.here.post("/data-tables", json={"name": "Rows", "columns": [{"name": "n", "type": "number"}]}))
    scorer = {"kind": "expression", "name": "s", "expression": "=1"}
    definition = {
        "name": "quality.v1", "tableId": table["id"], "scorers": [scorer],
        "target": {"kind": "profile", "profile": "triage", "prompt": "={{ $json.n }}"},
    }  # fmt: skip
    ok(place.here.post("/evaluations", json=definition))
    assert {PROFILE, EVALUATION} <= sides(place.here).keys()
    ok(place.here.post("/git/push", json={"message": "A profile and its evaluation"}))
    assert sides(place.here) == {}
    return place.files()


def _profile(api: Any) -> dict[str, Any]:
    return dict(ok(api.get("/api/profiles/triage"))["data"])


def test_the_repository_has_settings_and_no_secrets(first: dict[str, str]) -> None:
    text = first[f"flows/{PROFILE}"]
    document = json.loads(text)
    assert (document["agent_id"], document["provider_id"], document["model"]) == (
        "claude", "anthropic", "claude-opus-4-5"
    )  # fmt: skip
    assert document["args"] == ["--max-turns", "5"]
    assert document["hooks_config"] == {"PreToolUse": HOOKS["PreToolUse"]}
    assert document["mcp_servers"]["search"]["headers"] == {"X-Team": "***", "Authorization": "Bearer ${TEAM_TOKEN}"}
    assert not {"env", "working_dir", "profile_home", "created_at", "last_used", "api_key"} & document.keys()
    assert "port" not in document["proxy_config"]
    assert not any(secret in text for secret in (KEY, *PRIVATE, "/srv/dev"))
    assert json.loads(first[f"flows/{EVALUATION}"])["target"]["profile"] == "triage"


def test_production_makes_them_with_its_own_key(place: Place, first: dict[str, str]) -> None:
    pulled = ok(place.there.post("/git/pull", json={}))
    assert pulled["complete"], pulled
    found = _profile(place.prod_root())
    assert (found["model"], found["sandbox"], found["has_key"]) == ("claude-opus-4-5", "standard", False)
    assert (found["env"], found["working_dir"]) == ({}, None)
    assert found["hooks_config"] == {"PreToolUse": HOOKS["PreToolUse"]}
    assert found["mcp_servers"]["search"]["headers"] == {"Authorization": "***"}
    assert ok(place.there.get("/evaluations/quality.v1"))["definition"]["target"]["profile"] == "triage"
    assert sides(place.there) == {PROFILE: "here"}  # without the hidden headers


def test_a_change_comes_and_what_is_the_environment_s_stays(place: Place, first: dict[str, str]) -> None:
    prod = place.prod_root()
    own: dict[str, Any] = {"env": {"MINE": "of-prod"}, "working_dir": "/srv/prod"}
    headers = {"X-Team": "of-prod", "Authorization": "Bearer ${TEAM_TOKEN}"}
    own["mcp_servers"] = {"search": {**SERVERS["search"], "headers": headers}}
    own["proxy_config"] = {"enabled": False, "port": 40_222}
    ok(prod.patch("/api/profiles/triage", json=own))
    ok(place.dev_root().patch("/api/profiles/triage", json={"model": "claude-haiku-4-5", "args": ["--max-turns", "9"]}))
    diff = ok(place.here.get("/git/diff", params={"path": PROFILE}))["diff"]
    assert '+  "model": "claude-haiku-4-5"' in diff
    evaluation = ok(place.here.get("/evaluations/quality.v1"))["definition"]
    ok(place.here.put("/evaluations/quality.v1", json={**evaluation, "passScore": 0.9}))
    ok(place.here.post("/git/push", json={"message": "Smaller and stricter"}))
    assert sides(place.there) == {PROFILE: "both", EVALUATION: "there"}
    refused = place.there.post("/git/pull", json={})
    assert refused.status_code == 409
    ok(place.there.post("/git/pull", json={"theirs": [PROFILE]}))
    found = _profile(prod)
    assert (found["model"], found["args"]) == ("claude-haiku-4-5", ["--max-turns", "9"])
    assert (found["env"], found["working_dir"]) == ({"MINE": "of-prod"}, "/srv/prod")
    assert found["proxy_config"]["port"] == 40_222
    stored = json.loads((place.prod.config_dir / "profiles" / "triage.json").read_text())["metadata"]["mcp_servers"]
    assert stored["search"]["headers"]["X-Team"] == "of-prod"
    assert "private-of-server" not in json.dumps(stored)
    assert ok(place.there.get("/evaluations/quality.v1"))["definition"]["passScore"] == 0.9


def test_a_field_that_a_file_does_not_have_stays(place: Place, first: dict[str, str]) -> None:
    document = json.loads(place.files()[f"flows/{EVALUATION}"])
    shorter = {key: value for key, value in document.items() if key != "passScore"}
    place.commit(f"flows/{EVALUATION}", json.dumps({**shorter, "description": "Of the branch"}))
    routing = {"enabled": False, "port": 40_333}
    profile = json.loads(place.files()[f"flows/{PROFILE}"])
    place.commit(f"flows/{PROFILE}", json.dumps({**profile, "proxy_config": routing}))
    place.commit("flows/profiles/routed.json", json.dumps({**profile, "alias": "routed", "proxy_config": routing}))
    assert ok(place.there.post("/git/pull", json={"others": "theirs"}))["complete"]
    assert _profile(place.prod_root())["proxy_config"]["port"] == 40_222
    routed = place.prod_root().get("/api/profiles/routed").json()["data"]
    assert routed["proxy_config"]["port"] is None
    place.commit("flows/profiles/routed.json", None)
    place.commit(f"flows/{PROFILE}", json.dumps(profile))
    assert ok(place.there.post("/git/pull", json={"others": "theirs"}))["complete"]
    ok(place.prod_root().delete("/api/profiles/routed"))
    found = ok(place.there.get("/evaluations/quality.v1"))["definition"]
    assert (found["description"], found["passScore"]) == ("Of the branch", 0.9)


def test_files_that_cannot_come_are_named(place: Place, first: dict[str, str]) -> None:
    document = json.loads(place.files()[f"flows/{PROFILE}"])
    hidden = {**document, "alias": "hidden", "args": ["--token", "***"]}
    place.commit("flows/profiles/hidden.json", json.dumps(hidden))
    condition = {"type": "header", "name": "x-api-key", "equals": "***"}
    routing = {"enabled": True, "rules": [{"condition": condition, "target": "anthropic/claude-opus-4-5"}]}
    place.commit("flows/profiles/masked.json", json.dumps({**document, "proxy_config": routing}))
    place.commit("flows/variable_stubs/a.b.json", json.dumps({"key": "a.b", "type": "string", "value": ""}))
    place.commit("flows/profiles/listed.json", json.dumps({**document, "mcp_servers": [{"command": "a"}]}))
    place.commit("flows/profiles/unknown.json", json.dumps({**document, "provider_id": "nobody"}))
    place.commit(f"flows/{PROFILE}", json.dumps({**document, "agent_id": "codex"}))
    place.commit("flows/evaluations/empty.json", "{}")
    found = ok(place.there.post("/git/pull", json={"others": "theirs"}))
    told = {row["path"]: row["message"] for row in found["files"]}
    assert "args of the profile has a hidden value" in told["profiles/hidden.json"]
    assert "proxy_config of the profile has a hidden value" in told["profiles/masked.json"]
    assert "letters" in told["variable_stubs/a.b.json"]
    assert "mcp_servers" in told["profiles/listed.json"]
    assert "nobody" in told["profiles/unknown.json"]
    assert "another agent_id" in told[PROFILE]
    assert "tableId" in told["evaluations/empty.json"]
    assert _profile(place.prod_root())["agent_id"] == "claude"
    assert {row["alias"] for row in ok(place.prod_root().get("/api/profiles"))["data"]} == {"triage"}


def test_what_the_branch_no_longer_has_stays(place: Place, first: dict[str, str]) -> None:
    for name in (
        PROFILE,
        EVALUATION,
        "profiles/hidden.json",
        "profiles/masked.json",
        "profiles/listed.json",
        "variable_stubs/a.b.json",
        "profiles/unknown.json",
        "evaluations/empty.json",
    ):
        place.commit(f"flows/{name}", None)
    assert ok(place.there.post("/git/pull", json={"others": "theirs"}))["complete"]
    assert _profile(place.prod_root())["alias"] == "triage"
    assert place.there.get("/evaluations/quality.v1").status_code == 200


def test_a_profile_that_cannot_be_read_is_not_taken_for_deleted(place: Place, first: dict[str, str]) -> None:
    damaged = place.dev.config_dir / "profiles" / "torn.json"
    damaged.write_text("{")
    answer = place.here.post("/git/push", json={"message": "Nothing is gone"})
    assert answer.status_code == 409
    assert "torn" in answer.json()["message"]
    damaged.unlink()
    assert place.here.get("/git").status_code == 200
