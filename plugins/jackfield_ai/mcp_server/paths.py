"""Addresses of MCP servers. Source: n8n's MCP Server Trigger, whose version 1 serves SSE at `PATH/sse` and takes its
messages at `PATH/messages`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jackfield.api.workflows import Node

NODES = ("langchain.mcpTrigger",)
LIVE, TEST = "mcp", "mcp-test"
_PATH = re.compile(r"[A-Za-z0-9_.~-]+(/[A-Za-z0-9_.~-]+)*")
_LONGEST = 500
_SUFFIXES = ("sse", "messages")


def path_of(node: Node) -> str:
    """The server's address below /mcp; empty when it has none."""
    value = node.parameters.get("path")
    path = value.strip("/") if isinstance(value, str) else ""
    dots = any(set(part) == {"."} for part in path.split("/"))
    return path if len(path) <= _LONGEST and _PATH.fullmatch(path) and not dots else ""


def candidates(called: str) -> Iterator[str]:
    """The paths of servers that an address may mean, the one that has more of it first."""
    yield called
    head, slash, last = called.rpartition("/")
    if slash and last in _SUFFIXES:
        yield head


def messages_address(address: str) -> str:
    """Where a client that began at this address sends its messages over SSE."""
    return address.removesuffix("/sse") + "/messages" if address.endswith("/sse") else address
