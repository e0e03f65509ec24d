"""The view of one session's agent, as far as its manifest says how that looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias

from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield_terminal.driving.looks import Look, ScreenJudge, ShownDialog
from jackfield_terminal.driving.waiting import STEP, ScreenWatch
from jackfield_terminal.screen.snapshot import Snapshot
from jackfield_terminal.session.session import Session

if TYPE_CHECKING:
    from jackfield_terminal.screen.reader import ScreenReader

Status: TypeAlias = Literal["stable", "running", "asking", "trusting"]
JudgedBy: TypeAlias = Literal["manifest", "quiet"]


@record
class AgentStatus:
    """stable: the agent waits for input, or has ended. judged_by: how that is known."""

    status: Status
    judged_by: JudgedBy
    dialog: ShownDialog | None = None


class AgentView:
    """A session's screen, judged. The manifest is asked for once: a running agent does not change its looks."""

    def __init__(self, session: Session, screen: ScreenReader, context: PluginContext) -> None:
        self.session = session
        self.screen = screen
        self.clock = context.clock
        self.log = context.log
        self._context = context
        self._asked = False
        self._judge: ScreenJudge | None = None

    async def judge(self) -> ScreenJudge | None:
        """None: the manifest says nothing, or nobody keeps manifests."""
        if not self._asked:
            agents = self._context.find_port(Agents)
            found = None if agents is None else (await agents.all()).get(self.session.launch.profile.agent_id)
            self._judge = None if found is None or found.screen is None else ScreenJudge(found.screen)
            self._asked = True
        return self._judge

    async def look(self) -> Look | None:
        """None: the manifest says nothing."""
        judge = await self.judge()
        return None if judge is None else judge.look(await self.screen.snapshot())

    async def told(self, screen: Snapshot) -> dict[str, Json]:
        """The state of the screen, as answers say it."""
        judge = await self.judge()
        if judge is None:
            return {"judged_by": "quiet"}
        look = judge.look(screen)
        status = "stable" if self.session.ended.is_set() else status_of(look)
        return {"judged_by": "manifest", "status": status, **dialog_out(look.dialog)}

    async def until(self, judge: ScreenJudge, met: Callable[[Look], bool], seconds: float) -> tuple[Look, bool]:
        """The last look, and whether it is what was waited for. Raises `Conflict` when the session ends."""
        deadline = self.clock.monotonic() + seconds
        with ScreenWatch(self.session).open() as watch:
            while True:
                look = judge.look(await self.screen.snapshot())
                if met(look):
                    return look, True
                if self.session.ended.is_set() or self.session.left.is_set():
                    raise Conflict("The session has ended.", code="SESSION_ENDED")
                left = deadline - self.clock.monotonic()
                if left <= 0:
                    return look, False
                if await watch.change(left):
                    await self.clock.sleep(min(STEP, max(0.0, deadline - self.clock.monotonic())))


def dialog_out(dialog: ShownDialog | None) -> dict[str, Json]:
    """Nothing where nothing is asked."""
    if dialog is None:
        return {}
    options: list[Json] = [
        {"number": each.number, "text": each.text, "selected": each.selected} for each in dialog.options
    ]
    return {"dialog": {"kind": dialog.kind, "text": dialog.text, "options": options}}


def status_of(look: Look) -> Status:
    """An agent whose status is not known is not yet ready."""
    if look.shows == "asking" or look.shows == "trusting":
        return look.shows
    return "stable" if look.shows == "ready" else "running"
