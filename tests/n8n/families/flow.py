"""Nodes that steer a run: errors, loops, triggers, waits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..cases import START, TRIGGER, Document, Family, NodeCase, WorkflowCase, workflow

BASE = "n8n-nodes-base."
ITEMS: tuple[Document, ...] = tuple({"json": {"n": n, "text": f"t{n}", "null": None}} for n in range(5))
MODES = ("stopWorkflow", "continueRegularOutput", "continueErrorOutput")


def _node(name: str, kind: str, version: float, parameters: Document, **more: object) -> Document:
    made: Document = {"id": name, "name": name, "type": BASE + kind, "typeVersion": version, "position": [0, 0]}
    return {**made, "parameters": parameters, **more}


def _link(*targets: str) -> Document:
    return {"main": [[{"node": name, "type": "main", "index": 0} for name in targets]]}


ERRORS: dict[str, tuple[str, float, Document]] = {
    "message": ("stopAndError", 1, {"errorMessage": "no"}),
    "nothing": ("stopAndError", 1, {}),
    "expression": ("stopAndError", 1, {"errorMessage": "={{ $json.text }}"}),
    "object": ("stopAndError", 1, {"errorType": "errorObject", "errorObject": '{"code": 1, "message": "m"}'}),
    "description": ("stopAndError", 1, {"errorType": "errorObject", "errorObject": '{"description": "d"}'}),
    "error": ("stopAndError", 1, {"errorType": "errorObject", "errorObject": '{"error": "e", "message": 5}'}),
    "bare object": ("stopAndError", 1, {"errorType": "errorObject", "errorObject": '{"code": 1}'}),
    "no object": ("stopAndError", 1, {"errorType": "errorObject", "errorObject": "no"}),
    "debug": ("debugHelper", 1, {}),
    "debug message": ("debugHelper", 1, {"throwErrorType": "Error", "throwErrorMessage": "no"}),
    "debug operation": ("debugHelper", 1, {"throwErrorType": "NodeOperationError", "throwErrorMessage": "no"}),
    "debug nothing": ("debugHelper", 1, {"category": "doNothing"}),
}


def _errors() -> Iterator[WorkflowCase]:
    """As the last node, and with a node after it."""
    for name, (kind, version, parameters) in ERRORS.items():
        for mode in MODES:
            nodes = [TRIGGER, _node("F", kind, version, parameters, onError=mode), _node("After", "noOp", 1, {})]
            yield WorkflowCase(f"{name}, {mode}, last", workflow(nodes, {START: _link("F")}), ITEMS[:2], texts=True)
            links = {START: _link("F"), "F": _link("After")}
            yield WorkflowCase(f"{name}, {mode}", workflow(nodes, links), ITEMS[:2], texts=True)


def _passing() -> Iterator[NodeCase]:
    fields = {"dataToSave": {"values": [{"key": "k", "value": "={{ $json.text }}"}]}}
    given: dict[str, tuple[str, float, Document]] = {
        "noOp": ("noOp", 1, {}),
        "execution data": ("executionData", 1, fields),
        "execution data 1.1": ("executionData", 1.1, fields),
        "execution data of nothing": ("executionData", 1, {}),
        "wait": ("wait", 1.1, {"amount": 0.01, "unit": "seconds"}),
        "wait no time": ("wait", 1.1, {"amount": 0}),
        "wait until the past": ("wait", 1.1, {"resume": "specificTime", "dateTime": "2020-01-01T00:00:00"}),
    }
    for name, (kind, version, parameters) in given.items():
        for mode in MODES:
            yield NodeCase(f"{name}, {mode}", _node("", kind, version, parameters, onError=mode), ITEMS)


def _triggers() -> Iterable[WorkflowCase]:
    values = {"values": [{"name": "n", "type": "number"}, {"name": "gone"}, {"name": "null", "type": "any"}]}
    given: dict[str, tuple[float, Document]] = {
        "v1": (1, {}),
        "passthrough": (1.1, {"inputSource": "passthrough"}),
        "fields": (1.1, {"workflowInputs": values}),
        "no fields": (1.1, {"workflowInputs": {"values": []}}),
        "omitted": (1.1, {}),
        "example": (1.1, {"inputSource": "jsonExample", "jsonExample": '{"n": 1, "other": [1], "text": "x"}'}),
        "empty example": (1.1, {"inputSource": "jsonExample", "jsonExample": "{}"}),
    }
    for name, (version, parameters) in given.items():
        nodes = [_node(START, "executeWorkflowTrigger", version, parameters), _node("After", "noOp", 1, {})]
        yield WorkflowCase(name, workflow(nodes, {START: _link("After")}), ITEMS)


def _later() -> Document:
    """What the loop shows to a node that runs behind it."""
    seen = "={{ [$('Loop').all().map((i) => i.json.n), $('Loop').last()?.json.n] }}"
    fields = {"assignments": {"assignments": [{"id": "s", "name": "seen", "type": "array", "value": seen}]}}
    return {**_node("Later", "set", 3.4, fields, onError="continueRegularOutput"), "position": [0, 500]}


def _loops() -> Iterator[WorkflowCase]:
    """Loop Over Items: sizes, versions, reset, bodies that lose and make items."""
    bodies: dict[str, Document] = {
        "same": _node("Body", "noOp", 1, {}),
        "fewer": _node("Body", "limit", 1, {"maxItems": 1}),
        "none": _node("Body", "code", 2, {"jsCode": "return []"}),
        "more": _node("Body", "code", 2, {"jsCode": "return [...items, ...items].map((i) => ({json: {...i.json}}))"}),
    }
    for version in (1, 2, 3):
        for size in (1, 2, 5, 9):
            for name, body in bodies.items():
                for reset in (False, "={{ $runIndex === 0 }}"):
                    loop = _node("Loop", "splitInBatches", version, {"batchSize": size, "options": {"reset": reset}})
                    back = {"node": "Body", "type": "main", "index": 0}
                    done = {"node": "Done", "type": "main", "index": 0}
                    outputs = [[done], [back]] if version == 3 else [[back], [done]]
                    links = {START: _link("Loop", "Later"), "Loop": {"main": outputs}, "Body": _link("Loop")}
                    nodes = [TRIGGER, loop, body, _node("Done", "noOp", 1, {}), _later()]
                    label = f"v{version}, {size} at once, {name}{', reset' if reset else ''}"
                    yield WorkflowCase(label, workflow(nodes, links), ITEMS)


FAMILIES = (
    Family("flow: errors", _errors),
    Family("flow: passing nodes", _passing),
    Family("flow: triggers", _triggers),
    Family("flow: loops", _loops),
)
