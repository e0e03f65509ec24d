"""How a user gets passkeys, and gives them back."""

from __future__ import annotations

from jackfield.api.errors import Conflict
from jackfield.api.json_values import Json
from jackfield_auth.factors.second_steps import SecondSteps
from jackfield_auth.factors.setups import FactorDone, FactorOwner, FactorSetups
from jackfield_auth.passkeys.logins import PasskeyLogins


class PasskeySetups:
    """A passkey is a login by itself, and the second factor of a password. With the first one, the password alone is
    not enough any more."""

    def __init__(self, steps: SecondSteps, setups: FactorSetups, logins: PasskeyLogins) -> None:
        self._steps = steps
        self._ceremonies = steps.ceremonies
        self._setups = setups
        self._logins = logins

    async def begin(self, owner: FactorOwner, origin: str) -> Json:
        """Options for the browser. Raises `PasskeysUnavailable`, `Conflict`."""
        asked = await self._ceremonies.ask_new(owner.user.id, owner.user.username, origin)
        await self._logins.keep_setup(_place(owner), asked.kept)
        return asked.options

    async def finish(self, owner: FactorOwner, name: str, credential: str) -> FactorDone:
        """Raises `LoginOver`, `InvalidCredentials`, `Conflict`."""
        kept = await self._logins.take_setup(_place(owner))
        if owner.pending:
            await self._steps.pending.take(owner.pending)
        await self._ceremonies.add(owner.user.id, name, credential, kept)
        return await self._setups.done(owner)

    async def remove(self, owner: FactorOwner, passkey_id: str) -> FactorDone:
        """Raises `NotFound`, and `Conflict` for the last factor where the settings want one, and for the last way to
        log in."""
        passkey = await self._ceremonies.own(owner.user.id, passkey_id)
        if await self._ceremonies.book.count(owner.user.id) == 1:
            if not owner.user.password_hash and not owner.user.provider:
                raise Conflict(
                    "You have no password, so this passkey is your only way in. Make another passkey, or ask an "
                    "administrator for a link for a password first."
                )
            await self._setups.keep_one(owner.user, self._steps.passkey.name)
        await self._ceremonies.book.delete(passkey.id)
        return await self._setups.removed(owner)


def _place(owner: FactorOwner) -> str:
    """The session or the login that a question is bound to."""
    return f"{owner.user.id} {owner.session} {owner.pending}"
