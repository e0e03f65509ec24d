"""Snapshots of the screen, and waiting for it. Full-screen programs are compared with tmux in tests/e2e."""

from __future__ import annotations

import asyncio
import time

import pytest

from jackfield.api.clock import SystemClock
from jackfield_terminal.driving.waiting import until_exit, until_idle, until_shown
from jackfield_terminal.hub import Hub
from jackfield_terminal.screen import reader
from jackfield_terminal.screen.emulator import SLICE, TITLE, Emulator
from jackfield_terminal.screen.reader import BACKLOG, ScreenReader
from jackfield_terminal.screen.sequences import SILENT

from .conftest import DEADLINE, attach, python, start


async def shows(text: str) -> bool:
    return "done" in text


async def test_a_snapshot_has_the_rows_the_cursor_and_the_title(hub: Hub) -> None:
    session = await start(hub, r"printf 'one\n\033[31mtwo\033[0m\033]2;named\007'; cat", size=(20, 5))
    screen = ScreenReader(session)
    assert await until_idle(session, screen, 0.1, 10, SystemClock())
    found = await screen.snapshot()
    assert found.lines == ("one", "two", "", "", "")
    assert (found.row, found.col, found.title, found.alternate) == (1, 3, "named", False)
    assert found.text == "one\ntwo"


async def test_the_main_screen_comes_back_after_the_alternate_one(hub: Hub) -> None:
    session = await start(
        hub, r"printf 'main'; read a; printf '\033[?1049hfull'; read a; printf '\033[?1049l'; echo back; cat"
    )
    screen, client = ScreenReader(session), attach(hub, session)
    await client.printed(b"main")
    assert (await screen.snapshot()).text == "main"
    client.type(b"\n")
    await client.printed(b"full")
    inside = await screen.snapshot()
    assert inside.alternate
    assert "full" in inside.text
    assert "main" not in inside.text
    client.type(b"\n")
    await client.printed(b"back")
    outside = await screen.snapshot()
    assert not outside.alternate
    assert "main" in outside.text
    assert "full" not in outside.text


async def test_after_much_output_the_end_is_shown(hub: Hub) -> None:
    session = await start(hub, f"head -c {BACKLOG * 3} /dev/zero | tr '\\0' x; echo; echo the-end")
    assert await until_exit(session, 15)
    assert (await ScreenReader(session).snapshot()).text.endswith("the-end")


async def test_what_is_drawn_once_stays_known_although_much_comes_after_it(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs draw what changes; nobody may have asked for minutes."""
    monkeypatch.setattr(reader, "BACKLOG", 8192)
    monkeypatch.setattr(reader, "AHEAD", 4096)
    piece = r"""
import os, sys
os.write(1, b"\033[Hdrawn once")
for line in sys.stdin:
    os.write(1, b"\033[2;1H\033[K" + (b"\033[2;1H" + line.strip().encode()) * 450)
"""
    size = 450 * len(b"\033[2;1Hspinner")
    session = await start(hub, f"stty -echo; {python(piece)}")
    screen = hub.driver(session.id).screen
    assert await until_shown(session, screen, begun, DEADLINE, hub.clock)
    async with asyncio.timeout(DEADLINE):
        for number in range(1, 6):
            await hub.type(session, b"spinner\n")
            while session.log.end < number * size or session.log.end - screen._offset > reader.AHEAD:
                await asyncio.sleep(0.01)
    assert session.log.end > 3 * reader.BACKLOG
    assert (await screen.snapshot()).lines[:2] == ("drawn once", "spinner")


async def begun(text: str) -> bool:
    return "drawn once" in text


async def test_a_screen_that_changes_is_not_idle_and_one_that_only_blinks_is(hub: Hub) -> None:
    changing = await start(hub, 'i=0; while :; do i=$((i+1)); printf "\\r$i"; sleep 0.02; done')
    assert not await until_idle(changing, ScreenReader(changing), 0.5, 0.8, SystemClock())
    blinking = await start(hub, r"while :; do printf '\033[?25l\033[?25h'; sleep 0.02; done")
    assert await until_idle(blinking, ScreenReader(blinking), 0.5, 10, SystemClock())


async def test_waiting_for_a_text_ends_with_it_or_with_the_agent(hub: Hub) -> None:
    session = await start(hub, "read a; echo done; cat")
    client = attach(hub, session)
    screen = ScreenReader(session)
    assert not await until_shown(session, screen, shows, 0.05, SystemClock())
    waiting = asyncio.ensure_future(until_shown(session, screen, shows, 10, SystemClock()))
    client.type(b"\n")
    assert await waiting
    over = await start(hub, "exit 0")
    assert not await until_shown(over, ScreenReader(over), shows, 10, SystemClock())


def drawn(data: bytes, cols: int = 20, rows: int = 3) -> tuple[str, ...]:
    emulator = Emulator(cols, rows)
    emulator.feed(data)
    return emulator.snapshot(0).lines


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ("漢字\ra", "a 字"),  # half of a wide character is left
        ("漢字\x1b[2GX", " X字"),
        ("漢字\r\x1b[P", " 字"),
        ("❤\ufe0f text", "❤ text"),  # a variation selector takes no room
        ("a\u200db\x01c", "abc"),
        ("e\u0301x", "éx"),
        ("a" + "\u0316" * 3000 + "b", "a" + "\u0316" * 8 + "b"),
        ("a\x1b[?1mb\x1b[?6n\x1b[?2Ac", "abc"),  # private forms of others
        ("a\x1b[" + "9" * 5000 + "Cb\x1b[2;1Hc", "a                  b"),
    ],
)
def test_what_an_emulator_does_not_understand_costs_nothing_else(data: str, line: str) -> None:
    assert drawn(data.encode())[0] == line


def test_after_a_number_that_is_none_the_screen_goes_on() -> None:
    emulator = Emulator(20, 3)
    emulator.feed(b"\x1b[" + b"9" * 5000 + b"A")
    emulator.feed(b"\x1b[1;1Hhere")
    assert emulator.snapshot(0).lines[0] == "here"


def test_an_endless_sequence_is_given_up() -> None:
    emulator = Emulator(20, 3)
    emulator.feed(b"\x1b]0;" + b"x" * (SILENT + SLICE))
    emulator.feed(b"\x1b[1;1H\x1b[Khere")
    found = emulator.snapshot(0)
    assert (found.lines[0], found.title) == ("here", "")


def test_a_title_is_bounded() -> None:
    emulator = Emulator(20, 3)
    emulator.feed(b"\x1b]2;" + b"x" * 9000 + b"\x07" + b"\x1b7" * 9000 + b"here")
    assert len(emulator.snapshot(0).title) == TITLE


def test_drawing_has_a_limit_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jackfield_terminal.screen.emulator.BUDGET", 0.05)
    emulator = Emulator(300, 300)
    begun = time.thread_time()
    emulator.feed(b"\x1b#8" * 20_000)  # each fills the screen
    assert time.thread_time() - begun < 5
    emulator.feed(b"\x1b[1;1Hhere")
    assert emulator.snapshot(0).lines[0].startswith("here")
