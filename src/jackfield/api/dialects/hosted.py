"""Tools that a provider runs itself: which of them another provider has as well."""

from __future__ import annotations

from collections.abc import Sequence

from ..records import replace
from .model import DialectName, ToolDefinition, UpstreamModel


def is_there(tool: ToolDefinition, dialect: DialectName, target: UpstreamModel) -> bool:
    """Whether a request in `dialect` can bring the tool. Chat Completions has a web search and no other."""
    if tool.kind != "hosted" or (tool.dialect == dialect and dialect != "chat"):
        return True
    return tool.name == "web_search" and target.web_search


def beside(tools: Sequence[ToolDefinition], dialect: DialectName, target: UpstreamModel) -> UpstreamModel:
    """The tools that the target takes together with these: Gemini refuses its search beside functions."""
    if dialect == "gemini" and target.web_search and any(tool.kind != "hosted" for tool in tools):
        return replace(target, web_search=False)
    return target


def missing(tools: Sequence[ToolDefinition], dialect: DialectName, target: UpstreamModel) -> tuple[str, ...]:
    """The families of those that are left out, each once."""
    takes = beside(tools, dialect, target)
    return tuple(dict.fromkeys(tool.name for tool in tools if not is_there(tool, dialect, takes)))
