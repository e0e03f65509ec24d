"""How many files the process may have open: a connection to a client, and one to a provider, for each request."""

from __future__ import annotations

import resource

from jackfield_proxy.child.process.log import say

OTHERS = 128
"""Besides connections: pipes, modules that are loaded, connections above the limit."""


def allow(connections: int) -> None:
    """As far as the system lets us; more connections than it has descriptors for wait to be accepted."""
    wanted = 2 * connections + OTHERS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (OSError, ValueError):
        most = soft
    if most < wanted:
        say(f"{connections} connections need {wanted} open files, and the system allows {most}")
