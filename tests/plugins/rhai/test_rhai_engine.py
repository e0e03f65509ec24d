"""The script engine over Rhai. Skipped where rhai-python is not installed; CI installs it."""

from __future__ import annotations

import asyncio
import base64
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rhai", reason="rhai-python is not installed")

from jackfield.api.scripts import ExpressionError, ScopedScripts, ScriptData, ScriptError
from jackfield.testing.context import FakeContext
from jackfield_rhai import jackfield_script_engine
from jackfield_rhai.engine import RhaiEngine
from jackfield_rhai.settings import RhaiSettings

DATA = ScriptData(
    input=[{"json": {"n": 2, "name": "ada"}}, {"json": {"n": 5, "name": "grace"}}],
    nodes={
        "Start": {
            "runs": [{"outputs": [[{"json": {"old": 1}}]]}, {"outputs": [[], [{"json": {"from": 7}}]]}],
            "output": 1,
        }
    },
    workflow={"id": "w", "name": "Flow"},
    execution={"id": "x", "mode": "test"},
    variables={"limit": "3"},
    environment={"HOME": "/nowhere"},
    node={"name": "Code"},
    now_ms=1_700_000_000_000,
)


@pytest.fixture
async def engine() -> AsyncIterator[RhaiEngine]:
    made = RhaiEngine(RhaiSettings())
    yield made
    await made.close()


async def error_of(engine: RhaiEngine, source: str, **more: Any) -> ScriptError:
    with pytest.raises(ScriptError) as caught:
        await engine.value(source, {}, **more)
    return caught.value


def test_the_plugin_gives_it(tmp_path: Path) -> None:
    given = jackfield_script_engine(FakeContext(tmp_path))
    assert isinstance(given, RhaiEngine)
    assert isinstance(given, ScopedScripts)
    assert given.language == "rhai"


def test_without_the_package_there_is_no_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with caplog.at_level("INFO"):
        assert jackfield_script_engine(FakeContext(tmp_path)) is None
    assert "rhai-python is not installed" in caplog.text


# ------------------------------------------------------------------------------------------------- scripts of their own


async def test_a_script_makes_an_agents_configuration(engine: RhaiEngine) -> None:
    source = """
        let env = #{ "ANTHROPIC_BASE_URL": ctx.profile.endpoint, "ANTHROPIC_AUTH_TOKEN": "${API_KEY}" };
        let args = [];
        if ctx.profile.model != () { args.push("--model"); args.push(ctx.profile.model); }
        #{ files: #{ "settings.json": json::encode_pretty(#{ hooks: ctx.profile.hooks }) }, env: env, args: args }
    """
    profile = {"endpoint": "https://api.example", "model": "large", "hooks": ["a"]}
    assert await engine.value(source, {"ctx": {"profile": profile}}, name="claude.rhai") == {
        "files": {"settings.json": '{\n  "hooks": [\n    "a"\n  ]\n}'},
        "env": {"ANTHROPIC_BASE_URL": "https://api.example", "ANTHROPIC_AUTH_TOKEN": "${API_KEY}"},
        "args": ["--model", "large"],
    }


async def test_variables_are_not_changed(engine: RhaiEngine) -> None:
    given = {"ctx": {"list": [1]}}
    assert await engine.value("ctx.list.push(2); ctx.list", given) == [1, 2]
    assert given == {"ctx": {"list": [1]}}


async def test_values_become_json(engine: RhaiEngine) -> None:
    assert await engine.value('[1, 2.5, "x", true, (), blob(2, 65), #{a: \'c\'}]', {}) == [
        1, 2.5, "x", True, None, base64.b64encode(b"AA").decode(), {"a": "c"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "kind", "line"),
    [
        ("let a = 1;\nlet = 2", "syntax", 2),
        ("let a = 1;\n\nthrow `no ${a}`", "runtime", 3),
        ("1;\nmissing", "runtime", 2),
        ("loop {}", "memory", 1),
        ('let s = "x"; loop { s += s; }', "memory", 1),
        ("fn f(n) { f(n + 1) } f(0)", "memory", None),
        ('import "os" as os;', "runtime", 1),
        ("json::decode(`{`)", "runtime", None),
        ("indent(`a`, -1)", "runtime", None),
        ("toml::encode([1])", "runtime", None),
        ("|x| x", "runtime", None),
        ("0.0 / 0.0", "runtime", None),
    ],
)
async def test_what_fails_says_why_and_where(engine: RhaiEngine, source: str, kind: str, line: int | None) -> None:
    error = await error_of(engine, source)
    assert error.kind == kind
    assert error.message
    if line is not None:
        assert error.line == line


async def test_a_script_ends_at_its_time() -> None:
    engine = RhaiEngine(RhaiSettings(max_operations=1_000_000_000))
    error = await error_of(engine, "loop {}", timeout=0.05)
    assert (error.kind, error.message) == ("timeout", "The script ran longer than it may.")
    await engine.close()


async def test_scripts_run_beside_the_event_loop() -> None:
    engine = RhaiEngine(RhaiSettings(max_operations=1_000_000_000, threads=1))
    running = asyncio.create_task(engine.value("loop {}", {}, timeout=30))
    turns = 0
    while turns < 1000:
        await asyncio.sleep(0)
        turns += 1
    assert not running.done()
    await engine.close()
    with pytest.raises(ScriptError):
        await running


async def test_a_full_queue_refuses() -> None:
    engine = RhaiEngine(RhaiSettings(max_operations=1_000_000_000, threads=1, max_waiting=1, max_wait=0.05))
    first = asyncio.create_task(engine.value("loop {}", {}, timeout=30))
    await asyncio.sleep(0)
    second = asyncio.create_task(engine.value("1", {}))
    await asyncio.sleep(0)
    assert (await error_of(engine, "1")).kind == "busy"
    with pytest.raises(ScriptError, match="waited too long"):
        await second
    await engine.close()
    with pytest.raises(ScriptError):
        await first


async def test_a_source_is_compiled_once(engine: RhaiEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        assert await engine.value("40 + 2", {}, name="a") == 42
    kept = engine._compiled._kept
    assert len(kept) == 1
    await engine.value("40 + 2", {}, name="b")
    assert len(kept) == 2


async def test_the_cache_is_bounded() -> None:
    engine = RhaiEngine(RhaiSettings(compiled=2))
    for number in range(5):
        assert await engine.value(f"{number}", {}) == number
    assert len(engine._compiled._kept) == 2
    await engine.close()


# ---------------------------------------------------------------------------------------------------- within executions


async def test_code_runs_once_with_all_items(engine: RhaiEngine) -> None:
    source = """
        print("seen " + items.len);
        items.filter(|i| i.json.n > parse_int(vars.limit)).map(|i| #{ json: #{ name: i.json.name, at: now } })
    """
    result = await engine.run(source, DATA, each=False, timeout=5)
    assert result.value == [{"json": {"name": "grace", "at": 1_700_000_000_000}}]
    assert result.logs == ("seen 2",)


async def test_code_runs_once_per_item(engine: RhaiEngine) -> None:
    result = await engine.run("#{ twice: json.n * 2, index: index }", DATA, each=True, timeout=5)
    assert result.value == [{"twice": 4, "index": 0}, {"twice": 10, "index": 1}]


async def test_code_that_fails_names_the_item(engine: RhaiEngine) -> None:
    with pytest.raises(ScriptError) as caught:
        await engine.run('if index == 1 { throw "no" } json', DATA, each=True, timeout=5)
    assert caught.value.item == 1


async def test_code_sees_other_nodes(engine: RhaiEngine) -> None:
    result = await engine.run('nodes["Start"][0].json.from', DATA, each=False, timeout=5)
    assert result.value == 7


async def test_prints_of_two_threads_stay_apart(engine: RhaiEngine) -> None:
    results = await asyncio.gather(
        *(engine.run(f'for i in 0..50 {{ print("{name}") }} ()', DATA, each=False, timeout=5) for name in "ab")
    )
    assert [set(result.logs) for result in results] == [{"a"}, {"b"}]
    assert all(len(result.logs) == 50 for result in results)


async def test_logs_are_bounded() -> None:
    engine = RhaiEngine(RhaiSettings(log_lines=3, log_length=10))
    result = await engine.run('for i in 0..50 { print("0123456789abcdef") } ()', DATA, each=False, timeout=5)
    assert result.logs == ("0123456789",) * 3
    await engine.close()


async def test_expressions_per_item(engine: RhaiEngine) -> None:
    rows = await engine.evaluate(["json.n + 1", "json.missing.deeper", "let x = 1"], DATA, [0, 1])
    assert [row[:2] for row in rows] == [[3, None], [6, None]]
    assert all(isinstance(row[2], ExpressionError) for row in rows)


async def test_nothing_runs_after_the_end() -> None:
    engine = RhaiEngine(RhaiSettings())
    await engine.close()
    assert (await error_of(engine, "1")).kind == "busy"
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("rhai")]
