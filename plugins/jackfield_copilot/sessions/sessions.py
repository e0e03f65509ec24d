"""Agent sessions whose agent works on a draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack

from jackfield.api.agent_sessions import AgentSessionRequest, AgentSessions, LiveAgentSession
from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError, NotFound, NotSupported
from jackfield.api.ids import is_uuid
from jackfield.api.json_values import Json
from jackfield.api.profile_tools import ProfileTools, ToolScope
from jackfield.api.profiles import Profiles
from jackfield.api.records import record, replace
from jackfield_copilot.drafts.model import Draft, DraftOrigin, OriginKind
from jackfield_copilot.drafts.service import Drafts
from jackfield_copilot.sessions.prompts import CopilotTask, prompt_of
from jackfield_copilot.sessions.reach import reach_of_draft, unattended_reach_of_draft

_MOST = 500
"""Sessions whose drafts are remembered: more than a host has at a time."""


@record
class CopilotStart:
    """`workflow`: that the draft is of; None: that of the execution, or a new one. `draft`: to go on with. `author`:
    who asks. `remote`: the caller is on another machine, or nobody knows."""

    profile: str
    task: CopilotTask
    author: str
    workflow: str | None = None
    draft: str | None = None
    working_dir: str | None = None
    remote: bool = False
    kind: OriginKind = "copilot"


@record
class CopilotTalk:
    """A session, and the draft that its agent works on."""

    draft: Draft
    session: LiveAgentSession


class CopilotSessions:
    """One per daemon: sessions stay with the host that has begun them, and end with it."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._drafts = context.port(Drafts)
        self._of: dict[str, str] = {}

    def draft_of(self, session_id: str) -> str:
        """Raises `NotFound`."""
        found = self._of.get(session_id)
        if found is None:
            raise unknown()
        return found

    def has(self, session_id: str) -> bool:
        return session_id in self._of

    def shown(self, session_id: str) -> Mapping[str, Json]:
        """The session as the API of agent sessions shows it. Raises `NotFound`."""
        self.draft_of(session_id)
        return self._context.port(AgentSessions).shown(session_id)

    async def begin(self, start: CopilotStart) -> CopilotTalk:
        """The agent knows its task. Raises `NotFound`, `InvalidInput`, `Conflict`, and what beginning an agent session
        raises; then a draft that was made for it is gone."""
        task = replace(start.task, begins=True, attended=start.kind != "execution")
        prompt = prompt_of(task)
        draft = await self._draft(start)
        async with AsyncExitStack() as undo:
            if start.draft is None:
                undo.push_async_callback(self._discard, draft)
            session = await self._open(start, draft)
            undo.push_async_callback(self._stopped, session.id)
            origin = replace(draft.origin, session=session.id, profile=start.profile)
            noted = await self._drafts.keeper.change(draft.id, lambda before: replace(before, origin=origin))
            session.say(prompt)
            self._remember(session.id, draft.id)
            undo.pop_all()
        return CopilotTalk(noted, session)

    async def say(self, session_id: str, task: CopilotTask) -> str:
        """The prompt of a later message. Raises `NotFound`, `InvalidInput`."""
        prompt = prompt_of(task)
        if task.execution is not None:
            await self._require_own(await self._drafts.keeper.find(self.draft_of(session_id)), task)
        self.draft_of(session_id)
        return prompt

    async def _draft(self, start: CopilotStart) -> Draft:
        execution = start.task.execution
        workflow = start.workflow
        if start.draft is not None:
            found = await self._drafts.keeper.find(start.draft)
            if workflow not in (None, found.workflow_id):
                raise InvalidInput(
                    "The draft is of another workflow.", details={"workflow_id": "leave it out, or name the draft's"}
                )
            await self._require_own(found, start.task)
            return found
        if execution is not None:
            workflow = await self._workflow_of(start.task, workflow)
        if start.task.action in ("explain", "cost") and workflow is None:
            raise InvalidInput("Name the workflow.", details={"workflow_id": "give the id of a workflow"})
        origin = DraftOrigin(start.kind, start.profile, None, execution)
        title = start.task.text or _TITLES.get(start.task.action, "")
        return await self._drafts.create(workflow, start.author, title=title, origin=origin)

    async def _require_own(self, draft: Draft, task: CopilotTask) -> None:
        """Raises `NotFound`, `InvalidInput` for an execution of another workflow than the draft's."""
        if task.execution is None or task.execution in draft.runs:
            return
        if await self._workflow_of(task, None) != draft.workflow_id or draft.workflow_id is None:
            raise InvalidInput(
                "The execution is of another workflow than the draft.",
                details={"execution_id": "give an execution of the draft's workflow"},
            )

    async def _workflow_of(self, task: CopilotTask, workflow: str | None) -> str | None:
        """Raises `NotFound`, `InvalidInput`."""
        execution = task.execution or ""
        rows = await self._context.store.execution_rows([execution]) if is_uuid(execution) else []
        if not rows:
            raise NotFound("There is no execution with this id.", code="EXECUTION_NOT_FOUND")
        if task.action == "fix" and rows[0].status == "success":
            raise InvalidInput(
                "The execution has not failed.", details={"execution_id": "give the id of a failed execution"}
            )
        if workflow not in (None, rows[0].workflow_id):
            raise InvalidInput(
                "The execution is of another workflow.", details={"execution_id": "leave workflow_id out, or name it"}
            )
        return rows[0].workflow_id

    async def _open(self, start: CopilotStart, draft: Draft) -> LiveAgentSession:
        reach = (unattended_reach_of_draft if start.kind == "execution" else reach_of_draft)(draft.id)
        await self._require_tools(start.profile, reach)
        request = AgentSessionRequest(
            start.profile, working_dir=start.working_dir, remote=start.remote, tools=reach, trusts_tools=True
        )
        return await self._context.port(AgentSessions).begin(request)

    async def _require_tools(self, alias: str, reach: ToolScope) -> None:
        """Raises `NotFound`, `NotSupported`, `InvalidInput` for an agent that cannot have the tools."""
        tools = self._context.find_port(ProfileTools)
        if tools is None or await tools.server(reach) is None:
            raise NotSupported("The agent works through MCP: install jackfield[mcp], and set mcp.enabled.")
        profile = await self._context.port(Profiles).find(alias)
        agent = await self._context.port(Agents).find(profile.agent_id)
        if not agent.profile.script or (agent.mcp is not None and "http" not in agent.mcp):
            raise InvalidInput(
                f"{agent.title} gets no MCP servers over HTTP by its manifest, so that it cannot work on a draft.",
                code="NO_MCP",
            )

    async def _stopped(self, session_id: str) -> None:
        try:
            await self._context.port(AgentSessions).stop(session_id)
        except JackfieldError as exc:
            self._context.log.warning(
                "The agent %s, which nobody has told what to do, runs: %s", session_id, exc.message
            )

    async def _discard(self, draft: Draft) -> None:
        try:
            await self._drafts.keeper.delete(draft.id)
        except JackfieldError as exc:
            self._context.log.warning("The draft %s of an agent that has not begun is left: %s", draft.id, exc.message)

    def _remember(self, session_id: str, draft_id: str) -> None:
        self._of[session_id] = draft_id
        for gone in self._oldest():
            del self._of[gone]

    def _oldest(self) -> Sequence[str]:
        return list(self._of)[: max(0, len(self._of) - _MOST)]


def unknown() -> NotFound:
    return NotFound("There is no copilot session with this id.", code="SESSION_NOT_FOUND")


_TITLES: Mapping[str, str] = {
    "fix": "Mend a failed execution",
    "explain": "Explain the workflow",
    "cost": "Tell why it cost so much",
}
