"""Node types: found by words, and read with their documentation."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from jackfield.api.json_values import Json
from jackfield_mcp.caller import segments
from jackfield_mcp.tool import AnyTool, McpTool, ToolRun
from jackfield_mcp.tools.paging import Ident, PageArguments

_NODES = "n8n-nodes-base."


class SearchNodeTypesArguments(PageArguments):
    query: Annotated[str, Field(max_length=200)] = Field("", description="Words, such as `rss` or `slack message`.")
    triggers: bool | None = Field(None, description="Only triggers, or only others.")
    unavailable: bool = Field(False, description="Also those that cannot run here, with the reason.")


class GetNodeTypeArguments(PageArguments):
    kind: Ident = Field(description="Such as `set`, or as a document writes it: `n8n-nodes-base.set`.")
    part: Literal["page", "schema"] = Field(
        "page",
        description="page: documentation with parameters and examples, as Markdown. schema: forms and JSON Schema, "
        "which is long.",
    )


async def _search(run: ToolRun, given: SearchNodeTypesArguments) -> Json:
    query = {"schemas": False, "unavailable": given.unavailable or None}
    rows = await run.api.rows("/node-types", query=query)
    words = given.query.lower().split()
    wanted = [row for row in rows if given.triggers is None or row.get("trigger") is given.triggers]
    ranked = sorted(((_rank(row, words), str(row.get("kind")), row) for row in wanted), key=lambda one: one[:2])
    found = [row for rank, _, row in ranked if rank >= 0]
    page = found[given.offset : given.offset + given.limit]
    return {"total": len(found), "offset": given.offset, "nodeTypes": [_shown(row) for row in page]}


def _rank(row: dict[str, Json], words: list[str]) -> int:
    """The lower, the nearer; negative: no."""
    kind, name = str(row.get("kind", "")).lower(), str(row.get("displayName", "")).lower()
    text = f"{kind} {name} {str(row.get('description', '')).lower()} {row.get('group')}"
    if not all(word in text for word in words):
        return -1
    joined = "".join(words)
    return 0 if joined and joined in (kind, name.replace(" ", "")) else 1 if joined and joined in kind else 2


def _shown(row: dict[str, Json]) -> dict[str, Json]:
    kept = ("kind", "displayName", "description", "group", "trigger", "inputs", "outputs", "scopes", "missing")
    shown = {name: row[name] for name in kept if row.get(name) not in (None, "", [])}
    versions, credentials = row.get("versions"), row.get("credentials")
    if isinstance(versions, list) and versions:
        shown["latestVersion"] = versions[-1]
    if isinstance(credentials, list) and credentials:
        shown["credentials"] = [one.get("name") for one in credentials if isinstance(one, dict)]
    return {"type": _typed(str(row.get("kind", ""))), **shown}


def _typed(kind: str) -> str:
    """As a document writes it, in n8n's words where n8n has it."""
    if kind.startswith("langchain."):
        return "@n8n/n8n-nodes-" + kind
    return kind if "." in kind or "/" in kind else _NODES + kind


async def _get(run: ToolRun, given: GetNodeTypeArguments) -> Json:
    path = f"/node-types/{segments(given.kind)}"
    if given.part == "schema":
        return await run.api.ask("GET", path)
    return {"page": await run.api.ask("GET", path + "/page")}


NODE_TYPE_TOOLS: tuple[AnyTool, ...] = (
    McpTool(
        "search_node_types",
        "Search node types",
        "Find node types by words: their type for a document, latest version, credentials and scopes. Without words: "
        "all of them, a page at a time.",
        ("workflows:read",),
        SearchNodeTypesArguments,
        _search,
        reads=True,
    ),
    McpTool(
        "get_node_type",
        "Read a node type",
        "Read a node type: its parameters, versions, credentials and working examples. Do so for each node before you "
        "write it.",
        ("workflows:read",),
        GetNodeTypeArguments,
        _get,
        reads=True,
    ),
)
