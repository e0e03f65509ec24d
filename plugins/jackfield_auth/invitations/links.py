"""Links that let somebody in once: an invitation, or another password for a user.

A link is known by its digest alone: whoever makes it is shown it once.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from typing import Literal, cast

from jackfield.api import jsontext
from jackfield.api.auth import OWNER
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.ids import new_id
from jackfield.api.random_texts import kept_digest
from jackfield.api.records import record
from jackfield.api.storage import Entry, ProjectRole
from jackfield_auth.logins.refusals import LinkOver
from jackfield_auth.settings import InvitationSettings

KIND = "account-link"
PREFIX = "jf_al_"
Purpose = Literal["invitation", "reset"]
_PAGE = 100


@record
class AccountLink:
    """`label`: for administrators to tell it by, such as an address. `role` and `projects` (id -> role): of the user
    that an invitation makes. `user_id`: whose password a reset is for. `created_by`: the administrator's id, empty for
    one who is none of the users. Times: Unix ms."""

    id: str
    purpose: Purpose
    digest: str
    label: str
    role: str
    projects: Mapping[str, ProjectRole]
    user_id: str
    created_by: str
    created_at: int
    expires_at: int


@record
class NewLink:
    """token: for the address's fragment. It is nowhere else."""

    link: AccountLink
    token: str


class AccountLinks:
    """Bounded: of more than `security.invitations.most` none is made. Those that have ended go with the next."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self.settings = context.settings(InvitationSettings)

    async def invite(
        self, label: str, role: str, projects: Mapping[str, ProjectRole], caller: str, lifetime: int | None
    ) -> NewLink:
        """lifetime: seconds; None: that of the settings. Raises `Conflict` when there are too many."""
        seconds = self.settings.lifetime if lifetime is None else lifetime
        return await self._make("invitation", label, role, projects, "", caller, seconds)

    async def reset(self, user_id: str, username: str, caller: str) -> NewLink:
        """Ends earlier links for this user. Raises `Conflict` when there are too many."""
        for link in await self.all():
            if link.user_id == user_id:
                await self.revoke(link.id)
        return await self._make("reset", username, "", {}, user_id, caller, self.settings.reset_lifetime)

    async def all(self) -> list[AccountLink]:
        """Those that count, the newest first; others are deleted."""
        found, now = list[AccountLink](), self._context.clock.now_ms()
        after: tuple[int, str] | None = None
        while page := await self._page(after):
            for entry in page:
                link = _link(entry)
                if link.expires_at > now:
                    found.append(link)
                else:
                    await self.revoke(link.id)
            after = (page[-1].place, page[-1].id)
        return found

    async def find(self, token: str) -> AccountLink:
        """Raises `LinkOver`."""
        link_id, _, secret = token.removeprefix(PREFIX).partition(".")
        entry = await self._context.store.entry(KIND, link_id[:64]) if token.startswith(PREFIX) and link_id else None
        if entry is None:
            raise LinkOver
        link = _link(entry)
        if not hmac.compare_digest(link.digest, kept_digest(secret)) or link.expires_at <= self._context.clock.now_ms():
            raise LinkOver
        await self._require_maker(link)
        return link

    async def take(self, link: AccountLink) -> None:
        """Use it up. Raises `LinkOver` when somebody was quicker."""
        if not await self.revoke(link.id):
            raise LinkOver

    async def put_back(self, link: AccountLink) -> None:
        """The act that it was used for did not come about."""
        await self._context.store.put_entry(_entry(link), None)

    async def revoke(self, link_id: str) -> bool:
        """False when there was none."""
        return await self._context.store.delete_entry(KIND, link_id)

    async def _make(
        self,
        purpose: Purpose,
        label: str,
        role: str,
        projects: Mapping[str, ProjectRole],
        user_id: str,
        caller: str,
        lifetime: int,
    ) -> NewLink:
        if len(await self.all()) >= self.settings.most:
            raise Conflict("There are too many open links (security.invitations.most); take some back first.")
        secret, now = secrets.token_urlsafe(32), self._context.clock.now_ms()
        ends = now + lifetime * 1000
        maker = caller if await self._context.store.user(caller) is not None else ""
        link = AccountLink(new_id(), purpose, kept_digest(secret), label, role, projects, user_id, maker, now, ends)
        await self.put_back(link)
        return NewLink(link, f"{PREFIX}{link.id}.{secret}")

    async def _require_maker(self, link: AccountLink) -> None:
        """A former administrator must not come back by their own link. Raises `LinkOver`."""
        if not link.created_by or link.created_by == OWNER.user_id:
            return
        maker = await self._context.store.user(link.created_by)
        if maker is None or maker.disabled or maker.role != "admin":
            raise LinkOver

    async def _page(self, after: tuple[int, str] | None) -> Sequence[Entry]:
        return await self._context.store.entries(KIND, "", after=after, limit=_PAGE, newest_first=True)


def _entry(link: AccountLink) -> Entry:
    row = [link.purpose, link.digest, link.label, link.role, dict(link.projects), link.user_id, link.created_by]
    return Entry(KIND, link.id, "", link.created_at, 1, jsontext.dumps([*row, link.expires_at]))


def _link(entry: Entry) -> AccountLink:
    purpose, digest, label, role, projects, user_id, created_by, expires_at = cast(
        "tuple[Purpose, str, str, str, dict[str, ProjectRole], str, str, int]", tuple(_list(entry.data))
    )
    return AccountLink(
        entry.id, purpose, digest, label, role, projects, user_id, created_by, entry.place, int(expires_at)
    )


def _list(data: bytes) -> list[object]:
    found = jsontext.loads(data)
    if not isinstance(found, list):
        raise TypeError("a link is damaged")
    return [*found]
