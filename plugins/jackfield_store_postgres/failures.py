"""The meaning of PostgreSQL's errors for a caller."""

from __future__ import annotations

import psycopg

from jackfield.api.errors import ConfigurationError, Conflict, StoreUnavailable
from jackfield.api.sql.writes import UNCHANGED

_LOST = "The connection to PostgreSQL was lost"
_REASONS = {
    "08": _LOST,
    "25006": "The PostgreSQL server is read-only, such as a standby",
    "28": "PostgreSQL refuses the user of store.postgres.dsn",
    "3D000": "The database of store.postgres.dsn does not exist",
    "42501": "The user of store.postgres.dsn may not do this in the database",
    "42P01": "A table of the store is missing in the database",
    "3F000": "The schema of the store is missing in the database",
    "53100": "The disk of the PostgreSQL server is full",
    "53200": "The PostgreSQL server has not enough memory",
    "53300": "The PostgreSQL server has too many connections",
    "53": "The PostgreSQL server is short of something",
    "55P03": "Another daemon holds a lock in PostgreSQL",
    "57014": "PostgreSQL took too long to answer",
    "57": "The PostgreSQL server stops or starts",
    "58": "The PostgreSQL server reports an error of its disk or system",
    "25P03": "PostgreSQL took too long to answer",
    "25P04": "PostgreSQL took too long to answer",
    "XX001": "PostgreSQL reports damaged data",
    "XX002": "PostgreSQL reports damaged data",
}
"""By SQLSTATE, or by its class."""
_CONTENDED = ("40001", "40P01")
"""Another transaction was in the way: the same statement again is enough."""
_UNTRUSTED = ("certificate", "SSL was required")
"""Words of libpq and OpenSSL when TLS is not to be had as the address asks for it."""


def _state(error: BaseException) -> str:
    return (error.sqlstate or "") if isinstance(error, psycopg.Error) else ""


def is_lost(error: BaseException) -> bool:
    """Whether the connection is gone, so that nobody knows whether a transaction that was to end has ended."""
    state = _state(error)
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and not state:
        return True
    return state[:2] in ("08", "57") and state != "57014"


def is_contended(error: BaseException) -> bool:
    return _state(error) in _CONTENDED


def is_clash(error: BaseException) -> bool:
    """Another transaction was faster with a name, or has deleted what is referred to; another look says what is so."""
    return isinstance(error, psycopg.errors.UniqueViolation | psycopg.errors.ForeignKeyViolation)


def is_outage(error: BaseException) -> bool:
    """Whether the database as a whole does not answer, rather than one operation being wrong."""
    state = _state(error)
    return is_lost(error) or state in _REASONS or state[:2] in _REASONS


def reason(error: BaseException) -> str:
    """Half a sentence."""
    state = _state(error)
    if found := _REASONS.get(state) or _REASONS.get(state[:2]):
        return found
    if _is_untrusted(error):
        return "The certificate of the PostgreSQL server is not accepted"
    return _LOST if is_lost(error) else "PostgreSQL failed"


def unavailable(error: BaseException) -> StoreUnavailable:
    """For an operation that was not done because of `error`."""
    failure = StoreUnavailable(f"{reason(error)}; {UNCHANGED}")
    failure.__cause__ = error
    return failure


def taken() -> Conflict:
    return Conflict("There is something with this id already.")


def too_many_labels(most: int) -> Conflict:
    return Conflict(
        f"As many as {most} versions of the workflow have names; take the name of one away.",
        details={"label": "there are too many"},
    )


def of_operation(error: Exception) -> Exception:
    """For an operation that is itself at fault. Anything but a taken id is our mistake and stays as it is."""
    return taken() if isinstance(error, psycopg.errors.UniqueViolation) else error


def bad_dsn() -> ConfigurationError:
    """Without libpq's words, which quote the address and with it the password."""
    return ConfigurationError(
        "store.postgres.dsn is not an address that PostgreSQL's libpq can read; write it as "
        "postgresql://user:password@host:5432/database, with special characters of the password in percent form."
    )


def unusable(error: BaseException, password: str) -> ConfigurationError | StoreUnavailable:
    """For a store that does not open."""
    said = " ".join(str(error).split())
    if password:
        said = said.replace(password, "***")
    if _is_untrusted(error):
        return ConfigurationError(
            f"There is no trusted connection to PostgreSQL ({said}). Correct the host, sslmode and sslrootcert in "
            "store.postgres.dsn, or the server's certificate."
        )
    if is_contended(error):
        return StoreUnavailable(f"Others keep PostgreSQL from changing the tables ({said}). Start again.")
    if _is_down(error, said):
        return StoreUnavailable(
            f"PostgreSQL does not answer ({said}). Start the server, or correct the host in store.postgres.dsn."
        )
    return ConfigurationError(
        f"The PostgreSQL database cannot be used ({said}). Correct user, password and database in store.postgres.dsn, "
        "and let this user make or own the schema of store.postgres.schema_name."
    )


def _is_untrusted(error: BaseException) -> bool:
    """Whether TLS failed before the server said anything."""
    return is_lost(error) and not _state(error) and any(words in str(error) for words in _UNTRUSTED)


def _is_down(error: BaseException, said: str) -> bool:
    """A server that refuses gives its own reason, marked by a severity that is in English in every language."""
    state = _state(error)
    if state:
        return is_outage(error) and state[:2] not in ("28", "3D", "42", "3F", "25")
    return "FATAL" not in said or "the database system is" in said
