"""The `$` variables over the data of an execution, and how items are traced to where they come from."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from jackfield.api.scripts import ExpressionError, ScriptData
from jackfield_javascript.engine import JavaScriptEngine


def item(**json: object) -> dict[str, object]:
    return {"json": json}


NODES = {
    "Fetch": {
        "runs": [
            {"outputs": [[item(id=100)]], "params": {"url": "first"}},
            {"outputs": [[item(id=1), item(id=2)], [item(id=3)]], "params": {"url": "second"}},
        ]
    },
    "Branch": {"runs": [{"outputs": [[], [item(id=7)]], "params": {}}], "output": 1},
    'It\'s "odd"': {"runs": [{"outputs": [[item(id=8)]]}]},
}
DATA = ScriptData(
    input=[
        {"json": {"a": 1}, "binary": {"data": {"data": "aGk=", "mimeType": "text/plain"}}},
        {"json": {"a": 2}, "pairedItem": {"item": 0}},
        {"json": {"a": 3}},
    ],
    nodes=NODES,  # type: ignore[arg-type]
    paired={"Fetch": [[0, 1], [1, 0], None], "Branch": [[1, 0], None, [0, 5]], 'It\'s "odd"': [None, None, None]},
    workflow={"id": "w1", "name": "Test", "active": True},
    execution={"id": "e1", "mode": "test", "resumeUrl": "http://127.0.0.1/resume"},
    variables={"color": "red"},
    environment={"HOME_TOWN": "Bonn"},
    node={
        "name": "Here",
        "id": "n1",
        "version": 2.1,
        "parameters": {"p": "q"},
        "context": {"count": 4},
        "runIndex": 3,
        "previous": {"name": "Fetch", "outputIndex": 1, "runIndex": 0},
    },
    timezone="America/New_York",
    now_ms=1_767_225_600_123,
    known=["Here", "Fetch", "Branch", 'It\'s "odd"', "Later"],
)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("$json", {"a": 1}),
        ("$binary.data.mimeType", "text/plain"),
        ("$input.item.json.a", 1),
        ("$input.first().json.a", 1),
        ("$input.last().json.a", 3),
        ("$input.all().map((each) => each.json.a)", [1, 2, 3]),
        ("$input.params.url", "second"),
        ("$input.context.count", 4),
        ("$('Fetch').item.json.id", 2),
        ("$('Fetch').first().json.id", 1),
        ("$('Fetch').last().json.id", 2),
        ("$('Fetch').all().length", 2),
        ("$('Fetch').all(1)[0].json.id", 3),
        ("$('Fetch').first(0, 0).json.id", 100),
        ("$('Fetch').all(5)", []),
        ("$('Fetch').itemMatching(1).json.id", 3),
        ("$('Fetch').pairedItem(0).json.id", 2),
        ("$('Fetch').params.url", "second"),
        ("$('Fetch').context", {}),
        ("$('Fetch').isExecuted", True),
        ("$('Later').isExecuted", False),
        ("$('Later').context.noItemsLeft ?? 'not yet'", "not yet"),
        ("$node['Later'].context", {}),
        ("$('Here').context.count", 4),
        ("$('Branch').first().json.id", 7),
        ("$('Branch').all().length", 1),
        ("$('Branch').all(0)", []),
        ("$('Branch').item.json.id", 7),
        ('$(`It\'s "odd"`).first().json.id', 8),
        ("$node['Fetch'].json.id", 1),
        ("$node.Fetch.json.id", 1),
        ("$node['Fetch'].data.id", 1),
        ("$node['Fetch'].parameter.url", "second"),
        ("$node['Fetch'].runIndex", 1),
        ("$node['Fetch'].binary", {}),
        ("$node['Fetch'].context", {}),
        ("$items().length", 3),
        ("$items('Fetch').length", 3),
        ("$items('Branch', 1)[0].json.id", 7),
        ("$items('Fetch', 0, 0).length", 1),
        ("$item(1).$json.a", 2),
        ("$item(1).$node['Fetch'].json.id", 2),
        ("$item(1).$('Fetch').item.json.id", 3),
        ("$itemIndex", 0),
        ("$position", 0),
        ("$runIndex", 3),
        ("$prevNode", {"name": "Fetch", "outputIndex": 1, "runIndex": 0}),
        ("$env.HOME_TOWN", "Bonn"),
        ("$env.none ?? 'unset'", "unset"),
        ("$vars.color", "red"),
        ("$now.toISO()", "2025-12-31T19:00:00.123-05:00"),
        ("$today.toISO()", "2025-12-31T00:00:00.000-05:00"),
        ("$workflow", {"id": "w1", "name": "Test", "active": True}),
        ("$execution.id", "e1"),
        ("$execution.mode", "test"),
        ("$execution.customData.get('x') ?? null", None),
        ("$parameter.p", "q"),
        ("$nodeVersion", 2.1),
        ("$nodeId", "n1"),
        ("$if($json.a === 1, 'one', 'other')", "one"),
        ("[$ifEmpty('', 'd'), $ifEmpty([], 'd'), $ifEmpty({}, 'd'), $ifEmpty(0, 'd')]", ["d", "d", "d", 0]),
        ("[$min(3, 1), $max(3, [7]), $average(1, 2), $not(0)]", [1, 7, 1.5, True]),
    ],
)
async def test_variable(engine: JavaScriptEngine, source: str, value: object) -> None:
    assert (await engine.evaluate([source], DATA, [0]))[0][0] == value


@pytest.mark.parametrize(
    ("source", "index", "part"),
    [
        ("$('Fetch').item", 2, "Item 2 can't be traced back to an item of the node 'Fetch'"),
        ("$('Fetch').itemMatching(2).json", 0, "can't be traced"),
        ("$('Fetch').itemMatching(99).json", 0, "can't be traced"),
        ("$('Branch').item", 1, "can't be traced"),
        ("$('Branch').item", 2, "can't be traced"),
        ("$('Later').item", 0, "The node 'Later' has not run"),
        ("$('Later').first().json.x", 0, "The node 'Later' has not run"),
        ("$('Nowhere').all()", 0, "There is no node 'Nowhere'"),
        ("$node['Later'].json.x", 0, "The node 'Later' has not run"),
        ("$node['Fetch'].json.id", 2, "The node 'Fetch' has no item 2"),
        ("$items('Later')", 0, "The node 'Later' has not run"),
        ("$('toString').first()", 0, "There is no node 'toString'"),
        ("$('__proto__').first()", 0, "There is no node '__proto__'"),
    ],
)
async def test_a_broken_reference_reaches_the_user(
    engine: JavaScriptEngine, source: str, index: int, part: str
) -> None:
    value = (await engine.evaluate([source], DATA, [index]))[0][0]
    assert isinstance(value, ExpressionError)
    assert part in value.message


async def test_pairing_with_an_earlier_run(engine: JavaScriptEngine) -> None:
    data = ScriptData(input=[{"json": {}}], nodes={"Fetch": NODES["Fetch"]}, paired={"Fetch": [[0, 0, 0]]})  # type: ignore[dict-item]
    assert (await engine.evaluate(["$('Fetch').item.json.id"], data, [0])) == [[100]]


async def test_mappings_of_any_kind_cross(engine: JavaScriptEngine) -> None:
    from types import MappingProxyType

    variables: Mapping[str, str] = MappingProxyType({"a": "b"})
    data = ScriptData(input=[{"json": {}}], variables=variables, node=MappingProxyType({"parameters": {"x": 1}}))
    assert await engine.evaluate(["$vars.a", "$parameter.x"], data, range(1)) == [["b", 1]]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("$jmespath($json, 'a')", 1),
        ("$jmespath({list: [{n: 1}, {n: 2}]}, 'list[?n > `1`].n | [0]')", 2),
        ("$jmespath([3, 1, 2], 'sort(@)')", [1, 2, 3]),
        ("$jmespath({a: 1}, '!')", None),
        ("$fromAI('name', 'what', 'string', 'default')", "default"),
        ("$fromAI('name') ?? 'nothing'", "nothing"),
        ("$webhookId", "hook"),
        ("$secrets?.vault ?? 'none'", "none"),
        ("$execution.customData.get('seen')", "yes"),
        ("$executionId", "e1"),
        ("$resumeWebhookUrl", "http://127.0.0.1/resume"),
        ("$thisItem.json.a", 1),
        ("[Duration.fromObject({ hours: 1 }).toMillis(), typeof Interval.after]", [3_600_000, "function"]),
        ("$response.body.next + $pageCount", "p2"),
        ("$request.url ?? 'none'", "none"),
    ],
)
async def test_further_variables(engine: JavaScriptEngine, source: str, value: object) -> None:
    from jackfield.api.records import replace

    data = replace(
        DATA,
        node={**DATA.node, "webhookId": "hook"},
        execution={**DATA.execution, "customData": {"seen": "yes"}},
        extra={"$response": {"body": {"next": "p"}}, "$pageCount": 2, "$request": {}},
    )
    assert (await engine.evaluate([source], data, [0]))[0][0] == value


async def test_jmespath_takes_the_object_first(engine: JavaScriptEngine) -> None:
    value = (await engine.evaluate(["$jmespath('a', {a: 1})"], DATA, [0]))[0][0]
    assert isinstance(value, ExpressionError)
    assert "in this order" in value.message
