"""A scope for expressions without an engine around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from jackfield.api.expressions import ExpressionProblem
from jackfield.api.jsontext import Json
from jackfield.api.workflows import Item, Items
from jackfield_expressions.parameters import compile_parameters
from jackfield_expressions.scope import ItemScope


@dataclass
class FakeSurroundings:
    """`nodes`: items that a node gave, each paired with the input item of its index."""

    nodes: Mapping[str, Items] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    run_index: int = 0
    execution: Mapping[str, Json] = field(
        default_factory=lambda: {"id": "e1", "mode": "test", "resumeUrl": "http://h/webhook-waiting/e1"}
    )
    workflow: Mapping[str, Json] = field(default_factory=lambda: {"id": "w1", "name": "Flow", "active": True})

    timezone: str = "UTC"
    now: int = 1_790_000_000_123

    def now_ms(self) -> int:
        return self.now

    def all(self, name: str) -> Items:
        return self._items(name)

    def paired(self, name: str, index: int) -> Item:
        return self.at(name, index)

    def first(self, name: str) -> Item | None:
        return next(iter(self._items(name)), None)

    def last(self, name: str) -> Item | None:
        return next(reversed(self._items(name)), None)

    def at(self, name: str, index: int) -> Item:
        items = self._items(name)
        if index >= len(items):
            raise ExpressionProblem("no such item")
        return items[index]

    def _items(self, name: str) -> Items:
        if name not in self.nodes:
            raise ExpressionProblem(f"no node {name}")
        return self.nodes[name]


def scope_of(*json: dict[str, Json], around: FakeSurroundings | None = None, index: int = 0) -> ItemScope:
    scope = ItemScope([{"json": one} for one in json], around or FakeSurroundings())
    scope.move(index)
    return scope


def resolved(value: Json, scope: ItemScope, scripted: Sequence[object] = ()) -> object:
    """One parameter's value."""
    parameters = compile_parameters({"p": value})
    scope.scripted = scripted
    found = parameters.get(scope)
    assert isinstance(found, dict)
    return found["p"]
