"""A login with a password, as the audit log tells of it."""

from __future__ import annotations

from contextlib import suppress

from jackfield.api.errors import JackfieldError, StoreUnavailable
from jackfield.api.http import audit_notes, client_address
from jackfield.api.logins import LOCAL_LOGIN
from jackfield.api.storage import User
from jackfield_auth.service import AuthService


async def verified(auth: AuthService, provider: str | None, username: str, password: str) -> User:
    """`LoginMethods.verify`. A name that came to nothing is recorded where a user of our own table has it. Any other
    text may be a password that was typed into the wrong field, and a directory's names are not ours."""
    try:
        user = await auth.login_methods.verify(provider, username, password, client_address())
    except JackfieldError:
        with suppress(StoreUnavailable):
            tried = None if own_name(provider) else await auth.store().user_by_name(username[:200])
            if tried is not None:
                tells_of(tried)
        raise
    tells_of(user)
    return user


def tells_of(user: User) -> None:
    """The record of this login is about this user, also where the login goes no further."""
    audit_notes().subject, audit_notes().name = user.id, user.username


def own_name(provider: str | None) -> str:
    """Of a login, as failures are counted under it: empty for our own table."""
    return "" if provider is None or provider == LOCAL_LOGIN else provider
