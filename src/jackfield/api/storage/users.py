"""The part of the store port that keeps users, their keys, variables and credentials; see `jackfield.api.storage`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ..paging import Page
from ..records import record


@record
class User:
    """version counts up with every change of password or role, which revokes the user's tokens.

    `provider`: the login that the user comes from. `subject`: the user's id there. Both are empty for users with a
    password of ours, and `password_hash` is empty for the others. `disabled`: whether nobody gets in as this user.
    """

    id: str
    username: str
    role: str
    password_hash: str
    version: int
    created_at: int
    provider: str = ""
    subject: str = ""
    display_name: str = ""
    disabled: bool = False


@record
class ApiKey:
    """`digest`: SHA-256 of the key, hex.

    `scopes`: empty = the owner's role decides. `projects`: ids of those that it reaches; empty = all the owner's.
    """

    id: str
    user_id: str
    name: str
    prefix: str
    digest: str
    scopes: tuple[str, ...]
    created_at: int
    expires_at: int | None = None
    last_used_at: int | None = None
    projects: tuple[str, ...] = ()


@record
class Variable:
    """A variable of workflows: `$vars` has its value by its key."""

    id: str
    key: str
    value: str
    created_at: int
    updated_at: int


@record
class Credential:
    """sealed: the values, encrypted by `Secrets.seal`; the store never sees them."""

    id: str
    name: str
    kind: str
    sealed: bytes
    created_at: int
    updated_at: int


class UserStore(Protocol):
    """Users, and their API keys."""

    async def add_user(self, user: User) -> None:
        """Raises `Conflict` when the name is taken, or the subject of this provider has a user."""

    async def user(self, user_id: str) -> User | None: ...

    async def user_by_name(self, username: str) -> User | None: ...

    async def user_by_identity(self, provider: str, subject: str) -> User | None:
        """The user of this subject at this provider, compared byte by byte; None for an empty provider."""

    async def users(self) -> list[User]: ...

    async def change_user(
        self,
        user_id: str,
        *,
        role: str | None = None,
        password_hash: str | None = None,
        display_name: str | None = None,
        disabled: bool | None = None,
        revoke: bool = True,
    ) -> User | None:
        """The changed user; None when unknown. revoke: count `version` up (not for a mere rehash)."""

    async def delete_user(self, user_id: str) -> bool: ...

    async def add_api_key(self, key: ApiKey) -> None: ...

    async def api_key(self, digest: str) -> ApiKey | None: ...

    async def api_keys(self, user_id: str, offset: int, limit: int) -> Page[ApiKey]: ...

    async def delete_api_key(self, key_id: str, user_id: str) -> bool: ...

    async def touch_api_keys(self, used: Mapping[str, int]) -> None:
        """Key id -> when it was used last."""

    async def revoke_token(self, token_id: str, expires_at: int) -> bool:
        """False when it was revoked already (so that a token refreshes once)."""

    async def revoked_tokens(self, now: int) -> dict[str, int]:
        """Revoked and not yet expired: token id -> expiry."""
