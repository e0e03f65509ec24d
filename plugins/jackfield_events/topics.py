"""Which topics there are for a caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jackfield.api.auth import AGENTS_READ, Principal
from jackfield.api.errors import AccessDenied, InvalidInput
from jackfield.api.events import TOPICS

ALL = "*"
SCOPES: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(
        ("profiles", "agents", "proxy", "registry", "usage", "terminal", "agent_sessions", "approvals"), (AGENTS_READ,)
    ),
    "workflows": ("workflows:read", "executions:read"),
    "webhooks": ("webhooks:read",),
    "credentials": ("workflows:read",),
    "drafts": ("workflows:read",),
}
"""Topics -> the scopes that the same news needs where it is asked for. `system` needs none."""
MOST = 100
"""Names in one request."""


def may_see(caller: Principal, topic: str) -> bool:
    return all(caller.may(scope) for scope in SCOPES.get(topic, ()))


def expanded(caller: Principal, asked: object) -> frozenset[str]:
    """The topics that a frame names; `*` are all that the caller may see. Raises `InvalidInput`, `AccessDenied`."""
    if not isinstance(asked, list) or not asked or len(asked) > MOST:
        raise InvalidInput(f"topics must be a list of 1 to {MOST} names.")
    return frozenset(topic for name in asked for topic in _meant(caller, name))


def _meant(caller: Principal, name: object) -> Iterable[str]:
    if name == ALL:
        return (topic for topic in TOPICS if may_see(caller, topic))
    if not isinstance(name, str) or name not in TOPICS:
        raise InvalidInput(f"topics may name * and: {', '.join(TOPICS)}.")
    if not may_see(caller, name):
        raise AccessDenied(f"The topic {name} needs the scope {' and '.join(SCOPES[name])}.")
    return (name,)
