"""Random workflows that end: branches, merges, loops, and nodes with every mode of failing and of giving nothing.

The same seed makes the same workflow.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from .cases import START, TRIGGER, Document, workflow

BASE = "n8n-nodes-base."
TICKS = 4
"""How often an item goes round a cycle."""
Made = tuple[str, float, Document, int]
"""Type without namespace, version, parameters, how many outputs."""


def _code(source: str) -> Made:
    return "code", 2, {"jsCode": source}, 1


def _numbers(operation: str, value: str, other: object) -> Document:
    return {"conditions": {"number": [{"value1": value, "operation": operation, "value2": other}]}}


def _tagged(name: str) -> Made:
    values = {"string": [{"name": "path", "value": f"={{{{ ($json.path ?? '') + '{name}' }}}}"}]}
    return "set", 2, {"values": values, "options": {}}, 1


ONE_FAILS = "if ($json.n === 1) throw new Error('one'); return {json: {n: $json.n}}"
STEPS: Sequence[Callable[[str], Made]] = (
    lambda name: ("noOp", 1, {}, 1),
    _tagged,
    _tagged,
    lambda name: ("if", 1, _numbers("equal", "={{ $json.n % 2 }}", 0), 2),
    lambda name: ("if", 1, _numbers("smaller", "={{ $json.n }}", 99), 2),
    lambda name: (
        "switch",
        3.2,
        {"mode": "expression", "numberOutputs": 3, "output": "={{ ($json.n ?? 0) % 3 }}"},
        3,
    ),
    lambda name: ("limit", 1, {"maxItems": 1}, 1),
    lambda name: _code("return items.filter((item) => item.json.n > 1)"),
    lambda name: _code("return []"),
    lambda name: _code("return [{json: {n: 7, from: 'code'}}, {json: {n: 8, from: 'code'}}]"),
    lambda name: _code("return [{json: {n: items.length, from: 'code'}}]"),
    lambda name: _code("return items.map((item) => ({json: {...item.json, from: 'code'}}))"),
    lambda name: _code("return items.map((item, i) => ({json: item.json.n === 2 ? {error: 'two'} : {n: i}}))"),
)
FAILING: Sequence[Callable[[str], Made]] = (
    lambda name: _code("throw new Error('no')"),
    lambda name: ("stopAndError", 1, {"errorMessage": "no"}, 1),
    lambda name: ("code", 2, {"mode": "runOnceForEachItem", "jsCode": ONE_FAILS}, 1),
)
MERGES: Sequence[Callable[[int], Made]] = (
    lambda inputs: ("merge", 3, {"numberInputs": inputs}, 1),
    lambda inputs: ("merge", 3.1, {"numberInputs": inputs}, 1),
    lambda inputs: ("merge", 2.1, {"mode": "append"}, 1),
    lambda inputs: ("merge", 2.1, {"mode": "combine", "combinationMode": "mergeByPosition", "options": {}}, 1),
    lambda inputs: ("merge", 2.1, {"mode": "chooseBranch", "output": "input2"}, 1),
    lambda inputs: ("merge", 1, {"mode": "append"}, 1),
    lambda inputs: ("merge", 1, {"mode": "passThrough", "output": "input1"}, 1),
)  # fmt: skip
ON_ERROR = ("stopWorkflow", "continueRegularOutput", "continueErrorOutput")


class RandomWorkflow:
    """Grows from the trigger: every new node hangs on an output that is already there."""

    def __init__(self, seed: str, order: str | None, *, size: int = 8, modes: bool = True) -> None:
        self._choose = random.Random(seed)
        self._modes = modes
        self.order = order
        self.nodes: list[Document] = [TRIGGER]
        self.connections: Document = {}
        self._open: list[tuple[str, int]] = [(START, 0)]
        """Outputs that further nodes may hang on."""
        while len(self.nodes) <= size:
            self._grow()

    def document(self) -> Document:
        made = workflow(self.nodes, self.connections)
        if self.order is None:
            del made["settings"]["executionOrder"]
        else:
            made["settings"]["executionOrder"] = self.order
        return made

    def items(self) -> list[Document]:
        return [{"json": {"n": index}} for index in range(self._choose.randint(1, 3))]

    # -- growing

    def _grow(self) -> None:
        kind = self._choose.random()
        if kind < 0.6 or len(self._open) < 2:
            self._step()
        elif kind < 0.85:
            self._merge()
        elif kind < 0.93:
            self._loop()
        else:
            self._cycle()

    def _output(self) -> tuple[str, int]:
        return self._choose.choice(self._open[-6:])

    def _step(self) -> None:
        self._wire(self._output(), self._single())

    def _single(self) -> str:
        failing = self._modes and self._choose.random() < 0.15
        return self._add(self._choose.choice(FAILING if failing else STEPS), modes=True)

    def _merge(self) -> None:
        inputs = self._choose.choice((2, 2, 3))
        name = self._add(lambda _: self._choose.choice(MERGES[: 2 if inputs == 3 else None])(inputs), modes=True)
        sources = [output for output in self._open if output[0] != name]
        for index in range(inputs):
            lost = self._choose.random()
            if lost < 0.06:
                continue
            if lost < 0.16:
                source = (self._add(lambda _: ("noOp", 1, {}, 1), modes=False), 0)
            else:
                source = self._choose.choice(sources)
            self._wire(source, name, index)
            if self._choose.random() < 0.1:
                self._wire(self._choose.choice(sources), name, index)

    def _loop(self) -> None:
        """Loop Over Items with a body of some nodes."""
        size = self._choose.choice((1, 1, 2))
        name = self._add(lambda _: ("splitInBatches", 3, {"batchSize": size, "options": {}}, 2), modes=False)
        self._wire(self._output_but(name), name)
        self._open.remove((name, 1))
        last = (name, 1)
        for _ in range(self._choose.randint(1, 2)):
            made = self._add(self._choose.choice(STEPS), modes=False)
            self._wire(last, made)
            last = (made, 0)
        self._wire(last, name)

    def _cycle(self) -> None:
        """Back to a node until each item was there some times."""
        ticks = {"number": [{"name": "ticks", "value": "={{ ($json.ticks ?? 0) + 1 }}"}]}
        first = self._add(lambda _: ("set", 2, {"values": ticks, "options": {}}, 1), modes=False)
        self._wire(self._output_but(first), first)
        made = self._add(lambda _: self._choose.choice(STEPS[:3])(_), modes=False)
        self._wire((first, 0), made)
        test = self._add(lambda _: ("if", 1, _numbers("smaller", "={{ $json.ticks }}", TICKS), 2), modes=False)
        self._wire((made, 0), test)
        self._wire((test, 0), first)

    def _output_but(self, name: str) -> tuple[str, int]:
        return self._choose.choice([output for output in self._open if output[0] != name][-6:])

    def _add(self, make: Callable[[str], Made], *, modes: bool) -> str:
        name = f"N{len(self.nodes)}"
        kind, version, parameters, outputs = make(name)
        place = [100 * self._choose.randint(0, 3), 100 * self._choose.randint(0, 3)]
        node = {"id": name, "name": name, "type": BASE + kind, "typeVersion": version, "position": place}
        node["parameters"] = parameters
        if modes and self._modes:
            outputs += self._mark(node)
        self.nodes.append(node)
        self._open += [(name, output) for output in range(outputs)]
        return name

    def _mark(self, node: Document) -> int:
        """Give the node modes; returns how many outputs they add."""
        happens = self._choose.random
        if happens() < 0.12:
            node["alwaysOutputData"] = True
        if happens() < 0.08:
            node["executeOnce"] = True
        if happens() < 0.07:
            node["disabled"] = True
        if happens() < 0.08:
            node |= {"retryOnFail": True, "maxTries": 2, "waitBetweenTries": 1}
        node["onError"] = self._choose.choices(ON_ERROR, (1, 4, 2) if node["type"].endswith("Error") else (4, 3, 2))[0]
        return int(node["onError"] == "continueErrorOutput")

    def _wire(self, source: tuple[str, int], target: str, index: int = 0) -> None:
        name, output = source
        outputs = self.connections.setdefault(name, {"main": []})["main"]
        outputs.extend([] for _ in range(output + 1 - len(outputs)))
        outputs[output].append({"node": target, "type": "main", "index": index})
