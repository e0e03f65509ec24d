"""Names of packages, as npm and users write them."""

from __future__ import annotations

import re

from jackfield.api.errors import InvalidInput

_NAME = re.compile(r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*", re.ASCII)
_OLD_NAME = re.compile(r"(?:@[A-Za-z0-9~-][A-Za-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*", re.ASCII)
LONGEST = 214
"""Characters of a name."""
N8N = frozenset({"n8n", "n8n-core", "n8n-workflow", "n8n-nodes-base", "@n8n/n8n-nodes-langchain"})
"""Packages of n8n's own: the host gives what is used of them, so that none of them is ever installed."""


def is_name(name: str) -> bool:
    """Whether a dependency may have it; it becomes a directory."""
    return len(name) <= LONGEST and _OLD_NAME.fullmatch(name) is not None


def checked_name(name: str) -> str:
    """Raises `InvalidInput` for a name that no package of nodes has."""
    if len(name) > LONGEST or _NAME.fullmatch(name) is None:
        raise InvalidInput(f"{name[:80]!r} is no name of an npm package.", details={"name": "is no package name"})
    if name in N8N or name.startswith("@n8n/"):
        raise InvalidInput(
            f"{name} is n8n's own package, which is not installed here; its nodes are built in.",
            details={"name": "is n8n's own package"},
        )
    if not is_nodes_package(name):
        raise InvalidInput(
            f"{name} is no package of nodes: the name of one begins with n8n-nodes-, behind its scope.",
            details={"name": "does not begin with n8n-nodes-"},
        )
    return name


def is_nodes_package(name: str) -> bool:
    """Whether a package of this name holds nodes, by npm's custom for n8n."""
    return name not in N8N and name.rpartition("/")[2].startswith("n8n-nodes-")
