"""Runs hostile scripts; a child process of test_hostile.py, as a crash would end it.

Arguments: how many scripts, a file that names the current one. Exits 0 if every script ended as it may.
"""

import json
import os
import random
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rhai
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

DEADLINE = 0.25
GRACE = 2.0
MEMORY_MB = 400
# Small enough that scripts reach them.
LIMITS: dict[str, int] = {
    "max_operations": 20_000,
    "max_string_size": 100_000,
    "max_array_size": 2_000,
    "max_map_size": 2_000,
    "max_memory": 8_000_000,
}

NAMES = ["a", "b", "f", "g", "x", "this", "i"]
ATOMS = [
    *NAMES, "0", "1", "-1", "64", "9223372036854775807", "(-9223372036854775808)", "1.5", "0.0", "1e308", "()", "true",
    "'c'", '"text"', '"é👨‍👩‍👧"', "[]", "[1, [2, [3]]]", "#{}", "#{a: #{b: 1}}", "blob(3, 7)", "timestamp()", "0..9",
    "0..=9223372036854775807", 'Fn("f")', "|x| x", "|| a", "|| [a, b]", "parse_decimal(`1.5`)", "host(1)", "raises()",
]  # fmt: skip
METHODS = [
    "push", "pop", "insert", "remove", "len", "pad", "append", "concat", "splice", "extract", "split", "drain",
    "retain", "map", "filter", "reduce", "sort", "sort_desc", "order", "dedup", "zip", "find", "index_of", "contains",
    "all", "some", "for_each", "truncate", "chop", "clear", "reverse", "to_string", "to_debug", "to_json", "keys",
    "values", "mixin", "fill_with", "replace", "crop", "sub_string", "to_upper", "chars", "bits", "get_bits",
    "set_bits", "to_blob", "as_string", "to_array", "parse_le_int", "write_utf8", "call", "curry", "is_shared", "tag",
    "elapsed", "abs", "sqrt", "to_int", "to_float", "to_decimal", "round", "exp", "to_hex", "step", "sleep", "type_of",
    "print", "debug", "eval", "parse_json", "parse_int", "range", "get", "set", "split_rev", "trim", "hash", "min",
]  # fmt: skip
OPERATORS = ["+", "-", "*", "/", "%", "**", "<<", ">>", "&", "|", "^", "&&", "||", "==", "<", "in", "!in", "??", ".."]
STATEMENTS = [
    "let {n} = {e};", "{n} = {e};", "{n} += {e};", "{n}[{e}] = {e};", "{n}.a = {e};", "if {e} {{ {s} }} else {{ {s} }}",
    "while {e} {{ {s} }}", "loop {{ {s} }}", "for {n} in {e} {{ {s} }}", "try {{ {s} }} catch (e) {{ {s} }}",
    "switch {e} {{ {e} => {e}, _ => {e} }}", "throw {e};", "return {e};", "break;", "{e};", "print({e});",
    "const {n} = {e};", "{n}.push({n});", "{n}.call({n});", "eval({e});", "import {e} as m;", "do {{ {s} }} until {e};",
]  # fmt: skip
# Known ways to hurt an engine, to start mutations from.
SEEDS = [
    "let x = 1; let f = || x; x = f; debug([x]); `${x}`; throw x",
    "let f = Fn(`a`); loop { f = f.curry(f) }",
    "let f = 1; loop { let g = f; f = || g; }",
    "let a = []; loop { a = [a] }",
    "let a = #{}; loop { a = #{a: a} } a.to_json()",
    "let s = `a`; loop { s.replace(`a`, s + s) }",
    "fn f(x) { [1].map(|y| f(x)) } f(1)",
    "let a = [3, 2, 1]; a.sort(|x, y| { loop {} })",
    "let s = `(`; s.pad(90000, `(`); eval(s)",
    "let s = `[`; s.pad(90000, `[`); parse_json(s)",
    "let x = 20; let f = |a| { this += x + a; }; x.call(f, 2)",
    "let t = `eval(t)`; eval(t)",
    "let a = []; a.pad(1000, 1); a.map(|x| { let b = []; b.pad(1000, x); || b })",
]


def corpus() -> list[str]:
    path = Path(os.environ.get("RHAI_CASES", ""))
    if not path.is_file():
        return SEEDS
    with path.open(encoding="utf-8") as lines:
        return SEEDS + [json.loads(line)["script"] for line in lines]


CORPUS = corpus()


def expression(rng: random.Random, depth: int) -> str:
    if depth <= 0 or rng.random() < 0.3:
        return rng.choice(ATOMS)

    def inner() -> str:
        return expression(rng, depth - 1)

    forms: list[Callable[[], str]] = [
        lambda: f"{inner()} {rng.choice(OPERATORS)} {inner()}",
        lambda: f"({inner()}).{rng.choice(METHODS)}({', '.join(inner() for _ in range(rng.randrange(4)))})",
        lambda: f"{rng.choice(METHODS)}({', '.join(inner() for _ in range(rng.randrange(4)))})",
        lambda: f"({inner()})[{inner()}]",
        lambda: f"[{', '.join(inner() for _ in range(rng.randrange(5)))}]",
        lambda: f"#{{a: {inner()}, b: {inner()}}}",
        lambda: f"|{rng.choice(NAMES[:5])}| {{ {statements(rng, depth - 1)} }}",
        lambda: f"`x${{{inner()}}}`",
        lambda: f"-({inner()})",
        lambda: f"if {inner()} {{ {inner()} }} else {{ {inner()} }}",
    ]
    return rng.choice(forms)()


def statements(rng: random.Random, depth: int) -> str:
    if depth <= 0:
        return ""
    parts = []
    for _ in range(rng.randrange(1, 4)):
        form = rng.choice(STATEMENTS)
        while "{" in form.replace("{{", "").replace("}}", "") and any(part in form for part in ("{n}", "{e}", "{s}")):
            form = form.replace("{n}", rng.choice(NAMES), 1)
            form = form.replace("{e}", expression(rng, depth - 1), 1)
            form = form.replace("{s}", statements(rng, depth - 1), 1)
        parts.append(form.replace("{{", "{").replace("}}", "}"))
    return " ".join(parts)


def mutated(rng: random.Random) -> str:
    text = rng.choice(CORPUS)
    for _ in range(rng.randrange(1, 6)):
        start, length = rng.randrange(len(text) + 1), rng.randrange(1, 30)
        piece = text[start : start + length]
        text = rng.choice(
            [
                lambda: text[:start] + text[start + length :],  # noqa: B023  called at once
                lambda: text[:start] + piece * rng.randrange(2, 40) + text[start:],  # noqa: B023
                lambda: text[:start] + rng.choice(ATOMS) + text[start:],  # noqa: B023
                lambda: text[:start] + expression(rng, 2) + text[start:],  # noqa: B023
                lambda: text + " " + rng.choice(CORPUS),  # noqa: B023
                lambda: "loop { " + text + " }",  # noqa: B023
            ]
        )()
    return text


@st.composite
def scripts(draw: st.DrawFn) -> str:
    rng = random.Random(draw(st.integers(0, 2**64)))
    if rng.random() < 0.5:
        return mutated(rng)
    declared = "let a = [1, 2]; let b = `text`; let g = |x| x; let x = 5; let i = 0; fn f(x) { x } "
    return declared + statements(rng, 4)


def sizes(value: object) -> tuple[int, int]:
    """Items and characters in a value."""
    if isinstance(value, str | bytes):
        return 0, len(value)
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return 0, 0
    inner = [sizes(item) for item in value]
    return len(value) + sum(items for items, _ in inner), sum(size for _, size in inner)


class HostError(Exception):
    pass


def host(value: object) -> object:
    return value


def raises() -> None:
    raise HostError


def make_engine() -> rhai.Engine:
    engine = rhai.Engine(**LIMITS, on_print=len, on_debug=lambda *_: None)  # type: ignore[arg-type]
    engine.register_fn("host", host)
    engine.register_fn("raises", raises)
    return engine


def check(engine: rhai.Engine, script: str, kinds: dict[str, int]) -> None:
    started = time.monotonic()
    try:
        items, characters = sizes(engine.eval(script, timeout=DEADLINE))
        kinds["value"] = kinds.get("value", 0) + 1
        assert items <= 2 * LIMITS["max_array_size"] + LIMITS["max_map_size"]
        assert characters <= 4 * LIMITS["max_string_size"]
    except (rhai.RhaiError, HostError, TypeError, ValueError) as error:
        name = getattr(error, "kind", None) or type(error).__name__
        kinds[name] = kinds.get(name, 0) + 1
        assert isinstance(error, rhai.RhaiError | HostError)
    taken = time.monotonic() - started
    assert taken < DEADLINE + GRACE, f"took {taken:.2f} s"
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    assert memory < MEMORY_MB, f"{memory} MB"


def main(count: int, journal: str) -> None:
    engine = make_engine()
    kinds: dict[str, int] = {}
    slowest: list[Any] = [0.0, ""]

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize="RHAI_RANDOM" not in os.environ,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(scripts())
    def run(script: str) -> None:
        Path(journal).write_text(script, encoding="utf-8")
        started = time.monotonic()
        check(engine, script, kinds)
        slowest[:] = max(slowest, [time.monotonic() - started, script[:300]])

    run()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"memory_mb": memory, "slowest": slowest, "kinds": kinds}))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
