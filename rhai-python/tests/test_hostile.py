"""Scripts that mean harm: none ends the process, none passes its limits."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rhai

HOSTILE = Path(__file__).with_name("hostile.py")
CASES = Path(__file__).parents[2].parent / "shared" / "rhai" / "cases.jsonl"
CYCLE = "let x = 1; let f = || x; x = f;"  # a closure that holds itself
DEEP = "let d = [[]]; for i in 0..1500 { d.push([d.pop()]) }"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="measures memory with the module resource")


def run_child(count: int, tmp_path: Path) -> None:
    journal = tmp_path / "script.rhai"
    command = [sys.executable, str(HOSTILE), str(count), str(journal)]
    environment = {"RHAI_CASES": str(CASES), **os.environ}
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=3000, check=False)
    script = journal.read_text(encoding="utf-8")
    assert result.returncode == 0, f"{result.returncode} after {script!r}\n{result.stderr[-3000:]}"
    report = json.loads(result.stdout)
    print(report)
    assert sum(report["kinds"].values()) >= count * 0.9


def test_hostile_scripts(tmp_path: Path) -> None:
    run_child(300, tmp_path)


@pytest.mark.fuzz
def test_ten_thousand_hostile_scripts(tmp_path: Path) -> None:
    run_child(10_000, tmp_path)


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
    "let s = ``; for i in 0..5000 { s += `{\"a\":` } parse_json(s)",
]  # fmt: skip


@pytest.mark.parametrize("settings", [{}, {"max_operations": 0, "max_call_levels": 512, "max_expr_depth": 256}])
def test_chosen_scripts(settings: dict[str, int]) -> None:
    program = (
        "import json, sys, rhai\n"
        "engine = rhai.Engine(**json.loads(sys.argv[1]), timeout=1)\n"
        "for script in json.load(sys.stdin):\n"
        "    print(script, flush=True)\n"
        "    try: engine.eval(script)\n"
        "    except rhai.RhaiError as error: assert error.kind != 'ErrorInternal', error\n"
    )
    command = [sys.executable, "-c", program, json.dumps(settings)]
    result = subprocess.run(command, input=json.dumps(CHOSEN), capture_output=True, text=True, timeout=120, check=False)
    assert (result.returncode, result.stderr) == (0, ""), result.stdout.splitlines()[-1]


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


@pytest.mark.parametrize("expression", EXTREMES)
def test_extreme_numbers(expression: str, capfd: pytest.CaptureFixture[str]) -> None:
    try:
        rhai.Engine().eval(f"let x = {NUMBER}; {expression}")
    except rhai.RhaiError as error:
        assert error.kind != "ErrorParsing"
    assert capfd.readouterr() == ("", "")
