"""The emulator beside tmux, sequence by sequence; and with whatever bytes there are."""

from __future__ import annotations

import os
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.testing.daemon import poll
from jackfield_terminal.screen.emulator import Emulator

COLS, ROWS = 20, 6
FULL = "".join(f"\x1b[{row + 1};1H" + "abcdef"[row] * COLS for row in range(ROWS))
WIDE = "漢字漢"
LINE = "a" * COLS
CASES = [
    # Erasing, inserting, deleting (ECMA-48 8.3)
    f"{FULL}\x1b[2;5H\x1b[3X", f"{FULL}\x1b[2;5H\x1b[X", f"{FULL}\x1b[3;5H\x1b[J", f"{FULL}\x1b[3;5H\x1b[1J",
    f"{FULL}\x1b[3;5H\x1b[2JX", f"{FULL}\x1b[3J", f"{FULL}\x1b[3;5H\x1b[K", f"{FULL}\x1b[3;5H\x1b[1K",
    f"{FULL}\x1b[3;5H\x1b[2K", f"{FULL}\x1b[2;5H\x1b[3@X", f"{FULL}\x1b[2;5H\x1b[3PX", f"{FULL}\x1b[2;5H\x1b[99P",
    f"{FULL}\x1b[2;1H\x1b[2L", f"{FULL}\x1b[2;1H\x1b[2M", f"{FULL}\x1b[2;5r\x1b[3;1H\x1b[L",
    f"{FULL}\x1b[2;5r\x1b[6;1H\x1b[L", f"{FULL}\x1b[2;5H\x1b[4hXY\x1b[4l", f"{FULL}\x1b[2;5H\x1b[4h漢\x1b[4l",
    # Repeating
    "ab\x1b[3b!", "a\x1b[b",
    # Scrolling and margins
    f"{FULL}\x1b[2S", f"{FULL}\x1b[2T", f"{FULL}\x1b[99SX", f"{FULL}\x1b[2;4r\x1b[1S", f"{FULL}\x1b[2;4r\x1b[T",
    f"{FULL}\x1b[2;4r\x1b[4;1H\nX", f"{FULL}\x1b[2;4r\x1b[2;1H\x1bMX", f"{FULL}\x1b[1;1H\x1bMX",
    f"{FULL}\x1b[3;5r\x1b[4;1H\x1b[9AX", f"{FULL}\x1b[2;4r\x1b[3;1H\x1b[9BX", f"{FULL}\x1b[3;5r\x1b[1;1H\x1b[9AX",
    f"{FULL}\x1b[2;4r\x1b[6;1H\nX", "abc\x1b[2;4rX", "abc\x1b[4;2rX", f"{FULL}\x1b[2;4r\x1b[3;3H\x1b[rX",
    f"{FULL}\x1b[2;4r\x1b[?6h\x1b[1;1HX\x1b[9;9HY", f"{FULL}\x1b[3;5r\x1b[?6h\x1b[2dX",
    f"\x1b[?1049h{FULL}\x1b[1;1H\x1bM\x1bMX",
    # The cursor
    "abc\x1b[2EX", "\x1b[4;4H\x1b[2FX", "\x1b[5`X", "\x1b[3dX", "\x1b[0;0HX", "\x1b[99;99HX", "\x1b[99GX",
    "abc\x1b[99DX",
    "ab\x1b7\x1b[5;5Hx\x1b8y", "ab\x1b[s\x1b[5;5Hx\x1b[uy", "ab\x1bEcd", "ab\x1bDcd", "a\vb", "a\fb", "ab\b\b\bX",
    # Tabs
    "a\tb\tc\td", "a\t\t\t\tb", "\x1b[1;4H\x1bH\x1b[1;1H\tX", "\x1b[3g\tX", "\x1b[1;19H\x1b[ZX",
    # The last column
    f"{LINE}b", f"{LINE}\rb", f"{LINE}\x1b[1;20HX", f"{LINE}\x1b[K", f"{LINE}\x1b[X", f"{LINE}\x1b[CX", f"{LINE}\nX",
    f"\x1b[2;1H{LINE}\x1b[AX", f"\x1b[?7l{LINE[:19]}bcd\x1b[?7h", f"{LINE}{LINE}\x1b[HX", f"{LINE[:19]}漢b",
    f"{LINE[:18]}漢b", "漢" * 15,
    # Screens and resets
    "main\x1b[?1049halt\x1b[?1049lX", "main\x1b[?47halt\x1b[?47lX", "main\x1b[?1047halt\x1b[?1047lX",
    "main\x1b[?1049ha\x1b[?1049hb\x1b[?1049lX", f"{FULL}\x1bcX", "\x1b#8", "ab\x1b[!pc",
    # Wide characters and marks
    f"{WIDE}\x1b[1;3HX", "한글x", "\u1112\u1161\u11abx", "e\u0301x", "😀x", "👩\u200d👩\u200d👧x", "🇩🇪x",
    "👍🏽x", "±×→█x",
    # What is none of ours, and changes nothing
    "\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\x", "\x1b]0;title\ax", "\x1b]1337;File=abc\ax", "\x1bP$qm\x1b\\x",
    "\x1b_Gabc\x1b\\x", "\x1b^abc\x1b\\x", "\x1bXabc\x1b\\x", "\x1b]52;c;YWJj\ax", "\x1b]11;?\ax", "\x1b[ca",
    "\x1b[>ca",
    "\x1b[>0qa", "\x1b[>1ua\x1b[<ub\x1b[?uc", "\x1b[>4;2ma\x1b[>4mb", "\x1b[2 qa", "\x1b[?2026ha\x1b[?2026lb",
    "\x1b[38;2;1;2;3ma\x1b[38:2::1:2:3mb\x1b[4:3mc\x1b[58:2::1:2:3md\x1b[m", "\x1b[?2026$pa",
    "\x1b[22;0;0ta\x1b[23;0;0tb\x1b[14tc", f"{FULL}\x1b[2'}}", "\x1b[?3ha\x1b[?5hb", "a\x1b[?25lb\x1b[?25hc",
    # Broken ones
    "a\x1b[3\x18b", "a\x1b[3\x1ab", "a\x1b[3\x1b[1;5Hb", "ab\x1b[\n3Gx", "a\0b", "a\x7fb", "a\x1b]0;t\x1b[1;9Hb",
]  # fmt: skip
"""Left out, where tmux differs from xterm: the column after IL and DL (DEC: the first), REP of a wide character, HPR
and VPR, half of a wide character that is overwritten, a backspace at the last column, LNM, bytes that are no UTF-8."""


class Tmux:
    """One screen, drawn by what is written to a pipe. A title at the end says that all has been drawn."""

    def __init__(self, place: Path) -> None:
        self._socket = str(place / "socket")
        self._pipe = place / "pipe"
        os.mkfifo(self._pipe)
        settings = place / "tmux.conf"
        settings.write_text("set -g status off\nset -g default-terminal xterm-256color\nset -g history-limit 0\n")
        program = f"stty raw -echo; while :; do cat {self._pipe}; done"
        self.run("-f", str(settings), "new-session", "-d", "-x", str(COLS), "-y", str(ROWS), program)
        self._drawn = 0

    def run(self, *arguments: str) -> str:
        env = {name: value for name, value in os.environ.items() if not name.startswith("TMUX")} | {"LC_ALL": "C.UTF-8"}
        command = ["tmux", "-S", self._socket, *arguments]
        return subprocess.run(command, capture_output=True, check=True, timeout=20, env=env).stdout.decode()

    def draw(self, text: str) -> tuple[list[str], tuple[int, int]]:
        self._drawn += 1
        title = f"drawn {self._drawn}"
        with self._pipe.open("wb") as pipe:
            pipe.write(f"\x1b\\\x1b[?1049l\x1bc\x1b(B\x1b[H\x1b[2J{text}\x18\x1b]2;{title}\x1b\\".encode())
        asked = "#{pane_title};#{cursor_x};#{cursor_y}"
        poll(lambda: self.run("display-message", "-p", asked).startswith(f"{title};"), "tmux has drawn")
        _, col, row = self.run("display-message", "-p", asked).strip().split(";")
        shown = unicodedata.normalize("NFC", self.run("capture-pane", "-p")).split("\n")
        return [line.rstrip() for line in shown[:ROWS]], (int(row), min(int(col), COLS - 1))


@pytest.fixture(scope="module")
def tmux(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tmux]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    made = Tmux(tmp_path_factory.mktemp("tmux"))
    yield made
    made.run("kill-server")


def ours(data: bytes, *pieces: int) -> tuple[list[str], tuple[int, int]]:
    emulator = Emulator(COLS, ROWS)
    for start, end in zip((0, *pieces), (*pieces, len(data)), strict=True):
        emulator.feed(data[start:end])
    found = emulator.snapshot(0)
    return list(found.lines), (found.row, found.col)


@pytest.mark.parametrize("text", CASES)
def test_it_shows_what_tmux_shows(tmux: Tmux, text: str) -> None:
    assert ours(text.encode()) == tmux.draw(text)


@pytest.mark.parametrize("text", CASES)
def test_it_does_not_matter_where_output_is_cut(text: str) -> None:
    data = text.encode()
    assert ours(data, *range(1, len(data))) == ours(data)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\x1bPq" + "#0;2;0;0;0~~@@vv" * 20_000 + "\x1b\\", id="sixel"),
        pytest.param("\x1b]52;c;" + "QUJD" * 50_000 + "\x07", id="clipboard"),
        pytest.param("\x1b]1337;File=:" + "QUJD" * 50_000 + "\x1b\\", id="picture"),
        pytest.param("\x1b[" + "1;" * 100_000 + "m", id="numbers"),
    ],
)
def test_nothing_is_shown_of_a_sequence_that_is_too_long(text: str) -> None:
    assert ours(f"\x1b]0;title\x07before{text}after".encode()) == ours(b"beforeafter")


printed = st.lists(
    st.one_of(
        st.binary(max_size=10),
        st.sampled_from([case.encode() for case in CASES]),
        st.builds(
            lambda numbers, last: b"\x1b[" + b";".join(b"%d" % number for number in numbers) + last.encode(),
            st.lists(st.sampled_from([0, 1, 2, 5, 6, 7, 20, 21, 9999, 10**12]), max_size=3),
            st.sampled_from("@ABCDEFGHIJKLMPSTXZ`abdefghlrsu"),
        ),
    ),
    max_size=30,
).map(b"".join)


@given(printed, st.integers(1, 30), st.integers(1, 10), st.integers(1, 30), st.integers(1, 10))
def test_whatever_is_printed_leaves_a_screen(data: bytes, cols: int, rows: int, later: int, after: int) -> None:
    emulator = Emulator(cols, rows)
    emulator.feed(data)
    emulator.resize(later, after)
    emulator.feed(data)
    found = emulator.snapshot(0)
    assert len(found.lines) == after
    assert 0 <= found.row < after
    assert 0 <= found.col < later
    grid = emulator._grid
    for row in range(after):
        cells = [grid.cell(row, col) for col in range(later)]
        assert cells[0], "no row begins with the second half of a wide character"
        assert all(cells[col] or cells[col - 1] for col in range(1, later))
