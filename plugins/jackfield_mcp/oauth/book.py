"""Clients and grants: who has registered, and who was let in by whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from jackfield.api.auth import OWNER
from jackfield.api.context import PluginContext
from jackfield.api.ids import new_id
from jackfield.api.random_texts import kept_digest
from jackfield.api.records import record, replace
from jackfield.api.storage import User
from jackfield_mcp.oauth.records import OAuthClient, OAuthGrant, client_records, grant_records
from jackfield_mcp.oauth.tokens import ACCESS, REFRESH, family_of, new_token, renewed
from jackfield_mcp.settings import McpSettings
from jackfield_mcp.stored_records import TooMany

Found = tuple[OAuthGrant, ...]


@record
class IssuedTokens:
    """They are nowhere else. lifetime: of the access token, in seconds."""

    access: str
    refresh: str
    lifetime: int
    grant: OAuthGrant


class OAuthBook:
    """One per daemon, as a part. All methods raise `StoreUnavailable`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(McpSettings)
        self._clients = client_records(context)
        self._grants = grant_records(context)

    # -- clients

    async def client(self, client_id: str) -> OAuthClient | None:
        now = self._context.clock.now_ms()
        return next((one for one in await self._clients.all() if one.id == client_id and self._lives(one, now)), None)

    def _lives(self, client: OAuthClient, now: int) -> bool:
        """One that nobody has let in is forgotten after a while."""
        return client.granted or now - client.created_at < self._settings.oauth_client_age * 1000

    async def register(self, client: OAuthClient) -> None:
        """Of too many the oldest that nobody has let in goes, or else one whose grants have ended. Raises `TooMany`."""
        in_use = {grant.client_id for grant in await self._living()}

        def work(rows: tuple[OAuthClient, ...]) -> tuple[tuple[OAuthClient, ...], None]:
            kept = [one for one in rows if self._lives(one, client.created_at)]
            while len(kept) >= self._settings.oauth_clients or not self._clients.fits((*kept, client)):
                idle = [one for one in kept if not one.granted] or [one for one in kept if one.id not in in_use]
                if not idle:
                    raise TooMany
                kept.remove(min(idle, key=lambda one: one.created_at))
            return (*kept, client), None

        await self._clients.change(work)

    # -- grants

    async def _living(self) -> Found:
        now = self._context.clock.now_ms()
        return tuple(one for one in await self._grants.all() if one.until > now)

    async def grants(self, user_id: str | None) -> Sequence[OAuthGrant]:
        """user_id: None: everybody's."""
        return [one for one in await self._living() if user_id in (None, one.user_id)]

    async def grant(self, client: OAuthClient, user_id: str, version: int, scopes: Sequence[str]) -> IssuedTokens:
        """Of too many one ends of the user who has most, that which was not used for longest. Raises `TooMany`."""
        now = self._context.clock.now_ms()
        blank = OAuthGrant(
            new_id(), client.id, client.name, user_id, version, tuple(scopes), "", 0, "", "", now, now, now
        )
        issued = self._issued(blank, new_token(REFRESH))
        most = self._settings.oauth_grants

        def work(rows: Found) -> tuple[Found, None]:
            kept = [one for one in rows if one.until > now]
            while kept and (len(kept) >= most or not self._grants.fits((*kept, issued.grant))):
                kept.remove(_spare(kept))
            return (*kept, issued.grant), None

        await self._grants.change(work)
        await self._clients.change(
            lambda rows: (tuple(replace(one, granted=True) if one.id == client.id else one for one in rows), None)
        )
        return issued

    def _issued(self, grant: OAuthGrant, before: str) -> IssuedTokens:
        """before: the refresh token that ends with it, or the name of a new family."""
        now, settings = self._context.clock.now_ms(), self._settings
        access, refresh = new_token(ACCESS), renewed(before)
        made = replace(
            grant,
            access=kept_digest(access),
            access_until=now + settings.oauth_access_lifetime * 1000,
            refresh=kept_digest(refresh),
            family=kept_digest(family_of(refresh)),
            used_at=now,
            until=now + settings.oauth_refresh_lifetime * 1000,
        )
        return IssuedTokens(access, refresh, settings.oauth_access_lifetime, made)

    async def by_access(self, token: str) -> OAuthGrant | None:
        """It may have ended: see `access_until`."""
        digest = kept_digest(token)
        return next((one for one in await self._living() if one.access == digest), None)

    async def by_refresh(self, token: str) -> OAuthGrant | None:
        """None for an unknown one, and for one that was used before, however long ago. Then the whole grant ends, since
        somebody else has it (RFC 9700 section 4.14.2)."""
        digest, family = kept_digest(token), kept_digest(family_of(token))
        for one in await self._living():
            if one.refresh == digest:
                return one
            if one.family == family:
                self._context.log.warning("A refresh token was used twice; its grant %s is ended.", one.id)
                await self.end(one.id)
        return None

    async def renew(self, grant: OAuthGrant, refresh: str, scopes: Sequence[str]) -> IssuedTokens | None:
        """New tokens in place of the current ones. refresh: the current one. None: another request was quicker, or it
        has ended."""
        issued = self._issued(replace(grant, scopes=tuple(scopes)), refresh)

        def work(rows: Found) -> tuple[Found, bool]:
            if not any(one.id == grant.id and one.refresh == grant.refresh for one in rows):
                return rows, False
            return tuple(issued.grant if one.id == grant.id else one for one in rows), True

        return issued if await self._grants.change(work) else None

    async def end(self, grant_id: str, allowed: Callable[[OAuthGrant], bool] = lambda _: True) -> bool:
        """False: there is none that may be ended."""

        def work(rows: Found) -> tuple[Found, bool]:
            kept = tuple(one for one in rows if not (one.id == grant_id and allowed(one)))
            return kept, len(kept) < len(rows)

        return await self._grants.change(work)

    async def user_of(self, grant: OAuthGrant) -> User | None:
        """The user who has let it in; None for the daemon's own user, and for one who is no more what they were: see
        `still_counts`."""
        return None if grant.user_id == OWNER.user_id else await self._context.store.user(grant.user_id)

    @staticmethod
    def still_counts(grant: OAuthGrant, user: User | None) -> bool:
        """With another password or role, or disabled, a user's grants end."""
        if grant.user_id == OWNER.user_id:
            return True
        return user is not None and not user.disabled and user.version == grant.version


def _spare(grants: Sequence[OAuthGrant]) -> OAuthGrant:
    """Nobody's grants end because somebody else lets in many clients."""
    held = Counter(one.user_id for one in grants)
    most = max(held.values())
    return min((one for one in grants if held[one.user_id] == most), key=lambda one: one.used_at)
