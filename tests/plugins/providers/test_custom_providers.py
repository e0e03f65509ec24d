"""Providers that a person adds by the API."""

from __future__ import annotations

import stat
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from jackfield.testing.daemon import Daemon

BODY: dict[str, Any] = {
    "id": "mine",
    "name": "My own",
    "type": "openai-compatible",
    "endpoints": {"main": "https://models.example/v1"},
    "auth": {"kind": "api-key", "header": "x-key"},
    "models": {"available": ["large", "small"], "default": "large"},
}


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


def test_what_is_odd_is_warned_about(daemon: Daemon) -> None:
    models = {"available": ["large"], "default": "huge"}
    answer = daemon.client().post("/api/custom-providers", json={**BODY, "id": "odd", "models": models})
    assert answer.status_code == 200
    assert "models.default" in answer.json()["warnings"][0]
