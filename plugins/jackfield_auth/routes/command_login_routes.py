"""`/api/v1/auth/command-logins`: a person sees which command line asks to be let in, and decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast
from urllib.parse import urlencode

from quart import Blueprint, Response

from jackfield.api.auth import OWNER, Principal
from jackfield.api.clock import iso
from jackfield.api.errors import AccessDenied, Conflict, InvalidCredentials, InvalidInput, NotFound, RateLimited
from jackfield.api.http import audit_notes, client_address, operation, principal, read_model
from jackfield.api.object_references import load
from jackfield.api.storage import User
from jackfield_auth.logins.throttle import Throttle
from jackfield_auth.routes.answers import answer, caller_by
from jackfield_auth.routes.browser_entry import no_store
from jackfield_auth.settings import CommandLoginSettings, LoginSettings

if TYPE_CHECKING:
    from jackfield_auth.command_logins.book import CommandLogins
    from jackfield_auth.command_logins.records import CommandRequest
    from jackfield_auth.routes.command_login_schemas import CommandDecisionBody
    from jackfield_auth.service import AuthService

_SCHEMAS = "jackfield_auth.routes.command_login_schemas"
_TAGS = ("auth",)
_GONE = "There is no such code. It may have ended, or somebody has decided. Run the command again."
_MOST_USERS = 100


class CommandLoginRoutes:
    """For whoever is logged in as a person: no API key makes another one."""

    def __init__(self, auth: AuthService) -> None:
        self._auth = auth
        self._settings = auth.context.settings(CommandLoginSettings)
        self._guesses = Throttle(auth.context.settings(LoginSettings), auth.memos, "failed-user-code")

    @property
    def _book(self) -> CommandLogins:
        return self._auth.context.port(
            cast("type[CommandLogins]", load("jackfield_auth.command_logins.book:CommandLogins"))
        )

    @operation(
        "Show a command line that asks to be let in",
        operation_id="getCommandLogin",
        scope=None,
        response=f"{_SCHEMAS}:CommandLoginView",
        tags=_TAGS,
        errors=(NotFound, RateLimited),
    )
    async def read(self, code: str) -> Response:
        caller = _person()
        asked = await self._found(caller, code)
        users = await self._auth.accounts.all() if caller.user_id == OWNER.user_id else []
        made = cast("type", load(f"{_SCHEMAS}:CommandLoginView"))
        return no_store(
            answer(
                made(
                    name=asked.name,
                    address=asked.address,
                    begun_at=iso(asked.begun),
                    username=caller.username,
                    scopes=list(asked.scopes),
                    expires_after=self._settings.expiration,
                    users=[user.username for user in users if not user.disabled][:_MOST_USERS],
                )
            )
        )

    @operation(
        "Let a command line in, or not; the answer says where the browser goes",
        operation_id="decideCommandLogin",
        act="command-login.decide",
        scope=None,
        request=f"{_SCHEMAS}:CommandDecisionBody",
        response=f"{_SCHEMAS}:CommandDecisionView",
        tags=_TAGS,
        errors=(Conflict, NotFound, RateLimited),
    )
    async def decide(self, code: str) -> Response:
        caller = _person()
        body: CommandDecisionBody = await read_model(f"{_SCHEMAS}:CommandDecisionBody")
        asked = await self._found(caller, code)
        user = await self._user(caller, body, asked) if body.allow else None
        if await self._book.take(code) is None:
            raise NotFound(_GONE)
        audit_notes().name = asked.name
        redirect = await self._allow(asked, user) if user is not None else await self._refuse(asked)
        made = cast("type", load(f"{_SCHEMAS}:CommandDecisionView"))
        return no_store(answer(made(redirect=redirect)))

    async def _found(self, caller: Principal, code: str) -> CommandRequest:
        """Raises `NotFound`, and `RateLimited` for somebody who guesses."""
        if not self._settings.enabled:
            raise NotFound("Logins of command lines are switched off (security.command_logins.enabled).")
        try:
            async with self._guesses.attempt(caller.user_id, client_address()) as attempt:
                attempt.is_half = True  # a code of one's own must not make earlier guesses forgotten
                found = await self._book.find(code)
                if found is None:
                    raise InvalidCredentials
                return found
        except InvalidCredentials:
            raise NotFound(_GONE) from None

    async def _user(self, caller: Principal, body: CommandDecisionBody, asked: CommandRequest) -> User:
        """Raises `InvalidInput`, `AccessDenied` for a scope that the user does not have, `Conflict`."""
        if not self._auth.keys_enabled:
            raise AccessDenied("API keys are switched off (security.api_keys.enabled).")
        if caller.user_id != OWNER.user_id:
            if body.username not in (None, caller.username):
                raise InvalidInput(
                    "A key of your login is yours.", details={"username": "leave it out, or give your own name"}
                )
            user = await self._auth.accounts.get(caller.user_id)
        elif not body.username:
            raise InvalidInput(
                "The daemon's own user has no keys. Choose a user, or make one with `jackfield user add`.",
                details={"username": "is missing"},
            )
        else:
            user = await self._auth.accounts.named(body.username)
        if user.disabled:
            raise Conflict(f"The user {user.username} is disabled. `jackfield user enable` lets them in again.")
        for scope in asked.scopes:
            Principal(user.id, user.username, user.role, caller.method).require(scope)
        return user

    async def _allow(self, asked: CommandRequest, user: User) -> str | None:
        code = await self._book.allow(asked, user)
        self._auth.context.log.info("A command line at %s was let in as user %s.", asked.address, user.id)
        return _address(asked, {"code": code}) if code else None

    async def _refuse(self, asked: CommandRequest) -> str | None:
        await self._book.refuse(asked)
        return None if asked.device else _address(asked, {"error": "access_denied"})


def _person() -> Principal:
    """Raises `AccessDenied` for a credential that a person has not just logged in with."""
    caller = principal()
    if caller.user_id == OWNER.user_id and not caller.is_limited:
        return caller
    return caller_by("jwt", "session")


def _address(asked: CommandRequest, told: dict[str, str]) -> str:
    return f"http://127.0.0.1:{asked.port}/callback?{urlencode({**told, 'state': asked.state})}"


def command_login_routes(auth: AuthService) -> Blueprint:
    views = CommandLoginRoutes(auth)
    routes = Blueprint("command_logins", __name__, url_prefix="/api/v1/auth/command-logins")
    routes.add_url_rule("/<code>", view_func=views.read, methods=["GET"])
    routes.add_url_rule("/<code>", view_func=views.decide, methods=["POST"])
    return routes
