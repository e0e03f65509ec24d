"""The cost of an execution: the tokens that its AI nodes and agents have noted, by the price list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.ai import MODEL_TOKENS
from jackfield.api.context import PluginContext
from jackfield.api.history import NodeRecord
from jackfield.api.ids import new_id
from jackfield.api.telemetry import Tokens, Usage, UsageEntry
from jackfield.api.workflows import Workflow
from jackfield_evaluations.records import Spent

_AGENT = "agent"
_INPUTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


async def spent_by(context: PluginContext, workflow: Workflow, records: Sequence[NodeRecord]) -> Spent:
    """Executions that these nodes have started themselves are not looked at."""
    total = Spent()
    for each in records:
        if each.get("reused"):
            continue
        total = total.plus(await _noted(context, each))
        node = workflow.nodes.get(each["node"])
        if node is not None and node.kind == _AGENT:
            for items in each.get("outputs") or []:
                for item in items:
                    total = total.plus(_of_agent(item["json"].get("usage")))
    return total


async def _noted(context: PluginContext, ran: NodeRecord) -> Spent:
    """Of an AI node, by its models."""
    models = _mapping(_mapping(ran.get("context")).get(MODEL_TOKENS))
    usage = context.find_port(Usage)
    total = Spent()
    for model, counts in models.items():
        tokens = Tokens(_number(_mapping(counts).get("input")), _number(_mapping(counts).get("output")))
        entry = UsageEntry("workflow", new_id(), "", ran["startedAt"], model, tokens)
        cost = None if usage is None else await usage.cost_of(entry)
        price = 0.0 if cost is None else cost.total
        total = total.plus(Spent(tokens.input, tokens.output, price, [model] if cost is None else []))
    return total


def _of_agent(usage: object) -> Spent:
    """As the node Coding Agent tells it."""
    tokens, cost = _mapping(_mapping(usage).get("tokens")), _mapping(_mapping(usage).get("cost"))
    total, unpriced = cost.get("total_cost"), _mapping(usage).get("unpriced")
    return Spent(
        sum(_number(tokens.get(name)) for name in _INPUTS),
        _number(tokens.get("output_tokens")),
        float(total) if isinstance(total, int | float) else 0.0,
        [str(each) for each in unpriced] if isinstance(unpriced, list) else [],
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
