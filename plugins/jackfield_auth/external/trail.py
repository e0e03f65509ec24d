"""Changes that logins make to users, for the audit log: nobody has sent a request for that."""

from __future__ import annotations

from jackfield.api.audit import AuditActor, AuditedAct, AuditLog
from jackfield.api.context import PluginContext
from jackfield.api.storage import User


class LoginTrail:
    """The actor is the login. Without an audit log nothing is recorded."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def of_user(self, act: str, login: str, user: User) -> None:
        """act: as of the route that does the same. Raises `StoreUnavailable`."""
        await self._record(
            AuditedAct(act, _actor(login), kind=act.rpartition(".")[0], subject=user.id, name=user.username)
        )

    async def of_member(self, act: str, login: str, project_id: str, user_id: str) -> None:
        """The same of a membership. Raises `StoreUnavailable`."""
        kind = act.rpartition(".")[0]
        await self._record(
            AuditedAct(act, _actor(login), kind=kind, subject=project_id, name=user_id, project=project_id)
        )

    async def _record(self, done: AuditedAct) -> None:
        audit = self._context.find_port(AuditLog)
        if audit is not None:
            await audit.record(done)


def _actor(login: str) -> AuditActor:
    return AuditActor(name=login, method="login")
