"""Playing a recording in this terminal, as fast as it was made or faster.

Source: asciicast v2 (asciinema).
"""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from jackfield.api import jsontext
from jackfield.api.daemon import daemon_elsewhere
from jackfield.api.daemon_commands import segment
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield_terminal.cli.attaching import LEAVING, print_bytes
from jackfield_terminal.session.recorder import DIRECTORY

LONGEST_SLEEP_S = 0.2
"""A Ctrl-C that comes just before a sleep begins does not end it, but is seen after it."""
LONGEST = 16 * 1024 * 1024
"""Bytes of one line."""
LARGEST = 256 * 2**20
"""Bytes of a recording that a daemon elsewhere sends."""
OK = 200
_START = re.compile(r"[0-9a-f-]{1,36}")


def find_recording(config_dir: Path, name: str) -> Path:
    """A file of this name, or else the recording of the session whose id begins like this. Raises `JackfieldError`."""
    path = Path(name)
    if path.is_file():
        return path
    fitting = list((config_dir / DIRECTORY).glob(f"{name}*.cast")) if _START.fullmatch(name) else []
    if len(fitting) == 1:
        return fitting[0]
    raise JackfieldError(f"There is no file {name}, and {len(fitting)} recordings of sessions have such an id.")


def open_recording(config_dir: Path, name: str) -> BinaryIO:
    """A file here; else the recording of a session, of the daemon elsewhere that the environment names. Raises
    `JackfieldError`."""
    daemon = None if Path(name).is_file() else daemon_elsewhere(config_dir)
    if daemon is None:
        return find_recording(config_dir, name).open("rb")
    path = f"/api/terminal/sessions/{segment(name)}/recording"
    answer = daemon.send("GET", path, headers=daemon.headers(), largest=LARGEST)
    if answer.status != OK:
        raise JackfieldError(f"There is no file {name}, and the daemon at {daemon.base} has no such recording.")
    return io.BytesIO(answer.body)


def play_here(config_dir: Path, recording: str, *, speed: float, idle: float | None) -> None:
    """Play in this terminal, which is left as it was; Ctrl-C ends it with exit code 130."""
    try:
        with open_recording(config_dir, recording) as file:
            play(file, print_bytes, speed=speed, idle=idle)
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        if sys.stdout.isatty():
            print_bytes(LEAVING)


def play(
    file: BinaryIO,
    show: Callable[[bytes], None],
    *,
    speed: float = 1.0,
    idle: float | None = None,
    now: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """speed: 2 is twice as fast. idle: the longest pause, in seconds of the recording. Raises `JackfieldError` that
    names the line which cannot be read."""
    begun, shown, before = now(), 0.0, 0.0
    for at, data in outputs(file):
        pause = max(0.0, at - before)
        shown += pause if idle is None else min(pause, idle)
        before = max(at, before)
        while (ahead := shown / speed - (now() - begun)) > 0:
            sleep(min(ahead, LONGEST_SLEEP_S))
        show(data)


def outputs(file: BinaryIO) -> Iterator[tuple[float, bytes]]:
    """Seconds and what was printed then. Raises `JackfieldError`."""
    header = _parsed(file.readline(LONGEST), 1)
    if not isinstance(header, dict) or header.get("version") != 2:
        raise JackfieldError("This is no recording in asciicast v2: its first line must be an object with version 2.")
    for number, line in enumerate(iter(lambda: file.readline(LONGEST), b""), 2):
        if not line.strip():
            continue
        match _parsed(line, number):
            case [int() | float() as at, "o", str() as text]:
                yield float(at), text.encode("utf-8", "replace")
            case [int() | float(), str(), str()]:
                continue  # a size, a marker, or input
            case _:
                raise JackfieldError(f"Line {number} of the recording is no event: [seconds, kind, text].")


def _parsed(line: bytes, number: int) -> jsontext.Json:
    try:
        return jsontext.loads(line)
    except InvalidInput:
        raise JackfieldError(f"Line {number} of the recording is not JSON.") from None
