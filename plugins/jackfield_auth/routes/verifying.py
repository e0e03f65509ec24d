"""A login with a password, as the audit log tells of it."""

from __future__ import annotations

from contextlib import suppress

from jackfield.api.errors import JackfieldError, StoreUnavailable
from jackfield.api.http import audit_notes, client_address
from jackfield.api.storage import User
from jackfield_auth.service import AuthService


async def verified(auth: AuthService, provider: str | None, username: str, password: str) -> User:
    """`LoginMethods.verify`. A name that came to nothing is recorded where a user has it: any other text may be a
    password that was typed into the wrong field."""
    try:
        user = await auth.login_methods.verify(provider, username, password, client_address())
    except JackfieldError:
        with suppress(StoreUnavailable):
            if (tried := await auth.store().user_by_name(username[:200])) is not None:
                audit_notes().subject, audit_notes().name = tried.id, tried.username
        raise
    audit_notes().subject, audit_notes().name = user.id, user.username
    return user
