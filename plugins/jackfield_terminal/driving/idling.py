"""Waiting until an agent waits for somebody."""

from __future__ import annotations

from functools import partial
from operator import ne

from jackfield_terminal.driving.looks import Look
from jackfield_terminal.driving.view import AgentView
from jackfield_terminal.driving.waiting import until_idle

UNKNOWN_QUIET = 10.0
"""Seconds without a change after which a screen that the manifest does not know counts as one that waits.

A newer version of the agent may look otherwise.
"""


async def until_waiting(view: AgentView, quiet: float, timeout: float) -> bool:
    """Whether within `timeout` seconds the screen has not changed for `quiet` seconds.

    Where the manifest says how that looks, the agent must also be ready or ask something. A screen that is still empty
    never counts then. An ended session is idle.
    """
    judge = await view.judge()
    clock = view.clock
    deadline = clock.monotonic() + timeout
    while True:
        left = max(0.0, deadline - clock.monotonic())
        if not await until_idle(view.session, view.screen, quiet, left, clock):
            return False
        if judge is None or view.session.ended.is_set():
            return True
        look = judge.look(await view.screen.snapshot())
        if _waits(look):
            return True
        left = max(0.0, deadline - clock.monotonic())
        if look.shows == "unknown" and not look.blank:
            left = min(left, max(0.0, UNKNOWN_QUIET - quiet))
        _, changed = await view.until(judge, partial(ne, look), left)
        if not changed:
            return look.shows == "unknown" and not look.blank and clock.monotonic() < deadline


def _waits(look: Look) -> bool:
    return look.shows in ("ready", "asking", "trusting")
