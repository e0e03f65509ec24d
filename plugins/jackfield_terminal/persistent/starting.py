"""Which sessions survive the daemon, and how they are started."""

from __future__ import annotations

import sys

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.profiles import Launch, Profile
from jackfield.api.records import record
from jackfield_terminal.persistent.directory import DIRECTORY
from jackfield_terminal.ports import Persistence
from jackfield_terminal.pty.processes import abandon
from jackfield_terminal.settings import TerminalSettings
from jackfield_terminal.supervisor.client import Supervised, SupervisorStart, start_supervisor
from jackfield_terminal.supervisor.handover import SessionMemo, memo_text


@record
class StartedSession:
    """A session that has just been started."""

    memo: SessionMemo
    supervised: Supervised

    def abandon(self) -> None:
        """Kill it and its supervisor. Blocks for a moment."""
        abandon(self.supervised.handover.pid)
        abandon(self.supervised.handover.holder)


class PersistentStarter:
    """Starts sessions with a supervisor."""

    def __init__(self, context: PluginContext) -> None:
        self._settings = context.settings(TerminalSettings)
        self._directory = context.service.config_dir / DIRECTORY

    def wanted(self, asked: Persistence, profile: Profile) -> bool:
        """By the request, else the profile (`metadata.persist`), else `terminal.persist`. Raises
        `InvalidInput` where it cannot be had."""
        possible = sys.platform == "linux"
        wanted = asked if isinstance(asked, bool) else _of_profile(profile)
        if asked == "where_possible":
            return possible and wanted is not False
        if wanted is None:
            wanted = self._settings.persist
        if wanted and not possible:
            raise InvalidInput("Sessions survive the daemon on Linux only.", code="PERSIST_UNAVAILABLE")
        return wanted

    def start(
        self, memo: SessionMemo, confined: Launch, size: tuple[int, int], ptyprocess: str, kill_file: str | None
    ) -> StartedSession:
        """ptyprocess, kill_file: see `SupervisorStart`. Blocks. Raises `OSError`, `ValueError`."""
        settings = self._settings
        start = SupervisorStart(
            argv=confined.argv,
            env=confined.env,
            cwd=confined.cwd,
            cols=size[0],
            rows=size[1],
            capacity=settings.scrollback,
            memo=memo_text(memo),
            lifetime=settings.persist_lifetime,
            hang_up=settings.hang_up_grace,
            kill=settings.kill_grace,
            ptyprocess=ptyprocess,
            kill_file=kill_file or "",
        )
        return StartedSession(memo, start_supervisor(self._directory / memo.id, start))


def _of_profile(profile: Profile) -> bool | None:
    found = profile.metadata.get("persist")
    return found if isinstance(found, bool) else None
