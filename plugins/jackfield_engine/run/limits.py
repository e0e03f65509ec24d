"""How long and how far an execution may run."""

from __future__ import annotations

from jackfield.api.workflows import Workflow
from jackfield_engine.settings import ExecutionsSettings


def time_limit(workflow: Workflow, settings: ExecutionsSettings) -> float:
    """Seconds; 0: none. What the workflow sets itself is bound by `max_timeout`."""
    wanted = workflow.settings.timeout_s
    if wanted is None or wanted <= 0:
        return settings.timeout
    return min(wanted, settings.max_timeout) if settings.max_timeout else wanted


def too_long(limit: float) -> str:
    return f"The execution ran longer than its limit of {limit:g} seconds."


def too_much(limit: int) -> str:
    return (
        f"The results of the execution's nodes have more than {limit} bytes together. The setting executions.max_data "
        "raises the limit."
    )


def too_many(limit: int) -> str:
    return (
        f"The execution reached the limit of {limit} node runs; does the workflow have a cycle without an end? "
        f"The setting executions.max_node_runs raises the limit."
    )
