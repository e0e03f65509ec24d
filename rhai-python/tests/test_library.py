"""What a program has of the library around scripts: decorators, scopes, hooks, and what things say of themselves."""

import asyncio
import datetime
import functools
import gc
import math
import weakref
from collections.abc import Callable, MutableMapping

import pytest

import rhai


def test_register_fn_is_a_decorator_and_gives_the_function_back() -> None:
    engine = rhai.Engine()

    @engine.register_fn
    def double(number: int) -> int:
        return number * 2

    @engine.register_fn("text::shout")
    def loud(text: str) -> str:
        return text.upper()

    assert (double(3), loud("a")) == (6, "A")
    assert engine.register_fn("again", double) is double
    assert engine.eval('[double(2), text::shout("a"), again(3)]') == [4, "A", 6]
    assert repr(engine) == "<rhai.Engine: functions 3, modules 0>"


@pytest.mark.parametrize("name", [3, b"f"])
def test_what_is_no_name_is_refused(name: object) -> None:
    with pytest.raises(TypeError, match="name: must be a str"):
        rhai.Engine().register_fn(name, lambda: 1)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        rhai.Engine().register_fn(name)  # type: ignore[call-overload]


def test_the_decorator_takes_empty_parentheses() -> None:
    engine = rhai.Engine()

    @engine.register_fn()
    def half(number: int) -> int:
        return number // 2

    engine.register_fn(function=half)
    assert (half(8), engine.eval("half(4)")) == (4, 2)


class Nameless:
    def __call__(self) -> int:
        return 1


@pytest.mark.parametrize("function", [functools.partial(max, 1), Nameless(), lambda: 1])
def test_a_function_without_a_name_is_refused_with_a_way(function: Callable[[], int]) -> None:
    with pytest.raises(
        TypeError, match=r'name: the function has none; give one, as in register_fn\("name", function\)'
    ):
        rhai.Engine().register_fn(function)
    assert rhai.Engine().register_fn("named", function) is function


class Asynchronous:
    async def __call__(self) -> int:
        return 1


async def coroutine() -> int:
    return 1


async def generator():  # type: ignore[no-untyped-def]
    yield 1


@pytest.mark.parametrize("function", [coroutine, generator, Asynchronous()])
def test_asynchronous_functions_are_refused_with_a_way(function: object) -> None:
    with pytest.raises(TypeError, match=r"f: is asynchronous, .*run_coroutine_threadsafe"):
        rhai.Engine().register_fn("f", function)  # type: ignore[call-overload]


@pytest.mark.parametrize("listener", ["on_print", "on_debug", "default"])
def test_asynchronous_listeners_are_refused_as_well(listener: str) -> None:
    with pytest.raises(TypeError, match=f"{listener}: is asynchronous, "):
        rhai.Engine(**{listener: coroutine})  # type: ignore[arg-type]  # the mistake that is tried


def test_the_way_that_the_refusal_names_works() -> None:
    async def main() -> object:
        engine, loop = rhai.Engine(), asyncio.get_running_loop()
        engine.register_fn("one", lambda: asyncio.run_coroutine_threadsafe(coroutine(), loop).result())
        return await asyncio.to_thread(engine.eval, "one() + 1")

    assert asyncio.run(main()) == 2


def test_none_means_no_limit() -> None:
    engine = rhai.Engine(max_operations=None, max_functions=None, max_memory=None, timeout=None)
    assert (engine.limits["max_operations"], engine.limits["max_functions"]) == (0, 0)
    assert engine.limits["max_memory"] == rhai.Engine(max_memory=0).limits["max_memory"]
    assert engine.limits["timeout"] == math.inf
    most = rhai.Engine(max_call_levels=None).limits["max_call_levels"]
    assert most == rhai.Engine(max_call_levels=1_000_000).limits["max_call_levels"]
    assert engine.eval("let n = 0; while n < 200000 { n += 1; } n") == 200_000


def test_a_scope_is_read_back() -> None:
    scope = rhai.Scope({"count": 1, "left": [1, 2]})
    engine = rhai.Engine()
    assert engine.eval("count += 1; left.push(3); let made = #{a: 1}; { let inner = 1; } count", scope) == 2
    assert dict(scope) == {"count": 2, "left": [1, 2, 3], "made": {"a": 1}}
    assert engine.eval(engine.compile("made.a + count"), scope) == 3
    assert repr(rhai.Scope({"a": "b"})) == "rhai.Scope({'a': 'b'})"


def test_a_scope_is_used_like_a_dict() -> None:
    given = {"a": 1}
    scope = rhai.Scope(given)
    scope["b"] = 2
    assert given == {"a": 1}
    assert (len(scope), list(scope), "b" in scope, scope["b"]) == (2, ["a", "b"], True, 2)
    assert (list(scope.keys()), list(scope.values()), list(scope.items())) == (["a", "b"], [1, 2], [("a", 1), ("b", 2)])
    assert {**scope} == {"a": 1, "b": 2}
    del scope["a"]
    with pytest.raises(KeyError):
        scope["a"]


def test_a_scope_is_a_mutable_mapping() -> None:
    scope = rhai.Scope(rhai.Scope({"a": 1}))
    assert isinstance(scope, MutableMapping)
    assert (scope == {"a": 1}, scope == rhai.Scope({"a": 1}), scope != rhai.Scope(), scope == 1) == (
        True,
        True,
        True,
        False,
    )
    assert (scope.get("a"), scope.get("b"), scope.get("b", 2), scope.setdefault("c", 3)) == (1, None, 2, 3)
    scope.update({"d": 4})
    assert (scope.pop("d"), scope.pop("d", None), scope.popitem(), dict(scope)) == (4, None, ("c", 3), {"a": 1})
    with pytest.raises(KeyError, match="d"):
        scope.pop("d")
    scope.clear()
    assert len(scope) == 0


def test_a_script_that_fails_leaves_the_scope_as_it_was() -> None:
    scope = rhai.Scope({"a": 1})
    for script in ["a = 2; throw 1", "a = 2; loop {}", "a = 2; let b = |x| x; b"]:
        with pytest.raises(rhai.RhaiError):
            rhai.Engine(timeout=0.05, max_operations=None).eval(script, scope)
    assert dict(scope) == {"a": 1}


def test_of_two_variables_of_one_name_the_later_counts_and_functions_stay_inside() -> None:
    scope = rhai.Scope()
    rhai.Engine().eval("let a = 1; let a = 2; const C = 3; let f = |x| x;", scope)
    assert dict(scope) == {"a": 2, "C": 3}


def test_a_dict_is_not_changed_and_nothing_else_is_a_scope() -> None:
    given = {"a": 1}
    rhai.Engine().eval("a = 2; let b = 3;", given)
    assert given == {"a": 1}
    with pytest.raises(TypeError, match=r"scope: must be a dict or a rhai\.Scope"):
        rhai.Engine().eval("1", [("a", 1)])  # type: ignore[arg-type]


def test_a_scope_that_refers_to_itself_is_collected() -> None:
    scope = rhai.Scope()
    scope["self"] = scope
    gone = weakref.ref(scope)
    del scope
    gc.collect()
    assert gone() is None


DAY = datetime.date(2026, 1, 31)


def test_the_default_makes_values_of_other_types() -> None:
    engine = rhai.Engine(default=lambda value: sorted(value) if isinstance(value, set) else value.isoformat())
    assert engine.eval("x", {"x": {"days": [DAY], "tags": {"b", "a"}}}) == {"days": ["2026-01-31"], "tags": ["a", "b"]}
    assert engine.call_fn(engine.compile("fn same(x) { x }"), "same", DAY) == "2026-01-31"
    engine.register_fn("today", lambda: DAY)
    assert engine.eval("today()") == "2026-01-31"
    assert engine.eval("x", rhai.Scope({"x": DAY})) == "2026-01-31"


def test_what_the_default_raises_or_repeats() -> None:
    def refuse(value: object) -> object:
        raise LookupError(value)

    with pytest.raises(LookupError):
        rhai.Engine(default=refuse).eval("x", {"x": DAY})
    with pytest.raises(ValueError, match="nested deeper than 64 levels"):
        rhai.Engine(default=lambda value: value).eval("x", {"x": DAY})
    with pytest.raises(TypeError, match="default: must be callable"):
        rhai.Engine(default=3)  # type: ignore[arg-type]


def test_functions_of_a_script() -> None:
    ast = rhai.Engine().compile("fn b(x) { x } private fn a() { 1 } fn b(x, y) { x + y }", "mine")
    named = [(one.name, one.parameters, one.private) for one in ast.functions]
    assert named == [("a", [], True), ("b", ["x"], False), ("b", ["x", "y"], False)]
    again = rhai.Engine().compile("private fn a() { 2 }").functions
    assert (again[0], hash(again[0])) == (ast.functions[0], hash(ast.functions[0]))
    assert repr(ast.functions[-1]) == "<rhai.ScriptFunction b(x, y)>"
    assert rhai.Engine().compile("1").functions == ()


def test_the_version_is_the_distribution() -> None:
    assert rhai.__version__.count(".") == 2
