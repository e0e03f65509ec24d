"""Where our translation is not LiteLLM's, and why. Each difference has to fit one of these rules; each has a row in
docs/proxy-dialects.md, and is dropped when LiteLLM does the same."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from generated import Body
from recorded import Meaning

Explains = Callable[[Body, Any, Any], bool]
"""The client's request, our value, LiteLLM's value."""


@dataclass(frozen=True)
class Rule:
    """field: of the provider's request in which the values differ."""

    name: str
    field: str
    explains: Explains


def _typed(_body: Body, ours: Any, theirs: Any) -> bool:
    plain = [{name: value for name, value in tool.items() if name != "type"} for tool in theirs]
    return bool(ours == plain and all(tool["type"] == "custom" for tool in theirs))


def _default_limit(body: Body, ours: Any, theirs: Any) -> bool:
    thinking = 32_000 < ours <= 32_000 + 24_000 and bool(body.get("reasoning_effort"))
    unlimited = "max_tokens" not in body and "max_output_tokens" not in body
    return unlimited and (ours == 32_000 or thinking) and theirs is not None


def _parallel_told(body: Body, ours: Any, theirs: Any) -> bool:
    told = {**(ours or {"type": "auto"}), "disable_parallel_tool_use": False}
    return theirs == told and body["parallel_tool_calls"] is True


BUDGETS = {"low": 2048, "medium": 8192, "high": 24_000}


def _budget(body: Body, ours: Any, theirs: Any) -> bool:
    wanted = BUDGETS[body["reasoning_effort"]]
    fitting = min(wanted, body["max_tokens"] // 2) if "max_tokens" in body else wanted
    return bool(ours == {"type": "enabled", "budget_tokens": max(1024, fitting)} and theirs["type"] == "enabled")


def _user(body: Body, ours: Any, theirs: Any) -> bool:
    return bool(ours == body["metadata"]["user_id"] and theirs is None)


def _parallel_lost(body: Body, ours: Any, theirs: Any) -> bool:
    return bool(ours is False and theirs is None and body["tool_choice"]["disable_parallel_tool_use"])


def _effort(body: Body, ours: Any, theirs: Any) -> bool:
    budget = body["thinking"]["budget_tokens"]
    return bool(ours == ("low" if budget < 4000 else "medium" if budget < 16_000 else "high")) and theirs is not None


def _messages(change: Callable[[Any], Any]) -> Explains:
    """The messages are the same when ours are changed so."""

    def explains(_body: Body, ours: Any, theirs: Any) -> bool:
        return [change(message) for message in ours] == theirs

    return explains


def _lines(message: Any) -> Any:
    role, parts, *rest = message
    return (role, [part.replace("\n\n", "\n") for part in parts], *rest) if role == "system" else message


def _unmarked(message: Any) -> Any:
    role, parts, *rest = message
    return (role, [part.removeprefix("Error: ") for part in parts], *rest) if role == "tool" else message


REQUESTS = [
    Rule("tool type", "tools", _typed),
    Rule("default limit", "max_tokens", _default_limit),
    Rule("parallel calls allowed", "tool_choice", _parallel_told),
    Rule("budget of an effort", "thinking", _budget),
    Rule("effort of a budget", "reasoning_effort", _effort),
    Rule("user", "user", _user),
    Rule("parallel calls forbidden", "parallel_tool_calls", _parallel_lost),
    Rule("system of several blocks", "messages", _messages(_lines)),
    Rule("failed tools", "messages", _messages(_unmarked)),
    Rule("failed tools", "messages", _messages(lambda message: _unmarked(_lines(message)))),
]
STREAMS = {"interleaved calls"}
"""Of answers: there the truth is known, and ours has to be it."""


# ---------------------------------------------------------------------------------------------------- recorded streams


@dataclass
class Case:
    """A recorded stream as the client learns it from either. events: the provider's."""

    direction: str
    events: list[Any]
    own: Meaning
    theirs: Meaning


@dataclass(frozen=True)
class StreamRule:
    """settles makes theirs what it would be without this difference, where the stream is one that shows it."""

    name: str
    settles: Callable[[Case], None]


def _further(case: Case) -> None:
    if any(choice["index"] for event in case.events for choice in event.get("choices") or ()):
        case.theirs.blocks = case.own.blocks


def _uncounted(case: Case) -> None:
    if any("choices" in event for event in case.events) and not any(event.get("usage") for event in case.events):
        case.theirs.usage = dict.fromkeys(case.own.usage, 0)


def _parts(case: Case) -> None:
    choices = [choice for event in case.events for choice in event.get("choices") or ()]
    if any(isinstance((choice.get("delta") or {}).get("content"), list) for choice in choices):
        case.theirs.blocks = case.own.blocks


def _hosted(case: Case) -> None:
    mine = [block for block in case.theirs.blocks if not (block[0] == "call" and " srvtoolu_" in block[1])]
    if mine != case.theirs.blocks:
        case.theirs.blocks = mine
        if case.theirs.stop == "calls" and not case.theirs.called:
            case.theirs.stop = "end"


def _started(case: Case) -> None:
    if any((event.get("message") or {}).get("content") for event in case.events):
        case.theirs = case.own
    if any((event.get("content_block") or {}).get("input") for event in case.events):
        case.theirs.blocks = case.own.blocks


def _joined(case: Case) -> None:
    if case.direction == "responses to anthropic" and case.own.joined == case.theirs.joined:
        case.theirs.blocks = case.own.blocks


def _paragraphs(case: Case) -> None:
    if _flat(case.own) == _flat(case.theirs):
        case.theirs.blocks = case.own.blocks


def _flat(told: Meaning) -> list[Any]:
    return [(kind, name, text.split() if kind == "thinking" else text) for kind, name, text in told.blocks]


def _freeform(case: Case) -> None:
    items = [event.get("item") or {} for event in case.events]
    names = {f"{item['name']} {item['call_id']}" for item in items if item.get("type") == "custom_tool_call"}
    if names and not case.theirs.called and case.direction == "anthropic to responses":
        rest = [block for block in case.own.blocks if block[1] not in names]
        if rest == case.theirs.blocks:
            case.theirs.blocks, case.theirs.stop = case.own.blocks, case.own.stop


def _unlisted(case: Case) -> None:
    if case.own.called and case.theirs.called and not (case.events[-1].get("response") or {}).get("output"):
        case.theirs.stop = case.own.stop


RECORDED = [
    StreamRule("further answers", _further),
    StreamRule("counts not told", _uncounted),
    StreamRule("content in parts", _parts),
    StreamRule("tools of the provider", _hosted),
    StreamRule("content of the start", _started),
    StreamRule("several texts", _joined),
    StreamRule("paragraphs of a summary", _paragraphs),
    StreamRule("freeform calls", _freeform),
    StreamRule("calls outside the output", _unlisted),
]


def settled(case: Case) -> list[str]:
    """The names of the rules that were needed."""
    used = []
    for rule in RECORDED:
        before = copy.deepcopy(case.theirs)
        rule.settles(case)
        if case.theirs != before:
            used.append(rule.name)
    return used


def explained(field: str, body: Body, ours: Any, theirs: Any) -> str | None:
    """The name of a rule that fits."""
    for rule in REQUESTS:
        if rule.field == field and _fits(rule, body, ours, theirs):
            return rule.name
    return None


def _fits(rule: Rule, body: Body, ours: Any, theirs: Any) -> bool:
    try:
        return rule.explains(body, ours, theirs)
    except (AttributeError, KeyError, TypeError):
        return False


def differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Fields in which they differ."""
    return sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
