"""The rule that says who may answer, and the line in the log that says who has."""

from __future__ import annotations

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied

_LONGEST = 200


def require_person(caller: Principal) -> None:
    """A client of our MCP server is an agent, and might approve what it has asked for itself. Raises `AccessDenied`."""
    if caller.method.startswith("mcp_"):
        raise AccessDenied(
            "A client of the MCP server answers no approvals: a person does, in the browser or at the command line.",
            code="APPROVAL_BY_PERSON",
        )


def note_answer(context: PluginContext, caller: Principal, id: str, about: str, option: str) -> None:
    """about: who has asked."""
    told = {"approvalId": id, "userId": caller.user_id, "method": caller.method, "answer": _short(option)}
    context.log.info(
        "Approval: %s answered %s to %s.",
        _short(caller.username),
        _short(option) or "a form",
        _short(about),
        extra=told,
    )


def _short(text: str) -> str:
    cut = text[:_LONGEST]
    return cut if cut.isprintable() else ascii(cut)
