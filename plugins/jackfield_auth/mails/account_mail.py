"""Mails about accounts, through the port `Mailer`."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.mail import Letter, Mailer, MailNotSetUp
from jackfield.api.storage import User
from jackfield_auth.mails.addresses import MailAddresses
from jackfield_auth.mails.words import Notice, notice


class AccountMail:
    """Sends to users and to those who are invited."""

    def __init__(self, context: PluginContext, addresses: MailAddresses) -> None:
        self._context = context
        self.addresses = addresses

    @property
    def ready(self) -> bool:
        """Whether mail is set up."""
        mailer = self._context.find_port(Mailer)
        return mailer is not None and mailer.ready

    @property
    def url(self) -> str:
        """The daemon, as mails name it. Links of strangers' requests lead nowhere else: no header of theirs counts."""
        return self._context.service.public_url

    async def send(self, to: str, letter: Letter) -> None:
        """Raises as `Mailer.send`."""
        mailer = self._context.find_port(Mailer)
        if mailer is None:
            raise MailNotSetUp
        await mailer.send(to, letter)

    async def tell(self, user: User, kind: Notice, address: str = "") -> None:
        """Tell a user of a change by somebody else. It may fail, which the log says: the change is done. address: an
        earlier one; empty: the user's."""
        if not self.ready:
            return
        try:
            to = address or await self.addresses.of(user)
            if to:
                await self.send(to, notice(kind, self.url, user.username))
        except JackfieldError as exc:
            self._context.log.warning("User %s was not told of a change by mail: %s", user.id, exc.message)

    def tell_later(self, user: User, kind: Notice, address: str = "") -> None:
        """The same beside the request."""
        if self.ready:
            self._context.spawn("notice by mail", self.tell(user, kind, address))
