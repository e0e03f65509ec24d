"""Requests of this host's agents: which are open, who has answered them, and when their time is over."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence

from jackfield.api import jsontext
from jackfield.api.approvals import TOPIC, AgentRequest, ApprovalAnswer, ApprovalOption, ApprovalState
from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, JackfieldError, NotFound
from jackfield.api.placed_things import PlacedThings
from jackfield.api.projects import Right
from jackfield.api.records import replace, state
from jackfield_approvals.settings import ApprovalsSettings


@state
class KeptRequest:
    """asked_ms, closed_ms: Unix ms. size: bytes of the input while it is open. option, by: of the answer."""

    id: str
    request: AgentRequest
    asked_ms: int
    size: int
    state: ApprovalState = "open"
    option: str = ""
    by: str = ""
    closed_ms: int | None = None
    timer: asyncio.TimerHandle | None = None


class AgentApprovalHub:
    """`AgentApprovals`. Everything happens on the event loop, so that of two answers one is first."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(ApprovalsSettings)
        self._profiles = PlacedThings(context, "profile")
        self._open: dict[str, KeptRequest] = {}
        self._closed: dict[str, KeptRequest] = {}

    def open(self, request: AgentRequest) -> str:
        size = len(jsontext.dumps(request.input))
        self._require_room(request, size)
        now = self._context.clock.now_ms()
        kept = KeptRequest(str(uuid.uuid4()), request, now, size)
        self._open[kept.id] = kept
        if request.until_ms is not None:
            left = max(request.until_ms - now, 0) / 1000
            kept.timer = asyncio.get_running_loop().call_later(left, self._expire, kept)
        self._tell("approval_opened", kept)
        return kept.id

    def _require_room(self, request: AgentRequest, size: int) -> None:
        """Also for the others: an agent that asks without end must not keep them from asking. Raises `Conflict`."""
        settings = self._settings
        if len(self._open) >= settings.max_open:
            raise _too_many(f"Agents ask for {settings.max_open} approvals already", "max_open")
        own = sum(one.request.session == request.session for one in self._open.values())
        if own >= settings.max_open_of_agent:
            raise _too_many(f"This agent asks for {own} approvals already", "max_open_of_agent")
        if sum(one.size for one in self._open.values()) + size > settings.inputs_limit:
            raise _too_many("The inputs of open approvals are too large together", "inputs_limit")

    def closed(self, id: str, state: ApprovalState, option: str = "", by: str = "") -> None:
        kept = self._open.pop(id, None)
        if kept is None:
            return
        if kept.timer is not None:
            kept.timer.cancel()
        kept.timer = None
        kept.state, kept.option, kept.by = state, option, by or kept.by
        kept.closed_ms = self._context.clock.now_ms()
        kept.request = replace(kept.request, input=None)  # which may be large
        self._closed[id] = kept
        while len(self._closed) > self._settings.keep_closed:
            del self._closed[next(iter(self._closed))]
        self._tell("approval_closed", kept)

    def all(self) -> Sequence[KeptRequest]:
        """Newest first, whoever asks."""
        return sorted((*self._open.values(), *self._closed.values()), key=lambda one: one.asked_ms, reverse=True)

    async def seen(self) -> Sequence[KeptRequest]:
        """Of profiles that the caller's reach sees, newest first."""
        every = self.all()
        aliases = await self._profiles.seen(list({one.request.profile for one in every}))
        return [one for one in every if one.request.profile in aliases]

    async def require(self, id: str, right: Right) -> None:
        """Checks the caller's reach, by the request's profile. Raises `NotFound`, `AccessDenied`."""
        if not await self._profiles.may(self.find(id).request.profile, right):
            raise _absent(id)

    def has(self, id: str) -> bool:
        return id in self._open or id in self._closed

    def find(self, id: str) -> KeptRequest:
        """Raises `NotFound`."""
        found = self._open.get(id) or self._closed.get(id)
        if found is None:
            raise _absent(id)
        return found

    def answer(self, id: str, answer: ApprovalAnswer) -> KeptRequest:
        """Raises `NotFound`, `Conflict` when it is closed or was cut, `InvalidInput` for an option that is not offered,
        and what the agent's side raises."""
        kept = self.find(id)
        if kept.state != "open":
            raise Conflict(f"This approval is {kept.state} already.", code="APPROVAL_CLOSED")
        chosen = _chosen(kept.request, answer.option)
        if chosen.allows and kept.request.cut:
            raise Conflict(
                "Some of what the agent wants to do is not shown, so nobody can allow it; reject it.",
                code="PERMISSION_CUT",
            )
        kept.by = answer.by  # for the agent's side, which may close it without knowing who has answered
        try:
            kept.request.answer(answer)
        except BaseException:
            kept.by = ""
            raise
        self.closed(id, "answered", answer.option)
        return kept

    def _expire(self, kept: KeptRequest) -> None:
        request = kept.request
        rejecting = sorted((one for one in request.options if not one.allows), key=lambda one: one.lasting)
        option = rejecting[0].id if rejecting else ""
        self.closed(kept.id, "expired", option)
        try:
            request.answer(ApprovalAnswer(option, "Nobody has answered in time."))
        except JackfieldError as exc:
            self._context.log.warning("An approval of %s was not rejected: %s", request.profile, exc.message)

    def _tell(self, type: str, kept: KeptRequest) -> None:
        request = kept.request
        self._context.events.publish(
            TOPIC,
            type,
            {
                "id": kept.id,
                "profile": request.profile,
                "asked_by": request.asked_by,
                "session_id": request.session,
                "tool": request.tool,
                "state": kept.state,
                "asked_at": iso(kept.asked_ms),
            },
        )


def _absent(id: str) -> NotFound:
    return NotFound(f"There is no approval {id}.", code="APPROVAL_NOT_FOUND")


def _too_many(told: str, setting: str) -> Conflict:
    return Conflict(f"{told}; answer some, or raise approvals.{setting}.", code="TOO_MANY_APPROVALS")


def _chosen(request: AgentRequest, option: str) -> ApprovalOption:
    found = next((one for one in request.options if one.id == option), None)
    if found is None:
        offered = ", ".join(one.id for one in request.options)
        raise InvalidInput("The agent offers no such option.", details={"option": f"give one of {offered}"})
    return found


def hub(context: PluginContext) -> AgentApprovalHub:
    """The one of the daemon."""
    return context.port(AgentApprovalHub)
