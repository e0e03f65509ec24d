"""The port `Environment`: in a read-only one workflows change by a pull alone."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield_git.settings import GitSettings

_PULLING: contextvars.ContextVar[bool] = contextvars.ContextVar("jackfield_git_pulling", default=False)


@contextlib.contextmanager
def pulling() -> Iterator[None]:
    """Within the context this task writes what it has pulled."""
    token = _PULLING.set(True)
    try:
        yield
    finally:
        _PULLING.reset(token)


class GitEnvironment:
    """See `jackfield.api.environments.Environment`."""

    def __init__(self, context: PluginContext) -> None:
        self._settings = context.settings(GitSettings)

    def check_writable(self) -> None:
        if self._settings.read_only and not _PULLING.get():
            raise Conflict(
                f"Workflows of this environment come from the branch {self._settings.branch} of its repository; change "
                "them there, and pull.",
                code="READ_ONLY_ENVIRONMENT",
            )
