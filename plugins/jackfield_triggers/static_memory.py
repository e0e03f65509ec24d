"""The memory of triggers, in their workflow's static data: a polling node in the section `node:<name>`, as n8n
has it.
"""

from __future__ import annotations

import orjson

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield.api.storage import StaticChange

_TRIES = 20
"""Of a write that executions of the workflow were faster than."""


@record
class Remembered:
    """known: the workflow's whole static data as it was read; own: of the section."""

    workflow_id: str
    section: str
    known: bytes | None
    own: dict[str, Json]

    def change(self, own: dict[str, Json]) -> StaticChange:
        """From what was read to this. Raises `NodeError` for what is no JSON."""
        sections = _sections(self.known)
        if own:
            sections[self.section] = own
        else:
            sections.pop(self.section, None)
        try:
            return StaticChange(self.workflow_id, orjson.dumps(sections), self.known)
        except TypeError:
            raise NodeError("The trigger's memory is no JSON.") from None


def of_node(node_name: str) -> str:
    """The section of a node."""
    return f"node:{node_name}"


async def remembered(context: PluginContext, workflow_id: str, section: str) -> Remembered:
    """Raises `StoreUnavailable`."""
    known = await context.store.static_data(workflow_id)
    own = _sections(known).get(section)
    return Remembered(workflow_id, section, known, own if isinstance(own, dict) else {})


async def remember(context: PluginContext, before: Remembered, own: dict[str, Json], limit: int) -> bool:
    """Store it without a start. False: somebody else has changed the section. limit: bytes. Raises `NodeError`,
    `StoreUnavailable`."""
    now = before
    for _ in range(_TRIES):
        change = checked(now.change(own), own, limit)
        if await context.store.set_static_data(change.workflow_id, change.data, change.known):
            return True
        now = await remembered(context, before.workflow_id, before.section)
        if now.own != before.own:
            return False
    raise NodeError("The trigger's memory cannot be stored: executions change the static data all the time.")


def checked(change: StaticChange, own: dict[str, Json], limit: int) -> StaticChange:
    """Raises `NodeError` for more bytes than the limit."""
    size = len(orjson.dumps(own))
    if size > limit:
        raise NodeError(f"The trigger would remember {size} bytes, more than triggers.poll_state ({limit}) allows.")
    return change


def _sections(known: bytes | None) -> dict[str, Json]:
    try:
        found = orjson.loads(known) if known else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
