"""Credentials by name and kind, and variables. No tool reads or writes a credential's values."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from jackfield.api.json_values import Json
from jackfield.api.mcp.tool_sources import ToolFailed
from jackfield_mcp.caller import segment
from jackfield_mcp.tool import AnyTool, McpTool, ToolArguments, ToolRun
from jackfield_mcp.tools.paging import Nothing, PageArguments

_SHOWN = ("id", "name", "kind")
Key = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=128)]


class SetVariable(ToolArguments):
    key: Key
    value: Annotated[str, Field(max_length=65_536)]


class DeleteVariable(ToolArguments):
    key: Key


async def _credentials(run: ToolRun, given: PageArguments) -> Json:
    query = {"offset": given.offset, "limit": given.limit}
    found = await run.api.mapping("GET", "/credentials", query=query)
    rows = found.get("data")
    known = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    kept: list[Json] = [{name: row.get(name) for name in _SHOWN} for row in known]
    return {"total": found.get("total"), "credentials": kept}


async def _variables(run: ToolRun, given: Nothing) -> Json:
    return await run.api.ask("GET", "/variables")


async def _variable(run: ToolRun, key: str) -> str | None:
    for row in await run.api.rows("/variables"):
        if row.get("key") == key:
            return str(row.get("id"))
    return None


async def _set(run: ToolRun, given: SetVariable) -> Json:
    ident = await _variable(run, given.key)
    if ident is None:
        return await run.api.ask("POST", "/variables", body={"key": given.key, "value": given.value})
    return await run.api.ask("PATCH", f"/variables/{segment(ident)}", body={"value": given.value})


async def _delete(run: ToolRun, given: DeleteVariable) -> Json:
    ident = await _variable(run, given.key)
    if ident is None:
        raise ToolFailed(f"There is no variable {given.key}.")
    await run.api.ask("DELETE", f"/variables/{segment(ident)}")
    return {"deleted": given.key}


STORED_TOOLS: tuple[AnyTool, ...] = (
    McpTool(
        "list_credentials",
        "List credentials",
        "List credentials by id, name and kind, for a node's `credentials`: {kind: {id, name}}. Their values are never "
        "shown.",
        ("credentials:write",),
        PageArguments,
        _credentials,
        reads=True,
    ),
    McpTool(
        "list_variables",
        "List variables",
        "List variables, which expressions read as $vars.KEY.",
        ("workflows:read",),
        Nothing,
        _variables,
        reads=True,
    ),
    McpTool(
        "set_variable",
        "Set a variable",
        "Create a variable, or change its value.",
        ("workflows:read", "workflows:write"),
        SetVariable,
        _set,
        destroys=True,
        repeatable=True,
    ),
    McpTool(
        "delete_variable",
        "Delete a variable",
        "Delete a variable.",
        ("workflows:read", "workflows:write"),
        DeleteVariable,
        _delete,
        destroys=True,
    ),
)
