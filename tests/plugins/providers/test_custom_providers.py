"""Providers that a person adds by the API."""

from __future__ import annotations

import stat
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from jackfield.testing.daemon import Daemon
from jackfield_providers.custom import MARK

BODY: dict[str, Any] = {
    "id": "mine",
    "name": "My own",
    "type": "openai-compatible",
    "endpoints": {"main": "https://models.example/v1"},
    "auth": {"kind": "api-key", "header": "x-key"},
    "models": {"available": ["large", "small"], "default": "large"},
}

RULE: dict[str, Any] = {"name": "r", "condition": {"type": "always"}}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = Daemon(tmp_path_factory.mktemp("providers")).start()
    yield found
    found.close()


def test_a_provider_is_added_used_and_removed(daemon: Daemon) -> None:
    api = daemon.client()
    answer = api.post("/api/custom-providers", json=BODY)
    assert answer.status_code == 200, answer.text
    found = answer.json()["data"]
    assert (found["endpoints"], found["default_model"], found["custom"]) == (BODY["endpoints"], "large", True)
    assert found["auth"] == {"required": True, "env_key": "CUSTOM_MINE_API_KEY", "prompt": "API key for My own"}
    file = daemon.config_dir / "providers.d/mine.toml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert tomllib.loads(file.read_text())["auth"]["header"] == "x-key"
    assert api.put("/api/providers/mine/key", json={"api_key": "key-of-mine-0123"}).status_code == 200
    assert "key-of-mine-0123" not in file.read_text()
    profile = {"agent_id": "codex", "alias": "uses-it", "provider_id": "mine", "api_key": "k", "allow_missing": True}
    proxy = {"enabled": True, "routing": {"strategy": "simple", "rules": []}}
    made = api.post("/api/profiles", json={**profile, "proxy_config": proxy})
    assert made.status_code == 200, made.text
    refused = api.delete("/api/custom-providers/mine")
    assert (refused.status_code, "uses-it" in refused.json()["error"]) == (409, True)
    assert api.delete("/api/profiles/uses-it").status_code == 200
    assert api.delete("/api/custom-providers/mine").status_code == 200
    assert api.get("/api/providers/mine").status_code == 404
    assert not file.exists()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": "../x"}, "id"),
        ({"id": ""}, "id"),
        ({"type": "self"}, "type"),
        ({"endpoints": {}}, "endpoints"),
        ({"endpoints": {"main": "models.example/v1"}}, "endpoints.main"),
        ({"endpoints": {"main": "ftp://models.example"}}, "endpoints.main"),
        ({"endpoints": {"main": "https://"}}, "endpoints.main"),
        ({"endpoints": {"default": "other"}}, "endpoints.default"),
        ({"auth": {"kind": "google"}}, "auth.kind"),
        ({"auth": {"kind": "api-key", "header": "a b"}}, "auth.header"),
        ({"auth": {"env_key": "HOME"}}, "auth.env_key"),
        ({"headers": {"x": "y"}}, "headers"),
    ],
)
def test_a_mistake_names_its_field(daemon: Daemon, change: dict[str, Any], field: str) -> None:
    answer = daemon.client().post("/api/custom-providers", json={**BODY, **change})
    assert answer.status_code == 400
    told = answer.json()["details"].items()
    assert [name for name, why in told if name.startswith(field) or why.startswith(field)], answer.text
    assert not (daemon.config_dir / "providers.d/mine.toml").exists()


def test_one_that_is_there_stays(daemon: Daemon) -> None:
    api = daemon.client()
    answer = api.post("/api/custom-providers", json={**BODY, "id": "openai"})
    assert (answer.status_code, answer.json()["code"]) == (409, "PROVIDER_EXISTS")
    answer = api.delete("/api/custom-providers/openai")
    assert (answer.status_code, answer.json()["code"]) == (409, "PROVIDER_NOT_CUSTOM")
    (daemon.config_dir / "providers.d").mkdir(exist_ok=True)
    broken = daemon.config_dir / "providers.d/broken.toml"
    broken.write_text("nonsense")
    assert api.post("/api/custom-providers", json={**BODY, "id": "broken"}).status_code == 409
    assert broken.read_text() == "nonsense"


def source(daemon: Daemon, provider: str) -> str | None:
    """Where the provider's key comes from."""
    found: str | None = daemon.client().get(f"/api/providers/{provider}/key").json()["data"]["source"]
    return found


def test_a_key_does_not_outlive_its_provider(daemon: Daemon) -> None:
    api = daemon.client()
    body = {**BODY, "id": "first"}
    assert api.post("/api/custom-providers", json=body).status_code == 200
    assert api.put("/api/providers/first/key", json={"api_key": "key-of-the-first-0123"}).status_code == 200
    assert source(daemon, "first") == "stored"
    assert api.delete("/api/custom-providers/first").status_code == 200
    assert not (daemon.config_dir / "keys/providers/first.sealed").exists()
    assert api.post("/api/custom-providers", json=body).status_code == 200
    assert source(daemon, "first") is None


def test_a_key_that_was_left_is_not_the_next_ones(daemon: Daemon) -> None:
    """A manifest that was deleted in an editor leaves its key."""
    api = daemon.client()
    body = {**BODY, "id": "left"}
    assert api.post("/api/custom-providers", json=body).status_code == 200
    assert api.put("/api/providers/left/key", json={"api_key": "key-that-was-left-0123"}).status_code == 200
    (daemon.config_dir / "providers.d/left.toml").unlink()
    assert api.get("/api/providers/left").status_code == 404
    assert api.post("/api/custom-providers", json={**body, "endpoints": {"a": "nonsense"}}).status_code == 400
    assert (daemon.config_dir / "keys/providers/left.sealed").exists()
    assert api.post("/api/custom-providers", json=body).status_code == 200
    assert source(daemon, "left") is None


@pytest.mark.parametrize("name", ["hand", "openai"])
def test_a_file_that_a_person_wrote_is_theirs(daemon: Daemon, name: str) -> None:
    """Of the same id, or in a file that is called as a shipped provider."""
    api = daemon.client()
    file = daemon.config_dir / f"providers.d/{name}.toml"
    file.parent.mkdir(exist_ok=True)
    given = "hand" if name == "hand" else "my-openai"
    text = f'id = "{given}"\ntype = "openai-compatible"\nendpoints = {{main = "https://m.example/v1"}}\n'
    for written in (text, f"{MARK.decode()}{text}") if name == "openai" else (text,):
        file.write_text(written)
        assert api.get(f"/api/providers/{given}").status_code == 200
        answer = api.delete(f"/api/custom-providers/{name}")
        assert (answer.status_code, answer.json()["code"]) == (409, "PROVIDER_NOT_CUSTOM")
        assert api.get(f"/api/providers/{name}").json()["data"]["custom"] is False
        assert file.read_text() == written
    file.unlink()


@pytest.mark.parametrize(
    ("part", "field"),
    [
        (
            {"routing": {"rules": [{"name": "r", "condition": {"type": "always"}, "target": "routed/large"}]}},
            "rules[0]",
        ),
        ({"model_aliases": {"fast": "routed/large"}}, "model_aliases.fast"),
        ({"providers": {"routed": {"max_concurrent": 1}}}, "providers.routed"),
    ],
)
def test_one_that_routes_name_stays(daemon: Daemon, part: dict[str, Any], field: str) -> None:
    api = daemon.client()
    assert api.post("/api/custom-providers", json={**BODY, "id": "routed"}).status_code == 200
    assert api.put("/api/providers/routed/key", json={"api_key": "key-of-routed-0123"}).status_code == 200
    profile = {"agent_id": "codex", "alias": "routes", "provider_id": "openai", "api_key": "k", "allow_missing": True}
    made = api.post("/api/profiles", json={**profile, "proxy_config": {"enabled": True, **part}})
    assert made.status_code == 200, made.text
    answer = api.delete("/api/custom-providers/routed")
    assert (answer.status_code, answer.json()["code"]) == (409, "PROVIDER_IN_USE")
    assert "routes (" in answer.json()["error"]
    assert field in answer.json()["error"]
    assert source(daemon, "routed") == "stored"
    assert api.delete("/api/profiles/routes").status_code == 200
    assert api.delete("/api/custom-providers/routed").status_code == 200


def test_two_do_not_share_the_variable_for_the_key(daemon: Daemon) -> None:
    api = daemon.client()
    assert api.post("/api/custom-providers", json={**BODY, "id": "a-b"}).status_code == 200
    for other in ("a.b", "a_b", "A-B"):
        answer = api.post("/api/custom-providers", json={**BODY, "id": other})
        assert (answer.status_code, answer.json()["code"]) == (409, "PROVIDER_VARIABLE_TAKEN")
        assert "a-b" in answer.json()["details"]["id"]
        assert not (daemon.config_dir / f"providers.d/{other}.toml").exists()
    keyless = {**BODY, "id": "a.b", "auth": {"required": False}}
    assert api.post("/api/custom-providers", json=keyless).status_code == 200


def test_what_is_odd_is_warned_about(daemon: Daemon) -> None:
    models = {"available": ["large"], "default": "huge"}
    answer = daemon.client().post("/api/custom-providers", json={**BODY, "id": "odd", "models": models})
    assert answer.status_code == 200
    assert "models.default" in answer.json()["warnings"][0]
