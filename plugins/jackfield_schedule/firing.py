"""A due trigger starts its workflow, once.

The moment is the de-duplication key of the execution's acceptance, so that both are durable in one step. A trigger that
asks again after a crash or a change of the clock learns that the moment is known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.engine import Engine, ExecutionRequest
from jackfield.api.errors import Conflict, JackfieldError, NotFound, StoreUnavailable
from jackfield.api.storage import Delivery
from jackfield_schedule.settings import ScheduleSettings
from jackfield_schedule.ticks import tick_item
from jackfield_schedule.timed import Timed

_HOUR_MS = 3_600_000


class Firing:
    """Starts workflows for triggers. live: the trigger of an id as it is now, None when it is not live any more."""

    def __init__(self, context: PluginContext, settings: ScheduleSettings, live: Callable[[str], Timed | None]) -> None:
        self._context = context
        self._live = live
        # A start that may be made up for must be remembered, whatever the settings say: else each restart doubles it.
        remember, catch_up = settings.remember_hours * _HOUR_MS, settings.catch_up * 1000
        self._remember_ms = round(max(remember, catch_up + _HOUR_MS))

    async def fire(self, timed: Timed, moment: int) -> None:
        """Start the workflow for a moment (Unix ms). When that cannot be stored now, it stays owed."""
        try:
            workflow = await self._context.port(WorkflowReader).load(timed.workflow_id)
            if self._live(timed.id) is None or timed.node_name not in workflow.nodes:
                return
            execution = self._context.port(Engine).submit(
                ExecutionRequest(
                    workflow=workflow,
                    mode="trigger",
                    start=timed.node_name,
                    items=[tick_item(timed.kind, moment, timed.zone)],
                    delivery=Delivery(timed.id, str(moment), self._expiry(moment)),
                )
            )
        except NotFound:
            self._context.log.info("A scheduled workflow is gone.", extra=timed.about(moment))
        except StoreUnavailable as exc:
            self._owe(timed, moment, exc)
        except Conflict:
            self._context.log.info("A scheduled start is left to the next process.", extra=timed.about(moment))
        except JackfieldError as exc:
            self._context.log.error("A scheduled start failed: %s", exc.message, extra=timed.about(moment))
        else:
            execution.accepted.add_done_callback(lambda accepted: self._answered(timed, moment, accepted))

    def _expiry(self, moment: int) -> int:
        # Counted from the later of both: the clock may have been set back since.
        return max(moment, self._context.clock.now_ms()) + self._remember_ms

    def _answered(self, timed: Timed, moment: int, accepted: asyncio.Future[None]) -> None:
        error = None if accepted.cancelled() else accepted.exception()
        if isinstance(error, Conflict):
            self._context.log.debug("A scheduled start was made before.", extra=timed.about(moment))
        elif isinstance(error, StoreUnavailable):
            self._owe(timed, moment, error)
        elif error is not None:
            self._context.log.error("A scheduled start failed: %s", error, extra=timed.about(moment))

    def _owe(self, timed: Timed, moment: int, error: StoreUnavailable) -> None:
        """One start is owed at most, the newest."""
        self._context.log.error(
            "A scheduled start waits: it cannot be queued or stored. %s", error.message, extra=timed.about(moment)
        )
        present = self._live(timed.id)  # another one since its workflow was saved
        if present is not None:
            present.owed = max(moment, present.owed or moment)
