"""The node `jackfield.mendWithAgent`: hands a failed execution to an agent, which answers with a draft."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field, field_validator

from jackfield.api.agent_protocols import AgentFault, AgentSaid, PermissionAsked, TurnEnded
from jackfield.api.agent_sessions import AgentSessions, LiveAgentSession
from jackfield.api.auth import AGENTS_WRITE
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, JackfieldError, NotFound
from jackfield.api.json_values import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeRun, Parameters
from jackfield.api.nodes.items import with_json
from jackfield.api.nodes.running import ItemNode
from jackfield.api.nodes.ui import Ui, UiFields
from jackfield.api.workflows import Item, Items
from jackfield_copilot.drafts.model import Draft
from jackfield_copilot.drafts.service import Drafts
from jackfield_copilot.sessions.prompts import CopilotTask
from jackfield_copilot.sessions.sessions import CopilotSessions, CopilotStart, CopilotTalk
from jackfield_copilot.settings import CopilotSettings

_LOOK = 5.0
"""Seconds between two looks at a session that tells nothing."""
_AUTHOR = "workflow"


class MendParameters(Parameters):
    """One draft for each item."""

    ui_fields: ClassVar[UiFields] = {
        "profile": Ui(help="The alias of the profile whose agent repairs."),
        "executionId": Ui(label="Execution", help="The failed execution; by default that of the Error Trigger."),
        "instructions": Ui("textarea", options={"rows": 4}, help="More that the agent is to mind."),
        "timeout": Ui(label="Timeout (s)", help="How long the agent may take, in seconds; else as the settings say."),
    }

    profile: str = Field(min_length=1, description="Alias of the profile whose agent repairs.")
    execution_id: str = Field(
        "", description="Id of the failed execution; empty: that of the item, as the Error Trigger gives it."
    )
    instructions: str = Field("", max_length=20_000, description="More that the agent is to mind.")
    timeout: float | None = Field(
        None, gt=0, le=86_400, description="Seconds; the setting `copilot.mend_timeout` unless given."
    )

    @field_validator("timeout", mode="before")
    @classmethod
    def _absent(cls, value: object) -> object:
        return None if value == "" else value


class MendWithAgentNode(ItemNode):
    """Items are handled one after another. A failure for which a draft waits already costs no agent. Nobody is asked
    meanwhile: what the agent wants to be allowed is refused, and so is a run of its draft. Nothing goes live: the draft
    waits at its workflow."""

    kind = "mendWithAgent"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "Mend With Agent",
        "Hands a failed execution to a profile's agent, which answers with a draft of the workflow.",
        "code",
        scopes=(AGENTS_WRITE,),
        help="copilot#from-an-error-workflow",
    )
    effect = True
    model = MendParameters

    async def item(self, run: NodeRun, parameters: MendParameters, item: Item, index: int) -> Items:
        seconds = parameters.timeout or self._context.settings(CopilotSettings).mend_timeout
        execution = _failed(parameters, item)
        waiting = await self._context.port(Drafts).waiting_for(execution)
        if waiting is not None:
            return [with_json(item, _json(waiting, ""), index)]
        task = CopilotTask("fix", parameters.instructions, execution)
        start = CopilotStart(parameters.profile, task, _AUTHOR, kind="execution", remote=True)
        try:
            talk = await self._context.port(CopilotSessions).begin(start)
        except JackfieldError as exc:
            raise NodeError(exc.message) from None
        try:
            async with asyncio.timeout(seconds):
                said = await _mended(talk.session)
        except TimeoutError:
            raise NodeError(
                f"The agent of {parameters.profile} did not end in time; raise the parameter timeout.",
                description=f"Its draft is {talk.draft.id}.",
            ) from None
        finally:
            await asyncio.shield(self._stopped(talk))
        draft = await self._context.port(Drafts).keeper.find(talk.draft.id)
        return [with_json(item, _json(draft, said), index)]

    async def _stopped(self, talk: CopilotTalk) -> None:
        try:
            await self._context.port(AgentSessions).stop(talk.session.id)
        except JackfieldError as exc:
            self._context.log.warning("The agent of the draft %s was not ended: %s", talk.draft.id, exc.message)


def _json(draft: Draft, said: str) -> dict[str, Json]:
    return {
        "draftId": draft.id,
        "workflowId": draft.workflow_id,
        "executionId": draft.origin.execution,
        "title": draft.title,
        "revision": draft.revision,
        "changeCount": draft.change_count,
        "answer": said,
    }


def _failed(parameters: MendParameters, item: Item) -> str:
    """Raises `NodeError`."""
    told = item["json"].get("execution")
    found = parameters.execution_id or (told.get("id") if isinstance(told, dict) else None)
    if not isinstance(found, str) or not found:
        raise NodeError("The item names no failed execution; set executionId, or put an Error Trigger before it.")
    return found


async def _mended(session: LiveAgentSession) -> str:
    """The last words of the agent, once it has ended its turn. Raises `NodeError`."""
    seen, said, fault = 0, "", ""
    while True:
        for message in session.messages(seen):
            if isinstance(message, PermissionAsked) and message.state == "open":
                _refuse(session, message)
            elif isinstance(message, AgentSaid):
                said = message.text
            elif isinstance(message, AgentFault):
                fault = message.text
            elif isinstance(message, TurnEnded):
                if message.reason != "completed":
                    raise NodeError(f"The agent has not mended it: {fault or message.detail or message.reason}")
                return said
        seen = session.revision
        if session.state == "ended":
            raise NodeError(f"The agent has ended before it had answered. {fault}".strip())
        await session.changed(seen, _LOOK)


def _refuse(session: LiveAgentSession, asked: PermissionAsked) -> None:
    """Raises `NodeError` where the agent offers no way to refuse: it would wait until the time is up."""
    option = next((one.id for one in asked.options if one.kind.startswith("reject")), None)
    if option is None:
        raise NodeError(f"The agent asks for {asked.tool}, and offers no way to refuse it.")
    with contextlib.suppress(Conflict, NotFound):  # it is decided, or withdrawn
        session.answer(asked.id, option, "Nobody is there who could allow this.")


def node(context: PluginContext) -> MendWithAgentNode:
    return MendWithAgentNode(context)
