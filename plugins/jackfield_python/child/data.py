"""The names that n8n gives programs, with `_` where JavaScript has `$`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from jackfield.api.scripting.frames import Body, WorkerPipe
from jackfield_python.child.modules import known_zone


class ScriptRecord(dict[str, Any]):
    """An object of JSON: `record["name"]` and `record.name` are the same. The methods of a dict win over a field."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(
                f"There is no field '{name}'; there are: {', '.join(list(self)[:20]) or 'none'}."
            ) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        del self[name]

    def to_py(self) -> ScriptRecord:
        """The conversion that programs written for n8n call; the value is Python already."""
        return self


class Array(list[Any]):
    """A list of JSON."""

    __slots__ = ()

    def to_py(self) -> Array:
        return self


class Items(Array):
    """The node's items; called with a node's name, those of that node, as `$items()`."""

    __slots__ = ("_data",)

    def __init__(self, items: Iterable[Any], data: Data) -> None:
        super().__init__(items)
        self._data = data

    def __call__(self, name: str | None = None, output: int | None = None, run: int | None = None) -> list[Any]:
        return list(self) if name is None else self._data.ran(name).all(output, run)


def read(pipe: WorkerPipe) -> ScriptRecord:
    """The request: JSON in which every object is a `ScriptRecord` and every list inside of one an `Array`. A frame is
    let go of when it is read."""
    frame = pipe.receive()
    found = _parsed(frame.body)
    request = found if isinstance(found, ScriptRecord) else ScriptRecord()
    items: list[Any] = []
    while len(items) < frame.number:
        items += _parsed(pipe.receive().body)
    request["input"] = items
    return request


def _parsed(body: Body) -> Any:  # JSON
    return json.loads(body, object_hook=_record)


def _record(plain: dict[str, Any]) -> ScriptRecord:
    for name, value in plain.items():
        if type(value) is list:
            plain[name] = Array(value)
    return ScriptRecord(plain)


class Data:
    """The data that one program sees of its execution."""

    def __init__(self, request: ScriptRecord) -> None:
        self.request = request
        self.input: list[Any] = request["input"]
        self.static: ScriptRecord = request["static"]
        self.context: ScriptRecord = request["node"].get("context") or ScriptRecord()
        self.custom: ScriptRecord = request["execution"].setdefault("customData", ScriptRecord())
        self.index = 0
        zone = ZoneInfo(known_zone(request["timezone"]))
        self.now = datetime.fromtimestamp(request["now"] / 1000, zone)
        self.items = Items(self.input, self)

    def ran(self, name: str) -> Ran:
        return Ran(self, str(name))

    def item(self) -> Any:
        """The item that the program looks at; without any an empty one."""
        return self.input[self.index] if self.index < len(self.input) else ScriptRecord(json=ScriptRecord())

    def names(self) -> dict[str, Any]:
        """Every name, for the current item."""
        request, item = self.request, self.item()
        node = request["node"]
        return {
            "items": self.items,
            "item": item,
            "_items": self.items,
            "_item": item,
            "_json": item.get("json"),
            "_binary": item.get("binary") or ScriptRecord(),
            "_input": Input(self),
            "_": self.ran,
            "_node": Nodes(self),
            "_now": self.now,
            "_today": self.now.replace(hour=0, minute=0, second=0, microsecond=0),
            "_execution": ScriptExecution(request["execution"], self.custom),
            "_workflow": request["workflow"],
            "_vars": request["variables"],
            "_env": request["environment"],
            "_itemIndex": self.index,
            "_runIndex": node.get("runIndex", 0),
            "_parameter": node.get("parameters") or ScriptRecord(),
            "_prevNode": node.get("previous") or ScriptRecord(name=None, outputIndex=0, runIndex=0),
            "_nodeId": node.get("id"),
            "_nodeVersion": node.get("version"),
            "_getWorkflowStaticData": self.memory,
        }

    def memory(self, kind: str) -> ScriptRecord:
        """The values that the workflow remembers across executions; changes of them are kept."""
        if kind not in ("global", "node"):
            raise ValueError("_getWorkflowStaticData() needs 'global' or 'node'.")
        found: ScriptRecord = self.static.setdefault(kind, ScriptRecord())
        return found


class Input:
    """`_input`"""

    def __init__(self, data: Data) -> None:
        self._data = data

    def all(self) -> list[Any]:
        return list(self._data.input)

    def first(self) -> Any:
        return self._data.input[0] if self._data.input else None

    def last(self) -> Any:
        return self._data.input[-1] if self._data.input else None

    @property
    def item(self) -> Any:
        return self._data.item()

    @property
    def context(self) -> ScriptRecord:
        return self._data.context

    @property
    def params(self) -> Any:
        previous = self._data.request["node"].get("previous")
        return self._data.ran(previous["name"]).params if previous else ScriptRecord()


class Ran:
    """`_("Name")`: another node and what it gave."""

    def __init__(self, data: Data, name: str) -> None:
        self._data = data
        self._name = name
        self._node: Any = data.request["nodes"].get(name)

    @property
    def isExecuted(self) -> bool:  # noqa: N802 - n8n's name
        return self._node is not None

    def _run(self, number: int | None = None) -> Any:
        if self._node is None:
            known = self._data.request["known"]
            if known and self._name not in known:
                raise LookupError(f"There is no node '{self._name}' in this workflow.")
            raise LookupError(f"The node '{self._name}' has not run, so that its data can't be read.")
        runs = self._node["runs"]
        return runs[-1 if number is None or number < 0 else number]

    def all(self, branch: int | None = None, run: int | None = None) -> list[Any]:
        """The items of an output, by default of the one that leads here."""
        outputs: Sequence[Any] = self._run(run)["outputs"] or []
        number = self._node.get("output", 0) if branch is None else branch
        return list(outputs[number]) if number < len(outputs) else []

    def first(self, branch: int | None = None, run: int | None = None) -> Any:
        return next(iter(self.all(branch, run)), None)

    def last(self, branch: int | None = None, run: int | None = None) -> Any:
        return next(reversed(self.all(branch, run)), None)

    def itemMatching(self, index: int) -> Any:  # noqa: N802 - n8n's name
        """The item that the input item of this index descends from."""
        self._run()
        pairs = self._data.request["paired"].get(self._name) or []
        place = pairs[index] if 0 <= index < len(pairs) else None
        if place:
            output, item, *run = place
            return self._run(run[0] if run else None)["outputs"][output][item]
        raise LookupError(
            f"Item {index} can't be traced back to an item of the node '{self._name}'; use .first(), .last() or .all()."
        )

    @property
    def item(self) -> Any:
        return self.itemMatching(self._data.index)

    pairedItem = itemMatching  # noqa: N815 - n8n's name

    @property
    def params(self) -> Any:
        return self._run().get("params") or ScriptRecord()

    @property
    def context(self) -> Any:
        return self._run().get("context") or ScriptRecord()


class Nodes:
    """`_node["Name"]`, the older form."""

    def __init__(self, data: Data) -> None:
        self._data = data

    def __getitem__(self, name: str) -> OldNode:
        return OldNode(self._data.ran(name), self._data)

    def __getattr__(self, name: str) -> OldNode:
        return self[name]


class OldNode:
    """The item of the same index."""

    def __init__(self, ran: Ran, data: Data) -> None:
        self._ran = ran
        self._data = data

    def _item(self) -> Any:
        items = self._ran.all()
        if self._data.index >= len(items):
            raise LookupError(f"The node gave no item with the index {self._data.index}.")
        return items[self._data.index]

    @property
    def json(self) -> Any:
        return self._item()["json"]

    @property
    def binary(self) -> Any:
        return self._item().get("binary") or ScriptRecord()

    @property
    def parameter(self) -> Any:
        return self._ran.params

    @property
    def context(self) -> Any:
        return self._ran.context


class ScriptExecution(ScriptRecord):
    """`_execution`; its `customData` can be set."""

    __slots__ = ()

    def __init__(self, given: Mapping[str, Any], custom: ScriptRecord) -> None:
        super().__init__(given)
        self["customData"] = CustomData(custom)


class CustomData:
    """`_execution.customData`"""

    def __init__(self, kept: ScriptRecord) -> None:
        self._kept = kept

    def set(self, key: str, value: object) -> None:
        self._kept[str(key)] = str(value)

    def setAll(self, values: Mapping[str, object]) -> None:  # noqa: N802 - n8n's name
        for key, value in values.items():
            self.set(key, value)

    def get(self, key: str) -> Any:
        return self._kept.get(str(key))

    def getAll(self) -> ScriptRecord:  # noqa: N802 - n8n's name
        return ScriptRecord(self._kept)
