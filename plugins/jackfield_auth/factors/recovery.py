"""Recovery codes: each lets a user in once who has lost the second factor."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable

from jackfield.api.clock import Clock
from jackfield.api.logins import FactorStart, FactorUser
from jackfield.api.storage import Store
from jackfield_auth.factors.records import UserEntries, content

KIND = "recovery"
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without characters that look like others."""
GROUPS, GROUP = 4, 4


class RecoveryCodes:
    """`jackfield.api.logins.SecondFactor`, which is none by itself: it counts beside another one. number: of codes that
    a user is given."""

    name = KIND
    title = "Recovery code"

    def __init__(self, store: Callable[[], Store], clock: Clock, number: int) -> None:
        self.entries = UserEntries("recovery-codes", store)
        self._clock = clock
        self._number = number

    async def left(self, user_id: str) -> int:
        """How many codes are not used yet."""
        found = await self.entries.find(user_id)
        return 0 if found is None else len(content(found)["digests"])

    async def is_set_up(self, user_id: str) -> bool:
        return await self.left(user_id) > 0

    async def begin(self, user: FactorUser, origin: str) -> FactorStart:
        return FactorStart({})

    async def verify(self, user: FactorUser, answer: str, kept: bytes) -> bool:
        digest = digest_of(answer)
        while True:
            entry = await self.entries.find(user.id)
            if entry is None:
                return False
            found = content(entry)
            digests = [known for known in found["digests"] if not hmac.compare_digest(known, digest)]
            if len(digests) == len(found["digests"]):
                return False
            if await self.entries.change(entry, {**found, "digests": digests}):
                return True

    async def reset(self, user_id: str) -> None:
        await self.entries.delete(user_id)

    async def renew(self, user_id: str) -> list[str]:
        """New codes in place of all earlier ones. They are nowhere else."""
        codes = [new_code() for _ in range(self._number)]
        row = {"digests": [digest_of(code) for code in codes], "created_at": self._clock.now_ms()}
        await self.entries.put(user_id, row)
        return codes


def new_code() -> str:
    """79 random bits, so that a plain hash does."""
    groups = ("".join(secrets.choice(ALPHABET) for _ in range(GROUP)) for _ in range(GROUPS))
    return "-".join(groups)


def digest_of(code: str) -> str:
    """As it is kept; hyphens, spaces and case do not count."""
    plain = "".join(char for char in code.casefold() if char.isalnum())
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()
