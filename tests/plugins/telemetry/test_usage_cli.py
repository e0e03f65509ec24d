"""`jackfield usage`, without a daemon and beside one; and the same reports through the API."""

from __future__ import annotations

import json
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from fcntl import ioctl
from pathlib import Path

import pytest
from usage_lab import claude_line

from jackfield.testing.daemon import Daemon
from jackfield_telemetry.cli.tables import FigureColumn, dollars, fitting, several
from jackfield_telemetry.reports.periods import LABELS, days_of

Run = Callable[..., subprocess.CompletedProcess[str]]


class Place:
    """A user with a log of Claude Code, and a configuration directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.log = root / "home" / ".claude" / "projects" / "one.jsonl"
        self.log.parent.mkdir(parents=True)
        lines = [
            claude_line("m1", "r1", (1000, 10, 0, 0), model="gpt-5", cwd="/work/demo"),
            claude_line("m2", "r2", model="nobody-knows"),
            claude_line("m3", "r3", model="gpt-5", timestamp="2026-02-01T09:00:00Z", sessionId="s2"),
        ]
        self.log.write_bytes(b"".join(lines))
        self.daemon = Daemon(root, env=self.env, settings="[telemetry]\nwatch = false\n")

    @property
    def env(self) -> dict[str, str | None]:
        own: dict[str, str | None] = {"HOME": str(self.root / "home"), "TZ": "UTC", "COLUMNS": None}
        return own | dict.fromkeys(("XDG_CONFIG_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"))

    def command(self, *arguments: str) -> list[str]:
        return [self.daemon.command()[0], "usage", *arguments, "--config-dir", str(self.daemon.config_dir)]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        env = self.daemon.environment()
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, env=env, timeout=60)

    def json(self, *arguments: str) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.run(*arguments, "--json").stdout)
        return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    made = Place(tmp_path_factory.mktemp("usage-cli"))
    done = made.run("import")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Imported 1,230 tokens in 3 answers from 1 of 1 files (claude).\n"
    yield made
    made.daemon.close()


def test_a_report_is_a_table_with_a_total(place: Place) -> None:
    done = place.run("daily")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["DATE", "MODELS", "INPUT", "OUTPUT", "CACHE", "WRITES", "CACHE", "READS", "TOTAL", "COST"]
    assert lines[1] == ["2026-01-31", "gpt-5,", "nobody-knows", "1,100", "20", "0", "0", "1,120", "$0.0014"]
    assert lines[-1] == ["Total", "1,200", "30", "0", "0", "1,230", "$0.0016"]
    assert "nobody-knows" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (["daily", "--order", "desc"], ["2026-02-01", "2026-01-31"]),
        (["weekly"], ["2026-01-26"]),
        (["monthly", "--since", "2026-02-01"], ["2026-02"]),
        (["session", "--project", "demo"], ["s1"]),
        (["models", "--until", "20260131"], ["nobody-knows", "gpt-5"]),
        (["agents"], ["claude"]),
        (["projects"], ["", "/work/demo"]),
        (["daily", "--model", "gpt-5", "--tz", "Pacific/Auckland"], ["2026-02-01"]),
        (["profiles", "--profile", "none-such"], []),
    ],
)
def test_reports_by_what_they_are_asked_for(place: Place, arguments: list[str], keys: list[str]) -> None:
    rows = place.json(*arguments)["rows"]
    assert isinstance(rows, list)
    assert sorted(next(iter(row.values())) for row in rows) == sorted(keys)
    if arguments[0] == "daily" and "desc" in arguments:
        assert [row["date"] for row in rows] == keys


def test_answers_one_by_one(place: Place) -> None:
    """An answer without an id, or of a model without a price, says so."""
    found = place.json("answers", "--until", "2026-01-31")
    assert found["left_out"] == 0
    assert isinstance(rows := found["rows"], list)
    assert {(row["model"], row["total_tokens"], row["response_id"]) for row in rows} == {
        ("gpt-5", 1010, None), ("nobody-knows", 110, None)
    }  # fmt: skip
    assert {row["model"]: row["cost"] is None for row in rows} == {"gpt-5": False, "nobody-knows": True}
    latest = place.json("answers", "--limit", "1")
    assert latest["left_out"] == 2
    assert isinstance(rows := latest["rows"], list)
    assert [(row["time"][:10], row["session"]) for row in rows] == [("2026-02-01", "s2")]
    assert place.json("answers", "--session", "none-such") == {"rows": [], "left_out": 0}
    done = place.run("answers", "--limit", "2")
    assert done.stdout.splitlines()[0].split()[:5] == ["TIME", "AGENT", "PROFILE", "MODEL", "RESPONSE"]
    assert "1 earlier answers are left out." in done.stdout


def test_blocks_have_gaps_and_shares_of_the_limit(place: Place) -> None:
    done = place.run("blocks", "--token-limit", "max", "--breakdown")
    assert [line.split()[:2] for line in done.stdout.splitlines()[1:6:2]] == [
        ["2026-01-31", "12:00"],
        ["nobody-knows", "100"],
        ["2026-02-01", "09:00"],
    ]
    assert "gap of 16 h" in done.stdout
    assert "Limit: 1,120 tokens." in done.stdout


def test_sums_of_a_period(place: Place) -> None:
    done = place.run("-p", "all")
    assert "Tokens        1,230 (1,200 input, 30 output, 0 cache writes, 0 cache reads)" in done.stdout
    assert "Sessions      2" in done.stdout
    assert place.json("-p", "all")["total_sessions"] == 2


def test_a_report_of_a_period_has_what_the_sums_of_it_have(place: Place) -> None:
    for kind in ("daily", "models", "blocks"):
        assert place.json(kind, "-p", "all")["totals"] == place.json(kind)["totals"]
    assert place.json("daily", "-p", "yesterday")["rows"] == []
    sums = place.json("-p", "30d")
    rows = place.json("session", "-p", "30d")["rows"]
    assert isinstance(rows, list)
    assert len(rows) == sums["total_sessions"]


def test_the_days_of_periods() -> None:
    wednesday = date(2026, 7, 15)
    days = {name: days_of(name, wednesday) for name in LABELS}
    assert days["week"] == (date(2026, 7, 13), wednesday)
    assert days["month"] == (date(2026, 7, 1), wednesday)
    assert days["7d"] == (date(2026, 7, 9), wednesday)
    assert days["all"] is None


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["daily", "--since", "2026-13-01"], "since"),
        (["daily", "--tz", "Mars/Base"], "time zone"),
        (["daily", "-p", "week", "--since", "2026-01-01"], "exclude each other"),
        (["blocks", "-p", "week", "--recent"], "exclude each other"),
        (["-p", "all", "daily"], "after the command daily"),
        (["blocks", "--token-limit", "-1"], "--token-limit"),
        (["import", "--agent", "nobody"], "no reader"),
        (["export", "-o", "/not/there/usage.csv"], "/not/there/usage.csv"),
    ],
)
def test_what_is_wrong_is_named(place: Place, arguments: list[str], named: str) -> None:
    env = place.daemon.environment()
    command = [place.daemon.command()[0], "usage", *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, env=env | {"JACKFIELD_CONFIG_DIR": str(place.daemon.config_dir)}
    )
    assert done.returncode != 0
    assert named in done.stderr
    assert "Traceback" not in done.stderr


def test_an_export_is_there_once_it_is_whole(place: Place, tmp_path: Path) -> None:
    out = tmp_path / "usage.csv"
    assert place.run("export", "-o", str(out)).returncode == 0
    assert len(out.read_text().splitlines()) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["usage.csv"]
    rows = json.loads(place.run("export", "--format", "json", "-p", "all").stdout)["data"]
    assert sum(row["input_tokens"] for row in rows) == 1200


def test_an_export_replaces_no_pipe_and_no_link(place: Place, tmp_path: Path) -> None:
    """Root's `-o /dev/null` would take the device from everybody."""
    pipe, link, real = tmp_path / "pipe", tmp_path / "link.csv", tmp_path / "real.csv"
    os.mkfifo(pipe)
    link.symlink_to(real)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert place.run("export", "-o", str(pipe)).returncode == 0
    assert pipe.is_fifo()
    assert os.read(reading, 5) == b"date,"
    os.close(reading)
    assert place.run("export", "-o", str(link)).returncode == 0
    assert link.is_symlink()
    assert real.read_bytes().startswith(b"date,")


def test_a_terminal_obeys_no_name(tmp_path: Path) -> None:
    """Models name themselves, and logs can be anybody's."""
    own = Place(tmp_path)
    own.log.write_bytes(claude_line("m1", "r1", model="\x1b]0;mine\x07"))
    own.run("import")
    done = own.run("models")
    assert "\ufffd]0;mine\ufffd" in done.stdout
    assert "\ufffd]0;mine\ufffd" in done.stderr
    assert not {"\x1b", "\x07"} & set(done.stdout + done.stderr)


def test_a_rebuild_keeps_a_damaged_file_beside(place: Place) -> None:
    path = place.daemon.config_dir / "telemetry" / "aggregates.json"
    path.write_text("{")
    assert "aggregates.json" in place.run("daily").stderr
    done = place.run("rebuild")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(path.read_bytes())["total_sessions"] == 2
    assert path.with_name("aggregates.json.bak").read_text() == "{"


def test_the_same_beside_a_daemon(place: Place) -> None:
    before = place.json("daily")
    place.daemon.start()
    try:
        assert place.json("daily") == before
        answer = place.daemon.client().get("/api/usage/report", params={"kind": "daily"}).json()
        assert answer["data"] == before
        one_by_one = place.daemon.client().get("/api/usage/answers", params={"limit": "2"}).json()
        assert one_by_one["data"] == place.json("answers", "--limit", "2")
        blocks = place.daemon.client().get("/api/usage/report", params={"kind": "blocks", "token_limit": "max"}).json()
        assert [row["gap"] for row in blocks["data"]["rows"]] == [False, True, False]
        with place.log.open("ab") as log:
            log.write(claude_line("m4", "r4", model="gpt-5"))
        assert place.run("import").stdout.startswith("Imported 110 tokens in 1 answers")
        sums = place.daemon.client().get("/api/usage", params={"period": "all"}).json()["data"]["total_tokens"]
        assert sums["input_tokens"] == 1300
    finally:
        place.daemon.stop()


@pytest.mark.parametrize(
    "query",
    [{"kind": "hourly"}, {"since": "x"}, {"token_limit": "0"}, {"limit": "0"}, {"color": "red"}, {"hours": "0"}],
)
def test_bad_queries_are_refused(place: Place, query: dict[str, str]) -> None:
    if not place.daemon.running:
        place.daemon.start()
    answer = place.daemon.client().get("/api/usage/report", params=query)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize(("width", "shown"), [(140, "CACHE WRITES"), (60, "OUTPUT"), (40, "TOTAL")])
def test_a_narrow_terminal_gets_fewer_columns(place: Place, width: int, shown: str) -> None:
    text = in_terminal(place, width, "daily", "--model", "gpt-5")
    lines = text.replace("\r", "").splitlines()
    assert shown in text
    assert "COST" in text
    assert max(map(len, lines)) <= width
    assert ("CACHE WRITES" in text) == (width == 140)


def in_terminal(place: Place, width: int, *arguments: str) -> str:
    pid, descriptor = pty.fork()
    if pid == 0:
        os.execvpe(place.command()[0], place.command(*arguments), {**place.daemon.environment(), "TERM": "dumb"})
    ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    found = b""
    with suppress(OSError):
        while part := os.read(descriptor, 65_536):
            found += part
    os.close(descriptor)
    os.waitpid(pid, 0)
    return found.decode()


def test_columns_that_matter_least_go_first() -> None:
    columns = [
        FigureColumn("NAME", right=False),
        FigureColumn("FIRST", 1),
        FigureColumn("SECOND", 2),
        FigureColumn("COST"),
    ]
    rows = [["x" * 10, "1", "2", "3"]]
    assert [len(fitting(columns, rows, width)) for width in (31, 30, 23, 22, 16, 5)] == [4, 3, 3, 2, 2, 2]


def test_figures_for_people() -> None:
    assert [dollars(value) for value in (0, 0.00001, 0.0123, 1234.5)] == ["$0.00", "<$0.0001", "$0.0123", "$1,234.50"]
    assert several(["a", "b", "c", "d"]) == "a, b +2"
