"""One live trigger: when it is due, and what it owes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.records import state
from jackfield_schedule.times import Schedule, first_after


@state
class Timed:
    """`id`: of the registration. `zone`: name of the time zone. `next`: when it is due next. `owed`: a moment for which
    the workflow could not be started yet. Moments are Unix ms.
    """

    id: str
    workflow_id: str
    node_name: str
    kind: str
    zone: str
    schedules: Sequence[Schedule]
    next: int | None = None
    owed: int | None = None

    def go_on(self, moment: int) -> None:
        """It is due next after this moment."""
        self.next = first_after(self.schedules, moment)

    def about(self, moment: int) -> Mapping[str, object]:
        """For a log line."""
        return {"triggerId": self.id, "workflowId": self.workflow_id, "node": self.node_name, "moment": moment}
