"""Permissions that an agent has asked for and that nobody has given yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jackfield.api.agent_protocols import DialogueSteps, MessageKept, PermissionAsked, SendFrame
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.jsontext import Json
from jackfield.api.records import record

Reply = Callable[[str, str], Mapping[str, Json]]
"""Of the option's id and the note, the frame that tells the agent."""
MOST = 1_000
"""Permissions that are remembered, so that the dialogue can tell a late answer from a wrong one."""

MOST_OPEN = 100
"""Permissions that may be open at once: their inputs are held in memory."""


@record
class AskedPermission:
    """message: as the session has it. reply: made when an option is chosen."""

    message: PermissionAsked
    reply: Reply


class OpenPermissions:
    """Of one dialogue, by id."""

    def __init__(self) -> None:
        self._open: dict[str, AskedPermission] = {}
        self._over: dict[str, None] = {}

    def ask(self, message: PermissionAsked, reply: Reply) -> DialogueSteps:
        """Raises `Conflict` when too many are open."""
        if len(self._open) >= MOST_OPEN:
            raise Conflict(
                f"The agent asks for more than {MOST_OPEN} permissions at once.", code="TOO_MANY_PERMISSIONS"
            )
        self._open[message.id] = AskedPermission(message, reply)
        return [MessageKept(_key(message.id), message)]

    def answer(self, id: str, option: str, note: str) -> DialogueSteps:
        """See `AgentDialogue.answer`."""
        asked = self._open.get(id)
        if asked is None:
            if id in self._over:
                raise Conflict("The agent waits for this permission no more.", code="PERMISSION_OVER")
            raise NotFound(f"The agent has not asked for a permission {id}.", code="PERMISSION_NOT_FOUND")
        offered = [one.id for one in asked.message.options]
        if option not in offered:
            raise InvalidInput(
                "The agent offers no such option.", details={"option": f"give one of {', '.join(offered)}"}
            )
        self._close(id)
        changed = asked.message.model_copy(update={"state": "answered", "answer": option})
        return [SendFrame(asked.reply(option, note)), MessageKept(_key(id), changed)]

    def withdraw(self, id: str) -> DialogueSteps:
        """The agent waits no more. Nothing happens when the permission is not open."""
        asked = self._open.get(id)
        if asked is None:
            return []
        self._close(id)
        return [MessageKept(_key(id), asked.message.model_copy(update={"state": "withdrawn"}))]

    def withdraw_all(self) -> DialogueSteps:
        return [step for one in list(self._open) for step in self.withdraw(one)]

    def _close(self, id: str) -> None:
        del self._open[id]
        self._over[id] = None
        while len(self._over) > MOST:
            del self._over[next(iter(self._over))]


def _key(id: str) -> str:
    return f"permission:{id}"
