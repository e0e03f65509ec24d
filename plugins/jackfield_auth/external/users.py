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
from jackfield.api.logins import Identity, LoginRefused
from jackfield.api.storage import PROJECT_ROLES, Store, User
from jackfield_auth.external.links import LoginLinks
from jackfield_auth.external.standings import LoginStandings
from jackfield_auth.external.trail import LoginTrail
from jackfield_auth.users.accounts import MAX_NAME, UserAccounts, found, require_enabled

LONGEST = 255
"""Characters of a subject, and of a display name."""
NO_GROUP = "You are in no group that may use Jackfield."
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
    if identity.projects is not None and not set(identity.projects.values()) <= set(PROJECT_ROLES):
        return f"its roles in projects must be among {', '.join(PROJECT_ROLES)}"
    return None if identity.role in ("", *ROLES) else f"its role must be one of {', '.join(ROLES)}, or empty"


class ExternalUsers:
    """Makes and finds them, one after the other."""

    def __init__(
        self,
        store: Callable[[], Store],
        accounts: UserAccounts,
        standings: LoginStandings,
        trail: LoginTrail,
        clock: Clock,
        log: Logger,
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._standings = standings
        self._trail = trail
        self._links = LoginLinks(store)
        self._clock = clock
        self._log = log
        self._entering = asyncio.Lock()

    async def find(self, provider: str, subject: str) -> User | None:
        """The user of a subject, by its own or linked."""
        known = await self._store().user_by_identity(provider, subject)
        return known if known is not None else await self._links.user(provider, subject)

    async def enter(self, provider: str, identity: Identity) -> User:
        """The user of a verified identity, with the role and the projects that it has now. Raises `LoginRefused` for
        who may not come in, `AccessDenied` for a disabled one."""
        async with self._entering:
            known = await self.find(provider, identity.subject)
            if known is None:
                known = await self._first(provider, identity)
            elif not identity.role:
                known = await self._without_groups(provider, known)
            else:
                known = await self._followed(provider, known, identity)
            if identity.projects is not None:
                await self._standings.follow(provider, known.id, identity.projects)
            self._log.info("User %s logged in by %s.", known.id, provider)
            return known

    async def _first(self, provider: str, identity: Identity) -> User:
        """Of a subject that nobody has yet."""
        if not identity.role:
            raise LoginRefused(NO_GROUP)
        linked = await self._links.by_email(identity.verified_email) if identity.verified_email else None
        if linked is not None:
            await self._links.link(provider, identity.subject, require_enabled(linked))
            self._log.info("User %s was linked to a subject of %s by a verified address.", linked.id, provider)
            await self._trail.of_user("user.link", provider, linked)
            return await self._followed(provider, linked, identity)
        if not identity.makes_user:
            raise LoginRefused("No user of Jackfield is linked to this account; ask an administrator.")
        return await self._new(provider, identity)

    async def _without_groups(self, provider: str, user: User) -> User:
        """Nobody who has lost the groups keeps tokens, sessions or keys. The last administrator stays, because nobody
        could let this person in again."""
        if await self._accounts.is_last_admin(user):
            self._log.warning(
                "The login %s gives user %s no role any more, who stays the last administrator: make another one.",
                provider,
                user.id,
            )
            return require_enabled(user)
        if not user.disabled:
            await self._store().change_user(user.id, disabled=True)
            await self._standings.bar(user.id, barred=True)
            await self._trail.of_user("user.disable", provider, user)
        await self._standings.follow(provider, user.id, {})
        self._log.warning("User %s lost the groups of the login %s and is disabled.", user.id, provider)
        raise LoginRefused(NO_GROUP)

    async def _followed(self, provider: str, user: User, identity: Identity) -> User:
        """Another role ends tokens and sessions, another name does not."""
        standing = await self._standings.read(user.id)
        if standing.barred:
            if user.disabled:
                user = found(await self._store().change_user(user.id, disabled=False))
                await self._trail.of_user("user.enable", provider, user)
            await self._standings.bar(user.id, barred=False)
        require_enabled(user)
        shown = printable(identity.display_name)
        followed = await self._accounts.follow(user.id, identity.role, shown)
        if followed.role != user.role:
            await self._trail.of_user("user.role.update", provider, followed)
        return require_enabled(followed)

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
            except Conflict:  # the name is somebody else's, or another daemon was quicker
                known = await self.find(provider, identity.subject)
                if known is not None:
                    return await self._followed(provider, known, identity)
                continue
            await self._trail.of_user("user.create", provider, user)
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
