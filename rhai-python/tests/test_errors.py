"""What a script can end with."""

import pickle

import pytest

import rhai


def failure(script: str, **settings: object) -> rhai.RhaiError:
    engine = rhai.Engine(**settings)  # type: ignore[arg-type]
    with pytest.raises(rhai.RhaiError) as caught:
        engine.eval(engine.compile(script, "test.rhai"))
    return caught.value


def test_the_tree() -> None:
    assert issubclass(rhai.RhaiSyntaxError, rhai.RhaiError)
    assert issubclass(rhai.RhaiRuntimeError, rhai.RhaiError)
    assert issubclass(rhai.RhaiLimitError, rhai.RhaiRuntimeError)
    assert issubclass(rhai.RhaiTimeout, rhai.RhaiLimitError)
    assert issubclass(rhai.RhaiCancelled, rhai.RhaiLimitError)
    assert not issubclass(rhai.RhaiSyntaxError, rhai.RhaiRuntimeError)


def test_syntax_error() -> None:
    error = failure("let x = 1;\nlet = 2;")
    assert type(error) is rhai.RhaiSyntaxError
    assert (error.line, error.column, error.kind, error.source) == (2, 5, "ErrorParsing", "test.rhai")


def test_runtime_error() -> None:
    error = failure("let x = 1;\n  y")
    assert type(error) is rhai.RhaiRuntimeError
    assert (error.line, error.column, error.kind, error.source) == (2, 3, "ErrorVariableNotFound", "test.rhai")
    assert "Variable not found: y" in str(error)
    assert error.value is None


@pytest.mark.parametrize(
    "expression",
    ["x / 0", "x % 0", "9223372036854775807 + x", "-9223372036854775807 - 2 * x", "9223372036854775807 * 2"],
)
def test_arithmetic_errors_keep_their_position(expression: str) -> None:
    error = failure(f"let x = 1;\n\n  {expression}")
    assert (error.kind, error.line) == ("ErrorArithmetic", 3)
    assert error.column is not None
    assert error.column >= 3


def test_position_is_that_of_the_innermost_call() -> None:
    error = failure("fn f(x) {\n 1 / x\n}\nf(0)")
    assert (error.line, error.kind) == (2, "ErrorArithmetic")


def test_thrown_values() -> None:
    for script, value in [("throw", None), ("throw 5", 5), ('throw "a"', "a"), ("throw #{a: [1]}", {"a": [1]})]:
        error = failure(script)
        assert isinstance(error, rhai.RhaiRuntimeError)
        assert (error.value, error.kind) == (value, "ErrorRuntime")


def test_thrown_value_without_a_counterpart() -> None:
    error = failure("throw |x| x")
    assert isinstance(error, rhai.RhaiRuntimeError)
    assert error.value is None
    assert str(error) == "Runtime error: Fn (line 1, position 1)"


def test_text_of_a_large_value_is_cut() -> None:
    error = failure('let s = "a"; s.pad(100000, "a"); throw s')
    assert len(str(error)) < 1100
    assert isinstance(error, rhai.RhaiRuntimeError)
    assert error.value == "a" * 100000


def test_errors_of_a_module_name_it() -> None:
    engine = rhai.Engine(modules={"m": "fn f() { 1 / 0 }"})
    with pytest.raises(rhai.RhaiRuntimeError) as caught:
        engine.eval('import "m" as m; m::f()')
    assert caught.value.source == "m"


@pytest.mark.parametrize("script", ["let = 1", "x", "throw #{a: 1}", "loop {}"])
def test_errors_can_be_pickled(script: str) -> None:
    error = failure(script)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (str(copy), copy.__dict__) == (str(error), error.__dict__)
