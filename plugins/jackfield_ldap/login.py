"""`PasswordLogin` over a directory. The library waits, so that its calls have their own threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.errors import UpstreamFailed
from jackfield.api.login_groups import GroupRow, GroupTable
from jackfield.api.logins import Identity, PasswordLogin
from jackfield.api.object_references import load
from jackfield_ldap.settings import LdapDirectory, LdapSettings

if TYPE_CHECKING:
    from jackfield_ldap.directory import DirectoryPerson, LdapClient


class LdapLogin:
    """One directory."""

    def __init__(self, context: PluginContext, directory: LdapDirectory) -> None:
        self.name = directory.name
        self.title = directory.shown_title
        self.directory = directory
        self._context = context
        self._settings = context.settings(LdapSettings)

    async def verify(self, username: str, password: str) -> Identity | None:
        """See `jackfield.api.logins.PasswordLogin`."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: self._found(username, password))

    async def look(self) -> None:
        """Raises `UpstreamFailed`, `ConfigurationError` when nobody can log in."""
        await asyncio.get_running_loop().run_in_executor(self._threads, lambda: self.client.look())

    @cached_property
    def client(self) -> LdapClient:
        """Loads the library. Raises `UpstreamFailed` where it is not installed."""
        if find_spec("ldap3") is None:
            raise UpstreamFailed(f"The directory {self.name} cannot be asked without ldap3; install jackfield[ldap].")
        made = cast("type[LdapClient]", load("jackfield_ldap.directory:LdapClient"))
        return made(self._context, self.directory, self._settings)

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        """Not those of the daemon: a directory that hangs holds up nobody else."""
        return ThreadPoolExecutor(self._settings.threads, f"ldap-{self.name}")

    def _found(self, username: str, password: str) -> Identity | None:
        """On a thread: to compare the DNs of many groups takes its time, too."""
        person = self.client.person(username, password)
        return None if person is None else self._identity(person)

    def _identity(self, person: DirectoryPerson) -> Identity:
        table, groups = self._table, [self._spelled(group) for group in person.groups]
        return Identity(
            person.id,
            person.name,
            table.role(groups),
            projects=table.memberships(groups),
            makes_user=self.directory.create_users,
        )

    @cached_property
    def _table(self) -> GroupTable:
        rows = [row if row.group == "*" else respelled(row, self._spelled(row.group)) for row in self.directory.groups]
        return GroupTable(rows, folds=True)

    def _spelled(self, group: str) -> str:
        """DNs have several spellings."""
        if self.directory.group_attribute:
            return group
        folded = cast("Callable[[str], str]", load("jackfield_ldap.filters:folded_dn"))
        return folded(group)


def respelled(row: GroupRow, group: str) -> GroupRow:
    """The same row with another spelling of its group."""
    return row.model_copy(update={"group": group})


def logins(context: PluginContext) -> Sequence[PasswordLogin]:
    """The hook."""
    return [LdapLogin(context, directory) for directory in context.settings(LdapSettings).directories]
