"""What a supervisor and a daemon say to each other, and the memory that they share."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.profiles import Launch, Profile, RunKind
from jackfield_terminal.output.log import OutputLog
from jackfield_terminal.output.modes import ForgottenOutput
from jackfield_terminal.supervisor import program as holder
from jackfield_terminal.supervisor.agent import BUDGET
from jackfield_terminal.supervisor.frames import (
    LARGEST,
    FrameError,
    Frames,
    ended_frame,
    ended_of,
    frame,
    number_frame,
    number_of,
    object_of,
)
from jackfield_terminal.supervisor.handover import (
    SessionMemo,
    handover_of,
    kept_text,
    memo_of,
    memo_text,
    was_recording,
)
from jackfield_terminal.supervisor.ring import LAST, PIECE, READ, WINDOW, Ring, RingReader

FRAME = st.tuples(st.integers(0, 255), st.binary(max_size=300))


@given(st.lists(FRAME, max_size=20), st.integers(1, 64))
def test_frames_are_the_same_however_they_are_cut(frames: list[tuple[int, bytes]], step: int) -> None:
    data = b"".join(frame(kind, content) for kind, content in frames)
    parser, found = Frames(), []
    for start in range(0, len(data), step):
        found += parser.feed(data[start : start + step])
    assert found == frames


@given(st.binary(max_size=200))
def test_nonsense_is_an_error_or_no_frame_and_nothing_else(data: bytes) -> None:
    with contextlib.suppress(FrameError):
        Frames().feed(data)
    for read in (number_of, ended_of, object_of, handover_of):
        with contextlib.suppress(FrameError):
            read(data)
    with contextlib.suppress(FrameError):
        memo_of(data.decode("latin-1"))
    assert was_recording(data) in (True, False)


def test_a_frame_that_is_too_long_is_refused_before_it_is_stored() -> None:
    with pytest.raises(FrameError, match="too long"):
        Frames().feed((LARGEST + 1).to_bytes(4, "big") + b"\1")
    with pytest.raises(FrameError, match="too long"):
        frame(1, bytes(LARGEST + 1))


@given(st.integers(0, 2**64 - 1), st.integers(0, 255))
def test_numbers_come_back(number: int, code: int) -> None:
    [(_, content)] = Frames().feed(number_frame(1, number))
    assert number_of(content) == number
    [(_, content)] = Frames().feed(ended_frame(number, code))
    assert ended_of(content) == (number, code)


TEXT = st.text(st.characters(codec="utf-8"), max_size=20) | st.just(os.fsdecode(b"\xff\xfe odd"))


KINDS: st.SearchStrategy[RunKind] = st.sampled_from(["terminal_session", "shell"])


@given(st.dictionaries(TEXT, TEXT, max_size=4), st.lists(TEXT, max_size=4), KINDS)
def test_a_memo_comes_back(env: dict[str, str], words: list[str], kind: RunKind) -> None:
    profile = Profile(
        "one", "sh", "self", "native", "none", env, tuple(words), metadata={"profile_home": "/h", "x": [1]}
    )
    launch = Launch("run", profile, kind, tuple(words), env, Path("/tmp"), 12, secrets=("a", "b"))
    found = memo_of(memo_text(SessionMemo("id", 34, launch)))
    assert (found.id, found.created_ms) == ("id", 34)
    assert found.launch.profile.metadata == profile.metadata
    assert (found.launch.env, found.launch.argv, found.launch.cwd) == (env, tuple(words), launch.cwd)
    assert (found.launch.kind, found.launch.secrets) == (kind, ("a", "b"))


def test_what_is_kept_comes_back() -> None:
    assert was_recording(kept_text(recording=True))
    assert not was_recording(kept_text(recording=False))
    assert not was_recording(b"nonsense")


CHUNKS = st.lists(st.binary(min_size=1, max_size=READ) | st.sampled_from([b"\x1b[?1049h", b"\x1b[?2004", b"h\xc3"]))


@given(CHUNKS, st.integers(1, 60))
def test_the_ring_holds_the_end_of_the_output_and_knows_what_was_before(chunks: list[bytes], repeat: int) -> None:
    ring = Ring(4096)
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    printed = bytearray()
    try:
        for chunk in [bytes(READ), *chunks] * repeat:
            os.write(writing, chunk)
            assert ring.read_from(reading) == len(chunk)
            printed += chunk
        reader = RingReader(os.dup(ring.descriptor), ring.size)
        kept = reader.read(ring.start, ring.end)
        assert ring.end == len(printed)
        assert kept == printed[ring.start :]
        assert ring.start == 0 or len(kept) >= 4096 + WINDOW + LAST
        reference = ForgottenOutput()
        for start in range(0, ring.start, PIECE):
            reference.feed(bytes(printed[start : min(start + PIECE, ring.start)]))
        log = OutputLog(4096)
        log.go_on_from(ring.start, ring.before)
        assert log._forgotten.restoring() == reference.restoring()
        reader.close()
    finally:
        os.close(reading)
        os.close(writing)
        os.close(ring.descriptor)


def test_a_file_that_could_shrink_is_no_ring(tmp_path: Path) -> None:
    plain = os.open(tmp_path / "ring", os.O_RDWR | os.O_CREAT)
    os.ftruncate(plain, 8192)
    with pytest.raises(OSError, match=r"."):
        RingReader(plain, 8192)
    ring = Ring(4096)
    with pytest.raises(OSError, match="no ring"):
        RingReader(os.dup(ring.descriptor), ring.size + 4096)
    with pytest.raises(PermissionError):
        os.ftruncate(ring.descriptor, 4096)
    os.close(ring.descriptor)


def test_a_holder_needs_the_standard_library_only() -> None:
    program = (
        "import runpy, sys\n"
        "try: runpy.run_path(sys.argv[1], run_name='__main__')\n"
        "except OSError: pass\n"
        "print(*(m for m in sys.modules if m.partition('.')[0] in ('jackfield', 'msgspec', 'asyncio')))\n"
    )
    command = [sys.executable, "-I", "-S", "-c", program, holder.__file__, "/"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_what_is_printed_after_the_agents_end_takes_nothing_from_the_daemon() -> None:
    """Whoever still has the terminal floods it, and the daemon takes nothing: the least scrollback does for that."""
    ring = Ring(4096)
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    try:
        while ring.end < WINDOW + LAST + 2 * (BUDGET + READ):
            os.write(writing, b"x" * READ)
            ring.read_from(reading)
        assert ring.start == 0
    finally:
        os.close(reading)
        os.close(writing)
        os.close(ring.descriptor)
