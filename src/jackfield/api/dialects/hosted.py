"""Tools that a provider runs itself: which of them another provider has as well."""

from __future__ import annotations

from collections.abc import Iterable

from .model import DialectName, ToolDefinition, UpstreamModel


def is_there(tool: ToolDefinition, dialect: DialectName, target: UpstreamModel) -> bool:
    """Whether a request in `dialect` can bring the tool. Chat Completions has a web search and no other."""
    if tool.kind != "hosted" or (tool.dialect == dialect and dialect != "chat"):
        return True
    return tool.name == "web_search" and target.web_search


def missing(tools: Iterable[ToolDefinition], dialect: DialectName, target: UpstreamModel) -> tuple[str, ...]:
    """The families of those that are left out, each once."""
    return tuple(dict.fromkeys(tool.name for tool in tools if not is_there(tool, dialect, target)))
