"""Users: made, changed, deleted, and checked against a password. For the API and the command line alike."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from jackfield.api.auth import ROLES
from jackfield.api.clock import Clock
from jackfield.api.errors import (
    AccessDenied,
    Conflict,
    InvalidCredentials,
    InvalidInput,
    NotFound,
    StoreUnavailable,
)
from jackfield.api.ids import new_id
from jackfield.api.similar_names import did_you_mean
from jackfield.api.storage import Store, User
from jackfield_auth.users.passwords import Passwords, check_password

MAX_NAME = 64
STANDING_KIND = "login-standing"
"""Entries: what the last login of a user has given; their id is the user's."""
LINK_KIND = "login-link"
"""Entries: subjects of other logins that are linked to a user, whose id is their parent."""


def check_username(username: str) -> None:
    """Raises `InvalidInput` unless it is 1 to 64 printable characters without a colon, at which Basic divides."""
    rule = f"must be 1 to {MAX_NAME} printable characters without a colon and without a space at either end"
    if not username.isprintable() or username != username.strip() or ":" in username:
        raise InvalidInput(f"The user name {rule}.", details={"username": rule})
    if not 1 <= len(username) <= MAX_NAME:
        raise InvalidInput(f"The user name {rule}.", details={"username": rule})


def check_role(role: str) -> None:
    """Raises `InvalidInput` for a role that there is not."""
    if role not in ROLES:
        rule = "must be one of " + ", ".join(ROLES)
        raise InvalidInput(f"The role {rule}.", details={"role": rule})


def require_enabled(user: User) -> User:
    """Raises `AccessDenied` for a disabled user. Ask when the user is proved: it tells that there is one."""
    if user.disabled:
        raise AccessDenied("This user is disabled; an administrator can enable it.", code="USER_DISABLED")
    return user


class UserAccounts:
    """Changes are made one after the other, so that the last administrator cannot be lost to a race."""

    def __init__(
        self,
        store: Callable[[], Store],
        passwords: Passwords,
        clock: Clock,
        forget: Callable[[str], Awaitable[None]],
        decide: Callable[[str], Awaitable[None]],
        *,
        local: bool = True,
    ) -> None:
        """`store`: asked at each use, because it comes after the plugin. `forget`: called with the id of a user who is
        deleted, for what the store's users do not hold. `decide`: called with the id of a user whom somebody enables or
        disables by hand, before that is done. From then on no login undoes it. `local`: whether a password of ours lets
        in."""
        self._local = local
        self._store = store
        self._passwords = passwords
        self._clock = clock
        self._forget = forget
        self._decide = decide
        self._changing = asyncio.Lock()

    async def verify(self, username: str, password: str) -> User:
        """The user whose password this is. Raises `InvalidCredentials`, and `AccessDenied` for a disabled user. A name
        that is unknown, or of another login, costs the same time."""
        user = await self._store().user_by_name(username)
        if user is not None and (user.provider or not user.password_hash):
            user = None
        verdict = await self._passwords.verify(password, user.password_hash if user else None)
        if user is None or not verdict.right:
            raise InvalidCredentials
        if verdict.renewed is not None:
            await self._renew(user, verdict.renewed)
        return require_enabled(user)

    async def create(self, username: str, password: str, role: str) -> User:
        """Raises `InvalidInput`, and `Conflict` when the name is taken."""
        check_username(username)
        check_role(role)
        check_password(password)
        hashed = await self._passwords.hash(password)
        user = User(new_id(), username, role, hashed, version=1, created_at=self._clock.now_ms())
        await self._store().add_user(user)
        return user

    async def change(
        self, user_id: str, *, role: str | None = None, password: str | None = None, disabled: bool | None = None
    ) -> User:
        """Ends every token of the user. Raises `NotFound`, `InvalidInput`, and `Conflict` for the last administrator
        and for what another login decides."""
        if role is not None:
            check_role(role)
        hashed = None
        if password is not None:
            check_password(password)
            hashed = await self._passwords.hash(password)
        async with self._changing:
            user = await self.get(user_id)
            new_role = role if role != user.role else None
            switched = disabled if disabled != user.disabled else None
            if user.provider and (new_role is not None or hashed is not None):
                what = "role" if hashed is None else "password"
                raise Conflict(f"The {what} of this user comes from the login {user.provider}; change it there.")
            if new_role is not None or switched:
                await self._keep_an_admin(user)
            if disabled is not None:
                await self._decide(user_id)
            if new_role is None and hashed is None and switched is None:
                return user
            changed = await self._store().change_user(user_id, role=new_role, password_hash=hashed, disabled=switched)
            return found(changed)

    async def follow(self, user_id: str, role: str, display_name: str) -> User:
        """Take over the role and the name that another login gives its user now. The last administrator stays one.
        Raises `NotFound`."""
        async with self._changing:
            user = await self.get(user_id)
            new_role = role if role != user.role and not await self.is_last_admin(user) else None
            shown = display_name if display_name != user.display_name else None
            if new_role is None and shown is None:
                return user
            return found(
                await self._store().change_user(user_id, role=new_role, display_name=shown, revoke=new_role is not None)
            )

    async def add_without_password(self, user_id: str, username: str, role: str) -> User:
        """A user with a passkey alone. Raises `InvalidInput`, and `Conflict` when the name is taken."""
        check_username(username)
        check_role(role)
        user = User(user_id, username, role, "", version=1, created_at=self._clock.now_ms())
        await self._store().add_user(user)
        return user

    async def revoke(self, user_id: str) -> User:
        """End every session and token of the user. Raises `NotFound`."""
        return found(await self._store().change_user(user_id))

    async def delete(self, user_id: str) -> None:
        """Raises `NotFound`, and `Conflict` for the last administrator. One whose data is damaged is deleted too."""
        async with self._changing:
            known = {user.id: user for user in await self._store().users()}
            await self._keep_an_admin(found(known.get(user_id)))
            await self._store().delete_user(user_id)
            await self._store().delete_entry(STANDING_KIND, user_id)
            await self._store().delete_entries(LINK_KIND, user_id)
            await self._forget(user_id)

    async def all(self) -> list[User]:
        return await self._store().users()

    async def get(self, user_id: str) -> User:
        """Raises `NotFound`."""
        return found(await self._store().user(user_id))

    async def named(self, username: str) -> User:
        """Raises `NotFound`."""
        user = await self._store().user_by_name(username)
        if user is None:
            hint = did_you_mean(username, [other.username for other in await self._store().users()])
            raise NotFound(f"There is no user {username}{hint}")
        return user

    async def is_last_admin(self, user: User) -> bool:
        """Whether nobody else who gets in is an administrator."""
        if user.role != "admin" or user.disabled:
            return False
        others = [other for other in await self._store().users() if other.id != user.id and not other.disabled]
        return not any(other.role == "admin" and (self._local or other.provider) for other in others)

    async def _keep_an_admin(self, user: User) -> None:
        if await self.is_last_admin(user):
            raise Conflict("This is the last administrator; make another user an administrator first.")

    async def _renew(self, user: User, hashed: str) -> None:
        """Keep the password's new hash, unless the password was changed while the old one was being checked."""
        async with self._changing:
            with suppress(StoreUnavailable):  # the old hash does; the next login tries again
                now = await self._store().user(user.id)
                if now is not None and now.password_hash == user.password_hash:
                    await self._store().change_user(user.id, password_hash=hashed, revoke=False)


def found(user: User | None) -> User:
    """Raises `NotFound` for none."""
    if user is None:
        raise NotFound("There is no such user.")
    return user
