"""The second factor `totp`: codes of an authenticator app. Source: RFC 6238."""

from __future__ import annotations

import asyncio
import base64
import hmac
from collections.abc import Callable, Iterable

import pyotp

from jackfield.api.clock import Clock
from jackfield.api.context import Secrets
from jackfield.api.logins import FactorStart, FactorUser
from jackfield.api.storage import Store
from jackfield_auth.factors.records import UserEntries, content

KIND = "totp"
STEP = 30
"""Seconds that a code is shown for."""
DIGITS = 6
ISSUER = "Jackfield"


class TotpFactor:
    """`jackfield.api.logins.SecondFactor`. drift: steps that the device's clock may be off, to either side. A step that
    has let somebody in lets nobody in again, nor does one before it, at whichever daemon of the store."""

    name = KIND
    title = "Code of an authenticator app"

    def __init__(self, store: Callable[[], Store], secrets: Secrets, clock: Clock, drift: int) -> None:
        self.entries = UserEntries(KIND, store)
        self._secrets = secrets
        self._clock = clock
        self._drift = drift

    async def is_set_up(self, user_id: str) -> bool:
        return await self.entries.find(user_id) is not None

    async def begin(self, user: FactorUser, origin: str) -> FactorStart:
        return FactorStart({})

    async def verify(self, user: FactorUser, answer: str, kept: bytes) -> bool:
        while True:
            entry = await self.entries.find(user.id)
            if entry is None:
                return False
            found = content(entry)
            secret = await asyncio.to_thread(self._secrets.open, base64.b64decode(found["sealed"]))
            step = self.step_of(secret.decode(), answer)
            if step is None or step <= found["step"]:
                return False
            if await self.entries.change(entry, {**found, "step": step}):
                return True

    async def reset(self, user_id: str) -> None:
        await self.entries.delete(user_id)

    async def set_up(self, user_id: str, secret: str, step: int) -> None:
        """step: of the code that has confirmed it."""
        sealed = await asyncio.to_thread(self._secrets.seal, secret.encode())
        row = {"sealed": base64.b64encode(sealed).decode(), "step": step, "created_at": self._clock.now_ms()}
        await self.entries.put(user_id, row)

    def step_of(self, secret: str, answer: str) -> int | None:
        """The step whose code this is; None: of none that counts now."""
        code = "".join(answer.split())
        if len(code) != DIGITS or not code.isascii() or not code.isdigit():
            return None
        codes = pyotp.TOTP(secret, digits=DIGITS, interval=STEP)
        right = [step for step in self._steps() if hmac.compare_digest(codes.generate_otp(step), code)]
        return max(right, default=None)

    def _steps(self) -> Iterable[int]:
        now = self._clock.now_ms() // 1000 // STEP
        return range(max(0, now - self._drift), now + self._drift + 1)


def new_secret() -> str:
    """160 bits in base32, as RFC 4226 section 4 recommends."""
    return pyotp.random_base32(32)


def address_of(secret: str, username: str) -> str:
    """The `otpauth:` address that applications read from a picture."""
    return pyotp.TOTP(secret, digits=DIGITS, interval=STEP).provisioning_uri(name=username, issuer_name=ISSUER)
