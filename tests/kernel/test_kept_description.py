"""The API's description is made once, and not on the event loop."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from jackfield.http.openapi.kept import KeptDescription

DOCUMENT: dict[str, Any] = {"paths": {"/a": {"get": {"summary": "A <b>"}}}}


async def test_those_who_ask_at_the_same_time_and_later_get_one() -> None:
    threads = []

    def describe() -> dict[str, Any]:
        threads.append(threading.current_thread())
        return DOCUMENT

    kept = KeptDescription(describe)
    first, second = await asyncio.gather(kept.made(), kept.made())
    assert first is second is await kept.made()
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
    assert b"A &lt;b&gt;" in first.page
    assert first.document.startswith(b'{"paths"')


async def test_a_failure_is_not_kept() -> None:
    answers = [ValueError("once"), DOCUMENT]

    def describe() -> dict[str, Any]:
        found = answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    kept = KeptDescription(describe)
    with pytest.raises(ValueError, match="once"):
        await kept.made()
    assert (await kept.made()).document


async def test_a_caller_who_goes_takes_it_from_nobody() -> None:
    going = threading.Event()

    def describe() -> dict[str, Any]:
        going.wait(10)
        return DOCUMENT

    kept = KeptDescription(describe)
    left, stays = asyncio.create_task(kept.made()), asyncio.create_task(kept.made())
    await asyncio.sleep(0)
    left.cancel()
    going.set()
    assert (await stays).page
