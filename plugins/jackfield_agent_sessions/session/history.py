"""The messages of a session, bounded: the oldest are forgotten, and what is too long is cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jackfield.api import jsontext
from jackfield.api.agent_protocols import AgentMessage, AgentSaid, AgentThought, TextAdded, UserSaid
from jackfield.api.jsontext import Json
from jackfield.api.records import state
from jackfield_agent_sessions.session.hiding import SecretsHidden
from jackfield_agent_sessions.settings import AgentSessionSettings

_TEXTS = {"user": UserSaid, "text": AgentSaid, "thinking": AgentThought}
_CUTTABLE = ("text", "output", "title")
_MARGIN = 4096
"""Bytes behind the limit that are looked through for a secret that begins before it."""


@state
class KeptMessage:
    """`id`: counts the session's messages from 1. `revision`: counts its changes; that of the last one. `time_ms`: of
    the message's beginning, Unix ms. `complete`: its text does not go on. `pending`: of it what may begin a secret."""

    id: int
    key: str
    revision: int
    time_ms: int
    message: AgentMessage
    complete: bool
    size: int
    pending: str = ""


class MessageHistory:
    """In the order in which messages began."""

    def __init__(self, settings: AgentSessionSettings, hidden: SecretsHidden, now_ms: Callable[[], int]) -> None:
        self._settings = settings
        self._hidden = hidden
        self._now_ms = now_ms
        self._messages: dict[str, KeptMessage] = {}
        self._size = 0
        self._last = 0
        self._running: KeptMessage | None = None
        self.revision = 0
        self.forgotten = 0
        """How many messages are not here any more."""

    def keep(self, key: str, message: AgentMessage) -> KeptMessage:
        """A whole message: new, or in place of the one of this key."""
        shown, size = self._bounded(message)
        found = self._messages.get(key) or self._new(key, shown)
        found.message, found.complete, found.pending = shown, True, ""
        if found is self._running:
            self._running = None
        self._resized(found, size)
        return found

    def add(self, step: TextAdded) -> tuple[KeptMessage, str]:
        """More of a text, and what may be shown of it now."""
        found = self._messages.get(step.key)
        if found is None or not isinstance(found.message, _TEXTS[step.type]):
            found = self._new(step.key, _TEXTS[step.type](text=""))
        shown, found.pending = self._hidden.split(found.pending + step.text)
        found.complete, self._running = False, found
        return found, self._grown(found, shown)

    def finish(self, but: str = "") -> KeptMessage | None:
        """The text that was going on is complete, unless its key is this one; it, with all that waited to be shown."""
        found = self._running
        if found is None or found.key == but:
            return None
        self._running = None
        waiting, found.pending = self._hidden.hide(found.pending), ""
        self._grown(found, waiting)
        found.complete = True
        return found

    def without_secrets(self, text: str) -> str:
        """Hides secrets in other texts of the session."""
        return self._hidden.hide(text)

    def since(self, revision: int) -> Sequence[KeptMessage]:
        """Those that have changed after this revision, in their order."""
        return [one for one in self._messages.values() if one.revision > revision]

    def _new(self, key: str, message: AgentMessage) -> KeptMessage:
        self._last += 1
        found = KeptMessage(self._last, key, 0, self._now_ms(), message, True, 0)
        self._messages[key] = found
        return found

    def _grown(self, found: KeptMessage, text: str) -> str:
        """The text that was added: nothing once the text has its largest size."""
        message = found.message
        if not isinstance(message, UserSaid | AgentSaid | AgentThought):
            return ""
        added = _cut(text, self._settings.message_limit - len(message.text.encode()))
        cut = message.cut or added != text
        if added or cut != message.cut:
            found.message = message.model_copy(update={"text": message.text + added, "cut": cut})
        self._resized(found, found.size + len(added.encode()))
        return added

    def _resized(self, found: KeptMessage, size: int) -> None:
        self.revision += 1
        found.revision = self.revision
        self._size += size - found.size
        found.size = size
        while len(self._messages) > self._settings.history_messages or (
            self._size > self._settings.history_bytes and len(self._messages) > 1
        ):
            oldest = self._messages.pop(next(iter(self._messages)))
            self._size -= oldest.size
            self.forgotten += 1

    def _bounded(self, message: AgentMessage) -> tuple[AgentMessage, int]:
        """Without secrets, not too large; and its size."""
        limit = self._settings.message_limit
        given: dict[str, Json] = message.model_dump(mode="json")
        if is_large := len(jsontext.dumps(given)) > limit:
            # First to about its size: there may be megabytes to be looked through.
            given |= {name: _cut(given[name], limit + _MARGIN) for name in _CUTTABLE if name in given}
            if len(jsontext.dumps(given.get("input"))) > limit:
                given["input"] = None
        fields = {name: self._hidden.hide_all(value) for name, value in given.items()}
        if is_large:
            fields |= {name: _cut(fields[name], limit) for name in _CUTTABLE if name in fields}
            fields["cut"] = True
        return type(message).model_validate(fields), len(jsontext.dumps(fields))


def _cut(value: Json, limit: int) -> str:
    text = value if isinstance(value, str) else ""
    return text.encode()[: max(0, limit)].decode("utf-8", "ignore")
