"""Scripts that mean harm: chosen ones, and as many as wanted by a grammar and by changing Rhai's own test cases."""

import json
import random
from collections.abc import Callable
from pathlib import Path

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


def corpus(cases: Path) -> list[str]:
    """Scripts to start mutations from; `cases` may be missing."""
    if not cases.is_file():
        return SEEDS
    with cases.open(encoding="utf-8") as lines:
        return SEEDS + [json.loads(line)["script"] for line in lines]


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


def mutated(rng: random.Random, scripts: list[str]) -> str:
    text = rng.choice(scripts)
    for _ in range(rng.randrange(1, 6)):
        start, length = rng.randrange(len(text) + 1), rng.randrange(1, 30)
        piece = text[start : start + length]
        variants = [
            text[:start] + text[start + length :],
            text[:start] + piece * rng.randrange(2, 40) + text[start:],
            text[:start] + rng.choice(ATOMS) + text[start:],
            text[:start] + expression(rng, 2) + text[start:],
            text + " " + rng.choice(scripts),
            "loop { " + text + " }",
        ]
        text = rng.choice(variants)
    return text


def candidate(rng: random.Random, scripts: list[str]) -> str:
    if rng.random() < 0.4:
        return mutated(rng, scripts)
    declared = "let a = [1, 2]; let b = `text`; let g = |x| x; let x = 5; let i = 0; fn f(x) { x } "
    return declared + statements(rng, 4)


CYCLE = "let x = 1; let f = || x; x = f;"  # a closure that holds itself
DEEP = "let d = [[]]; for i in 0..1500 { d.push([d.pop()]) }"


# Each of these recursed without end, took all memory or all time in some form of the engine.
CHOSEN = [
    f"{CYCLE} debug(f); debug(x); print(x); `${{x}}`; [f].to_string(); #{{a: f}}.to_debug(); #{{a: x}}.to_json()",
    f"{CYCLE} switch x {{ 1 => 2, _ => 3 }}; switch f {{ 1 => 2, _ => 3 }}; x = [f]; switch x {{ 1 => 2, _ => 3 }}",
    f"{CYCLE} throw x",
    f"{CYCLE} try {{ throw [x] }} catch (e) {{ throw `${{e}}` }}",
    f"{CYCLE} #{{}}[x]",
    f"{CYCLE} [x] == [x]",
    f"{CYCLE} let s = `a`; s.pad(1048576, `a`); debug(Fn(s).curry(f))",
    f"{CYCLE} let s = `a`; s.pad(1048570, \"\\n\"); [s, f].to_string()",
    f"{CYCLE} let a = [f]; for i in 0..100 {{ a = [a] }}; `${{a}}`; a.to_debug()",
    "let s = `a`; s.pad(3, ``)",
    f"{DEEP} let c = d; d == c",
    f"{DEEP} d.to_string(); switch d {{ 1 => 2 }}; d.contains(d)",
    "let f = Fn(`a`); loop { f = f.curry(f) }",
    "let f = 1; loop { let g = f; f = || g; }",
    "let s = `a`; s.pad(1048000, `a`); let l = []; loop { let t = s + 1; l.push(|| t) }",
    "let a = []; a.pad(9999, 1); let f = Fn(`a`).curry(a); let b = [f]; loop { b.push(f) }",
    "let a = []; a.pad(900, 0); a.map(|x| { let b = []; b.pad(9000, 1); b })",
    "let t = `eval(t)`; eval(t)",
    "fn f(n) { [1].map(|x| f(n + 1)) } f(0)",
    "fn f(n) { let a = [3, 2, 1]; a.sort(|x, y| f(n + 1)); } f(0)",
    "let f = |g| g.call(g); f.call(f)",
    *[
        f"let s = `{start}`; s.pad(500000, `{again}`); eval(s)"
        for start, again in [
            ("(", "("), ("[", "["), ("{", "{"), ("#{a:", "#{a:"), ("!", "!"), ("- ", "- "), ("1", "+1"), ("1", "**1"),
            ("a", ".a"), ("a", "?.a"), ("a", "[0]"), ("a", "::a"), ("a", "()"), ("1", "??1"), ("||", "||"), ("a", "=a"),
            ("if a {}", " else if a {}"), ("/*", "/*"), ("f(1", ",1"), ("switch 1 {1=>", "switch 1 {1=>"), ("|a", ",a"),
        ]
    ],
    "let s = `[`; s.pad(100000, `[`); parse_json(s)",
    # Elements that share one text: 9 GB to read, and next to no memory.
    *[
        f"let s = `a`; s.pad(1048576, `a`); let a = []; a.pad(9999, 1); for i in 0..9000 {{ a[i] = s }} {use}"
        for use in ("`${a}`", "throw a", "a.to_string()", "print(a)", "a == a", "switch a { 1 => 2 }", "a.dedup()", "a")
    ],
    ("let s = `a`; s.pad(1048576, `a`); let b = [[1]]; b[0].pad(9999, 1); b.for_each(|| { "
     "for i in 0..9000 { this[i] = s } switch this { 1 => 2 } })"),
    "let s = `a`; s.pad(1048576, `a`); s.split(``)",
    # Every comparison waits for a lock that its own thread holds.
    *[
        f"let x = [1]; let l = []; for i in 0..2000 {{ l.push(|| x) }} x.for_each(|| {{ {use} }})"
        for use in ("l.dedup()", "l.order_by(|a, b| a == b)", "l == l", "l.contains(l[0])", "switch l { 1 => 2 }")
    ],
    "let s = ``; for i in 0..5000 { s += `{\"a\":` } parse_json(s)",
]  # fmt: skip

NUMBER = "-9223372036854775808"
EXTREMES = [
    "x / -1", "x % -1", "-x", "x.abs()", "x.sign()", "1 << 100", "1 << x", "1 >> x", "2 ** 1000", "2 ** -1", "x - 1",
    "range(x, 0, x)", "range(0, x, 0)", "x.bits()", "x.bits(3, 99)", "x.get_bit(64)", "x.set_bit(-65, true)",
    "x.get_bits(0, 99)", "x.set_bits(-9, 99, 1)", "to_int(1e300)", "to_int(0.0 / 0.0)", "to_float(x)",
    "to_decimal(1e300)", 'parse_decimal("1e999999999")', 'parse_int("9", 1)', 'parse_int("9", 99)', "blob(-1)",
    "blob(99999999999)", "blob(5, 999)", "blob(5).parse_le_int(-1, 99)", "blob(5).parse_be_float(x, 9)",
    "blob(3).write_utf8(x, 99, `abc`)", "blob(3).splice(x, 99, blob(2))", "[1, 2][x]", '"abc"[x]',
    '"abc".sub_string(x, -x - 1)', '"abc".crop(x, 9223372036854775807)', '"é".truncate(x)', '"a".split(x)',
    '"abc".split(9223372036854775807)', '"a".splitn("a", 9223372036854775807)', "[1].insert(x, 1)",
    "[1].splice(x, 9223372036854775807, [1])", "[1].drain(x, 9223372036854775807)", "[1].chop(x)", "[1].truncate(x)",
    "[1].extract(x, 9223372036854775807)", "[1].split(x)", "[1].remove(x)", "timestamp() + 9223372036854775807",
    "timestamp() - 9223372036854775807", "timestamp() + 1e300", "timestamp() - 1e300", "(timestamp() - 9e15).elapsed",
    "to_char(55296)", "to_char(1114112)", "'a' + 1114111", "x.set_tag(9999999999)", 'parse_decimal("2") ** 1000',
    'parse_decimal("-1").sqrt()', 'parse_decimal("1").round(99999)', 'parse_decimal("-1").ln()',
    'parse_decimal("99999999").exp()', 'parse_decimal("79228162514264337593543950335") * 9', "x.to_hex()", "1.5 % 0.0",
    '"a".pad(3, "")', "(0..x).contains(5)", "[1, 2, 3][x..9]", "x[0..99]", "x[-1]", "(x..=x).start", "(1.5).round(x)",
]  # fmt: skip
