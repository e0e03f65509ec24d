"""`Mailer` over SMTP. Each mail has its own connection: the daemon sends few, and keeps nothing open for them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.errors import RateLimited
from jackfield.api.events import until_stopping
from jackfield.api.futures import first_of
from jackfield.api.mail import Letter, Mailer, MailNotSetUp, MailServerAway
from jackfield.api.object_references import load
from jackfield.api.secret_places import GivenSecret
from jackfield_mail.settings import MailSettings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Work = Callable[[PluginContext, MailSettings, str, str, Letter | None], Awaitable[None]]

_RETRY = 5
"""Seconds after which a caller may try again when too many mails wait."""


class SmtpMailer:
    """Bounded: `mail.connections` mails at a time, `mail.waiting` more wait."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self.settings = context.settings(MailSettings)
        self._turns = asyncio.Semaphore(self.settings.connections)
        self._pending = 0
        self._password = GivenSecret(context, "mail.password", self.settings.password_file, self.settings.password_env)

    @property
    def ready(self) -> bool:
        """See `Mailer`, as the other one."""
        return bool(self.settings.host)

    async def send(self, to: str, letter: Letter) -> None:
        await self._do(to, letter)

    async def look(self) -> None:
        """Connect and log in, and send nothing. Raises as `send`."""
        await self._do("", None)

    async def _do(self, to: str, letter: Letter | None) -> None:
        if not self.ready:
            raise MailNotSetUp
        if self._pending >= self.settings.connections + self.settings.waiting:
            raise RateLimited(_RETRY, "Too many mails wait for the mail server; try again in some seconds.")
        self._pending += 1
        try:
            await self._unless_stopping(to, letter)
        finally:
            self._pending -= 1

    async def _unless_stopping(self, to: str, letter: Letter | None) -> None:
        """A mail server that hangs must not hold up the stop: the request that waits for it would lose its record."""
        async with first_of(self._in_turn(to, letter), until_stopping(self._context.events)) as (mail, _):
            if not mail.done():
                raise MailServerAway("The daemon stops before the mail server has taken the mail.")
            mail.result()

    async def _in_turn(self, to: str, letter: Letter | None) -> None:
        try:
            async with asyncio.timeout(self.settings.timeout):
                await self._turns.acquire()
        except TimeoutError:
            raise MailServerAway(
                f"No turn came within {self.settings.timeout:g} seconds (mail.timeout): the mail server is slow."
            ) from None
        try:
            await self._in_time(to, letter)
        finally:
            self._turns.release()

    async def _in_time(self, to: str, letter: Letter | None) -> None:
        server = f"{self.settings.host}, port {self.settings.used_port}"
        try:
            async with asyncio.timeout(self.settings.timeout):
                password = await asyncio.to_thread(self._password.read)
                work = cast("Work", await asyncio.to_thread(load, "jackfield_mail.sending:send"))
                await work(self._context, self.settings, password, to, letter)
        except TimeoutError:
            raise MailServerAway(
                f"The mail server {server} took longer than {self.settings.timeout:g} seconds (mail.timeout)."
            ) from None


def mailer(context: PluginContext) -> Mailer:
    """The port."""
    return context.port(SmtpMailer)
