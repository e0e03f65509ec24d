"""What has to hold over minutes. JACKFIELD_TEST_SOAK_SECONDS: how long a stall and a stream last (60)."""

from __future__ import annotations

import json
import os
import time

from jackfield.testing.daemon import poll

from ..e2e.shell_daemon import Shells, typed
from .streams import Summing, printing, read_all

SECONDS = float(os.environ.get("JACKFIELD_TEST_SOAK_SECONDS", "60"))
FLOOD = round(SECONDS / 60 * 1_000_000_000)
SESSIONS = 50
RATE = 1_000_000
STARTS = round(SECONDS / 60 * 1000)


def test_a_client_that_does_not_read_costs_nobody_anything(shells: Shells) -> None:
    session = shells.start(printing(FLOOD, FLOOD / SECONDS))
    readers = [Summing(shells.attach(session)) for _ in range(2)]
    stalled = shells.attach(session, receive_buffer=65536)
    poll(lambda: shells.state(session)["client_count"] == 3, "all are attached")
    warm = shells.start(printing(30_000_000, 30_000_000))  # buffers have their size afterwards
    warming = Summing(shells.attach(warm))
    typed(warming.ws, b"k")
    read_all([warming], 60)
    before = shells.status("VmRSS")
    for reader in readers:
        reader.restart_clock()
    typed(stalled, b"k")
    begun = time.monotonic()
    read_all(readers, SECONDS * 3 + 60)
    elapsed = time.monotonic() - begun
    grown = shells.status("VmRSS") - before
    print(f"\n{FLOOD / 1e6:.0f} MB in {elapsed:.0f} s; RSS grew by {grown} KiB; ", end="")
    print(f"longest pause of a reader {max(reader.longest_pause for reader in readers):.2f} s")
    for reader in readers:
        assert reader.is_exact
        assert not any(b"resync" in text for text in reader.texts)
    late = Summing(stalled)
    read_all([late], 60)
    resyncs = [json.loads(text) for text in late.texts if b"resync" in text]
    assert late.announced == readers[0].announced, "it has come to the end"
    assert resyncs
    missed = sum(found["missed"] for found in resyncs)
    print(f"the stalled client missed {missed / 1e6:.0f} MB and was told so")
    assert missed + late.received >= FLOOD * 0.99
    assert grown < 5 * 1024


def test_fifty_streams_are_exact(shells: Shells) -> None:
    size = round(RATE * SECONDS)
    readers = [Summing(shells.attach(shells.start(printing(size, RATE)))) for _ in range(SESSIONS)]
    for reader in readers:
        typed(reader.ws, b"k")
    begun = time.monotonic()
    read_all(readers, SECONDS * 4 + 60)
    elapsed = time.monotonic() - begun
    print(f"\n{SESSIONS} x {size / 1e6:.0f} MB in {elapsed:.1f} s: {SESSIONS * size / elapsed / 1e6:.1f} MB/s")
    assert [reader.is_exact for reader in readers] == [True] * SESSIONS
    assert not any(b"resync" in text for reader in readers for text in reader.texts)


def test_a_thousand_sessions_leave_nothing(shells: Shells) -> None:
    def some(count: int) -> tuple[int, int, int]:
        for place in range(count):
            session = shells.start("echo begun; exec cat" if place % 2 else "echo over")
            with shells.attach(session) as client:
                client.receive()
            if place % 2:
                shells.end(session)
            else:
                poll(lambda name=session: shells.state(name)["state"] == "terminated", "it ends")  # type: ignore[misc]
        poll(lambda: shells.zombies() == 0, "no zombie is left")
        poll(lambda: shells.vanished() == 0, "no connection is left")
        return shells.descriptors(), shells.status("Threads"), shells.status("VmRSS")

    first = some(STARTS // 5)
    last = some(STARTS - STARTS // 5)
    print(f"\ndescriptors, threads, RSS in KiB after {STARTS // 5}: {first}; after {STARTS}: {last}")
    assert last[0] <= first[0] + 3
    assert last[1] <= first[1] + 1
    assert last[2] - first[2] < 4 * 1024, "800 sessions"
