"""Every setting, for people (`jackfield config`) and for the documentation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from pydantic_core import PydanticUndefined, to_jsonable_python

from jackfield.api.records import record
from jackfield.core.settings import SettingKey, Settings, keys

MASK = "********"


@record
class SettingRow:
    """One key with its effective value and default, both as JSON."""

    key: SettingKey
    value: object
    default: object

    @property
    def meaning(self) -> str:
        return self.key.field.description or ""


def rows(settings: Settings) -> Iterator[tuple[str, list[SettingRow]]]:
    """Table path -> its keys, nested models as separate tables."""
    for table in sorted(settings.tables, key=lambda found: found.path):
        grouped: dict[str, list[SettingRow]] = {}
        for key in keys(table.path, table.model):
            value, default = settings.value(key.path), _default(key)
            hidden = key.secret and value and value != default  # everybody knows a default
            row = SettingRow(key, MASK if hidden else value, default)
            grouped.setdefault(key.path.rpartition(".")[0], []).append(row)
        yield from grouped.items()


def _default(key: SettingKey) -> object:
    """As JSON, so that a tuple is the same as its list."""
    found = key.field.get_default(call_default_factory=True, validated_data={})
    return None if found is PydanticUndefined else to_jsonable_python(found)


def as_toml(settings: Settings) -> str:
    """A config.toml with every key, its meaning above it; keys at their default are commented out."""
    lines = ["# Every setting. A line that is commented out is at its default."]
    for table, found in rows(settings):
        lines += ["", f"[{table}]"]
        for row in found:
            lines.append(f"# {row.meaning} ({row.key.environment})")
            name = row.key.path.rpartition(".")[2]
            text = f"{name} = {json.dumps(row.value, ensure_ascii=False)}"
            if row.value is None:
                lines.append(f"# {name} is not set")
            else:
                lines.append(f"# {text}" if row.value == row.default else text)
    return "\n".join(lines)


def as_json(settings: Settings) -> str:
    """One object: dotted key -> value."""
    return json.dumps({row.key.path: row.value for _, found in rows(settings) for row in found}, indent=2, default=str)


def as_markdown(settings: Settings) -> str:
    """A table per settings table: key, default, meaning, environment name."""
    lines = []
    for table, found in rows(settings):
        lines += [f"## `[{table}]`", "", "| key | default | meaning | environment |", "| --- | --- | --- | --- |"]
        for row in found:
            name = row.key.path.rpartition(".")[2]
            default = f"`{json.dumps(row.default, default=str)}`"
            lines.append(f"| `{name}` | {default} | {row.meaning}{_range(row.key)} | `{row.key.environment}` |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _range(key: SettingKey) -> str:
    bounds = [
        f"{symbol} {getattr(mark, name)}"
        for mark in key.field.metadata
        for name, symbol in (("ge", "at least"), ("gt", "above"), ("le", "at most"), ("lt", "below"))
        if getattr(mark, name, None) is not None
    ]
    return f" ({', '.join(bounds)})" if bounds else ""


FORMATS: dict[str, Callable[[Settings], str]] = {"toml": as_toml, "json": as_json, "markdown": as_markdown}
