"""The fate of a link that somebody has opened."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, Conflict, InvalidInput, NotFound
from jackfield.api.ids import new_id
from jackfield.api.json_values import Json
from jackfield.api.logins import folded_address
from jackfield.api.mail import is_address
from jackfield.api.projects import ProjectAccess, whole_store
from jackfield.api.storage import ProjectMember, User
from jackfield_auth.invitations.links import AccountLink, AccountLinks
from jackfield_auth.logins.refusals import LinkOver
from jackfield_auth.mails.addresses import MailAddresses
from jackfield_auth.passkeys.ceremonies import PasskeyCeremonies
from jackfield_auth.passkeys.logins import PasskeyLogins
from jackfield_auth.users.accounts import UserAccounts, check_username
from jackfield_auth.users.passwords import check_password


class LinkAcceptance:
    """A link is used up before anything is made, and comes back where that fails."""

    def __init__(
        self,
        context: PluginContext,
        accounts: UserAccounts,
        links: AccountLinks,
        ceremonies: PasskeyCeremonies,
        logins: PasskeyLogins,
        addresses: MailAddresses,
    ) -> None:
        self._context = context
        self._accounts = accounts
        self._links = links
        self._ceremonies = ceremonies
        self._logins = logins
        self._addresses = addresses

    async def with_password(self, token: str, username: str, password: str) -> tuple[AccountLink, User]:
        """The new user, or the one with the new password. Raises `LinkOver`, `InvalidInput`, `Conflict` for a name that
        is taken."""
        link = await self._links.find(token)
        check_password(password)
        if link.purpose == "reset":
            return link, await self._reset(link, password)
        check_chosen_name(username, link)
        await self._links.take(link)
        try:
            user = await self._accounts.create(username, password, link.role)
        except BaseException:
            await self._links.put_back(link)
            raise
        await self._join(link, user)
        return link, user

    async def ask_passkey(self, token: str, username: str, origin: str) -> Json:
        """Options for the browser of somebody who wants no password. Raises `LinkOver`, `PasskeysUnavailable`,
        `InvalidInput`, `Conflict` for a name that is taken."""
        link = await self._invitation(token)
        check_chosen_name(username, link)
        if await self._context.store.user_by_name(username) is not None:
            raise taken(username)
        user_id = new_id()
        asked = await self._ceremonies.ask_new(user_id, username, origin)
        await self._logins.keep_setup(_place(link, username), user_id.encode() + b" " + asked.kept)
        return asked.options

    async def with_passkey(self, token: str, username: str, name: str, credential: str) -> User:
        """The new user, who has a passkey and no password. Raises `LinkOver`, `LoginOver`, `InvalidCredentials`,
        `Conflict`."""
        link = await self._invitation(token)
        user_id, _, kept = (await self._logins.take_setup(_place(link, username))).partition(b" ")
        passkey = await self._ceremonies.add(user_id.decode(), name, credential, kept)
        try:
            await self._links.take(link)
            try:
                user = await self._accounts.add_without_password(passkey.user_id, username, link.role)
            except BaseException:
                await self._links.put_back(link)
                raise
        except BaseException:
            await self._ceremonies.book.delete(passkey.id)
            raise
        await self._join(link, user)
        return user

    async def _invitation(self, token: str) -> AccountLink:
        link = await self._links.find(token)
        if link.purpose != "invitation":
            raise InvalidInput("This link is for another password.", details={"password": "is missing"})
        return link

    async def _reset(self, link: AccountLink, password: str) -> User:
        user = await self._context.store.user(link.user_id)
        if user is None:
            await self._links.revoke(link.id)
            raise LinkOver
        if user.disabled:
            raise AccessDenied("This user is disabled; an administrator can enable it.", code="USER_DISABLED")
        await self._links.take(link)
        try:
            return await self._accounts.change(user.id, password=password)
        except BaseException:
            await self._links.put_back(link)
            raise

    async def _join(self, link: AccountLink, user: User) -> None:
        if is_address(link.label) and link.label != user.username:
            await self._addresses.put(user.id, link.label)
        if not link.projects:
            return
        store = whole_store(self._context.store)
        for project_id, role in link.projects.items():
            try:
                await store.put_project_member(ProjectMember(project_id, user.id, role))
            except NotFound:
                self._context.log.warning("The project %s of an invitation is not there any more.", project_id)
        access = self._context.find_port(ProjectAccess)
        if access is not None:
            await access.changed()


def check_chosen_name(username: str, link: AccountLink) -> None:
    """Raises `InvalidInput`, also for another person's address: a provider that verifies it later would link that
    person to this user, whose password somebody else has."""
    check_username(username)
    if "@" in username and folded_address(username) != folded_address(link.label):
        raise InvalidInput(
            "A user name with @ must be the address that the invitation is for.",
            details={"username": "has an @, and is not the address of the invitation"},
        )


def taken(username: str) -> Conflict:
    return Conflict(f"There is a user named {username} already.", details={"username": "is taken"})


def _place(link: AccountLink, username: str) -> str:
    return f"link {link.id} {username}"
