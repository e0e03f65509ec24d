"""One request of an agent, from its question to a person's decision."""

from __future__ import annotations

import asyncio

from jackfield.api import jsontext
from jackfield.api.approvals import AgentRequest, ApprovalAnswer, ApprovalOption
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.profiles import require_sandbox
from jackfield.api.records import record
from jackfield_approvals.asking.tokens import Asker
from jackfield_approvals.hub import hub
from jackfield_approvals.settings import ApprovalsSettings

ALLOW, REJECT = "allow", "reject"
_OPTIONS = (ApprovalOption(ALLOW, "Allow", allows=True), ApprovalOption(REJECT, "Reject", allows=False))
_LONGEST_NAME = 200
_SPARE = 8 * 1024
"""Bytes beyond the limit in which a secret may end that begins before it."""
_REFUSED = "A person has rejected this."


@record
class ApprovalDecision:
    """reason: of a rejection, for the agent's model."""

    allowed: bool
    reason: str = ""


class Asking:
    """Asks people in the name of agents."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(ApprovalsSettings)

    async def ask(self, asker: Asker, tool: Json, given: Json) -> ApprovalDecision:
        """Wait for the decision. Cancelled, as the agent waits no more, the request is withdrawn. Raises `InvalidInput`
        for what nobody could judge."""
        if not isinstance(tool, str) or not 0 < len(tool) <= _LONGEST_NAME:
            raise InvalidInput(
                "Every request names its tool.",
                details={"tool_name": f"give a name of 1 to {_LONGEST_NAME} characters"},
            )
        if not isinstance(given, dict):
            raise InvalidInput("A tool's input is an object.", details={"tool_input": "give an object"})
        decided: asyncio.Future[ApprovalDecision] = asyncio.get_running_loop().create_future()
        approvals = hub(self._context)
        try:
            approval = approvals.open(self._request(asker, tool, given, decided))
        except Conflict as exc:  # too many are open
            return ApprovalDecision(allowed=False, reason=exc.message)
        try:
            return await decided
        finally:
            approvals.closed(approval, "withdrawn")

    def _request(self, asker: Asker, tool: str, given: Json, decided: asyncio.Future[ApprovalDecision]) -> AgentRequest:
        shown, cut = self._shown(given)
        until = self._context.clock.now_ms() + round(self._settings.request_timeout * 1000)

        def answer(answer: ApprovalAnswer) -> None:
            allowed = answer.option == ALLOW
            if allowed and answer.remote:
                require_sandbox(asker.sandbox, self._settings.network_sandbox, "approvals.network_sandbox")
            if not decided.done():
                decided.set_result(ApprovalDecision(allowed, "" if allowed else answer.note or _REFUSED))

        return AgentRequest(
            asker.profile, asker.asked_by, asker.session, self._context.secrets.hide(tool), "", shown,
            _OPTIONS, answer, cut, until, asker.execution_id,
        )  # fmt: skip

    def _shown(self, given: Json) -> tuple[Json, bool]:
        """The input without secrets, and whether some of it is left out."""
        limit = self._settings.input_limit
        text = jsontext.dumps(given).decode()
        if len(text.encode()) > limit:
            begun = self._context.secrets.hide(text.encode()[: limit + _SPARE].decode("utf-8", "ignore"))
            return begun.encode()[:limit].decode("utf-8", "ignore"), True
        return self._hidden(given), False

    def _hidden(self, value: Json) -> Json:
        if isinstance(value, str):
            return self._context.secrets.hide(value)
        if isinstance(value, list):
            return [self._hidden(one) for one in value]
        if isinstance(value, dict):
            return {self._context.secrets.hide(name): self._hidden(one) for name, one in value.items()}
        return value
