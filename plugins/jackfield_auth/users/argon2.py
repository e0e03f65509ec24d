"""The library of password hashes."""

from __future__ import annotations

from passlib.context import CryptContext

from jackfield_auth.settings import PasswordSettings

NO_MEMORY = ("Memory allocation error", "Threading failure")
"""argon2's words, which passlib takes for a mistake in the stored hash."""


class Argon2:
    """argon2id at the cost of the settings. Slow by design: call it in a thread."""

    def __init__(self, settings: PasswordSettings) -> None:
        self._context = CryptContext(
            schemes=["argon2"],
            argon2__type="ID",
            argon2__memory_cost=settings.memory,
            argon2__time_cost=settings.iterations,
            argon2__parallelism=settings.lanes,
        )
        self._nobodys = self.hash("the password of no user")

    def hash(self, password: str) -> str:
        return str(self._context.hash(password))

    def verify(self, password: str, stored: str | None) -> tuple[bool, str | None]:
        """Whether the password is right, and its hash with the current parameters when the stored one has others. None
        as the stored hash is always wrong and costs the same."""
        try:
            right, renewed = self._context.verify_and_update(password, stored or self._nobodys)
        except ValueError as exc:  # a stored hash that is none, or a password that cannot be encoded
            if any(reason in str(exc) for reason in NO_MEMORY):
                raise MemoryError from None
            return False, None
        return bool(right) and stored is not None, renewed
