"""Forgotten passwords: a question that anybody may put, a mail that only the user gets, another password."""

from __future__ import annotations

from jackfield.api.audit import AuditActor, AuditedAct, AuditLog
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, RateLimited
from jackfield.api.mail import MailNotSetUp
from jackfield.api.memos import Memos
from jackfield.api.storage import User
from jackfield_auth.logins.password_logins import PasswordLogins
from jackfield_auth.logins.throttle import Throttle
from jackfield_auth.mails.account_mail import AccountMail
from jackfield_auth.mails.forgotten_links import ForgottenLinks
from jackfield_auth.mails.words import Language, forgotten
from jackfield_auth.settings import InvitationSettings, LoginSettings
from jackfield_auth.users.accounts import UserAccounts
from jackfield_auth.users.passwords import check_password

QUESTIONS, MAILS = "forgotten-question", "forgotten-mail"
"""Kinds under which they are counted: apart from failed logins, so that who has failed may still ask."""
PAGE = "/ui/invitation"
_REFUSAL = "You have asked for another password too often; try again later."


class ForgottenPasswords:
    """The answer to a question is the same for every name, and comes before anybody looks for the user."""

    def __init__(
        self, context: PluginContext, accounts: UserAccounts, logins: PasswordLogins, mail: AccountMail
    ) -> None:
        self._context = context
        self._accounts = accounts
        self._logins = logins
        self._mail = mail
        self.links = ForgottenLinks(context)
        self._settings = context.settings(InvitationSettings)
        limits = context.settings(LoginSettings)
        of_user = {"failures": self._settings.forgotten_mails, "window": self._settings.forgotten_lifetime}
        self._questions = Throttle(limits, self._memos, QUESTIONS, _REFUSAL)
        self._mails = Throttle(limits.model_copy(update=of_user), self._memos, MAILS, _REFUSAL)
        self._pending = 0

    @property
    def offered(self) -> bool:
        """Whether the login page shows it."""
        return self._logins.enabled and self._mail.ready

    async def ask(self, typed: str, language: Language, client: str) -> None:
        """typed: a user name or a mail address; phones add blanks. Raises `MailNotSetUp`, `LocalLoginOff`,
        `RateLimited`."""
        typed = typed.strip()
        self._logins.require_enabled()
        if not self._mail.ready:
            raise MailNotSetUp
        await self._questions.count(typed, client)
        if self._pending >= self._settings.forgotten_waiting:
            raise RateLimited(5, "Too many mails wait; try again in some seconds.")
        self._pending += 1
        self._context.spawn("forgotten password", self._answer(typed, language, client))

    async def change_address(self, user: User, address: str) -> str:
        """The address from now on, with an empty `address` that of the name. Links that went to the earlier one end,
        and it gets a notice. Raises `InvalidInput`, `Conflict`."""
        before = await self._mail.addresses.of(user)
        await self._mail.addresses.put(user.id, address)
        now = await self._mail.addresses.of(user)
        if before != now:
            await self.links.end_all(user.id)
            if before:
                self._mail.tell_later(user, "address", before)
        return now

    async def accept(self, token: str, password: str) -> User:
        """The user with the new password; all sessions and tokens have ended. Raises `LinkOver`, `InvalidInput`."""
        check_password(password)
        link, user = await self.links.take(token)
        try:
            changed = await self._accounts.change(user.id, password=password)
        except BaseException:
            await self.links.put_back(token, link)
            raise
        await self.links.end_all(user.id)
        return changed

    async def _answer(self, typed: str, language: Language, client: str) -> None:
        try:
            for user in await self._mail.addresses.users(typed):
                await self._mail_to(user, language, client)
        finally:
            self._pending -= 1

    async def _mail_to(self, user: User, language: Language, client: str) -> None:
        log = self._context.log
        try:
            to = "" if user.provider or user.disabled else await self._mail.addresses.of(user)
            if not to:
                log.info("User %s gets no mail for another password: no address, or not a user of ours.", user.id)
                return
            await self._mails.count(user.id, "")
            await self._record(user, client)
            token, link = await self.links.make(user)
            address = f"{self._mail.url}{PAGE}#token={token}"
            try:
                await self._mail.send(to, forgotten(language, self._mail.url, user.username, address, link.ends))
            except BaseException:
                await self.links.end(token)
                raise
            log.info("User %s got a mail for another password.", user.id)
        except JackfieldError as exc:
            log.warning("User %s got no mail for another password: %s", user.id, exc.message)

    async def _record(self, user: User, client: str) -> None:
        audit = self._context.find_port(AuditLog)
        if audit is not None:
            actor = AuditActor(method="login", address=client)
            await audit.record(AuditedAct("user.forgot", actor, kind="user", subject=user.id, name=user.username))

    def _memos(self) -> Memos:
        return self._context.port(Memos)
