"""Limits of the system below which a daemon would start and serve nobody."""

from __future__ import annotations

import resource

from jackfield.api.errors import ConfigurationError

LEAST_FILES = 64
"""It takes some 30 to start; the others are connections, the store's readers, and programs."""
START_MEMORY = 256 << 20
"""Bytes of addresses that a daemon takes to start, with room for its threads; it was measured to take some 220 MiB."""


def check_limits(reserve: int = 0) -> None:
    """reserve: bytes of addresses that requests need beyond a start. Raises `ConfigurationError`."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files != resource.RLIM_INFINITY and files < LEAST_FILES:
        raise ConfigurationError(
            f"The limit of open files (`ulimit -n`) is {files}. The daemon needs at least {LEAST_FILES}, and 1,024 to "
            "serve many callers: raise the limit."
        )
    memory = resource.getrlimit(resource.RLIMIT_AS)[0]
    if memory != resource.RLIM_INFINITY and memory < START_MEMORY + reserve:
        beside = f", and {reserve >> 20} MiB for requests (daemon.memory_reserve)" if reserve else ""
        raise ConfigurationError(
            f"The limit of memory (`ulimit -v`) is {memory >> 20} MiB. The daemon needs at least {START_MEMORY >> 20} "
            f"MiB to start{beside}: raise the limit."
        )
