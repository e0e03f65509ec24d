"""The order that every provider insists on: roles alternate, each tool call has one result in the very next user turn.

Histories of agents that were interrupted break it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from .model import Block, ChatTurn, TextBlock, ToolResult, ToolUse

NO_RESULT = "No result: the call was interrupted."


def repaired(turns: Iterable[ChatTurn]) -> tuple[ChatTurn, ...]:
    """Neighbours of one role joined, results moved behind their calls, stubs for missing ones, orphans dropped."""
    joined = _joined(turns)
    if not any(isinstance(block, (ToolUse, ToolResult)) for turn in joined for block in turn.content):
        return joined
    return _joined(_paired(joined))


def _joined(turns: Iterable[ChatTurn]) -> tuple[ChatTurn, ...]:
    found: list[ChatTurn] = []
    for turn in turns:
        if not turn.content:
            continue
        if found and found[-1].role == turn.role:
            found[-1] = ChatTurn(turn.role, found[-1].content + turn.content)
        else:
            found.append(turn)
    return tuple(found)


def _paired(turns: tuple[ChatTurn, ...]) -> list[ChatTurn]:
    results = _Results(turns)
    found: list[ChatTurn] = []
    for position, turn in enumerate(turns):
        rest = tuple(block for block in turn.content if not isinstance(block, ToolResult))
        if turn.role == "user":
            found.append(ChatTurn("user", rest))
            continue
        content, calls = _unique_calls(rest)
        found.append(ChatTurn("assistant", content))
        found.append(ChatTurn("user", tuple(results.of(call, position) for call in calls)))
    return found


def _unique_calls(blocks: tuple[Block, ...]) -> tuple[tuple[Block, ...], list[ToolUse]]:
    """An id that comes twice in one turn cannot be answered twice: the first stays."""
    kept: list[Block] = []
    calls: dict[str, ToolUse] = {}
    for block in blocks:
        if isinstance(block, ToolUse):
            if block.id in calls:
                continue
            calls[block.id] = block
        kept.append(block)
    return tuple(kept), list(calls.values())


class _Results:
    """Finds the result of a call, though providers use one id again in later turns."""

    def __init__(self, turns: tuple[ChatTurn, ...]) -> None:
        self._results: defaultdict[str, list[tuple[int, ToolResult]]] = defaultdict(list)
        self._calls: defaultdict[str, list[int]] = defaultdict(list)
        for position, turn in enumerate(turns):
            for block in turn.content:
                if isinstance(block, ToolResult):
                    self._results[block.id].append((position, block))
                elif isinstance(block, ToolUse):
                    self._calls[block.id].append(position)

    def of(self, call: ToolUse, position: int) -> ToolResult:
        next_call = min((other for other in self._calls[call.id] if other > position), default=None)
        for found, result in self._results[call.id]:
            if found > position and (next_call is None or found < next_call):
                return result
        return ToolResult(call.id, (TextBlock(NO_RESULT),), is_error=True, kind=call.kind)
