"""Full-screen programs, driven over the WebSocket: the snapshot is what tmux shows of the same program."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .conftest import _factory
from .shell_daemon import Shells
from .tmux_screen import Pair

ESCAPE, RETURN, DOWN = "\x1b", "\r", "\x0e"
"""No sequences for other keys: on a busy machine a program may take their beginning for an escape alone."""
TEXT = """\
first line
\tone tab\ttwo tabs
漢字 and かな, wide ones at the margin: {wide}
emoji 😀 and marks e\u0301 a\u0308, lines ┌──┐│└┘
a long line that is wrapped: {long}
{rest}
last line
"""
VIM = (
    "vim -N -u NONE -i NONE -n -c 'set ruler showcmd hlsearch incsearch nomore shortmess=I nosol' "
    "--cmd 'set encoding=utf-8 t_RV= t_u7= t_RB= t_RF= t_RK= t_8u= ttimeoutlen=20' "
)
HTOPRC = """\
htop_version=3.2.2
config_reader_min_version=3
fields=0 48 1
hide_kernel_threads=1
hide_userland_threads=1
show_program_path=1
tree_view=0
sort_key=0
sort_direction=1
header_margin=1
delay=600
enable_mouse=0
header_layout=two_50_50
column_meters_0=Hostname
column_meter_modes_0=2
column_meters_1=Blank
column_meter_modes_1=2
screen:Main=PID USER Command
.sort_key=PID
.tree_view=0
"""


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [name for name in programs if shutil.which(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


Open = Callable[..., Pair]


@pytest.fixture(scope="module")
def shells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shells]:
    factory = _factory(tmp_path_factory.mktemp("screens"))
    yield Shells(next(factory)(start=False))
    next(factory, None)


@pytest.fixture
def side_by_side(shells: Shells, tmp_path: Path) -> Iterator[Open]:
    made: list[Pair] = []

    def begin(command: str, cols: int = 80, rows: int = 24, env: dict[str, str] | None = None) -> Pair:
        made.append(Pair(shells, tmp_path, command, cols, rows, env))
        return made[-1]

    yield begin
    for pair in made:
        pair.close()


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    rest = "\n".join(f"line {number} " + "word " * (number % 7) for number in range(60))
    path.write_text(TEXT.format(wide="漢" * 30, long="0123456789" * 12, rest=rest), encoding="utf-8")
    return path


@needs("tmux", "vim")
def test_vim(side_by_side: Open, text: Path) -> None:
    pair = side_by_side(f"{VIM} {text}")
    pair.step("", "first line")
    pair.step("onew 字 text" + ESCAPE, "new 字 text")
    pair.step("3j0i>>" + ESCAPE + ":set list" + RETURN, "^Ione tab")
    pair.step(":set nolist nu" + RETURN, "  1 first")
    pair.step("\x06\x06", "line 40")  # a page, twice
    pair.step("gg\x05\x05\x05\x19", "emoji")  # line by line
    pair.step("/last line" + RETURN, "last line")
    pair.step("ggddjjp5x", "emoji")
    pair.step(":split" + RETURN, "text.txt [+]")
    pair.step("G", "last line")
    pair.step(":vsplit" + RETURN + "gg", "text.txt [+]")
    pair.step("20j" + ":3,8d" + RETURN, "6 fewer lines")
    pair.step("u", "6 more lines")
    pair.resize(60, 15)
    pair.step("", "text.txt")
    pair.step(":only" + RETURN + "gg", "one tab")
    pair.resize(100, 30)
    pair.step("", "one tab")
    pair.step(":set nowrap" + RETURN + "G$", "last line")
    pair.step("ggR漢漢漢" + ESCAPE, "漢漢漢")
    pair.step("/wo" + "rd" + RETURN + "nnn", "word")
    pair.step(":%s/word/ワード/g" + RETURN, "substitutions")


@needs("tmux", "vim")
@pytest.mark.parametrize(("cols", "rows"), [(20, 5), (81, 25), (132, 50)])
def test_vim_in_other_sizes(side_by_side: Open, text: Path, cols: int, rows: int) -> None:
    pair = side_by_side(f"{VIM} {text}", cols, rows)
    pair.step("", "first line")
    for _ in range(6):
        pair.step("\x06", "")
    pair.step("gg", "first line")
    pair.step("\x04\x04\x15", "")
    pair.step("G", "last line")
    pair.step("gg20J", "")
    pair.step("xxxxx", "")
    pair.step("i漢字\t漢" + ESCAPE, "漢字")


@needs("tmux", "htop")
def test_htop(side_by_side: Open, tmp_path: Path) -> None:
    settings = tmp_path / "htoprc"
    settings.write_text(HTOPRC)
    settings.chmod(0o400)  # the two would write it
    sleeping = [subprocess.Popen(["sleep", f"100{number}"]) for number in range(12)]
    try:
        pids = ",".join(str(process.pid) for process in sleeping)
        pair = side_by_side(f"htop --no-color -p {pids}", env={"HTOPRC": str(settings)})
        pair.step("", "sleep 1009")
        pair.step(DOWN * 3, "sleep 1003")
        pair.step("/1007", "Search: 1007")
        pair.step(RETURN, "F10Quit")
        pair.step("h", "htop 3")  # help; any key leaves it
        pair.step(" ", "sleep 1001")
        pair.resize(60, 12)
        # What a program leaves standing when its terminal shrinks hangs on when it looks: it draws anew.
        pair.step("\x0c", "sleep 1007")
        pair.step(DOWN * 9, "sleep 10011")
        pair.resize(100, 30)
        pair.step("\x0c", "sleep 1001")
        pair.step("\\sleep 1005", "Filter: sleep 1005")
        pair.step(RETURN, "sleep 1005")
    finally:
        for process in sleeping:
            process.kill()
            process.wait()
