"""Work on a document that would hold up the event loop when the document is large."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from . import jsontext
from .jsontext import Json

T = TypeVar("T")
LARGE = 128 * 1024
"""Bytes of JSON above which a thread does the work: some milliseconds of it."""


async def off_loop(document: Json, work: Callable[[], T]) -> T:
    """The result of the work on this document; on a thread when the document is large."""
    if len(jsontext.dumps(document)) <= LARGE:
        return work()
    return await asyncio.to_thread(work)
