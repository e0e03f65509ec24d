"""The hook `PermissionRequest`, which Claude Code runs in a terminal where it is about to ask its user. Source:
code.claude.com, "Hooks reference"."""

from __future__ import annotations

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield_approvals.asking.asking import Asking
from jackfield_approvals.asking.names import EVENT
from jackfield_approvals.asking.tokens import Asker


async def asked_by_hook(asking: Asking, asker: Asker, body: bytes) -> Json:
    """The hook's answer. Raises `InvalidInput` for the body of another event."""
    event = jsontext.loads(body)
    if not isinstance(event, dict) or event.get("hook_event_name") != EVENT:
        raise InvalidInput(f"Only {EVENT} is answered here.", details={"hook_event_name": f"send {EVENT}"})
    decision = await asking.ask(asker, event.get("tool_name"), event.get("tool_input"))
    told: Json = {"behavior": "allow"} if decision.allowed else {"behavior": "deny", "message": decision.reason}
    return {"hookSpecificOutput": {"hookEventName": EVENT, "decision": told}}
