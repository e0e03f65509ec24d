"""For which agent a template is."""

from __future__ import annotations

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json


def require_agent(template_id: Json, only_for: Json, agent_id: Json) -> None:
    """only_for: None: every agent. Raises `InvalidInput` when the template is for another one."""
    if only_for not in (None, agent_id):
        raise InvalidInput(
            f"The template {template_id} is for the agent {only_for}.",
            code="TEMPLATE_UNFIT",
            details={"template": f"choose another, or the agent {only_for}"},
        )
