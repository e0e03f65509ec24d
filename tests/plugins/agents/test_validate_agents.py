"""`jackfield agents validate` and `providers validate`, as an author uses them."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jackfield.cli.main import main

MANIFESTS = Path(__file__).resolve().parents[3] / "manifests"
AGENT = """id = "mine"
binary = "mine"
[detect]
commands = ["mine 'x"]
[profile]
script = "claud.rhai"
env = { HOME_OF_MINE = "{hom}/.mine" }
[models]
default = "a"
supported = ["b"]
[usage]
reader = "clade"
directory = "{home}"
[profle]
x = 1
"""
PROVIDER = """id = "mine"
type = "openai-compatible"
[endpoints]
api = "api.example.com/v1"
bare = "https://"
default = "api"
[auth]
env_kye = "MINE_KEY"
"""


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """`main` replaces the handler."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def validated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(group: str, *files: Path) -> tuple[int, list[dict[str, Any]]]:
        with pytest.raises(SystemExit) as ended:
            main([group, "validate", *map(str, files), "--json", "--config-dir", str(tmp_path / "config")])
        return int(str(ended.value.code or 0)), json.loads(capsys.readouterr().out)

    return run


def told(view: dict[str, Any]) -> dict[str, tuple[int, str, str, list[str]]]:
    return {one["key"]: (one["line"], one["severity"], one["message"], one["similar"]) for one in view["problems"]}


def test_an_agents_mistakes_are_all_told(tmp_path: Path, validated: Any) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(AGENT)
    code, (view,) = validated("agents", file)
    found = told(view)
    assert (code, view["good"], view["file"]) == (1, False, str(file))
    assert found["profile.script"][:3] == (6, "error", "there is no script claud.rhai")
    assert found["profile.script"][3][0] == "claude.rhai"
    assert found["usage.reader"][:3] == (12, "error", "there is no reader clade of logs")
    assert found["usage.reader"][3][0] == "claude"
    assert found["profle"][3] == ["profile"]
    assert found["detect.commands[0]"][:2] == (4, "error")
    assert found["profile.env.HOME_OF_MINE"][:2] == (7, "warning")
    assert found["models.default"][:2] == (9, "warning")


def test_a_mistake_of_the_model_hides_none_of_the_others(tmp_path: Path, validated: Any) -> None:
    (tmp_path / "a.toml").write_text(AGENT.replace('binary = "mine"', 'supports_hooks = "on"\ndialect = "opnai"'))
    (tmp_path / "p.toml").write_text(PROVIDER.replace('"api"', '"apy"').replace("-compatible", "-compat"))
    _, (agent,) = validated("agents", tmp_path / "a.toml")
    assert told(agent).keys() >= {
        "binary", "supports_hooks", "dialect", "profile.script", "usage.reader", "detect.commands[0]", "models.default",
    }  # fmt: skip
    assert told(agent)["supports_hooks"][2] == "write true or false, without quotes"
    _, (provider,) = validated("providers", tmp_path / "p.toml")
    assert told(provider).keys() == {"type", "endpoints.api", "endpoints.bare", "endpoints.default", "auth.env_kye"}


def test_a_key_that_no_terminal_has_is_told_with_those_that_there_are(tmp_path: Path, validated: Any) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('id = "mine"\nbinary = "mine"\n[screen]\ninput = [">"]\nbusy = ["working"]\nclear = ["bogus"]\n')
    code, (view,) = validated("agents", file)
    line, severity, message, _ = told(view)["screen.clear[0]"]
    assert (code, line, severity) == (1, 6, "error")
    assert "there is no key 'bogus'" in message
    assert told(view).keys() == {"screen.clear[0]"}
    assert "backspace" in message


def test_a_script_may_stand_beside_the_folder_as_in_a_registrys_source(tmp_path: Path, validated: Any) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "mine.rhai").write_text("#{}")
    file = tmp_path / "agents" / "mine.toml"
    file.write_text('id = "mine"\nbinary = "mine"\n[profile]\nscript = "mine.rhai"\n')
    assert validated("agents", file) == (0, [{"file": str(file), "good": True, "problems": []}])


def test_a_providers_mistakes_are_all_told(tmp_path: Path, validated: Any) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(PROVIDER)
    code, (view,) = validated("providers", file)
    found = told(view)
    assert code == 1
    assert found["endpoints.api"][0] == 4
    assert "has no scheme; write https://api.example.com/v1" in found["endpoints.api"][2]
    assert "names no host" in found["endpoints.bare"][2]
    assert found["auth.env_kye"][3] == ["env_key"]


@pytest.mark.parametrize("kind", ["agents", "providers"])
def test_what_is_shipped_is_good(kind: str, validated: Any) -> None:
    files = sorted((MANIFESTS / kind).glob("*.toml"))
    files += sorted((MANIFESTS / "dialects").glob("*.toml")) if kind == "providers" else []
    code, views = validated(kind, *files)
    assert [(view["file"], view["problems"]) for view in views if view["problems"]] == []
    assert code == 0
