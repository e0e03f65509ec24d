"""How a user gets a second factor and gives it back. Both happen in a session that has begun lately, or within a login
that cannot end without a factor."""

from __future__ import annotations

import asyncio

from jackfield.api.auth import OWNER, SESSION, Peer, Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, Conflict, InvalidInput
from jackfield.api.memos import Memos, Room
from jackfield.api.records import record
from jackfield.api.storage import User
from jackfield_auth.factors.drawing import drawn
from jackfield_auth.factors.second_steps import SecondSteps
from jackfield_auth.factors.totp import address_of, new_secret
from jackfield_auth.logins.refusals import LoginOver
from jackfield_auth.sessions.browser_sessions import BrowserSessions
from jackfield_auth.settings import SessionSettings
from jackfield_auth.users.accounts import UserAccounts

KIND = "totp-setup"


class LoginNotFresh(AccessDenied):
    """This needs a login of the last minutes; log in again."""

    code = "LOGIN_NOT_FRESH"


@record
class FactorOwner:
    """The user who sets something up."""

    user: User
    session: str
    """Id of the one that it happens in; empty: it happens in the login whose token is `pending`."""
    pending: str
    provider: str = ""
    """The one at which that login began; empty for our own table."""


@record
class NewAuthenticator:
    """Data that an authenticator app needs. secret: base32, to type; address: what the picture says; picture: SVG."""

    secret: str
    address: str
    picture: str


@record
class FactorDone:
    """A factor is set up."""

    user: User
    """With the version that counts now."""
    codes: list[str]
    """New recovery codes, none where there are some."""
    begins: bool
    """Whether the login of the user is over with that, and a session begins."""
    provider: str = ""
    """Of that login."""


class FactorSetups:
    """Each change ends the user's other sessions and tokens, which have not proved the factor."""

    def __init__(
        self, context: PluginContext, accounts: UserAccounts, steps: SecondSteps, sessions: BrowserSessions
    ) -> None:
        self._context = context
        self._accounts = accounts
        self._steps = steps
        self._sessions = sessions
        self._fresh = context.settings(SessionSettings).fresh_time

    async def owner(self, caller: Principal | None, pending: str, peer: Peer) -> FactorOwner:
        """The user who sets up. Raises `LoginNotFresh`, `LoginOver`, and `AccessDenied` for a credential that is no
        session."""
        # A browser of the daemon's own user has no session either, and is that user to the gate.
        if caller is None or (pending and caller.method == OWNER.method):
            login = await self._steps.pending.find(pending, peer)
            if not login.has_to_set_up:
                raise LoginOver("Answer with your second factor first.")
            return FactorOwner(await self._steps.user(login), "", pending, login.provider)
        self.require_fresh(caller)
        return FactorOwner(await self._accounts.get(caller.user_id), str(caller.claims["session"]), "")

    def require_fresh(self, caller: Principal) -> None:
        """Raises `LoginNotFresh`, and `AccessDenied` for a credential that is no session of a user."""
        if caller.user_id == OWNER.user_id:
            raise AccessDenied("The daemon's own user logs in with nothing, and is none of the users.")
        if caller.method != SESSION:
            raise AccessDenied("This needs a browser's session; another credential does not do.")
        if not self.is_fresh(caller):
            raise LoginNotFresh

    def is_fresh(self, caller: Principal) -> bool:
        """Whether the session has begun lately."""
        began = caller.claims.get("created_at")
        return isinstance(began, int) and self._context.clock.now_ms() - began <= self._fresh * 1000

    async def begin_totp(self, owner: FactorOwner) -> NewAuthenticator:
        """Raises `Conflict` when there is one."""
        if await self._steps.totp.is_set_up(owner.user.id):
            raise Conflict("You have an authenticator app already; remove it first.")
        secret = new_secret()
        sealed = await asyncio.to_thread(self._context.secrets.seal, secret.encode())
        room = Room(self._steps.settings.pending)
        await self._context.port(Memos).put_memo(KIND, owner.user.id, sealed, self._steps.settings.timeout, room)
        address = address_of(secret, owner.user.username)
        return NewAuthenticator(secret, address, await asyncio.to_thread(drawn, address))

    async def finish_totp(self, owner: FactorOwner, code: str) -> FactorDone:
        """code: of the app, which has read the secret. Raises `InvalidInput` for a wrong one, `Conflict`."""
        memos, user_id = self._context.port(Memos), owner.user.id
        sealed = await memos.memo(KIND, user_id)
        if sealed is None:
            raise Conflict("The setup took too long; begin again.")
        secret = self._context.secrets.open(sealed).decode()
        step = self._steps.totp.step_of(secret, code)
        if step is None:
            raise InvalidInput(
                "The code is not the one of this secret; compare the clocks of the device and the daemon.",
                details={"code": "is wrong or too old"},
            )
        if await memos.take_memo(KIND, user_id) is None:
            raise Conflict("The setup was finished elsewhere.")
        if owner.pending:
            await self._steps.pending.take(owner.pending)
        await self._steps.totp.set_up(user_id, secret, step)
        return await self.done(owner)

    async def remove_totp(self, owner: FactorOwner) -> FactorDone:
        """Raises `Conflict` when there is none, and for the last factor where the settings want one."""
        if not await self._steps.totp.is_set_up(owner.user.id):
            raise Conflict("You have no authenticator app.")
        await self.keep_one(owner.user, self._steps.totp.name)
        await self._steps.totp.reset(owner.user.id)
        return await self.removed(owner)

    async def new_codes(self, owner: FactorOwner) -> list[str]:
        """Recovery codes in place of the earlier ones. Raises `Conflict` without a second factor."""
        if not await self._steps.has_one(owner.user.id):
            raise Conflict("Recovery codes are for users with a second factor; set one up first.")
        return await self._steps.recovery.renew(owner.user.id)

    async def done(self, owner: FactorOwner) -> FactorDone:
        """After a factor was added."""
        codes = (
            [] if await self._steps.recovery.left(owner.user.id) else await self._steps.recovery.renew(owner.user.id)
        )
        return FactorDone(await self._continued(owner), codes, bool(owner.pending), owner.provider)

    async def removed(self, owner: FactorOwner) -> FactorDone:
        """After a factor was removed: codes without one are of no use."""
        if not await self._steps.has_one(owner.user.id):
            await self._steps.recovery.reset(owner.user.id)
        return FactorDone(await self._continued(owner), [], begins=False)

    async def keep_one(self, user: User, but: str) -> None:
        """Raises `Conflict` when the settings want a second factor of this user, and there is none but this."""
        if not self._steps.is_demanded(user):
            return
        if not [factor for factor in await self._steps.set_up(user.id) if factor != but]:
            raise Conflict("You need a second factor (security.second_factor.roles); set another one up first.")

    async def _continued(self, owner: FactorOwner) -> User:
        user = await self._accounts.revoke(owner.user.id)
        if owner.session:
            await self._sessions.continue_as(owner.session, user.id, user.version)
        return user
