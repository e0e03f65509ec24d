"""Sessions as the API shows them."""

from __future__ import annotations

from jackfield.api.clock import iso
from jackfield.api.json_values import Json
from jackfield_agent_sessions.session.session import AgentSession


def session_view(session: AgentSession) -> dict[str, Json]:
    """A session as the API shows it."""
    about = session.about
    found: dict[str, Json] = {
        "id": session.id,
        "profile_alias": session.alias,
        "agent_id": about.agent,
        "protocol": about.protocol,
        "state": session.state,
        "created_at": iso(about.created_ms),
        "working_dir": str(about.launch.cwd),
        "agent_session": session.name,
        "revision": session.history.revision,
    }
    if session.exit_code is not None:
        found["exit_code"] = session.exit_code
    if session.reason is not None:
        found["reason"] = session.reason
    return found
