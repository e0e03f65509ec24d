"""The script engine over Rhai. Skipped where rhai-python is not installed; CI installs it."""

from __future__ import annotations

import asyncio
import base64
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rhai", reason="rhai-python is not installed")

from jackfield.api.records import replace
from jackfield.api.scripts import ExpressionError, ScopedScripts, ScriptData, ScriptError
from jackfield.testing.context import FakeContext
from jackfield_rhai.engine import RhaiEngine, engines
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
    context = FakeContext(tmp_path)
    context.ports["RhaiEngine"] = RhaiEngine(RhaiSettings())
    (given,) = engines(context)
    assert isinstance(given, RhaiEngine)
    assert isinstance(given, ScopedScripts)
    assert given.language == "rhai"


async def test_rhai_is_loaded_with_the_first_script() -> None:
    code = (
        "import asyncio, sys\n"
        "from jackfield_rhai.engine import RhaiEngine\n"
        "from jackfield_rhai.settings import RhaiSettings\n"
        "async def main():\n"
        "    engine = RhaiEngine(RhaiSettings()); assert 'rhai' not in sys.modules\n"
        "    assert await engine.value('6 * 7', {}) == 42; await engine.close(); assert 'rhai' in sys.modules\n"
        "    await RhaiEngine(RhaiSettings()).close()\n"
        "asyncio.run(main())"
    )
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    assert await child.wait() == 0


def test_without_the_package_there_is_no_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("jackfield_rhai.engine.find_spec", lambda name: None)
    with caplog.at_level("INFO"):
        assert engines(FakeContext(tmp_path)) == []
    assert "rhai-python is missing. Install the package rhai-python" in caplog.text


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


CONTEXT: dict[str, Any] = {
    "profile": {
        "alias": "work", "home": "/p/work", "model": "large", "endpoint": "https://api.example", "hooks": ["audit"],
        "mcp_servers": ["files"], "proxy_url": None,
        "hooks_config": {"Stop": [{"matcher": "*", "hooks": []}]},
    },
    "provider": {"id": "p", "name": "P", "type": "anthropic", "auth_env_key": "ANTHROPIC_AUTH_TOKEN"},
    "agent": {"id": "a", "name": "A", "binary": "agent"},
    "prefs": {},
}  # fmt: skip


SHAPES: list[tuple[str, dict[str, Any]]] = [
    ("#{}", {}),
    (
        'let env = #{}; env[ctx.provider.auth_env_key] = "${API_KEY}"; #{ env: env }',
        {"env": {"ANTHROPIC_AUTH_TOKEN": "${API_KEY}"}},
    ),
    (
        """let base = if ctx.profile.proxy_url != () { ctx.profile.proxy_url } else { ctx.profile.endpoint };
        #{ env: #{ BASE: base + `/v1` }, args: [`--model`, ctx.profile.model] }""",
        {"env": {"BASE": "https://api.example/v1"}, "args": ["--model", "large"]},
    ),
    (
        """let settings = #{};
        if ctx.profile.hooks_config != () { settings.hooks = ctx.profile.hooks_config; }
        let files = #{};
        files[`.claude/settings.json`] = json_encode(settings);
        #{ files: files }""",
        {"files": {".claude/settings.json": '{"hooks":{"Stop":[{"matcher":"*","hooks":[]}]}}'}},
    ),
    (
        """let provider = #{ name: ctx.provider.name, base_url: ctx.profile.endpoint, wire_api: "responses" };
        let all = #{};
        all[ctx.provider.id] = provider;
        #{ files: #{ "config.toml": toml_encode(#{ model: ctx.profile.model, providers: all }) } }""",
        {
            "files": {
                "config.toml": 'model = "large"\n\n[providers.p]\nname = "P"\n'
                'base_url = "https://api.example"\nwire_api = "responses"\n'
            }
        },
    ),
    (
        """let servers = #{};
        for name in ctx.profile.mcp_servers { servers[name] = #{ on: true }; }
        if ctx.provider.type == "anthropic" || ctx.provider.type == "openai" && ctx.prefs.len() == 0 {
            #{ files: #{ "mcp.json": json_encode_pretty(#{ servers: servers }) } }
        } else { #{} }""",
        {"files": {"mcp.json": '{\n  "servers": {\n    "files": {\n      "on": true\n    }\n  }\n}'}},
    ),
    (
        """let text = trim_lines("\\n  a\\n    b  \\n\\n");
        #{ files: #{ "x.yaml": "top:\\n" + indent(text, 2) } }""",
        {"files": {"x.yaml": "top:\n  a\n  b"}},
    ),
]


@pytest.mark.parametrize(("source", "expected"), SHAPES)
async def test_scripts_of_every_shape(engine: RhaiEngine, source: str, expected: Any) -> None:
    assert await engine.value(source, {"ctx": CONTEXT}) == expected


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
    kept = engine.interpreter().compiled._kept
    assert len(kept) == 1
    await engine.value("40 + 2", {}, name="b")
    assert len(kept) == 2


async def test_the_cache_is_bounded() -> None:
    engine = RhaiEngine(RhaiSettings(compiled=2))
    for number in range(5):
        assert await engine.value(f"{number}", {}) == number
    assert len(engine.interpreter().compiled._kept) == 2
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


async def test_an_item_that_fails_becomes_an_error_where_the_node_goes_on(engine: RhaiEngine) -> None:
    data = replace(DATA, node={"name": "Code", "onError": "continueRegularOutput"})
    result = await engine.run('if index == 1 { throw "no" } json', data, each=True, timeout=5)
    assert result.value == [
        {"n": 2, "name": "ada"},
        {"json": {"error": "Runtime error: no (line 1, position 17)"}},
    ]
    with pytest.raises(ScriptError) as caught:
        await engine.run("if index == 1 { loop {} } json", data, each=True, timeout=0.05)
    assert (caught.value.kind, caught.value.item) == ("timeout", 1)


async def test_the_time_is_for_all_items_together(engine: RhaiEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr("jackfield_rhai.interpreter.time.monotonic", lambda: float(next(clock)))
    data = replace(DATA, input=[{"json": {}}] * 100)
    with pytest.raises(ScriptError) as caught:
        await engine.run("1", data, each=True, timeout=10)
    assert (caught.value.kind, caught.value.item) == ("timeout", 9)


async def test_only_what_a_script_names_is_handed_over(engine: RhaiEngine) -> None:
    data = replace(DATA, input=[{"json": {"n": 1, "id": 2**70}}])
    assert (await engine.run("index", data, each=True, timeout=5)).value == [0]
    with pytest.raises(ScriptError, match="64 bits"):
        await engine.run("json.n", data, each=True, timeout=5)
    assert (await engine.run('eval("ite" + "ms").len', DATA, each=False, timeout=5)).value == 2


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


async def test_a_function_that_fails_makes_an_expression_nothing(engine: RhaiEngine) -> None:
    assert await engine.evaluate(["toml::encode([1])", "json::decode(`[${1 << 62}00]`)"], DATA, [0]) == [[None, None]]


async def test_the_cache_is_bounded_by_text(engine: RhaiEngine) -> None:
    for number in range(3):
        assert await engine.value(f"{number} //" + "x" * 1_000_000, {}) == number
    kept = engine.interpreter().compiled
    assert (len(kept._kept), kept._held) == (2, 2_000_008)


async def test_a_script_that_starts_while_the_engine_closes_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = RhaiEngine(RhaiSettings(max_operations=1_000_000_000))
    compiling, go_on = threading.Event(), threading.Event()
    compiled = engine.interpreter().compiled.get

    def slowly(*arguments: Any) -> Any:
        compiling.set()
        go_on.wait(10)
        return compiled(*arguments)

    monkeypatch.setattr(engine.interpreter().compiled, "get", slowly)
    running = asyncio.create_task(engine.value("loop {}", {}, timeout=60))
    await asyncio.to_thread(compiling.wait, 10)
    closing = asyncio.create_task(engine.close())
    await asyncio.sleep(0)
    go_on.set()
    async with asyncio.timeout(10):
        await closing
    with pytest.raises(ScriptError) as caught:
        await running
    assert caught.value.kind == "busy"


async def test_a_caller_that_gives_up_keeps_its_turn_until_the_script_ends() -> None:
    engine = RhaiEngine(RhaiSettings(max_operations=1_000_000_000, threads=1))
    given_up = [asyncio.create_task(engine.value("loop {}", {}, timeout=0.05)) for _ in range(3)]
    await asyncio.sleep(0)
    for task in given_up:
        task.cancel()
    await asyncio.wait(given_up)
    assert await engine.value("1", {}) == 1
    assert engine._pool._slots._value == 1
    assert engine._pool._room == RhaiSettings().max_waiting
    await engine.close()


async def test_no_thread_for_a_script(engine: RhaiEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(engine._pool._pool, "submit", refuse)
        for _ in range(5):
            assert (await error_of(engine, "1")).kind == "busy"
    assert await engine.value("1", {}) == 1


async def test_no_memory_for_a_script(engine: RhaiEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(engine.interpreter().compiled, "get", refuse)
    assert (await error_of(engine, "1")).kind == "memory"


async def test_nothing_runs_after_the_end() -> None:
    engine = RhaiEngine(RhaiSettings())
    await engine.close()
    assert (await error_of(engine, "1")).kind == "busy"
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("rhai")]
