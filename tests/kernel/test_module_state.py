"""No module of the kernel or of a plugin keeps state: two daemons in one process share nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = [path for root in ("src", "plugins") for path in (ROOT / root).rglob("*.py") if "frontend" not in path.parts]
CONTAINERS = {"dict", "list", "set", "defaultdict", "OrderedDict", "deque", "Counter"}
CONTAINERS |= {"WeakKeyDictionary", "WeakValueDictionary", "WeakSet"}
CHANGED = re.compile(
    r"^\s+(?:global )?(\w+)(?:\[[^\]]*\] = |\.(?:append|add|update|pop|setdefault|clear|discard|extend)\()",
    re.MULTILINE,
)
MEMOS = {"src/jackfield/api/ids.py:_pool"}
"""Bounded, and without it every answer is the same, only later: random bytes in store."""


def changed_containers(text: str) -> Iterator[str]:
    """Names of containers of the module that its functions change."""
    changed = set(CHANGED.findall(text))
    for statement in ast.parse(text).body:
        target: ast.expr | None = None
        if isinstance(statement, ast.AnnAssign):
            target = statement.target
        elif isinstance(statement, ast.Assign):
            target = statement.targets[0]
        value = getattr(statement, "value", None)
        if isinstance(target, ast.Name) and target.id in changed and is_container(value):
            yield target.id


def is_container(value: object) -> bool:
    if isinstance(value, ast.Call):
        made = getattr(value.func, "id", getattr(value.func, "attr", ""))
        return made in CONTAINERS
    return isinstance(value, ast.Dict | ast.List | ast.Set)


def test_no_module_keeps_state() -> None:
    found = {f"{path.relative_to(ROOT)}:{name}" for path in MODULES for name in changed_containers(path.read_text())}
    assert found == MEMOS


def test_state_would_be_found() -> None:
    assert list(changed_containers("_parts: dict[int, str] = {}\n\ndef f(x):\n    _parts[x] = 1\n")) == ["_parts"]
    assert list(changed_containers("_all = WeakKeyDictionary()\n\ndef f(x):\n    _all.setdefault(x, 1)\n")) == ["_all"]
    assert list(changed_containers("NAMES = ['a']\n\ndef f(x):\n    names.append(x)\n")) == []
