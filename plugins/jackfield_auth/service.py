"""The plugin's parts, put together once per context."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

from jackfield.api.auth import AuthMethod, Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, JackfieldError
from jackfield.api.memos import Memos
from jackfield.api.object_references import load
from jackfield.api.storage import Store, User
from jackfield_auth.keys.api_keys import ApiKeyMethod
from jackfield_auth.keys.key_usage import KeyUsage
from jackfield_auth.logins.basic import BasicMethod, VerifiedPairs
from jackfield_auth.logins.password_logins import PasswordLogins
from jackfield_auth.logins.throttle import Throttle
from jackfield_auth.sessions.account_sessions import AccountSessions
from jackfield_auth.sessions.browser_sessions import BrowserSessions
from jackfield_auth.sessions.cookies import cookie_port
from jackfield_auth.sessions.open_codes import OpenCodes
from jackfield_auth.sessions.session_method import SessionMethod
from jackfield_auth.settings import (
    ApiKeysSettings,
    BasicSettings,
    JwtSettings,
    LoginSettings,
    PasswordSettings,
    SessionSettings,
)
from jackfield_auth.tokens.bearer import JwtMethod
from jackfield_auth.tokens.revocations import Revocations
from jackfield_auth.tokens.web_tokens import WebTokens
from jackfield_auth.users.accounts import UserAccounts
from jackfield_auth.users.first_admin import FirstAdmin
from jackfield_auth.users.passwords import Passwords, check_password

if TYPE_CHECKING:
    from jackfield_auth.external.departures import Departures
    from jackfield_auth.external.logins import ExternalLogins
    from jackfield_auth.external.methods import LoginMethods
    from jackfield_auth.external.redirects import Redirects
    from jackfield_auth.factors.passkey_setups import PasskeySetups
    from jackfield_auth.factors.second_steps import SecondSteps
    from jackfield_auth.factors.setups import FactorSetups
    from jackfield_auth.invitations.acceptance import LinkAcceptance
    from jackfield_auth.invitations.links import AccountLinks
    from jackfield_auth.mails.account_mail import AccountMail
    from jackfield_auth.mails.addresses import MailAddresses
    from jackfield_auth.mails.forgotten import ForgottenPasswords
    from jackfield_auth.passkeys.logins import PasskeyLogins

WARM_UP_AFTER = 0.25
"""So long after the start heavy libraries are loaded, in seconds: the daemon is ready before that."""


class AuthService:
    """Everything that routes and methods use."""

    def __init__(self, context: PluginContext) -> None:
        clock, secrets = context.clock, context.secrets
        self.context = context
        self.keys_enabled = context.settings(ApiKeysSettings).enabled
        self.passwords = Passwords(context.settings(PasswordSettings))
        login_settings = context.settings(LoginSettings)
        self.accounts = UserAccounts(
            self.store, self.passwords, clock, self._forget, self._decide, local=login_settings.local
        )
        self.first_admin = FirstAdmin(self.accounts, self.store, secrets, os.environ)
        self.throttle = Throttle(login_settings, self.memos)
        self.logins = PasswordLogins(
            self.accounts, self.throttle, self.first_admin, self._needs_more, enabled=login_settings.local
        )
        self.tokens = WebTokens(context.settings(JwtSettings), secrets, clock)
        self.revocations = Revocations(clock)
        self.usage = KeyUsage(context.settings(ApiKeysSettings), clock, self.store, context.spawn)
        self.session_settings = context.settings(SessionSettings)
        self.sessions = BrowserSessions(context, self.session_settings)
        self.account_sessions = AccountSessions(self.accounts, self.sessions)
        self.cookie_port = cookie_port(context.service.public_url)
        self.session_method = SessionMethod(self.sessions, self.cookie_port, self.store)
        self.codes = OpenCodes(self.memos)
        self.methods = self._methods()
        self._warming: asyncio.Task[None] | None = None

    @cached_property
    def _external(self) -> ExternalLogins:
        """By its place: a start needs no login."""
        made = cast("type[ExternalLogins]", load("jackfield_auth.external.logins:ExternalLogins"))
        return made(self.context, self.logins, self.accounts)

    @cached_property
    def second_steps(self) -> SecondSteps:
        """By its place: a start needs none of it."""
        made = cast("type[SecondSteps]", load("jackfield_auth.factors.second_steps:SecondSteps"))
        return made(self.context, self.accounts, self.throttle)

    async def _forget(self, user_id: str) -> None:
        await self.second_steps.forget(user_id)
        await self.mail.addresses.forget(user_id)

    async def _decide(self, user_id: str) -> None:
        await self._external.standings.bar(user_id, barred=False)

    async def _needs_more(self, user: User) -> bool:
        return await self.second_steps.is_needed(user)

    @cached_property
    def passkey_logins(self) -> PasskeyLogins:
        """By its place, as well."""
        made = cast("type[PasskeyLogins]", load("jackfield_auth.passkeys.logins:PasskeyLogins"))
        return made(self.context, self.second_steps.ceremonies)

    @cached_property
    def passkey_setups(self) -> PasskeySetups:
        """By its place, as well."""
        made = cast("type[PasskeySetups]", load("jackfield_auth.factors.passkey_setups:PasskeySetups"))
        return made(self.second_steps, self.setups, self.passkey_logins)

    @cached_property
    def links(self) -> AccountLinks:
        """By its place, as well."""
        return cast("type[AccountLinks]", load("jackfield_auth.invitations.links:AccountLinks"))(self.context)

    @cached_property
    def link_acceptance(self) -> LinkAcceptance:
        """By its place, as well."""
        made = cast("type[LinkAcceptance]", load("jackfield_auth.invitations.acceptance:LinkAcceptance"))
        ceremonies = self.second_steps.ceremonies
        addresses = self.mail.addresses
        return made(self.context, self.accounts, self.links, ceremonies, self.passkey_logins, addresses)

    @cached_property
    def mail(self) -> AccountMail:
        """By its place, as well."""
        made = cast("type[AccountMail]", load("jackfield_auth.mails.account_mail:AccountMail"))
        addresses = cast("type[MailAddresses]", load("jackfield_auth.mails.addresses:MailAddresses"))
        return made(self.context, addresses(self.store, self.context.clock))

    @cached_property
    def forgotten(self) -> ForgottenPasswords:
        """By its place, as well."""
        made = cast("type[ForgottenPasswords]", load("jackfield_auth.mails.forgotten:ForgottenPasswords"))
        return made(self.context, self.accounts, self.logins, self.mail)

    @cached_property
    def setups(self) -> FactorSetups:
        """By its place, as well."""
        made = cast("type[FactorSetups]", load("jackfield_auth.factors.setups:FactorSetups"))
        return made(self.context, self.accounts, self.second_steps, self.sessions)

    @property
    def login_methods(self) -> LoginMethods:
        return self._external.methods

    @property
    def redirects(self) -> Redirects:
        return self._external.redirects

    @property
    def departures(self) -> Departures:
        return self._external.departures

    def store(self) -> Store:
        return self.context.store

    def memos(self) -> Memos:
        return self.context.port(Memos)

    def _methods(self) -> Sequence[AuthMethod]:
        basic, clock = self.context.settings(BasicSettings), self.context.clock
        return [
            JwtMethod(self.tokens, self.revocations, self.store),
            ApiKeyMethod(self.context.settings(ApiKeysSettings), clock, self.usage, self.store),
            BasicMethod(basic, self.logins, VerifiedPairs(basic, clock), self.store),
            self.session_method,
        ]

    async def change_own_password(self, caller: Principal, current: str, new: str, client: str) -> None:
        """Raises `InvalidInput`, `InvalidCredentials` when `current` is wrong, `RateLimited` after many of these, and
        `Conflict` for a user of another login."""
        check_password(new, "new")
        present = await self.accounts.get(caller.user_id)
        if present.provider:
            raise Conflict(f"Your password is kept by the login {present.provider}; change it there.")
        user = await self.logins.verify(caller.username, current, client)
        await self.accounts.change(user.id, password=new)

    async def open(self) -> None:
        """Raises `ConfigurationError` for a first administrator that cannot be made."""
        await self.revocations.load(self.store())
        await self.sessions.load()
        await self.tokens.open()  # after the revocations: without them no token is read
        await self.first_admin.open()
        if not self.context.service.loopback:
            await self.first_admin.ensure()  # an open address is refused while there is no user
        self._warming = self.context.spawn("warm-up", self._warm_up())

    async def close(self) -> None:
        """Write what is left to write."""
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.wait({self._warming})
        for work in (self.first_admin.ensure, self.usage.flush, self.sessions.flush):
            try:
                await work()
            except JackfieldError as exc:
                self.context.log.warning("At shutdown: %s", exc.message)
        self.passwords.close()

    async def _warm_up(self) -> None:
        await self.context.clock.sleep(WARM_UP_AFTER)
        await self.first_admin.ensure()
