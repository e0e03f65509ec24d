"""The findings that need attention, as the API shows them."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.jsontext import Json
from jackfield.api.storage import StoredWorkflow
from jackfield.api.triggers import Start
from jackfield.api.workflows import Problem


def attention_of(problems: Sequence[Problem]) -> dict[str, Json]:
    """The key `attention`, of a workflow that needs it."""
    return {"attention": attention_view(problems)} if problems else {}


def activation_view(stored: StoredWorkflow, found: Sequence[Problem], attention: Sequence[Problem]) -> dict[str, Json]:
    """found: what keeps it from going live now; attention: what its triggers tell of a live one."""
    serious = [problem for problem in found if problem.severity != "warning"]
    reasons = list(attention) if stored.active else serious
    return {
        "id": stored.id,
        "active": stored.active,
        "activatable": not serious,
        "reasons": attention_view(reasons),
    }


def starts_view(starts: Sequence[Start]) -> list[Json]:
    return [{"node": start.node_name, "text": start.text} for start in starts]


def attention_view(problems: Sequence[Problem]) -> list[Json]:
    return [{"path": problem.path, "message": problem.message} for problem in problems]
