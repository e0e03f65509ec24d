"""The second step of a login: whether one is needed, the question, and the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial

from jackfield.api.auth import Peer
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidCredentials, InvalidInput
from jackfield.api.json_values import Json
from jackfield.api.logins import SECOND_FACTORS, FactorStart, FactorUser, SecondFactor
from jackfield.api.memos import Memos
from jackfield.api.records import record
from jackfield.api.storage import User
from jackfield_auth.external.calls import LoginCalls
from jackfield_auth.external.methods import NAME
from jackfield_auth.external.users import printable
from jackfield_auth.factors.pending import PendingLogin, PendingLogins
from jackfield_auth.factors.recovery import RecoveryCodes
from jackfield_auth.factors.totp import TotpFactor
from jackfield_auth.logins.refusals import LoginOver
from jackfield_auth.logins.throttle import Throttle
from jackfield_auth.passkeys.ceremonies import PasskeyCeremonies
from jackfield_auth.passkeys.factor import PasskeyFactor
from jackfield_auth.settings import LoginSettings, SecondFactorSettings
from jackfield_auth.users.accounts import UserAccounts

ANY_ADDRESS = "second-factor"
"""The address under which wrong answers of one user are counted together: whoever has the password may guess from many
addresses."""
WRONG_ANSWERS = "failed-second-factor"
"""The kind under which they are kept: apart, so that nobody gets rid of them by many wrong passwords of other names."""
LONGEST_KEPT = 4096


@record
class FactorChoice:
    """One line of the second step."""

    name: str
    title: str


@record
class BegunLogin:
    """A login that needs one thing more. `token`: goes back with the answer. `choices`: the factors that this user may
    answer with, none where one is to be set up first."""

    token: str
    choices: Sequence[FactorChoice]
    has_to_set_up: bool


class SecondSteps:
    """Made with the first login."""

    def __init__(self, context: PluginContext, accounts: UserAccounts, throttle: Throttle) -> None:
        self._context = context
        self._accounts = accounts
        self._throttle = throttle
        # By the user: a directory may take several names for one.
        self._guesses = Throttle(context.settings(LoginSettings), lambda: context.port(Memos), WRONG_ANSWERS)
        self.settings = context.settings(SecondFactorSettings)
        self._calls = LoginCalls(context.settings(LoginSettings).provider_timeout, context.log)
        self.pending = PendingLogins(context, self.settings)
        self.totp = TotpFactor(lambda: context.store, context.secrets, context.clock, self.settings.drift)
        self.ceremonies = PasskeyCeremonies(context)
        self.passkey = PasskeyFactor(self.ceremonies)
        self.recovery = RecoveryCodes(lambda: context.store, context.clock, self.settings.recovery_codes)
        self._factors: Mapping[str, SecondFactor] | None = None

    def is_demanded(self, user: User) -> bool:
        """Whether the settings want one of this user, set up or not."""
        return user.role in self.settings.roles

    async def is_needed(self, user: User) -> bool:
        """Whether the password alone does not let this user in."""
        return self.is_demanded(user) or await self.has_one(user.id)

    async def is_owed(self, user: User) -> bool:
        """Whether the settings want one of this user, who has none."""
        return self.is_demanded(user) and not await self.has_one(user.id)

    async def has_one(self, user_id: str) -> bool:
        """Whether the user has set up one or more."""
        return bool(await self.set_up(user_id))

    async def set_up(self, user_id: str) -> list[str]:
        """The user's factors, without recovery codes, by name."""
        return [factor.name for factor in (await self.factors()).values() if await self._is_set_up(factor, user_id)]

    async def factors(self) -> Mapping[str, SecondFactor]:
        """Every one but the recovery codes, ours first."""
        if self._factors is None:
            given = await asyncio.to_thread(self._context.extensions, SECOND_FACTORS)
            ours: dict[str, SecondFactor] = {self.totp.name: self.totp, self.passkey.name: self.passkey}
            self._factors = ours | {name: one for name, one in given.items() if self._is_usable(name, ours)}
        return self._factors

    async def begin(self, user: User, typed: str, provider: str, peer: Peer) -> BegunLogin | None:
        """After the password. typed: the name that was given; provider: the login, empty for our own table. None: the
        user is in."""
        choices = await self._choices(user.id)
        if not choices and not self.is_demanded(user):
            return None
        login = PendingLogin(user.id, user.version, typed, provider, peer, not choices)
        return BegunLogin(await self.pending.add(login), choices, not choices)

    async def present(self, token: str, peer: Peer) -> BegunLogin:
        """One that has begun. Raises `LoginOver`."""
        login = await self.pending.find(token, peer)
        choices = [] if login.has_to_set_up else await self._choices(login.user_id)
        return BegunLogin(token, choices, login.has_to_set_up)

    async def ask(self, token: str, peer: Peer, factor: str, origin: str) -> Mapping[str, Json]:
        """Put the question; gives what the page shows. Raises `LoginOver`, `InvalidInput` for a factor that the user
        has not, `RateLimited`, `UpstreamFailed`."""
        login = await self.pending.find(token, peer)
        user = await self.user(login)
        chosen = await self._factor(login, factor)
        # A question may cost a message to somebody: who may not answer may not ask.
        await self._guesses.check(user.id, ANY_ADDRESS)
        start: FactorStart = await self._calls.answer(factor, lambda: chosen.begin(_asked(user), origin))
        if len(start.kept) > LONGEST_KEPT:
            self._context.log.error("The second factor %s keeps more than %s bytes.", factor, LONGEST_KEPT)
            raise self._calls.broken(factor)
        await self.pending.ask(token, peer, factor, start.kept)
        return start.shown

    async def answer(self, token: str, peer: Peer, factor: str, answer: str, client: str) -> User:
        """The user, who is in. Raises `LoginOver`, `InvalidInput`, `InvalidCredentials` for a wrong answer,
        `RateLimited` before it is looked at, `UpstreamFailed`."""
        login = await self.pending.find(token, peer)
        user = await self.user(login)
        chosen = await self._factor(login, factor)
        async with (
            self._guesses.attempt(user.id, ANY_ADDRESS),
            self._throttle.attempt(login.typed, client, login.provider),
        ):
            kept = await self.pending.take_kept(token, peer, factor)
            if not await self._calls.answer(factor, lambda: chosen.verify(_asked(user), answer, kept)):
                raise InvalidCredentials("The answer is wrong, is too old, or has been used.")
        await self.pending.take(token)
        return user

    async def user(self, login: PendingLogin) -> User:
        """Of a login that is under way. Raises `LoginOver` when the user has changed since."""
        user = await self._context.store.user(login.user_id)
        if user is None or user.disabled or user.version != login.version:
            raise LoginOver
        return user

    async def reset(self, user_id: str) -> User:
        """Take every factor from the user, and end the user's sessions. Raises `NotFound`."""
        await self._accounts.get(user_id)
        await self.forget(user_id)
        return await self._accounts.revoke(user_id)

    async def forget(self, user_id: str) -> None:
        """Take every factor from the user."""
        for factor in (await self.factors()).values():
            await self._calls.answer(factor.name, partial(factor.reset, user_id))
        await self.recovery.reset(user_id)

    async def _choices(self, user_id: str) -> list[FactorChoice]:
        known, mine = await self.factors(), await self.set_up(user_id)
        found = [FactorChoice(name, printable(str(known[name].title)) or name) for name in mine]
        if found and await self.recovery.is_set_up(user_id):
            found.append(FactorChoice(self.recovery.name, self.recovery.title))
        return found

    async def _is_set_up(self, factor: SecondFactor, user_id: str) -> bool:
        return await self._calls.answer(factor.name, partial(factor.is_set_up, user_id))

    async def _factor(self, login: PendingLogin, name: str) -> SecondFactor:
        choices = [] if login.has_to_set_up else await self._choices(login.user_id)
        if not any(choice.name == name for choice in choices):
            names = ", ".join(choice.name for choice in choices) or "set one up first"
            raise InvalidInput("This user has no such second factor.", details={"factor": f"choose: {names}"})
        return self.recovery if name == self.recovery.name else (await self.factors())[name]

    def _is_usable(self, name: str, ours: Mapping[str, SecondFactor]) -> bool:
        if name in ours or name == self.recovery.name or not NAME.fullmatch(name):
            self._context.log.error("The second factor %r is left out: its name is not usable or not free.", name)
            return False
        return True


def _asked(user: User) -> FactorUser:
    return FactorUser(user.id, user.username)
