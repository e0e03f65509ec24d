"""The second factor `passkey`."""

from __future__ import annotations

from jackfield.api.logins import FactorStart, FactorUser
from jackfield_auth.passkeys.ceremonies import PasskeyCeremonies


class PasskeyFactor:
    """`jackfield.api.logins.SecondFactor`"""

    name = "passkey"
    title = "Passkey"

    def __init__(self, ceremonies: PasskeyCeremonies) -> None:
        self._ceremonies = ceremonies

    async def is_set_up(self, user_id: str) -> bool:
        return await self._ceremonies.book.count(user_id) > 0

    async def begin(self, user: FactorUser, origin: str) -> FactorStart:
        asked = await self._ceremonies.ask(origin, user.id)
        return FactorStart({"passkey": asked.options}, asked.kept)

    async def verify(self, user: FactorUser, answer: str, kept: bytes) -> bool:
        return (await self._ceremonies.verify(answer, kept)).user_id == user.id

    async def reset(self, user_id: str) -> None:
        await self._ceremonies.book.delete_all(user_id)
