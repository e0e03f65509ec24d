"""Clients that do not keep up: nobody waits for them, nothing grows, and they come back to a right screen."""

from __future__ import annotations

import asyncio

from jackfield_terminal.hub import Hub

from .conftest import attach, python, start

BLAST = """
import os
n=0
for _ in range(64):
    b=b"".join(b"%08d %s\\n" % (n+i, b"#"*118) for i in range(512))
    n+=512
    while b: b=b[os.write(1,b):]
os.write(1,b"BLASTED\\n")
"""
"""4 MiB in numbered lines of 128 bytes."""


def numbers(output: bytes) -> list[int]:
    return [int(line[:8]) for line in output.split(b"\r\n") if line[:8].isdigit() and len(line) == 127]


async def test_every_client_that_keeps_up_gets_every_byte(hub: Hub) -> None:
    session = await start(hub, "read go; " + python(BLAST))
    clients = [attach(hub, session) for _ in range(4)]
    clients[0].type(b"\n")
    for client in clients:
        await client.printed(b"BLASTED")
        assert numbers(bytes(client.output)) == list(range(64 * 512))
        assert not client.messages("resync")


async def test_a_client_that_stops_reading_is_resynchronised_and_told(hub: Hub) -> None:
    session = await start(hub, "read go; " + python(BLAST))
    fast, stalled = attach(hub, session), attach(hub, session)
    await stalled.until(lambda: stalled.messages("connected"))
    stalled.gate.clear()
    fast.type(b"\n")
    await fast.printed(b"BLASTED")
    assert numbers(bytes(fast.output)) == list(range(64 * 512))
    stalled.gate.set()
    await stalled.printed(b"BLASTED")
    resync = stalled.messages("resync")
    assert len(resync) == 1
    assert resync[0]["missed"] > 0
    shown = numbers(bytes(stalled.output))
    assert shown[-1] == 64 * 512 - 1
    after = shown[shown.index(next(n for n in shown if n > 64 * 512 - 1500)) :]
    assert after == list(range(after[0], 64 * 512))
    assert len(stalled.output) < len(fast.output)


async def test_a_stalled_client_alone_does_not_stop_the_agent(hub: Hub) -> None:
    session = await start(hub, python(BLAST))
    stalled = attach(hub, session)
    stalled.gate.clear()
    async with asyncio.timeout(15):
        await session.ended.wait()
    assert session.exit_code == 0
    assert session.log.end - session.log.start <= 1024 * 1024 + 256 * 1024


async def test_a_client_with_a_window_is_sent_no_more_than_it_takes(hub: Hub) -> None:
    session = await start(hub, "read go; " + python(BLAST))
    window = 64 * 1024
    browser, fast = attach(hub, session, f"window={window}"), attach(hub, session)
    await browser.until(lambda: browser.messages("connected"))
    fast.type(b"\n")
    await fast.printed(b"BLASTED")
    held = len(browser.output)
    assert held <= window + 256 * 1024  # and one frame, which is what the terminal gave in one turn
    taken = 0
    while b"BLASTED" not in browser.output:
        taken, more = len(browser.output), len(browser.output) - taken
        browser.say({"type": "taken", "bytes": more})
        await browser.until(lambda: len(browser.output) > taken)  # noqa: B023 - awaited here
        assert len(browser.output) - taken <= window + 256 * 1024
    assert len(browser.messages("resync")) == 1
    shown = numbers(bytes(browser.output).rpartition(b"\x1bc")[2])
    assert shown == list(range(shown[0], 64 * 512))


async def test_clients_are_told_the_size_that_they_have_together(hub: Hub) -> None:
    session = await start(hub, "read go")
    first, other = attach(hub, session, "sizes=1"), attach(hub, session)
    await first.until(lambda: first.messages("size"))
    assert (first.messages("size")[0]["cols"], first.messages("size")[0]["rows"]) == (80, 24)
    first.say({"type": "resize", "cols": 120, "rows": 40})
    await first.until(lambda: first.messages("size")[-1]["cols"] == 120)
    other.say({"type": "resize", "cols": 90, "rows": 50})
    await first.until(lambda: first.messages("size")[-1] == {"type": "size", "cols": 90, "rows": 40})
    other.leave()
    await first.until(lambda: first.messages("size")[-1]["cols"] == 120)
    assert not other.messages("size")
