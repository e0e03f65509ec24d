"""What expressions see while the parameters of one node run are resolved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from jackfield.api.jsontext import Json
from jackfield.api.workflows import Item


class ExpressionProblem(Exception):
    """An expression names what does not exist or cannot be traced; the user is told, unlike of run-time errors."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Surroundings(Protocol):
    """The execution around a node run. Methods that take a node's name raise `ExpressionProblem`."""

    @property
    def run_index(self) -> int:
        """How often the node ran before in this execution."""

    @property
    def execution(self) -> Mapping[str, Json]:
        """`$execution`"""

    @property
    def workflow(self) -> Mapping[str, Json]:
        """`$workflow`"""

    @property
    def variables(self) -> Mapping[str, str]:
        """`$vars`"""

    @property
    def environment(self) -> Mapping[str, str]:
        """`$env`: the allowed names only."""

    def paired(self, name: str, index: int) -> Item:
        """`$('name').item` for the input item at this index."""

    def first(self, name: str) -> Item | None:
        """`$('name').first()`"""

    def last(self, name: str) -> Item | None:
        """`$('name').last()`"""

    def at(self, name: str, index: int) -> Item:
        """`$node["name"]` for the input item at this index."""


class Scope:
    """One item of a node run. Moved from item to item instead of made anew. scripted: the values of the parameters'
    JavaScript sources for this item."""

    __slots__ = ("around", "index", "item", "items", "json", "scripted")

    def __init__(self, items: Sequence[Item], around: Surroundings) -> None:
        self.items = items
        self.around = around
        self.scripted: Sequence[object] = ()
        self.move(0)

    def move(self, index: int) -> None:
        """Look at the item at this index; past the end at an empty one."""
        self.index = index
        self.item: Item = self.items[index] if index < len(self.items) else {"json": {}}
        self.json = self.item["json"]
