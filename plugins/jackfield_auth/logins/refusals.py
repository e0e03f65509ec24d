"""Logins that do not end."""

from __future__ import annotations

from jackfield.api.errors import AuthRequired, NotFound


class SecondFactorNeeded(AuthRequired):
    """The password is right, and this user needs a second factor, too."""

    code = "SECOND_FACTOR_NEEDED"


class LoginOver(AuthRequired):
    """This login has ended or took too long; begin again."""

    code = "LOGIN_OVER"


class LinkOver(NotFound):
    """This link was used, has ended, was taken back, or is of somebody who is an administrator no more; ask an
    administrator for another one."""

    code = "LINK_OVER"
