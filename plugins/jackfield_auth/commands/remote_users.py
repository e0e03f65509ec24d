"""The users of a daemon that runs elsewhere, for the commands: through its API, as an administrator."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from jackfield.api.clock import from_iso
from jackfield.api.errors import NotFound
from jackfield.api.management import ManagementClient
from jackfield.api.similar_names import did_you_mean
from jackfield.api.storage import User
from jackfield_auth.commands.users import UserDirectory

T = TypeVar("T")
PATH = "/users"


def on_daemon(config_dir: Path, work: Callable[[UserDirectory], Awaitable[T]]) -> T:
    """Do the work on the users of the daemon that `JACKFIELD_DAEMON_ENDPOINT` names. Raises `JackfieldError`."""

    async def worked() -> T:
        with ManagementClient(config_dir) as daemon:
            return await work(RemoteUsers(daemon))

    return asyncio.run(worked())


class RemoteUsers:
    """`UserDirectory`. It blocks: nothing else runs in a command."""

    def __init__(self, daemon: ManagementClient) -> None:
        self._daemon = daemon

    async def create(self, username: str, password: str, role: str) -> User:
        body = {"username": username, "password": password, "role": role}
        return _user(self._daemon.ask("POST", PATH, body=body))

    async def change(
        self, user_id: str, *, role: str | None = None, password: str | None = None, disabled: bool | None = None
    ) -> User:
        asked = {"role": role, "password": password, "disabled": disabled}
        body = {name: value for name, value in asked.items() if value is not None}
        return _user(self._daemon.ask("PATCH", f"{PATH}/{user_id}", body=body))

    async def delete(self, user_id: str) -> None:
        self._daemon.ask("DELETE", f"{PATH}/{user_id}")

    async def all(self) -> list[User]:
        return [_user(row) for row in self._daemon.rows(PATH)]

    async def named(self, username: str) -> User:
        """Raises `NotFound`."""
        users = await self.all()
        for user in users:
            if user.username == username:
                return user
        raise NotFound(f"There is no user {username}{did_you_mean(username, [user.username for user in users])}")


def _user(row: dict[str, Any]) -> User:  # Any: JSON of an answer
    return User(
        row["id"],
        row["username"],
        row["role"],
        password_hash="",
        version=0,
        created_at=from_iso(row["createdAt"]),
        disabled=row["disabled"],
        provider=row.get("provider") or "",
    )
