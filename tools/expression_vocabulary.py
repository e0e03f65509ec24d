"""What an editor of expressions proposes: the members that the engine's values have, with a word on each.

    python tools/expression_vocabulary.py            write plugins/jackfield_javascript/vocabulary.json
    python tools/expression_vocabulary.py --check    say whether it is what the engine has

The names come from the engine: from the prototypes in its context, from luxon, from the methods that expressions add,
and from its variables. The words stand in the TOML files of `tools/vocabulary`; a name without words, or words without
a name, is an error. Each example is evaluated, which gives its result and the type of it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from jackfield.api.scripts import ExpressionError, ScriptData
from jackfield_javascript import child
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_workers.pool import SharedWorkerPool

ROOT = Path(__file__).resolve().parents[1]
WORDS = ROOT / "tools/vocabulary"
TARGET = ROOT / "plugins/jackfield_javascript/vocabulary.json"
Names: TypeAlias = Mapping[str, Sequence[str]]
"""By type."""
Member: TypeAlias = dict[str, str]

LONGEST = 100
VOLATILE = re.compile(r"\$now|\$today|random|Date(?:Time)?\.now|Now\(|isInLast|'nonsense'|\$input\.(?:params|context)")
"""Examples whose result is another one tomorrow, or says nothing."""
MAY_BE_NOTHING = frozenset({"$secrets"})

DATA = ScriptData(
    input=[
        {"json": {"name": "Ada", "n": 1}, "binary": {"data": {"mimeType": "text/plain"}}},
        {"json": {"name": "Grace", "n": 2}},
    ],
    nodes={"Node": {"runs": [{"outputs": [[{"json": {"name": "Ada"}}]], "params": {"title": "Hello"}}], "output": 0}},
    paired={"Node": [[0, 0], [0, 0]]},
    workflow={"id": "7", "name": "Invoices", "active": True},
    execution={
        "id": "42",
        "mode": "production",
        "resumeUrl": "https://example.com/webhook-waiting/42",
        "resumeFormUrl": "https://example.com/form-waiting/42",
        "customData": {"stage": "draft"},
    },
    variables={"region": "north"},
    environment={"REGION": "north"},
    node={
        "name": "Here",
        "id": "n1",
        "version": 3,
        "webhookId": "w1",
        "parameters": {"title": "Hello"},
        "previous": {"name": "Node", "outputIndex": 0, "runIndex": 0},
    },
    timezone="UTC",
    now_ms=1_772_625_600_000,
    known=("Node", "Here"),
)

ENUMERATE = """
(kit, text) => {
  const { getOwnPropertyNames: own, keys } = Object;
  const { DateTime, Duration, Interval } = kit.luxon();
  const { TEXT, LIST, NUMBER, BOOLEAN, OBJECT, DATE } = kit.methods;
  const all = (target, extensions = {}) => [...new Set([...keys(extensions), ...own(target)])];
  const isEmpty = { isEmpty: true, isNotEmpty: true }; // of what no kind has methods for
  const data = new kit.Data(new kit.TextLines(text));
  const variable = (name) => kit.VARIABLES[name](data);
  return JSON.stringify({
    string: all(String.prototype, TEXT),
    number: all(Number.prototype, { ...NUMBER, ...isEmpty }),
    boolean: all(Boolean.prototype, { ...BOOLEAN, ...isEmpty }),
    array: all(Array.prototype, LIST),
    object: all(Object.prototype, OBJECT),
    regExp: all(RegExp.prototype),
    date: all(Date.prototype, DATE),
    dateTime: all(DateTime.prototype, DATE),
    duration: all(Duration.prototype),
    interval: all(Interval.prototype),
    DateTime: all(DateTime), Duration: all(Duration), Interval: all(Interval),
    Math: all(Math), JSON: all(JSON), Object: all(Object), Array: all(Array), Number: all(Number), String: all(String),
    Date: all(Date),
    global: ['$if', ...keys(kit.VARIABLES), ...keys(kit.PLAIN), 'Intl', ...own(globalThis)],
    input: own(variable('$input')),
    node: own(variable('$')('Node')),
    item: ['json', 'binary'],
    execution: own(variable('$execution')),
    customData: own(variable('$execution').customData),
    workflow: own(variable('$workflow')),
    prevNode: own(variable('$prevNode')),
  });
}
"""
TYPED = """((v) => [v, v === undefined || v === null ? 'nothing'
: DateTime.isDateTime(v) ? 'dateTime' : Duration.isDuration(v) ? 'duration' : Interval.isInterval(v) ? 'interval'
: v instanceof Date ? 'date' : v instanceof RegExp ? 'regExp' : Array.isArray(v) ? 'array' : typeof v])"""


def _encoded(data: ScriptData) -> str:
    from jackfield_javascript.engine import _text  # the worker's own form of the data

    return _text(data, {"sources": [], "indexes": []}).decode()


async def engine_names(engine: JavaScriptEngine) -> Names:
    """The members of each type in a fresh context of the engine, without those that no expression may read."""
    child.load_host()
    prelude = child.Prelude("expressions", 64 * child.MIB, {"cacheSize": 100}, {})
    names = ("luxon", "methods", "Data", "TextLines", "VARIABLES", "PLAIN")
    context, parts = prelude.load(*names)
    kit = context.eval(f"({', '.join(names)}) => ({{ {', '.join(names)} }})")
    found: dict[str, list[str]] = json.loads(context.eval(ENUMERATE)(kit(*parts), _encoded(DATA)))
    left_out = {"constructor", "prototype", "undefined"}
    names = {kind: sorted(set(names) - left_out) for kind, names in found.items()}
    asked = [name for name in names["global"] if not name.startswith("$")]
    usable = await evaluated(
        engine, [f"Object.getOwnPropertyNames(Object({name})).length || 'closed'" for name in asked]
    )
    closed = {name for name, (value, _) in zip(asked, usable, strict=True) if value == "closed"}
    return {**names, "global": [name for name in names["global"] if name not in closed]}


def words() -> dict[str, dict[str, Any]]:  # what the TOML files hold
    """By type and name."""
    made: dict[str, dict[str, Any]] = {}
    for path in sorted(WORDS.glob("*.toml")):
        made |= tomllib.loads(path.read_text("utf-8"))
    return made


def complaints(names: Names, told: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Where the engine and the words differ."""
    for kind in sorted({*names, *told}):
        hidden = set(told.get(kind, {}).get("hidden", "").split())
        said = set(told.get(kind, {})) - {"hidden"}
        for name in sorted(set(names.get(kind, ())) - said - hidden):
            yield f"{kind}.{name}: the engine has it, and no words tell of it"
        for name in sorted((said | hidden) - set(names.get(kind, ()))):
            yield f"{kind}.{name}: words tell of it, and the engine has no such member"
        for name in sorted(said & hidden):
            yield f"{kind}.{name}: it has words and is hidden"


async def evaluated(engine: JavaScriptEngine, sources: Sequence[str]) -> list[tuple[object, object]]:
    """The value and the type of each. Raises ValueError for a source that is wrong or gives nothing."""
    (row,) = await engine.evaluate([f"{TYPED}({source})" for source in sources], DATA, [0])
    made: list[tuple[object, object]] = []
    for source, found in zip(sources, row, strict=True):
        if isinstance(found, ExpressionError):
            raise ValueError(f"{source}: {found.message}")  # noqa: TRY004 - the words are wrong, and no program
        made.append((found[0], found[1]) if isinstance(found, list) else (None, "nothing"))
    return made


def _members(told: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str, list[str]]]:
    for kind, entries in told.items():
        for name, entry in entries.items():
            if name != "hidden":
                yield kind, name, entry


async def vocabulary() -> dict[str, list[Member]]:
    """By type its members, in the order of the words. Raises ValueError where the words are wrong."""
    engine = JavaScriptEngine(JavaScriptSettings(expression_workers=1, expression_timeout=60), SharedWorkerPool())
    try:
        return await _vocabulary(engine)
    finally:
        await engine.close()


async def _vocabulary(engine: JavaScriptEngine) -> dict[str, list[Member]]:
    names, told = await engine_names(engine), words()
    if wrong := list(complaints(names, told)):
        raise ValueError("\n".join(wrong))
    members = list(_members(told))
    made: dict[str, list[Member]] = {}
    results = await evaluated(engine, [entry[2] for _, _, entry in members])
    for (kind, name, entry), (value, found) in zip(members, results, strict=True):
        made.setdefault(kind, []).append(_member(kind, name, entry, value, str(found)))
    return made


def _member(kind: str, name: str, entry: list[str], value: object, found: str) -> Member:
    arguments, sentence, example, *given = entry
    if found == "nothing" and name not in MAY_BE_NOTHING:
        raise ValueError(f"{kind}.{name}: {example} gives nothing")
    made = {
        "name": name,
        "arguments": arguments,
        "returns": given[0] if given else found if found != "nothing" else "any",
        "help": sentence,
        "example": example,
    }
    text = json.dumps(value, ensure_ascii=False)
    if not VOLATILE.search(example) and len(text) <= LONGEST:
        made["result"] = text
    return made


def written(made: Mapping[str, Sequence[Member]]) -> str:
    """One member a line."""
    kinds = (
        f" {json.dumps(kind)}: [\n"
        + ",\n".join(f"  {json.dumps(member, ensure_ascii=False)}" for member in members)
        + "\n ]"
        for kind, members in made.items()
    )
    return "{\n" + ",\n".join(kinds) + "\n}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the vocabulary of expressions.")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    check = parser.parse_args().check
    try:
        text = written(asyncio.run(vocabulary()))
    except ValueError as exc:
        sys.stderr.write(f"{exc}\n")
        return 1
    if not check:
        TARGET.write_text(text, "utf-8")
        return 0
    same = TARGET.is_file() and TARGET.read_text("utf-8") == text
    if not same:
        sys.stderr.write("vocabulary.json is not what the engine has; run tools/expression_vocabulary.py\n")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
