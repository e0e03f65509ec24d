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

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import rhai

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

NAMES = ["a", "b", "g", "x", "i"]
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
    "while {e} {{ {s} }}", "loop {{ {s} }}", "loop {{ {s} break; }}", "for {n} in {e} {{ {s} }}", "{n}.push({n});",
    "try {{ {s} }} catch (e) {{ {s} }}", "try {{ {s} throw {n}; }} catch {{ }}", "throw {e};", "return {e};", "{e};",
    "switch {e} {{ 1 => {e}, `a` | () if {e} => {e}, 2..9 => {e}, _ => {e} }}", "print({e});", "const Q = {e};",
    "{n}.call({n});", "eval({e});", "import `m` as m;", "do {{ {s} }} until {e};", "for (i, k) in {e} {{ {s} }}",
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
        lambda: f"|{rng.choice(NAMES)}| {{ {statements(rng, depth - 1)} }}",
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
        statement = form.replace("{{", "{").replace("}}", "}")
        # An error would end the script before the rest had its turn.
        caught = rng.random() < 0.7 and not statement.startswith(("let", "const", "import"))
        parts.append(f"try {{ {statement} }} catch {{ }}" if caught else statement)
    return " ".join(parts)


def mutated(rng: random.Random) -> str:
    text = rng.choice(CORPUS)
    for _ in range(rng.randrange(1, 6)):
        start, length = rng.randrange(len(text) + 1), rng.randrange(1, 30)
        piece = text[start : start + length]
        variants = [
            text[:start] + text[start + length :],
            text[:start] + piece * rng.randrange(2, 40) + text[start:],
            text[:start] + rng.choice(ATOMS) + text[start:],
            text[:start] + expression(rng, 2) + text[start:],
            text + " " + rng.choice(CORPUS),
            "loop { " + text + " }",
        ]
        text = rng.choice(variants)
    return text


def candidate(rng: random.Random) -> str:
    if rng.random() < 0.4:
        return mutated(rng)
    declared = "let a = [1, 2]; let b = `text`; let g = |x| x; let x = 5; let i = 0; fn f(x) { x } "
    return declared + statements(rng, 4)


def compiled(engine: rhai.Engine, rng: random.Random, journal: Path) -> tuple[str, rhai.AST | str]:
    """A script that compiles, if one comes up soon. What does not compile has to end well, too."""
    for _ in range(15):
        script = candidate(rng)
        journal.write_text(script, encoding="utf-8")
        try:
            return script, engine.compile(script)
        except rhai.RhaiSyntaxError:
            continue
    return script, script


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


def check(engine: rhai.Engine, script: str | rhai.AST, kinds: dict[str, int]) -> None:
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
    @given(st.integers(0, 2**64))
    def run(seed: int) -> None:
        script, ast = compiled(engine, random.Random(seed), Path(journal))
        started = time.monotonic()
        check(engine, ast, kinds)
        slowest[:] = max(slowest, [time.monotonic() - started, script[:300]])

    run()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"memory_mb": memory, "slowest": slowest, "kinds": kinds}))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
