"""The generated parts of the page on Rhai: what scripts are given, our functions, and those of Rhai's own that the
engine really has. For `generate.py`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import rhai

from jackfield.api.jsontext import Json
from jackfield_profiles.commands.condition_sample import CONDITION_REQUEST
from jackfield_rhai.functions import FUNCTIONS

CANDIDATES = Path(__file__).resolve().with_name("rhai-signatures.txt")
SAMPLES = {
    "i64": "3", "f64": "1.5", "bool": "true", "char": "'a'", "string": '"ab"', "array": "[1, 2]", "map": "#{a: 1}",
    "blob": "blob(4)", "decimal": 'parse_decimal("1.5")', "range": "(0..2)", "Fn": "|x| true", "any": "1", "()": "()",
    "timestamp": "timestamp()",
}  # fmt: skip
"""A value of each type that scripts have."""
_FORM = re.compile(r"(?:get\$)?(\w+)\((.*?)\)(?: -> (.+))?")
_TYPES = {"str": "string", "int": "i64", "object": "any", "Json": "any", "dict": "map"}


def given(context: Mapping[str, Json]) -> str:
    """Tables of the keys of `ctx` and `request`. context: what a script of the shipped agent claude is given."""
    lines = ["| Variable | Keys |", "| --- | --- |"]
    for table, keys in context.items():
        names = ", ".join(f"`{name}`" for name in keys) if isinstance(keys, dict) else ""
        lines.append(f"| `ctx.{table}` | {names} |")
    lines.append(f"| `request` (conditions) | {', '.join(f'`{name}`' for name in CONDITION_REQUEST)} |")
    return "\n".join(lines)


def own_functions() -> str:
    """Jackfield's functions, as they are registered."""
    lines = ["| Function | Gives | Meaning |", "| --- | --- | --- |"]
    for name, function in FUNCTIONS.items():
        signature = inspect.signature(function)
        taken = ", ".join(f"{one.name}: {_type(one.annotation)}" for one in signature.parameters.values())
        meaning = " ".join((function.__doc__ or "").split()).replace("|", "\\|")
        lines.append(f"| `{name}({taken})` | {_type(signature.return_annotation)} | {meaning} |")
    return "\n".join(lines)


def _type(annotation: object) -> str:
    return _TYPES.get(str(annotation), str(annotation))


def standard_functions() -> str:
    """Rhai's own functions and properties, by the type of their first argument."""
    found: dict[str, list[str]] = {}
    for row in registered():
        first, shown = _shown(row)
        if shown not in found.setdefault(first, []):
            found[first].append(shown)
    lines = ["| On | Functions and properties |", "| --- | --- |"]
    for first, rows in sorted(found.items()):
        lines.append(f"| {f'`{first}`' if first else 'nothing'} | {', '.join(f'`{row}`' for row in rows)} |")
    return "\n".join(lines)


def registered() -> list[str]:
    """The candidates that the engine has: each is called with values of its types."""
    engine = rhai.Engine(timeout=1.0)
    rows = [row for row in CANDIDATES.read_text().splitlines() if row and not row.startswith("#")]
    return [row for row in rows if _is_there(engine, row)]


def _is_there(engine: rhai.Engine, row: str) -> bool:
    name, types, _ = _parts(row)
    values = [SAMPLES[one] for one in types]
    if row.startswith("get$"):
        source = f"let a = {values[0]}; a.{name}"
    else:
        names = [f"a{place}" for place in range(len(values))]
        kept = "".join(f"let {one} = {value}; " for one, value in zip(names, values, strict=True))
        source = f"{kept}{name}({', '.join(names)})"
    try:
        engine.eval(source)
    except rhai.RhaiError as exc:
        said = str(exc)  # another function may be missing: one that is named by an argument
        return not said.startswith((f"Function not found: {name} (", "Unknown property"))
    return True


def _parts(row: str) -> tuple[str, list[str], str]:
    found = _FORM.fullmatch(row)
    if found is None:
        raise ValueError(f"{row} is no signature")
    return found[1], [one for one in found[2].split(", ") if one], found[3] or ""


def _shown(row: str) -> tuple[str, str]:
    """Type of the first argument, and how it is called on it."""
    name, types, gives = _parts(row)
    end = f" -> {gives}" if gives else ""
    if row.startswith("get$"):
        return types[0], f".{name}{end}"
    return types[0] if types else "", f"{name}({', '.join(types[1:])}){end}"


def parts(context: Callable[[], Mapping[str, Json]]) -> Iterator[tuple[str, Callable[[], str]]]:
    """Name of a part -> what writes it."""
    yield "rhai-given", lambda: given(context())
    yield "rhai-own", own_functions
    yield "rhai-standard", standard_functions
