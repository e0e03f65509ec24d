"""A tool of a draft, and the things that it works with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field

from jackfield.api.context import PluginContext
from jackfield.api.json_values import Json
from jackfield.api.mcp.tool_sources import SourcedCall, ToolFailed
from jackfield.api.own_calls import OwnCalls
from jackfield.api.records import record
from jackfield_copilot.drafts.model import Draft
from jackfield_copilot.drafts.service import Drafts, answered

Ident = Annotated[str, Field(min_length=1, max_length=200)]


class DraftArguments(BaseModel):
    """Base of what tools take: these and no others."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


class NoArguments(DraftArguments):
    """None."""


@record
class BoundCall:
    """One call of a tool by the agent of one draft, which its token names."""

    context: PluginContext
    draft_id: str
    call: SourcedCall

    @property
    def drafts(self) -> Drafts:
        return self.context.port(Drafts)

    async def draft(self) -> Draft:
        """Raises `NotFound`."""
        return await self.drafts.keeper.find(self.draft_id)

    async def ask(
        self, method: str, path: str, *, query: Mapping[str, str] | None = None, body: Json = None
    ) -> dict[str, Json]:
        """The management API, within the scopes of the agent's token. path: below `/api/v1`. Raises
        `JackfieldError`."""
        calls = self.context.port(OwnCalls)
        return answered(await calls.call(self.call.scope, method, f"/api/v1{path}", query=query, body=body))

    async def own_execution(self, execution_id: str) -> str:
        """The path of an execution of this draft, of its workflow, or that it is to repair. Raises `ToolFailed` for
        every other one, whether it is there or not."""
        draft = await self.draft()
        if execution_id not in (*draft.runs, draft.origin.execution):
            rows = await self.context.store.execution_rows([execution_id])
            if draft.workflow_id is None or not any(row.workflow_id == draft.workflow_id for row in rows):
                raise ToolFailed("This is no execution of the draft or of its workflow.")
        return f"/executions/{quote(execution_id, safe='')}"


ArgumentsT = TypeVar("ArgumentsT", bound=DraftArguments)


@record
class DraftTool(Generic[ArgumentsT]):
    """name: one of `DRAFT_TOOLS`; description: for models. reads, destroys, outward: as `SourcedTool`."""

    name: str
    title: str
    description: str
    arguments: type[ArgumentsT]
    run: Callable[[BoundCall, ArgumentsT], Awaitable[Json]]
    reads: bool = False
    outward: bool = False


AnyDraftTool = DraftTool[Any]  # each tool has its own arguments
