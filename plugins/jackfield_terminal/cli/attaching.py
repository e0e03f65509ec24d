"""This terminal as a client of a session: raw mode, sizes, and a key that leaves."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Iterator

from wsproto.events import BytesMessage, CloseConnection, Event, Message, Ping, TextMessage

from jackfield.api.daemon import DaemonClient
from jackfield_terminal.cli.link import READ, TerminalLink

DETACH = b"\x1d"
"""Ctrl-], as telnet has it."""
BELL = b"\a"
LEAVING = b"\x1b[?1049l\x1b[?1000;1002;1003;1006l\x1b[?2004l\x1b[?25h\x1b[0m"
"""The modes that an agent that still runs has switched on are not this terminal's any more."""


def attach_here(client: DaemonClient, session_id: str, *, read_only: bool) -> int | None:
    """Until the session has ended, with its exit code, or until the user leaves it: None. Raises `JackfieldError`."""
    link = TerminalLink(client, f"/ws/terminal/{session_id}" + ("?mode=ro" if read_only else ""))
    try:
        events = link.handshake()
        with raw_mode(), _size_changes() as resized:
            return _Attached(link, resized, read_only=read_only).run(events)
    finally:
        link.close()


class _Attached:
    def __init__(self, link: TerminalLink, resized: int, *, read_only: bool) -> None:
        self._link = link
        self._resized = resized
        self._read_only = read_only
        self._ended: int | None = None
        self._text = ""

    def run(self, events: list[Event]) -> int | None:
        self._tell_size()
        while True:
            for event in events:
                if self._closes(event):
                    return self._ended if self._ended is not None else 1
            events = []
            link = self._link
            sending = [link.socket] if link.is_sending else []
            patience = 0 if link.has_read_ahead else None
            ready, writable, _ = select.select([link.socket, sys.stdin, self._resized], sending, [], patience)
            if writable:
                link.flush()
            if self._resized in ready:
                os.read(self._resized, READ)
                self._tell_size()
            if sys.stdin in ready and self._leaves():
                return None
            if link.socket in ready or patience is not None:
                events = link.receive()

    def _closes(self, event: Event) -> bool:
        if isinstance(event, BytesMessage):
            print_bytes(bytes(event.data))
        elif isinstance(event, TextMessage):
            self._text += event.data
            if event.message_finished:
                text, self._text = self._text, ""
                self._note(json.loads(text))
        elif isinstance(event, Ping):
            self._link.send(event.response())
        return isinstance(event, CloseConnection)

    def _note(self, message: dict[str, object]) -> None:
        if message.get("type") == "state_changed":
            code = message.get("exit_code")
            self._ended = code if isinstance(code, int) else 1
        elif message.get("type") == "error":
            print_bytes(f"\r\n[{message.get('message')}]\r\n".encode())

    def _leaves(self) -> bool:
        data = os.read(sys.stdin.fileno(), READ)
        before, found, _ = data.partition(DETACH)
        if before and not self._read_only:
            if self._link.is_full:
                print_bytes(BELL)
            else:
                self._link.send(Message(data=before))
        return bool(found) or not data

    def _tell_size(self) -> None:
        if not self._read_only:
            size = shutil.get_terminal_size()
            self._link.send(Message(data=json.dumps({"type": "resize", "cols": size.columns, "rows": size.lines})))


def print_bytes(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sys.stdout.fileno(), view) :]


@contextlib.contextmanager
def raw_mode() -> Iterator[None]:
    saved = termios.tcgetattr(sys.stdin)
    tty.setraw(sys.stdin, termios.TCSADRAIN)  # what was typed already is meant for the agent
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, saved)
        print_bytes(LEAVING)


@contextlib.contextmanager
def _size_changes() -> Iterator[int]:
    """A descriptor that becomes readable with each change of the terminal's size."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.signal(signal.SIGWINCH, lambda *_: None)
    wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield reading
    finally:
        signal.set_wakeup_fd(wakeup)
        signal.signal(signal.SIGWINCH, before)
        os.close(reading)
        os.close(writing)
