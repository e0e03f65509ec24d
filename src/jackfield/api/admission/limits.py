"""How many connections a process may have, and how long their requests may take to arrive."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

from jackfield.api.records import record

if TYPE_CHECKING:
    from .settings import ConnectionSettings

MOST = 4096
"""Connections, where the system allows that many files and nobody asks for more."""
LEAST_RESERVED, MOST_RESERVED = 32, 1024
"""Open files that connections leave to others, unless a setting says so."""
LEAST = 8
"""Connections, however few files there are."""


@record
class AdmissionLimits:
    """Connections and seconds.

    `owner_reserve`: of the total, for the daemon's own user alone. `highest`: number of a descriptor from which on no
    connection is taken. `keep_alive`: 0: the server sees to it.
    """

    total: int
    per_user: int
    per_address: int
    owner_reserve: int
    highest: int
    first_byte_timeout: float = 10.0
    head_timeout: float = 10.0
    request_timeout: float = 600.0
    keep_alive: float = 0.0


def file_limit() -> int:
    """How many files this process may have open."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 1 << 20 if soft == resource.RLIM_INFINITY else soft


def limits_of(settings: ConnectionSettings, files: int) -> AdmissionLimits:
    """files: that the process may have open. A total that they do not allow is lowered."""
    reserved = settings.reserved_files or min(max(files // 4, LEAST_RESERVED), MOST_RESERVED)
    highest = max(files - reserved, LEAST)
    total = min(settings.total or MOST, highest)
    return AdmissionLimits(
        total=total,
        per_user=share(total, settings.user_share),
        per_address=share(total, settings.address_share),
        owner_reserve=int(total * settings.owner_share),
        highest=highest,
        first_byte_timeout=settings.first_byte_timeout,
        head_timeout=settings.head_timeout,
        request_timeout=settings.request_timeout,
    )


def share(total: int, part: float) -> int:
    """At least one."""
    return max(1, int(total * part))
