"""Work on many items at once, away from the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

from jackfield.api.nodes import NodeError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

MANY = 500
"""From that many items on, work goes to a thread."""


def _guarded(work: Callable[[], Result]) -> Result:
    try:
        return work()
    except RecursionError:
        raise NodeError("An item is nested too deeply to be compared or combined.") from None


async def worked(
    size: int, work: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """The result of the work, which must touch nothing that others change. size: how many items it goes over or makes.
    Raises what the work raises, and `NodeError` for data that is nested too deeply."""
    bound = partial(work, *args, **kwargs)
    return _guarded(bound) if size < MANY else await asyncio.to_thread(_guarded, bound)
