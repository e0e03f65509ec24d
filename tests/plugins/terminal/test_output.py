"""The log of output: offsets, bounds, and cuts that cut nothing. Sources: ECMA-48, xterm's control sequences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield_terminal.output.log import PIECE, OutputLog
from jackfield_terminal.output.modes import LONGEST, ForgottenOutput, TerminalModes

MODES = st.sampled_from([1, 7, 25, 1006, 1049, 2004])
ENDS = st.sampled_from([b"\x07", b"\x1b\\"])
TOKENS = st.one_of(
    st.text(st.characters(min_codepoint=0x20, exclude_categories=["Cs"]), min_size=1, max_size=1).map(str.encode),
    st.sampled_from([b"\n", b"a", b"\xff", b"\x1b7", b"\x1b(B", b"\x1b=", b"\x1bc", b"\x1b[!p"]),
    st.builds(lambda n, c: b"\x1b[%d;%d%c" % (n, n, c), st.integers(0, 999), st.sampled_from(b"mHJKr")),
    st.builds(lambda n, c: b"\x1b[?%d%c" % (n, c), MODES, st.sampled_from(b"hl")),
    st.builds(lambda t, e: b"\x1b]0;" + t.encode() + e, st.text("abc é", max_size=8), ENDS),
    st.builds(lambda t: b"\x1bP" + t.encode() + b"\x1b\\", st.text("q#0;", max_size=8)),
    st.builds(lambda size: b"\x1bPq" + b"~" * size + b"\x1b\\", st.integers(0, 2 * LONGEST)),
    st.builds(lambda size: b"\x1b]52;c;" + b"QUJD" * size + b"\x07", st.integers(0, LONGEST)),
)


@given(st.lists(TOKENS, max_size=30), st.data())
def test_a_cut_moves_to_the_end_of_what_it_would_cut(tokens: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(tokens)
    ends = {0}
    for token in tokens:
        ends.add(max(ends) + len(token))
    cut = data.draw(st.integers(0, len(stream)))
    forgotten = ForgottenOutput()
    at = 0
    while at < cut:
        size = data.draw(st.integers(1, cut - at))
        forgotten.feed(stream[at : at + size])
        at += size
    skipped = forgotten.rest_of_sequence(stream[cut:])
    assert cut + skipped in ends
    assert cut + skipped == min(end for end in ends if end >= cut)


@pytest.mark.parametrize(
    ("before", "following", "rest"),
    [
        pytest.param(b"\x1bPq" + b"~" * LONGEST, b"~" * 100_000 + b"\x1b\\x", 100_002, id="far away"),
        pytest.param(b"\x1bPq" + b"~" * LONGEST + b"\x1b", b"\\x", 1, id="half of its end"),
        pytest.param(b"\x1b]0;" + b"~" * LONGEST, b"~" * 1000, 1000, id="no end"),
        pytest.param(b"\x1b]0;abc", b"def\x1b[mx", 3, id="broken off"),
        pytest.param(b"\x1b]0;abc", b"def\x18x", 4, id="cancelled"),
    ],
)
def test_a_cut_inside_of_a_picture_shows_nothing_of_it(before: bytes, following: bytes, rest: int) -> None:
    forgotten = ForgottenOutput()
    forgotten.feed(before)
    assert forgotten.rest_of_sequence(following) == rest
    taken_over = ForgottenOutput()
    taken_over.feed(forgotten.restoring())
    assert len(forgotten.restoring()) <= LONGEST
    assert taken_over.rest_of_sequence(following) == rest


@given(st.lists(TOKENS, max_size=30), st.integers(0, 200))
def test_modes_do_not_depend_on_how_output_is_divided(tokens: list[bytes], cut: int) -> None:
    stream = b"".join(tokens)
    whole, divided = ForgottenOutput(), ForgottenOutput()
    whole.feed(stream)
    divided.feed(stream[:cut])
    divided.feed(stream[cut:])
    assert whole.modes.restoring() == divided.modes.restoring()


def test_only_modes_that_differ_from_a_fresh_terminals_are_restored() -> None:
    modes = TerminalModes()
    modes.feed(b"\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?7h\x1b[?12h")
    assert modes.restoring() == b"\x1b[?1049h\x1b[?25l\x1b[?2004h"
    modes.feed(b"\x1b[?25h\x1b[?1049;2004l")
    assert modes.restoring() == b""


@given(st.lists(st.binary(min_size=1, max_size=40_000), max_size=30), st.integers(0, 2**20), st.integers(1, 200_000))
def test_a_reader_gets_every_byte_that_is_kept_once(reads: list[bytes], offset: int, limit: int) -> None:
    log = OutputLog(100_000)
    stream = b""
    for data in reads:
        log.append(data)
        stream += data
    assert log.end == len(stream)
    assert log.end - log.start <= 100_000 + PIECE
    assert log.start == 0 or log.end - log.start >= 100_000
    at = min(max(offset, log.start), log.end)
    got = b""
    while at + len(got) < log.end:
        piece = log.read(at + len(got), limit)
        assert piece
        got += piece
    assert got == stream[at:]


def test_the_scrollback_restores_modes_that_were_set_in_what_is_forgotten() -> None:
    log = OutputLog(1000)
    log.append(b"\x1b[?1049h\x1b[?2004h" + b"x" * PIECE)
    log.append(b"y" * PIECE)
    text, after = log.scrollback()
    assert text.startswith(b"\x1b[?1049h\x1b[?2004hy")
    assert after == log.end
    assert log.tail(10)[0] == b"\x1b[?1049h\x1b[?2004h" + b"y" * 10


def test_large_pieces_do_not_make_the_scrollback_larger() -> None:
    log = OutputLog(100_000)
    for _ in range(5):
        log.append(b"\xc3\xa9" * 90_000)
    text, _ = log.scrollback()
    assert len(text) == 100_000
    text.decode()
