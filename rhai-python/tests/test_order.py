"""Dicts keep the order of their keys on the way through a script."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rhai

engine = rhai.Engine()
UNSORTED = {"name": 1, "id": 2, "kind": 3}


def shape(value: object) -> object:
    """The keys of each dict in their order, at every level."""
    if isinstance(value, dict):
        return [(key, shape(item)) for key, item in value.items()]
    if isinstance(value, list):
        return [shape(item) for item in value]
    return value


TEXTS = st.text(st.characters(codec="utf-8"), max_size=6)
NESTED = st.recursive(
    st.none() | st.integers(-9, 9) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=8),
    max_leaves=40,
)


@given(NESTED)
def test_any_value_comes_back_in_its_order(value: object) -> None:
    assert shape(engine.eval("x", {"x": value})) == shape(value)


@given(st.dictionaries(TEXTS, st.integers(0, 9), min_size=1), st.data())
def test_what_is_left_keeps_its_order(value: dict[str, int], data: st.DataObject) -> None:
    gone = data.draw(st.sets(st.sampled_from(sorted(value))))
    script = "for key in gone { x.remove(key); } x"
    out = engine.eval(script, {"x": value, "gone": list(gone)})
    assert list(out) == [key for key in value if key not in gone]


@given(st.dictionaries(TEXTS, st.integers(0, 9)), st.dictionaries(TEXTS, st.integers(0, 9)))
def test_added_keys_follow_sorted(value: dict[str, int], more: dict[str, int]) -> None:
    out = engine.eval("x.mixin(more); x", {"x": value, "more": more})
    assert list(out) == [*value, *sorted(set(more) - set(value))] or list(value) == sorted(value)
    assert out == value | more


@pytest.mark.parametrize(
    "script",
    [
        "let y = x; y",
        "fn same(value) { value } same(x)",
        "let f = |value| value; f.call(x)",
        "let f = || x; f.call()",
        "let f = |add| { x.id += add; }; f.call(0); x",
        "[x][0]",
        "#{inner: x}.inner",
        "let all = []; for one in [x] { all.push(one); } all.pop()",
        "[x].map(|one| one)[0]",
        "[x].filter(|one| true)[0]",
        "if true { x } else { () }",
        "x.id = 5; x.id = 2; x",
        "let y = x; y.clear(); y = x; y",
        "x.name += 0; x",
        "switch 1 { 1 => x, _ => () }",
        "let found = (); try { throw x } catch (caught) { found = caught; } found",
        "() ?? x",
    ],
)
def test_ways_through_a_script(script: str) -> None:
    assert list(engine.eval(script, {"x": UNSORTED})) == list(UNSORTED)


def test_a_thrown_value() -> None:
    with pytest.raises(rhai.RhaiRuntimeError) as caught:
        engine.eval("throw [x, #{b: 1, a: 2}]", {"x": UNSORTED})
    assert shape(caught.value.value) == shape([UNSORTED, {"b": 1, "a": 2}])


def test_a_scope_that_outlives_evaluations() -> None:
    scope = rhai.Scope({"x": UNSORTED})
    engine.eval("let y = x; let z = #{b: 1, a: 2};", scope)
    engine.eval("y.more = 1; z.id = x.id;", scope)
    assert [list(scope[name]) for name in "xyz"] == [
        ["name", "id", "kind"],
        ["name", "id", "kind", "more"],
        ["b", "a", "id"],
    ]


def test_arguments_and_results_of_functions() -> None:
    seen: list[list[str]] = []
    running = rhai.Engine()

    @running.register_fn
    def turned(value: dict[str, object]) -> dict[str, object]:
        seen.append(list(value))
        return dict(reversed(value.items()))

    assert list(running.eval("turned(x)", {"x": UNSORTED})) == ["kind", "id", "name"]
    assert list(running.eval("turned(turned(#{b: 1, a: 2}))")) == ["b", "a"]
    assert seen == [["name", "id", "kind"], ["b", "a"], ["a", "b"]]
    ast = running.compile("fn turn(value) { turned(value) }")
    assert list(running.call_fn(ast, "turn", UNSORTED)) == ["kind", "id", "name"]


def test_a_function_that_evaluates() -> None:
    running = rhai.Engine()
    running.register_fn("inner", lambda value: running.eval("x", {"x": {"z": value, "b": {"y": 1, "a": 2}}}))
    out = running.eval("let before = x; let found = inner(x); [before, found, x]", {"x": UNSORTED})
    assert shape(out) == shape([UNSORTED, {"z": UNSORTED, "b": {"y": 1, "a": 2}}, UNSORTED])


def test_the_hook_for_other_types() -> None:
    running = rhai.Engine(default=lambda value: {"type": type(value).__name__, "items": sorted(value)})
    assert list(running.eval("x", {"x": {3, 1}})) == ["type", "items"]


@pytest.mark.parametrize(
    ("script", "keys"),
    [
        ("#{b: 1, a: 2}", ["b", "a"]),
        ('#{"b": 1, "a": 2}', ["b", "a"]),
        ("fn made() { #{b: 1, a: 2} } made()", ["b", "a"]),
        ("let made = || #{b: 1, a: 2}; made.call()", ["b", "a"]),
        ("#{b: 1, a: 2} + #{d: 1, c: 2}", ["b", "a", "d", "c"]),
        ("#{c: 1, b: 2, a: 3}.filter(|key, value| value != 2)", ["c", "a"]),
        ("let x = #{b: 1}; x.z = 1; x.a = 2; x", ["b", "z", "a"]),
        ('let x = #{}; x["z"] = 1; x["a"] = 2; x', ["z", "a"]),
        ("let x = #{}; x.y = #{}; x.y.z = 1; x.y.a = 2; x.y", ["z", "a"]),
        # Literals of different keys are each as written, though they disagree.
        ("let x = #{b: 1, a: 2}; #{a: 1, b: 2, c: 3}", ["a", "b", "c"]),
        # Of two literals with the same keys the first counts.
        ("let x = #{b: 1, a: 2}; #{a: 1, b: 2}", ["b", "a"]),
        # Keys that the text does not name.
        ("let x = #{z: 1}; for key in [`y`, `b`] { x[key] = 1; } x", ["z", "b", "y"]),
        ('parse_json(`{"b": 1, "a": 2}`)', ["a", "b"]),
        ("eval(`#{b: 1, a: 2}`)", ["a", "b"]),
    ],
)
def test_maps_that_a_script_makes(script: str, keys: list[str]) -> None:
    assert list(engine.eval(script)) == keys
    ast = engine.compile(script)
    assert [list(engine.eval(ast)) for _ in range(2)] == [keys, keys]


def test_a_map_that_a_module_makes() -> None:
    running = rhai.Engine(modules={"made": "fn of(value) { #{z: value, a: 1} } export const KEPT = #{y: 1, b: 2};"})
    assert shape(running.eval('import "made" as made; [made::of(x), made::KEPT]', {"x": UNSORTED})) == shape(
        [{"z": UNSORTED, "a": 1}, {"y": 1, "b": 2}]
    )


def test_added_keys_as_the_text_sets_them() -> None:
    assert list(engine.eval("x.zone = 1; x.age = 2; x", {"x": UNSORTED})) == ["name", "id", "kind", "zone", "age"]


def test_a_sorted_dict_stays_sorted() -> None:
    assert list(engine.eval("let y = #{b: 1, a: 2}; x", {"x": {"a": 1, "b": 2}})) == ["a", "b"]
    assert list(engine.eval("x.b = 1; x", {"x": {"a": 1, "c": 2}})) == ["a", "b", "c"]


def test_a_script_does_not_see_it() -> None:
    assert engine.eval("[x.tag(), [1, x][1].tag(), x.keys(), `${x}`]", {"x": {"b": 1, "a": 2}}) == [
        0,
        0,
        ["a", "b"],
        '#{"a": 2, "b": 1}',
    ]
    assert engine.eval("x == #{a: 2, b: 1}", {"x": {"b": 1, "a": 2}}) is True


@pytest.mark.parametrize(
    "tag", [5, -5, 2**31 - 1, -(2**31), -(2**31) + 1, -(2**31) + 65_535, -(2**31) + 65_536, -(2**31) + 65_537]
)
def test_a_script_that_sets_tags(tag: int) -> None:
    other = {"kind": 1, "x": 2, "id": 3}
    out = engine.eval(
        "x.set_tag(tag); y.set_tag(tag); z.tag = tag; [x, y, z]", {"x": UNSORTED, "y": other, "z": 1, "tag": tag}
    )
    assert out == [UNSORTED, other, 1]


def test_many_orders() -> None:
    large = rhai.Engine(max_operations=None, max_array_size=1_000_000, max_map_size=1_000_000, max_memory=1 << 30)
    many = [{f"b{number}": 1, f"a{number}": 2} for number in range(70_000)]
    out = large.eval("x", {"x": many}, timeout=60)
    assert out == many
    assert [list(one) for one in out[:65_536]] == [list(one) for one in many[:65_536]]
    # Past the table's size maps are sorted.
    assert all(list(one) == sorted(one) for one in out[65_536:])


def test_threads_share_a_script() -> None:
    ast = engine.compile("#{value: x, key: 1}")
    dicts = [{f"b{number}": 1, f"a{number}": {"d": 1, "c": 2}} for number in range(200)]
    wrong: list[object] = []

    def run() -> None:
        for one in dicts:
            out = engine.eval(ast, {"x": one})
            if shape(out) != shape({"value": one, "key": 1}):
                wrong.append(out)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@settings(max_examples=25, deadline=None)
@given(st.permutations(list("abcdefghij")))
def test_a_large_dict(letters: list[str]) -> None:
    value = {f"{one}{other}{number}": number for number in range(20) for one in letters for other in reversed(letters)}
    assert list(engine.eval("x", {"x": value})) == list(value)
