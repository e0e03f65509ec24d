"""The engine's interface."""

import gc
import math
import subprocess
import sys
import threading
import weakref

import pytest

import rhai


def test_eval() -> None:
    assert rhai.Engine().eval("40 + 2") == 42


def test_eval_without_a_value() -> None:
    assert rhai.Engine().eval("let x = 1;") is None


def test_compiled_script_is_shared() -> None:
    ast = rhai.Engine().compile("x * 2")
    results: list[object] = []

    def work(engine: rhai.Engine) -> None:
        results.extend(engine.eval(ast, {"x": number}) for number in range(100))

    threads = [threading.Thread(target=work, args=(rhai.Engine(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == sorted(list(range(0, 200, 2)) * 4)  # type: ignore[type-var]


def test_ast_is_immutable() -> None:
    ast = rhai.Engine().compile("1", "one")
    assert ast.source == "one"
    assert repr(ast) == '<rhai.AST "one">'
    with pytest.raises(AttributeError):
        ast.source = "two"  # type: ignore[misc]


def test_call_fn() -> None:
    engine = rhai.Engine()
    ast = engine.compile("const TEN = 10; fn add(a, b) { a + b + global::TEN }  fn none() { }")
    assert engine.call_fn(ast, "add", 1, 2) == 13
    assert engine.call_fn(ast, "none") is None
    with pytest.raises(rhai.RhaiRuntimeError) as caught:
        engine.call_fn(ast, "missing")
    assert caught.value.kind == "ErrorFunctionNotFound"


def test_compile_expression() -> None:
    engine = rhai.Engine()
    condition = engine.compile_expression("size > 3 && name.starts_with(prefix)")
    assert engine.eval(condition, {"size": 4, "name": "abc", "prefix": "a"}) is True
    with pytest.raises(rhai.RhaiSyntaxError):
        engine.compile_expression("let x = 1; x")


def test_defaults_are_safe() -> None:
    assert rhai.Engine().limits == {
        "max_operations": 100_000,
        "max_call_levels": 64,
        "max_expr_depth": 64,
        "max_string_size": 1_048_576,
        "max_array_size": 10_000,
        "max_map_size": 10_000,
        "max_functions": 1000,
        "max_memory": 33_554_432,
        "timeout": 2.0,
    }


def test_what_protects_the_process_is_clamped() -> None:
    limits = rhai.Engine(
        max_operations=0,
        max_call_levels=10**9,
        max_expr_depth=0,
        max_string_size=0,
        max_array_size=0,
        max_map_size=10**12,
        max_memory=0,
        timeout=math.inf,
    ).limits
    assert limits["max_operations"] == 0
    assert limits["max_call_levels"] == 512
    assert limits["max_expr_depth"] == 256
    assert limits["max_array_size"] == limits["max_map_size"] == 1_000_000
    assert limits["max_memory"] == limits["max_string_size"] == 2**30
    assert limits["timeout"] == math.inf


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"max_operations": -1}, ValueError),
        ({"max_array_size": 2**63}, OverflowError),
        ({"max_map_size": "1"}, TypeError),
        ({"timeout": -1.0}, ValueError),
        ({"timeout": math.nan}, ValueError),
        ({"on_print": 1}, TypeError),
        ({"modules": {1: "1"}}, TypeError),
        ({"modules": {"a": 1}}, TypeError),
        ({"modules": {"a": "let"}}, rhai.RhaiSyntaxError),
        ({"nonsense": 1}, TypeError),
    ],
)
def test_wrong_settings(settings: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        rhai.Engine(**settings)  # type: ignore[arg-type]


def test_wrong_arguments() -> None:
    engine = rhai.Engine()
    with pytest.raises(TypeError, match=r"must be a str or an AST"):
        engine.eval(1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="timeout"):
        engine.eval("1", timeout=-1)
    with pytest.raises(UnicodeEncodeError):
        engine.eval("'\ud800'")


def test_print_and_debug() -> None:
    printed: list[object] = []
    engine = rhai.Engine(on_print=printed.append, on_debug=lambda *details: printed.append(details))
    engine.eval(engine.compile('print("a"); print([1, "b"]);\n debug("c")', "log.rhai"))
    assert printed == ["a", '[1, "b"]', ('"c"', "log.rhai", 2, 2)]


def test_print_goes_nowhere_by_default(capfd: pytest.CaptureFixture[str]) -> None:
    rhai.Engine().eval('print("a"); debug("b")')
    assert capfd.readouterr() == ("", "")


def test_no_file_is_a_module(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret.rhai").write_text("fn f() { 1 }")  # type: ignore[operator]
    monkeypatch.chdir(tmp_path)  # type: ignore[arg-type]
    with pytest.raises(rhai.RhaiRuntimeError) as caught:
        rhai.Engine().eval('import "secret" as s; s::f()')
    assert caught.value.kind == "ErrorModuleNotFound"
    with pytest.raises(rhai.RhaiRuntimeError, match="Module not found"):
        rhai.Engine(modules={"other": "1"}).eval(f'import "{tmp_path}/secret" as s; s::f()')


def test_modules() -> None:
    engine = rhai.Engine(
        modules={
            "base": "fn double(x) { x * 2 }  const TEN = 10; export TEN;",
            "derived": rhai.Engine().compile('import "base" as b; fn four(x) { b::double(b::double(x)) }'),
        }
    )
    assert engine.eval('import "base" as b; b::double(4) + b::TEN') == 18
    assert engine.eval('import "derived" as d; d::four(1)') == 4


def test_modules_call_functions_of_the_host() -> None:
    engine = rhai.Engine(modules={"m": "fn f(x) { host(x) }"})
    engine.register_fn("host", lambda x: x + 1)
    assert engine.eval('import "m" as m; m::f(1)') == 2


def test_module_limits_hold_while_it_is_made() -> None:
    with pytest.raises(rhai.RhaiLimitError):
        rhai.Engine(modules={"m": "loop {}"})


DEEP = "let f = || 1; for i in 0..20000 { let g = f; f = || g; } "


@pytest.mark.parametrize("end", ["export f;", "const HELD = f; fn unused() { HELD }"])
def test_a_module_with_deep_variables_is_freed(end: str) -> None:
    code = (
        "import rhai, sys, threading\n"
        "def work():\n"
        "    engine = rhai.Engine(modules={'m': sys.argv[1]}, max_operations=0, timeout=60)\n"
        "    assert engine.eval('import \"m\" as m; 42') == 42\n"
        "threading.stack_size(256 * 1024)\n"
        "thread = threading.Thread(target=work)\n"
        "thread.start()\n"
        "thread.join()\n"
        "print('freed')"
    )
    ended = subprocess.run([sys.executable, "-c", code, DEEP + end], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "freed\n", "")


def test_engine_is_collected_with_its_cycles() -> None:
    def make() -> weakref.ref[rhai.Engine]:
        engine = rhai.Engine()
        engine.register_fn("own", lambda: engine)
        engine.eval("1")
        return weakref.ref(engine)

    gone = make()
    gc.collect()
    assert gone() is None
