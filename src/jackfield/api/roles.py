"""Which kinds of work a daemon takes."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Role: TypeAlias = Literal["ingress", "flows", "agents", "ui"]
ROLES: tuple[Role, ...] = get_args(Role)
"""ingress: takes calls of webhooks, forms and chats; flows: runs executions; agents: has profiles and what belongs to
them; ui: serves the browser interface."""
