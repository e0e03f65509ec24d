"""The events of a session, on the topic `agent_sessions`."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.clock import iso
from jackfield.api.events import EventBus
from jackfield_agent_sessions.session.history import KeptMessage

TOPIC = "agent_sessions"


class SessionTeller:
    """Of one session."""

    def __init__(self, events: EventBus, session_id: str, alias: str) -> None:
        self._events = events
        self._common: Mapping[str, object] = {"session_id": session_id, "profile": alias}

    def created(self, agent: str) -> None:
        self._events.publish(TOPIC, "session_created", {**self._common, "agent": agent})

    def state(self, state: str) -> None:
        self._events.publish(TOPIC, "state_changed", {**self._common, "state": state})

    def kept(self, message: KeptMessage) -> None:
        """A message is there, or is another now."""
        if self._events.wanted(TOPIC):
            self._events.publish(TOPIC, "message", {**self._common, "message": message_out(message)})

    def added(self, message: KeptMessage, text: str) -> None:
        """A text goes on."""
        if text and self._events.wanted(TOPIC):
            about = {"id": message.id, "revision": message.revision, "type": message.message.model_dump()["type"]}
            self._events.publish(TOPIC, "message_delta", {**self._common, **about, "text": text})

    def ended(self, exit_code: int, reason: str | None) -> None:
        self._events.publish(
            TOPIC, "session_ended", {**self._common, "state": "ended", "exit_code": exit_code, "reason": reason}
        )


def message_out(found: KeptMessage) -> dict[str, object]:
    """As the API shows it."""
    return {
        "id": found.id,
        "revision": found.revision,
        "time": iso(found.time_ms),
        "complete": found.complete,
        "message": found.message.model_dump(mode="json"),
    }
