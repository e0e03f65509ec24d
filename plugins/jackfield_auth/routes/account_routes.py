"""`/api/v1/auth/sessions`, and what administrators do with sessions and second factors of users."""

from __future__ import annotations

from quart import Blueprint, Response

from jackfield.api.auth import SESSION, Principal
from jackfield.api.clock import iso
from jackfield.api.errors import AccessDenied, NotFound, StoreUnavailable
from jackfield.api.http import operation, principal
from jackfield_auth.routes.account_schemas import LoginSessionList, LoginSessionView, SessionsEnded
from jackfield_auth.routes.answers import answer, done
from jackfield_auth.service import AuthService

_ERRORS = (StoreUnavailable,)


class AccountRoutes:
    """Of one's own sessions, and of others' for administrators."""

    def __init__(self, auth: AuthService) -> None:
        self._auth = auth

    @operation(
        "List one's own sessions of browsers, the one that was used last first",
        operation_id="listSessions",
        scope=None,
        response=LoginSessionList,
        tags=["auth"],
        errors=_ERRORS,
    )
    async def own(self) -> Response:
        caller = whole_caller()
        return await self._listed(caller.user_id, caller)

    @operation("End one of one's own sessions", operation_id="endListedSession", scope=None, status=204, tags=["auth"])
    async def end_own(self, session_id: str) -> Response:
        return await self._end(whole_caller().user_id, session_id)

    @operation(
        "End all of one's own sessions and tokens but the session that asks",
        operation_id="endOtherSessions",
        scope=None,
        response=SessionsEnded,
        tags=["auth"],
        errors=_ERRORS,
    )
    async def end_others(self) -> Response:
        caller = whole_caller()
        ended = await self._auth.account_sessions.end_all(caller.user_id, current(caller))
        return answer(SessionsEnded(ended=ended))

    @operation(
        "List a user's sessions of browsers",
        operation_id="listUserSessions",
        scope="admin",
        response=LoginSessionList,
        tags=["users"],
        errors=_ERRORS,
    )
    async def of_user(self, user_id: str) -> Response:
        return await self._listed(user_id, principal())

    @operation("End a user's session", operation_id="endUserSession", scope="admin", status=204, tags=["users"])
    async def end_of_user(self, user_id: str, session_id: str) -> Response:
        self._auth.context.log.info("A session of user %s was ended by %s.", user_id, principal().user_id)
        return await self._end(user_id, session_id)

    @operation(
        "End all sessions and tokens of a user, but the session that asks",
        operation_id="endUserSessions",
        scope="admin",
        response=SessionsEnded,
        tags=["users"],
        errors=_ERRORS,
    )
    async def end_all_of_user(self, user_id: str) -> Response:
        caller = principal()
        keep = current(caller) if caller.user_id == user_id else ""
        ended = await self._auth.account_sessions.end_all(user_id, keep)
        self._auth.context.log.info("The sessions of user %s were ended by %s.", user_id, caller.user_id)
        return answer(SessionsEnded(ended=ended))

    @operation(
        "Take every second factor from a user who has lost it; ends the user's sessions and tokens",
        operation_id="resetUserFactors",
        scope="admin",
        status=204,
        tags=["users"],
        errors=_ERRORS,
    )
    async def reset_factors(self, user_id: str) -> Response:
        if principal().user_id == user_id:  # else an old session, or a key, would get past what one's own factors want
            self._auth.setups.require_fresh(principal())
        user = await self._auth.second_steps.reset(user_id)
        if principal().user_id != user_id:
            self._auth.mail.tell_later(user, "factors")
        self._auth.context.log.info("The second factors of user %s were reset by %s.", user_id, principal().user_id)
        return done()

    async def _listed(self, user_id: str, caller: Principal) -> Response:
        found = await self._auth.account_sessions.of(user_id)
        here = current(caller)
        rows = [
            LoginSessionView(
                id=one.id,
                device=one.session.about.device,
                address=one.session.about.address,
                how=list(one.session.about.how),
                created_at=iso(one.session.created_at),
                last_seen_at=iso(one.session.used_at),
                expires_at=iso(self._auth.sessions.expires_at(one.session)[0]),
                current=one.id == here,
            )
            for one in found
        ]
        return answer(LoginSessionList(data=rows))

    async def _end(self, user_id: str, session_id: str) -> Response:
        if not await self._auth.sessions.end_listed(user_id, session_id):
            raise NotFound("There is no such session; it may have ended already.")
        return done()


def whole_caller() -> Principal:
    """Raises `AccessDenied` for a credential that gives less than its user may. Its holder must not see where the user
    logs in, and log the user out."""
    caller = principal()
    if caller.is_limited:
        raise AccessDenied("An API key with scopes or projects neither shows nor ends sessions.")
    return caller


def current(caller: Principal) -> str:
    """Id of the session that the caller came with; empty: another credential."""
    return str(caller.claims.get("session", "")) if caller.method == SESSION else ""


def account_routes(auth: AuthService) -> Blueprint:
    views = AccountRoutes(auth)
    routes = Blueprint("accounts", __name__, url_prefix="/api/v1")
    for rule, method, view in (
        ("/auth/sessions", "GET", views.own),
        ("/auth/sessions", "DELETE", views.end_others),
        ("/auth/sessions/<session_id>", "DELETE", views.end_own),
        ("/users/<user_id>/sessions", "GET", views.of_user),
        ("/users/<user_id>/sessions", "DELETE", views.end_all_of_user),
        ("/users/<user_id>/sessions/<session_id>", "DELETE", views.end_of_user),
        ("/users/<user_id>/factors", "DELETE", views.reset_factors),
    ):
        routes.add_url_rule(rule, view_func=view, methods=[method])
    return routes
