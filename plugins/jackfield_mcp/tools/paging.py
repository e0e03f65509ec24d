"""Lists in pages."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from jackfield_mcp.tool import ToolArguments

FEWER = (
    "The most items of each output. Large ones are left out: `counts` tells how many there are, get_execution_items "
    "reads them."
)
Ident = Annotated[str, Field(min_length=1, max_length=200)]


class PageArguments(ToolArguments):
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class Nothing(ToolArguments):
    """No arguments."""
