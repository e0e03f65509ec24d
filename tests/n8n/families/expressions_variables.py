"""What expressions know of items, nodes, the workflow and the execution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..cases import Document, Family, NodeCase
from .expressions import expression_case

ITEMS: Sequence[Document] = (
    {"json": {"id": 1, "name": "Ann", "tags": ["a", "b"], "deep": {"x": [1, {"y": 2}]}}},
    {
        "json": {"id": 2, "name": "Bob"},
        "binary": {"file": {"data": "YWJj", "mimeType": "text/plain", "fileName": "a.txt"}},
    },
    {"json": {"id": 3, "name": None}},
)
HERE = (
    "$json.id", "$json.deep.x[1].y", "$json['name']", "$json.tags?.[1]", "$data.id", "$input.item.json.id",
    "$input.item", "$input.first().json.name", "$input.last().json.id", "$input.all().length",
    "$input.all().map(x => x.json.id)", "$input.all()[1].json", "$input.first()", "$input.first(0)", "$input.last(1)",
    "$input.item.binary", "$input.params", "$input.context", "$input.noItemsLeft", "$input.nothing",
    "Object.keys($input)", "$binary", "$binary.file", "$binary.file?.mimeType", "Object.keys($binary)", "$itemIndex",
    "$position", "$runIndex", "$thisItem", "$thisItemIndex", "$thisRunIndex", "$thisItem.json.id", "$mode",
    "$nodeVersion", "$nodeId", "$webhookId", "$prevNode", "$prevNode.name", "$prevNode.outputIndex",
    "$prevNode.runIndex", "$prevNode.nothing", "Object.keys($prevNode)", "$workflow.name", "$workflow.active",
    "$workflow.nothing", "$execution.mode", "typeof $execution.id", "$execution.nothing",
    "typeof $execution.resumeUrl", "Object.keys($execution)", "$execution.customData.get('a')", "$vars",
    "$vars.nothing", "$env", "$env.nothing", "$secrets", "$secrets.x", "$parameter.options",
    "$parameter.options.dotNotation", "$parameter.mode", "$parameter.nothing", "$parameter['options']",
    "$rawParameter.options", "$self", "$self.x", "$tool", "$agentInfo", "$('Start').first().json.id",
    "$('Start').last().json.id", "$('Start').all().length", "$('Start').item.json.id",
    "$('Start').itemMatching(2).json.id", "$('Start').pairedItem().json.id", "$('Start').pairedItem(1).json.id",
    "$('Start').itemMatching()", "$('Start').all()[1].json.name", "$('Start').params", "$('Start').context",
    "$('Start').isExecuted", "$('Start').nothing", "$('Start')", "$('Start').first(0, 0).json.id",
    "$('Start').first(1)", "$('Start').all(0, 5)", "$('Start').runIndex", "$('Start').json", "$('Nobody')",
    "$('Nobody').first()", "$('Nobody').isExecuted", "$('Nobody')?.item?.json?.x", "$('')", "$()", "$(1)",
    "$('Start').item.binary", '$("Start").item.json.name', "$(`Start`).item.json.name", "$('Start')['item'].json.id",
    "$('Start').item?.json?.nothing?.x", "$('Start').all().map(x => x.json.id).join()", "$node['Start'].json.id",
    "$node.Start.json.name", "$node['Start'].data.id", "$node['Start'].binary", "$node['Start'].parameter",
    "$node['Start'].context", "$node['Start'].runIndex", "$node['Nobody'].json", "$node['Start'].nothing",
    "$node['Start']", "$node", "$items()", "$items().length", "$items('Start').length",
    "$items('Start', 0, 0)[0].json.id", "$items('Start')[1].json.id", "$items('Nobody')", "$items('Start', 1)",
    "$item(0).$json.id", "$item(1).$node['Start'].json.id", "$item(0).$itemIndex", "$item(5).$json",
    "$jmespath($json, 'deep.x[1].y')", "$jmesPath($json, 'tags[0]')", "$jmespath($input.all(), '[*].json.id')",
    "$jmespath($json, 'name')", "$jmespath($json.tags, '[-1]')", "$jmespath('a', 'b')", "$jmespath($json)",
    "$jmespath($json, '')", "$jmespath($json, '[')", "$jmespath(null, 'a')",
    "$jmespath({a: [{b: 1}, {b: 2}]}, 'a[?b > `1`].b')", "$jmespath({a: 1}, 'constructor')",
    "$jmespath({a: [3, 1, 2]}, 'sort(a)')", "$jmespath({a: 'x'}, 'length(a)')",
    "$jmespath({a: [{b: 1}]}, 'a[].{c: b}')", '$jmespath({a: 1}, \'"a"\')', "$jmespath({a: [1, 2, 3]}, 'a[1:]')",
    "$jmespath({a: {b: 1} }, 'keys(a)')", "$jmespath({a: 1}, 'b || a')", "$jmespath(undefined, 'a')",
    "$if($json.id > 1, 'many', 'one')", "$ifEmpty($json.name, 'nobody')", "$ifEmpty('', 1)", "$ifEmpty([], 1)",
    "$ifEmpty({}, 1)", "$ifEmpty(0, 1)", "$ifEmpty(false, 1)", "$ifEmpty(null)", "$ifEmpty()",
    "$ifEmpty($json.nothing, 'x')", "$ifEmpty(new Date(0), 1)", "$ifEmpty('a', 'b')", "$ifEmpty(1, 2, 3)",
    "$ifEmpty(NaN, 1)", "$min(3, 1, 2)", "$max(3, 1)", "$min()", "$max('5', 3)", "$min([1, 2])", "$max('a')",
    "$average(1, 2, 3)", "$average()", "$average('1')", "$average([1, 2])", "$not(1)", "$not('')", "$not()",
    "min(1, 2)", "max(1, 2)", "not(true)", "average(1, 2)", "numberList(1, 4)", "numberList(4, 1)",
    "zip(['a', 'b'], [1, 2])", "zip(['a'], [1, 2])", "zip('a', 'b')", "toPathSegment('a b/c')", "toPathSegment('..')",
    "toPathSegment(5)", "$evaluateExpression('{' + '{ $json.id }' + '}')",
    "$evaluateExpression('{' + '{ $json.id }' + '}', 1)", "$evaluateExpression('a {' + '{ 1 + 1 }' + '} b')",
    "$evaluateExpression('1 + 1')", "$evaluateExpression('')",
    "$evaluateExpression('{' + '{ $json.name.toSnakeCase() }' + '}')", "$evaluateExpression('{' + '{ 1 + }' + '}')",
    "$evaluateExpression('{' + '{ $json.a.b }' + '}x')", "$evaluateExpression()", "$fromAI('a')",
    "$fromAI('a', 'b', 'string', 'c')", "$nothing", "$nothing.x", "$", "$json", "$input", "typeof $", "typeof $json",
    "typeof $nothing", "$json === $input.item.json", "$json == $('Start').item.json", "$now.isValid", "$today.hour",
    "typeof $getWorkflowStaticData", "$getWorkflowStaticData('global')", "$position + 1", "[$itemIndex, $runIndex]",
    "`${$itemIndex}: ${$json.name}`", "$json.name ?? 'nobody'", "$json.nothing?.x ?? $itemIndex",
    "$input.item.json.nothing.x", "$input.all().filter(x => x.json.name).length", "$input.all().last().json.id",
    "$input.all().pluck('json').pluck('id')", "$('Start').all().pluck('json').pluck('id').sum()",
)  # fmt: skip


def here() -> Iterator[NodeCase]:
    """Three items behind the trigger."""
    return (expression_case(source, ITEMS) for source in dict.fromkeys(HERE))


FAMILIES = (Family("expressions: variables", here),)
