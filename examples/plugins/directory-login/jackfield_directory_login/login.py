"""`PasswordLogin` over the directory."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.logins import Identity, LoginRefused, PasswordLogin
from jackfield_directory_login.directory import Directory, Entry
from jackfield_directory_login.settings import DirectoryLoginSettings


class DirectoryLogin:
    """`directory`: roles come from groups; of several the one that may do most counts."""

    name = "directory"

    def __init__(self, directory: Directory, settings: DirectoryLoginSettings) -> None:
        self.title = settings.title
        self._directory = directory
        self._roles = (
            ("admin", frozenset(settings.admin_groups)),
            ("member", frozenset(settings.member_groups)),
            ("viewer", frozenset(settings.viewer_groups)),
        )

    async def verify(self, username: str, password: str) -> Identity | None:
        """See `jackfield.api.logins.PasswordLogin`."""
        entry = await asyncio.to_thread(self._directory.bind, username, password)
        return None if entry is None else Identity(entry.uuid, entry.name, self._role(entry))

    def _role(self, entry: Entry) -> str:
        for role, groups in self._roles:
            if entry.groups & groups:
                return role
        raise LoginRefused("You are in no group that may use Jackfield.")


def logins(context: PluginContext) -> Sequence[PasswordLogin]:
    """The hook."""
    settings = context.settings(DirectoryLoginSettings)
    return [DirectoryLogin(Directory(context.service.config_dir / settings.file), settings)]
