"""A user by name, for commands that ask the daemon."""

from __future__ import annotations

from jackfield.api.daemon_commands import DaemonCall, segment
from jackfield.api.errors import NotFound
from jackfield.api.similar_names import did_you_mean


def user_path(call: DaemonCall, name: str) -> str:
    """The user's address below `/api/v1`. Raises `NotFound` with similar names."""
    names = []
    for row in call.daemon.rows("/users"):
        if name in (row["username"], row["id"]):
            return f"/users/{segment(str(row['id']))}"
        names.append(str(row["username"]))
    raise NotFound(f"There is no user {name}{did_you_mean(name, names)}")
