"""`/api/agents`, and what the doctor and the command line say."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agent_bench import Bench
from click.testing import CliRunner
from quart import Quart, Response

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield_agents.commands import agents
from jackfield_agents.diagnosis import findings
from jackfield_agents.routes import blueprints

INSTALL = '[install]\ncommand = "npm install -g tool"\nhomepage = "https://tool.example"\n'
MODELS = '[models]\ndefault = "big"\nsupported = ["big", "small"]\n'
Get = Callable[[str], Awaitable[tuple[int, Any]]]


class Profiles:
    """Two of the tool."""

    async def all(self) -> list[SimpleNamespace]:
        return [SimpleNamespace(agent_id="tool"), SimpleNamespace(agent_id="tool"), SimpleNamespace(agent_id="gone")]


@pytest.fixture
def get(bench: Bench) -> Get:
    app = Quart("test")
    for blueprint in blueprints(bench.context):
        app.register_blueprint(blueprint)

    @app.errorhandler(JackfieldError)
    async def envelope(error: JackfieldError) -> Response:
        return Response(jsontext.dumps({"code": error.code, "error": error.message}), status=error.status)

    async def ask(path: str) -> tuple[int, Any]:
        answer = await app.test_client().get(path)
        return answer.status_code, json.loads(await answer.get_data())

    return ask


async def test_the_list_has_what_is_installed_and_how_many_profiles(bench: Bench, get: Get) -> None:
    path = bench.program("tool", "echo 1.2.3")
    bench.agent("tool")
    bench.agent("other")
    bench.context.ports["Profiles"] = Profiles()
    status, body = await get("/api/agents")
    assert status == 200
    assert body == {
        "success": True,
        "data": [
            {
                "id": "other",
                "name": "The other",
                "installed": False,
                "version": None,
                "binary_path": None,
                "profile_count": 0,
            },
            {
                "id": "tool",
                "name": "The tool",
                "installed": True,
                "version": "1.2.3",
                "binary_path": str(path),
                "profile_count": 2,
            },
        ],
    }


async def test_the_list_does_without_profiles_and_names_broken_files(bench: Bench, get: Get) -> None:
    bench.agent("tool")
    (bench.config / "agents.d" / "bad.toml").write_text("id = ")
    _, body = await get("/api/agents")
    assert [item["profile_count"] for item in body["data"]] == [0]
    assert "bad.toml" in body["warnings"][0]


async def test_the_detail_repeats_the_manifest(bench: Bench, get: Get) -> None:
    path = bench.program("tool", "echo 1.2.3")
    bench.agent("tool", more=f'supports_hooks = true\ndialect = "openai"\n{MODELS}[headless]\nargs = ["-p"]\n{INSTALL}')
    status, body = await get("/api/agents/tool")
    assert status == 200
    assert body["data"] == {
        "id": "tool",
        "name": "The tool",
        "installed": True,
        "version": "1.2.3",
        "binary_path": str(path),
        "binary": "tool",
        "profile_strategy": "home-wrapper",
        "supports_hooks": True,
        "supports_approvals": False,
        "default_model": "big",
        "supported_models": ["big", "small"],
        "dialect": "openai",
        "headless": True,
        "install": {"command": "npm install -g tool", "homepage": "https://tool.example"},
    }


@pytest.mark.parametrize("install", ['homepage = "javascript:alert(1)"', 'command = "tool\\nrm -r ~"'])
async def test_what_one_is_told_to_open_or_run_is_checked(bench: Bench, get: Get, install: str) -> None:
    bench.agent("tool", more=f"[install]\n{install}")
    status, _ = await get("/api/agents/tool")
    assert status == 404
    assert "install" in (await get("/api/agents"))[1]["warnings"][0]


async def test_an_unknown_agent_is_404(bench: Bench, get: Get) -> None:
    assert (await get("/api/agents/none"))[0] == 404
    assert (await get("/api/agents/a.b.c"))[0] == 404


# ------------------------------------------------------------------------------------------------------------- doctor


async def test_the_doctor_names_files_programs_and_a_broken_cache(bench: Bench) -> None:
    bench.program("tool", "echo 1.2.3")
    bench.program("sick", "exit 7")
    bench.agent("tool")
    bench.agent("sick")
    (bench.config / "agents.d" / "bad.toml").write_text("id = ")
    (bench.config / "cache").mkdir()
    (bench.config / "cache" / "agent-detections.json").write_text("{")
    found = await findings(bench.context)
    assert (found[0].good, found[0].message) == (True, "1 of 2 installed: tool 1.2.3")
    bad = {finding.subject: finding.message for finding in found if not finding.good}
    assert set(bad) == {"agent manifests", "agent sick"}
    assert "bad.toml" in bad["agent manifests"]
    assert "`sick --version` ended with exit code 7" in bad["agent sick"]
    assert any("made anew" in finding.message for finding in found if finding.good)


async def test_the_doctor_names_a_slow_program(bench: Bench) -> None:
    bench.program("tool", "echo 1.2.3")
    bench.agent("tool")
    await findings(bench.context)
    known = bench.catalog.detector.cache.all()["tool --version"]
    slow = type(known)(known.path, known.mtime_ns, known.size, None, "1.2.3", 3200, known.checked_ms)
    bench.catalog.detector.cache.put("tool --version", slow)
    messages = [finding.message for finding in await findings(bench.context)]
    assert "`tool --version` took 3.2 s" in messages


# ------------------------------------------------------------------------------------------------------- command line


class FakeCli:
    """Runs work in the bench's context."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def config_dir(self, given: Path | None) -> Path:
        return given or Path("nowhere")

    def run(self, plugin: str, work: Callable[[PluginContext], Awaitable[Any]], *, config_dir: Path | None) -> Any:
        import asyncio

        async def fresh() -> Any:
            self._bench.restart()
            self._bench.context.ports["Profiles"] = Profiles()
            return await work(self._bench.context)

        return asyncio.run(fresh())


@pytest.fixture
def say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    bench = Bench(tmp_path)
    monkeypatch.setenv("PATH", f"{bench.bin}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(bench.home))
    bench.program("tool", "echo 1.2.3")
    bench.agent("tool", more=MODELS)
    bench.agent("other")
    (bench.config / "agents.d" / "bad.toml").write_text("id = ")

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(agents, arguments, obj=FakeCli(bench))
        assert result.exit_code == 0, result.output
        return result.output

    return run


def test_the_command_lists_agents(say: Callable[..., str]) -> None:
    lines = say("list").splitlines()
    assert any(line.split()[:5] == ["tool", "The", "tool", "1.2.3", "2"] for line in lines)
    assert any("not installed" in line and line.startswith("other") for line in lines)
    assert any("bad.toml" in line for line in lines)


def test_the_command_lists_agents_for_programs(tmp_path: Path, say: Callable[..., str]) -> None:
    text = say("list", "--json")
    rows = json.loads(text[text.index("[") :])
    assert [(row["id"], row["installed"], row["profile_count"]) for row in rows] == [
        ("other", False, 0),
        ("tool", True, 2),
    ]


def test_detecting_again_asks_the_programs(tmp_path: Path, say: Callable[..., str]) -> None:
    say("list")
    say("list")
    assert len((tmp_path / "bin" / "tool.starts").read_text().splitlines()) == 1
    say("list", "--detect-again")
    assert len((tmp_path / "bin" / "tool.starts").read_text().splitlines()) == 2


def test_the_command_shows_an_agent(say: Callable[..., str]) -> None:
    shown = dict(line.split(maxsplit=1) for line in say("show", "tool").splitlines())
    assert shown["supported_models"] == "big, small"
    assert shown["installed"] == "yes"
    assert json.loads(say("show", "tool", "--json"))["default_model"] == "big"
