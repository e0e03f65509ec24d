"""The answer to a right password that is not enough."""

from __future__ import annotations

from jackfield.api.errors import AuthRequired


class SecondFactorNeeded(AuthRequired):
    """The password is right, and this user needs a second factor, too."""

    code = "SECOND_FACTOR_NEEDED"
