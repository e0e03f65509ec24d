"""Users of other logins. One is found by login and subject alone: a name proves nothing."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Callable, Iterator
from logging import Logger

from jackfield.api.auth import ROLES
from jackfield.api.clock import Clock
from jackfield.api.errors import Conflict
from jackfield.api.ids import new_id
from jackfield.api.logins import Identity
from jackfield.api.storage import User, UserStore
from jackfield_auth.users.accounts import MAX_NAME, found, require_enabled

LONGEST = 255
"""Characters of a subject, and of a display name."""
_TRIES = 5


def mistake(identity: object) -> str | None:
    """Why this is no identity to make a user of; None: it is one."""
    if not isinstance(identity, Identity):
        return "it is no Identity"
    if not isinstance(identity.subject, str) or not 1 <= len(identity.subject) <= LONGEST:
        return f"its subject must have 1 to {LONGEST} characters"
    if not identity.subject.isprintable():  # which also keeps what has no UTF-8 out
        return "its subject must be printable"
    if not isinstance(identity.display_name, str):
        return "its display_name must be text"
    return None if identity.role in ROLES else f"its role must be one of {', '.join(ROLES)}"


class ExternalUsers:
    """Makes and finds them, one after the other."""

    def __init__(self, store: Callable[[], UserStore], clock: Clock, log: Logger) -> None:
        self._store = store
        self._clock = clock
        self._log = log
        self._entering = asyncio.Lock()

    async def enter(self, provider: str, identity: Identity) -> User:
        """The user of a verified identity, with the role that it has now. Raises `AccessDenied` for a disabled one."""
        async with self._entering:
            known = await self._store().user_by_identity(provider, identity.subject)
            if known is None:
                return await self._new(provider, identity)
            require_enabled(known)
            return require_enabled(await self._followed(known, identity))

    async def _followed(self, user: User, identity: Identity) -> User:
        """Another role ends tokens and sessions, another name does not."""
        role = identity.role if identity.role != user.role else None
        shown = printable(identity.display_name)
        shown_now = shown if shown != user.display_name else None
        if role is None and shown_now is None:
            return user
        changed = self._store().change_user(user.id, role=role, display_name=shown_now, revoke=role is not None)
        return found(await changed)

    async def _new(self, provider: str, identity: Identity) -> User:
        for username in names(provider, identity):
            user = User(
                new_id(),
                username,
                identity.role,
                "",
                version=1,
                created_at=self._clock.now_ms(),
                provider=provider,
                subject=identity.subject,
                display_name=printable(identity.display_name),
            )
            try:
                await self._store().add_user(user)
            except Conflict:  # the name is somebody else's
                continue
            self._log.info("User %s was made for a login by %s.", user.id, provider)
            return user
        raise Conflict("No name is free for this user; log in again.")


def printable(text: str) -> str:
    """One line without control characters, at most 255 characters."""
    kept = "".join(char if char.isprintable() else " " for char in unicodedata.normalize("NFC", text))
    return " ".join(kept.split())[:LONGEST].strip()


def names(provider: str, identity: Identity) -> Iterator[str]:
    """User names to try: `ada@corp`, then with a random end. No colon, at which Basic divides."""
    shown = printable(identity.display_name).replace(":", " ").strip() or "user"
    for number in range(_TRIES):
        end = f"@{provider}" if not number else f"-{new_id().replace('-', '')[-8:]}@{provider}"
        yield shown[: MAX_NAME - len(end)].strip() + end
