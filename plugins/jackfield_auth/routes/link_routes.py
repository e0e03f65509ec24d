"""`/api/v1/invitations` for administrators, and `/api/session/links` for whoever has got a link."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from quart import Blueprint, Response, request

from jackfield.api.audit import UNRECORDED, AuditActor, AuditedAct, AuditLog
from jackfield.api.clock import iso
from jackfield.api.errors import (
    AccessDenied,
    AuthRequired,
    Conflict,
    InvalidInput,
    JackfieldError,
    NotFound,
    StoreUnavailable,
)
from jackfield.api.http import audit_notes, client_address, operation, principal, read_model, success
from jackfield.api.http_client import is_loopback
from jackfield.api.mail import MailServerAway, is_address
from jackfield.api.projects import whole_store
from jackfield.api.records import record
from jackfield.api.storage import User
from jackfield_auth.mails.forgotten_links import PREFIX
from jackfield_auth.mails.words import invitation
from jackfield_auth.routes.answers import answer, done
from jackfield_auth.routes.browser_entry import BrowserEntry, no_store, peer
from jackfield_auth.routes.link_schemas import (
    AcceptanceBody,
    InvitationBody,
    InvitedNameBody,
    InvitedProject,
    LinkList,
    LinkTokenBody,
    LinkView,
    NewLinkView,
)
from jackfield_auth.service import AuthService

if TYPE_CHECKING:
    from jackfield_auth.invitations.links import AccountLink, NewLink

_SCHEMAS = "jackfield_auth.routes.link_schemas"
_TAGS = ("users",)
_PUBLIC = ("session",)
PAGE = "/ui/invitation"


@record
class LinkMail:
    """Whether a link went out by mail; `problem`: why not, although it was to; `is_away`: no other would either."""

    sent: bool
    problem: str | None = None
    is_away: bool = False


class LinkRoutes:
    """Links are made by administrators."""

    def __init__(self, auth: AuthService) -> None:
        self._auth = auth

    @operation(
        "List open invitations and links to reset a password, the newest first",
        operation_id="listInvitations",
        scope="admin",
        response=LinkList,
        tags=_TAGS,
        errors=(StoreUnavailable,),
    )
    async def read(self) -> Response:
        return answer(LinkList(data=[LinkView(**shown(link)) for link in await self._auth.links.all()]))

    @operation(
        "Invite somebody: gives a link that makes one user",
        operation_id="createInvitation",
        act="user.invite",
        scope="admin",
        request=InvitationBody,
        response=NewLinkView,
        status=201,
        tags=_TAGS,
        errors=(Conflict, StoreUnavailable),
    )
    async def invite(self) -> Response:
        body = await read_model(InvitationBody)
        projects = {project.id: project.role for project in body.projects}
        await self._require(projects)
        made = await self._auth.links.invite(body.label, body.role, projects, principal().user_id, body.expires_in)
        self._auth.context.log.info("The invitation %s was made by %s.", made.link.id, principal().user_id)
        return new_link(self._auth, made, await mailed(self._auth, made))

    @operation(
        "Make a link with which a user sets another password",
        operation_id="createResetLink",
        act="user.reset",
        scope="admin",
        response=NewLinkView,
        status=201,
        tags=_TAGS,
        errors=(Conflict, StoreUnavailable),
    )
    async def reset(self, user_id: str) -> Response:
        user = await self._auth.accounts.get(user_id)
        if user.provider:
            raise Conflict(f"The password of this user is kept by the login {user.provider}; change it there.")
        made = await self._auth.links.reset(user.id, user.username, principal().user_id)
        self._auth.context.log.info("A link to reset user %s was made by %s.", user.id, principal().user_id)
        return new_link(self._auth, made)

    @operation("Take a link back", operation_id="revokeInvitation", scope="admin", status=204, tags=_TAGS)
    async def revoke(self, link_id: str) -> Response:
        if not await self._auth.links.revoke(link_id):
            raise NotFound("There is no such link; it may have been used.")
        self._auth.context.log.info("The link %s was taken back by %s.", link_id, principal().user_id)
        return done()

    async def _require(self, projects: Iterable[str]) -> None:
        """Raises `InvalidInput` for a project that is not there."""
        known = {project.id for project in await whole_store(self._auth.context.store).projects()}
        for project_id in projects:
            if project_id not in known:
                raise InvalidInput(f"There is no project {project_id}.", details={"projects": "is unknown"})


class OpenedLinkRoutes:
    """The token is the credential."""

    def __init__(self, auth: AuthService) -> None:
        self._auth = auth
        self._browser = BrowserEntry(auth)

    @operation(
        "Say what a link is for",
        operation_id="readLink",
        act=UNRECORDED,
        scope="public",
        request=f"{_SCHEMAS}:LinkTokenBody",
        response=f"{_SCHEMAS}:LinkToldAnswer",
        tags=_PUBLIC,
        errors=(NotFound, StoreUnavailable),
    )
    async def read(self) -> Response:
        body = await read_model(LinkTokenBody)
        if body.token.startswith(PREFIX):
            _, user = await self._auth.forgotten.links.find(body.token)
            return no_store(success({"purpose": "reset", "username": user.username, "role": None}))
        link = await self._auth.links.find(body.token)
        is_reset = link.purpose == "reset"
        told = {"purpose": link.purpose, "username": link.label if is_reset else None}
        return no_store(success({**told, "role": None if is_reset else link.role}))

    @operation(
        "Begin to accept an invitation with a passkey in place of a password: gives the options for the browser",
        operation_id="beginLinkPasskey",
        act=UNRECORDED,
        scope="public",
        request=f"{_SCHEMAS}:InvitedNameBody",
        response=f"{_SCHEMAS}:LinkPasskeyAnswer",
        tags=_PUBLIC,
        errors=(Conflict, NotFound, StoreUnavailable),
    )
    async def passkey(self) -> Response:
        body = await read_model(InvitedNameBody)
        self._auth.logins.require_enabled()
        acceptance = self._auth.link_acceptance
        options = await acceptance.ask_passkey(body.token, body.username, self._browser.origin())
        return no_store(success({"options": options}))

    @operation(
        "Accept an invitation, which makes the user and begins a session; or set another password, which ends the "
        "user's sessions",
        operation_id="acceptLink",
        act="user.login",
        scope="public",
        request=f"{_SCHEMAS}:AcceptanceBody",
        response="jackfield_auth.routes.browser_schemas:BrowserSessionAnswer",
        tags=_PUBLIC,
        errors=(AccessDenied, AuthRequired, Conflict, NotFound, StoreUnavailable),
        headers={"Set-Cookie": "HttpOnly cookies of the session."},
    )
    async def accept(self) -> Response:
        body = await read_model(AcceptanceBody)
        self._auth.logins.require_enabled()  # else its new user would be in for one session, and never again
        if body.passkey is not None:
            made = await self._auth.link_acceptance.with_passkey(
                body.token, body.username, body.passkey_name, body.passkey
            )
            return await self._browser.enter(made.id, made.version, ["invitation", "passkey"])
        if body.password is None:
            raise InvalidInput("Choose a password or a passkey.", details={"password": "is missing"})
        if body.token.startswith(PREFIX):
            user = await self._auth.forgotten.accept(body.token, body.password)
            return await self._with_new_password(user, "forgotten")
        link, user = await self._auth.link_acceptance.with_password(body.token, body.username, body.password)
        self._auth.context.log.info("The link %s was used by user %s.", link.id, user.id)
        if link.purpose == "reset":
            return await self._with_new_password(user, link.purpose)
        return await self._entered(user, link.purpose)

    async def _with_new_password(self, user: User, proof: str) -> Response:
        """The change is a record of its own beside that of the login, and the user hears of it."""
        audit = self._auth.context.find_port(AuditLog)
        if audit is not None:
            actor = AuditActor(user.id, user.username, "login", address=client_address())
            await audit.record(
                AuditedAct("user.password", actor, kind="user", subject=user.id, name=user.username, fields=[proof])
            )
        self._auth.mail.tell_later(user, "link")
        return await self._entered(user, proof)

    async def _entered(self, user: User, proof: str) -> Response:
        audit_notes().subject, audit_notes().name = user.id, user.username
        begun = await self._auth.second_steps.begin(user, user.username, "", peer())
        if begun is not None:
            return await self._browser.wait(begun)
        return await self._browser.enter(user.id, user.version, [proof, "password"])


def shown(link: AccountLink) -> dict[str, object]:
    return {
        "id": link.id,
        "purpose": link.purpose,
        "label": link.label,
        "role": link.role or None,
        "projects": [InvitedProject(id=project_id, role=role) for project_id, role in link.projects.items()],
        "user_id": link.user_id or None,
        "created_at": iso(link.created_at),
        "expires_at": iso(link.expires_at),
    }


def address_of(auth: AuthService, token: str) -> str:
    """Where the link leads: to the host that the administrator's browser has opened, and from this machine to
    `server.public_url`. The token is in the fragment, which no browser sends and no server logs."""
    origin = request.headers.get("Origin", "")
    inside = not origin or is_loopback(urlsplit(origin).hostname or "")
    return f"{auth.context.service.public_url if inside else origin}{PAGE}#token={token}"


async def mailed(auth: AuthService, made: NewLink) -> LinkMail:
    """An invitation goes to the address that it is for. One that nobody could mail is shown as any other."""
    if not is_address(made.link.label) or not auth.mail.ready:
        return LinkMail(sent=False)
    url = auth.mail.url
    # An operator who has not said what the public address is: the browser of the administrator has opened one.
    address = f"{url}{PAGE}#token={made.token}" if auth.context.service.addressed else address_of(auth, made.token)
    try:
        await auth.mail.send(
            made.link.label, invitation(address.partition(PAGE)[0], made.link.role, address, made.link.expires_at)
        )
    except JackfieldError as exc:
        auth.context.log.warning("The invitation %s was not mailed: %s", made.link.id, exc.message)
        return LinkMail(sent=False, problem=exc.message, is_away=isinstance(exc, MailServerAway))
    return LinkMail(sent=True)


def new_link(auth: AuthService, made: NewLink, mail: LinkMail | None = None) -> Response:
    told = mail or LinkMail(sent=False)
    view = NewLinkView(
        **shown(made.link),
        address=address_of(auth, made.token),
        mailed=told.sent,
        mail_problem=told.problem,
    )
    return no_store(answer(view, 201))


def link_routes(auth: AuthService) -> Blueprint:
    views = LinkRoutes(auth)
    routes = Blueprint("account_links", __name__, url_prefix="/api/v1")
    for rule, method, view in (
        ("/invitations", "GET", views.read),
        ("/invitations", "POST", views.invite),
        ("/invitations/<link_id>", "DELETE", views.revoke),
        ("/users/<user_id>/reset-link", "POST", views.reset),
    ):
        routes.add_url_rule(rule, view_func=view, methods=[method])
    return routes


def opened_link_routes(auth: AuthService) -> Blueprint:
    views = OpenedLinkRoutes(auth)
    routes = Blueprint("opened_links", __name__, url_prefix="/api/session/links")
    for rule, view in (("/read", views.read), ("/passkey", views.passkey), ("", views.accept)):
        routes.add_url_rule(rule, view_func=view, methods=["POST"])
    return routes
