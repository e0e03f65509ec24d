"""Functions of Python in scripts, and their exceptions."""

import asyncio
import time
import traceback
from collections.abc import Callable

import greenlet
import pytest

import rhai


def engine_with(**functions: Callable[..., object]) -> rhai.Engine:
    engine = rhai.Engine()
    for name, function in functions.items():
        engine.register_fn(name, function)
    return engine


def thrower(error: BaseException) -> Callable[[], object]:
    def throw() -> object:
        raise error

    return throw


def test_arguments_and_result() -> None:
    engine = engine_with(join=lambda *parts: "-".join(map(str, parts)))
    assert engine.eval('join(1, "a", true)') == "1-a-True"
    assert engine.eval("join()") == ""


def test_namespaces() -> None:
    engine = rhai.Engine()
    engine.register_fn("a::f", lambda: 1)
    engine.register_fn("a::b::f", lambda: 2)
    engine.register_fn("f", lambda: 3)
    engine.register_fn("a::g", lambda: 4)
    assert engine.eval("[a::f(), a::b::f(), f(), a::g()]") == [1, 2, 3, 4]


def test_defaults() -> None:
    def f(a: int, b: int = 10, /, c: int = 100) -> int:
        return a + b + c

    engine = engine_with(f=f)
    assert [engine.eval(call) for call in ("f(1)", "f(1, 2)", "f(1, 2, 3)")] == [111, 103, 6]
    with pytest.raises(rhai.RhaiRuntimeError, match="Function not found"):
        engine.eval("f()")


def test_method_style_and_constants() -> None:
    engine = engine_with(double=lambda x: x * 2)
    assert engine.eval("const X = 4; X.double()") == 8
    assert engine.eval("[1, 2].map(|x| double(x))") == [2, 4]
    assert engine.eval('[1, 2].map(Fn("double"))') == [2, 4]


def test_arguments_are_copies() -> None:
    engine = engine_with(change=lambda items: items.append(1))
    assert engine.eval("let a = []; change(a); a.change(); a") == []


def test_builtin_without_a_signature() -> None:
    engine = engine_with(biggest=max)
    assert engine.eval("biggest(1, 7, 3)") == 7


def test_replacing() -> None:
    engine = engine_with(f=lambda: 1)
    assert engine.eval("f()") == 1
    engine.register_fn("f", lambda: 2)
    assert engine.eval("f()") == 2


def test_registering_inside_of_a_callback() -> None:
    engine = rhai.Engine()

    def add() -> None:
        engine.register_fn("late", lambda: 5)

    engine.register_fn("add", add)
    with pytest.raises(rhai.RhaiRuntimeError, match="Function not found"):
        engine.eval("add(); late()")
    assert engine.eval("late()") == 5


@pytest.mark.parametrize(
    "name",
    ["", "a b", "1a", "if", "print", "eval", "curry", "a::", "::a", "a::if", "a-b", "let", "_", "f()", "é", "global"],
)
def test_names_that_scripts_cannot_call(name: str) -> None:
    with pytest.raises(ValueError, match="must be a name that scripts can call"):
        rhai.Engine().register_fn(name, lambda: 1)


def test_functions_that_scripts_cannot_call() -> None:
    def keyword(*, needed: int) -> int:
        return needed

    with pytest.raises(TypeError, match="must be callable"):
        rhai.Engine().register_fn("f", 1)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="keyword"):
        rhai.Engine().register_fn("f", keyword)
    with pytest.raises(TypeError, match="at most 10"):
        rhai.Engine().register_fn("f", lambda a, b, c, d, e, f, g, h, i, j, k: 1)


class OwnError(Exception):
    pass


def test_exceptions_pass_through_unchanged() -> None:
    error = OwnError("a", 1)
    engine = engine_with(f=thrower(error))
    with pytest.raises(OwnError) as caught:
        engine.eval("fn g() { f() }  [1].map(|x| g())")
    assert caught.value is error
    assert [frame.name for frame in traceback.extract_tb(error.__traceback__)][-1] == "throw"
    assert error.__context__ is None
    assert error.__cause__ is None


def test_an_exception_that_is_caught_and_thrown_again_is_the_same() -> None:
    error = OwnError("a")
    engine = engine_with(f=thrower(error))
    with pytest.raises(OwnError) as caught:
        engine.eval("try { f() } catch (e) { throw e }")
    assert caught.value is error
    assert "throw" in [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def test_scripts_catch_exceptions() -> None:
    error = OwnError("broken")
    engine = engine_with(f=thrower(error))
    caught = "let caught; try { f() } catch (e) { caught = [e.type, e.message, `${e}`, type_of(e)] } caught"
    assert engine.eval(caught) == [
        "OwnError",
        "broken",
        "OwnError: broken",
        "Exception",
    ]
    assert engine.eval("let caught; try { f() } catch (e) { caught = e } caught") is error


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError])
def test_what_scripts_cannot_catch(kind: type[BaseException]) -> None:
    error = kind("stop")
    after: list[int] = []
    engine = engine_with(f=thrower(error), after=lambda: after.append(1))
    with pytest.raises(kind) as caught:
        engine.eval("try { f() } catch { } after(); 1")
    assert caught.value is error
    assert not after


def test_what_scripts_cannot_catch_in_functions_that_swallow_errors() -> None:
    engine = engine_with(f=thrower(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        engine.eval("let a = [3, 1, 2]; a.sort(|x, y| f()); a")


@pytest.mark.parametrize("error", [OwnError("a"), KeyboardInterrupt()])
def test_exception_of_a_listener_surfaces_after_the_evaluation(error: BaseException) -> None:
    def refuse(*_: object) -> None:
        raise error

    engine = rhai.Engine(on_print=refuse, on_debug=refuse)
    for script in ("print(1); 2", "debug(1); 2", "try { print(1); } catch { } 3"):
        with pytest.raises(type(error)) as caught:
            engine.eval(script)
        assert caught.value is error
    assert engine.eval("1") == 1


def test_result_of_the_wrong_type_can_be_caught() -> None:
    engine = engine_with(f=object)
    assert engine.eval("let kind; try { f() } catch (e) { kind = e.type } kind") == "TypeError"


def test_argument_without_a_counterpart() -> None:
    engine = engine_with(f=lambda x: x)
    with pytest.raises(rhai.RhaiConversionError, match=r"^argument 1 of f\[0\]: a timestamp"):
        engine.eval("f([timestamp()])")


def test_nested_evaluations() -> None:
    engine = rhai.Engine()
    engine.register_fn("inner", lambda n: engine.eval("n * 2", {"n": n}))
    assert engine.eval("let s = 0; for i in 0..10 { s += inner(i) } s") == 90


def test_evaluations_nest_only_so_deep() -> None:
    engine = rhai.Engine()
    depth = 0

    def again() -> object:
        nonlocal depth
        depth += 1
        return engine.eval("again()")

    engine.register_fn("again", again)
    with pytest.raises(rhai.RhaiLimitError, match="nest 16 levels deep"):
        engine.eval("again()")
    assert depth == 16


def test_python_runs_on_its_own_stack() -> None:
    def recurse(n: int) -> int:
        return 0 if n == 0 else 1 + recurse(n - 1)

    engine = engine_with(recurse=recurse)
    assert engine.eval("recurse(500)") == 500
    with pytest.raises(RecursionError):
        engine.eval("recurse(1000000)")


def test_greenlets_switch_inside_of_callbacks() -> None:
    """Evaluations end in another order than they began, and the thread's next one is none the worse."""
    engine = rhai.Engine()
    first = greenlet.greenlet(lambda: engine.eval("let l = []; for i in 0..3 { l.push(hop(i)) } l", timeout=10))
    second = greenlet.greenlet(lambda: engine.eval("[hop(7)].map(|x| hop(x) + 1)", timeout=0.2))

    def hop(x: int) -> int:
        other = second if greenlet.getcurrent() is first else first
        if not other.dead:
            other.switch()
        return x

    engine.register_fn("hop", hop)
    results = [first.switch()]
    results += [rest.switch() for rest in (first, second) if not rest.dead]
    assert first.dead
    assert second.dead
    assert [0, 1, 2] in results
    assert [8] in results
    time.sleep(0.25)
    assert engine.eval("1") == 1
