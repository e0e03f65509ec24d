"""A record in the audit log for each command that changes or reveals something in the store itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import click

from jackfield.api.cli import CommandAct
from jackfield.api.errors import JackfieldError

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.core.kernel import Kernel

T = TypeVar("T")
_RECORDED = "jackfield.recorded"


def recorded(kernel: Kernel, work: Callable[[PluginContext], Awaitable[T]]) -> Callable[[PluginContext], Awaitable[T]]:
    """The work of the current command, with its record where the command is `audited`."""
    present = click.get_current_context(silent=True)
    act = None if present is None else getattr(present.command, "jackfield_act", None)
    if present is None or not isinstance(act, CommandAct):
        return work
    if present.params.get("dry_run"):
        return work
    subject = str(present.params.get(act.subject) or "") if act.subject else ""

    async def done(context: PluginContext) -> T:
        try:
            found = await work(context)
        except JackfieldError as exc:
            await record_command(kernel, act, subject, exc.code)
            raise
        if not present.meta.get(_RECORDED):  # a command may open the store several times
            await record_command(kernel, act, subject)
            present.meta[_RECORDED] = True
        return found

    return done


async def record_command(kernel: Kernel, done: CommandAct, subject: str = "", code: str = "") -> None:
    """code: of the error; empty: it went well. Raises `StoreUnavailable`."""
    import getpass  # `--help` needs none of them

    from jackfield.api.audit import AuditActor, AuditedAct, AuditLog, Outcome

    audit = kernel.ports.find(AuditLog)
    if audit is None:
        return
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = ""
    kind = done.act.rpartition(".")[0]
    actor = AuditActor("owner", name, "command")
    outcome: Outcome = "failed" if code else "success"
    await audit.record(AuditedAct(done.act, actor, outcome, kind, name=subject, code=code))
