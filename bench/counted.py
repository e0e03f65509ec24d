"""Work of a webhook call that can be counted: instructions and allocations by callgrind, system calls by strace, bytes
that files take by the kernel. Counts hardly change with the machine's load, so that CI can hold them.

    python bench/counted.py [--calls N] [--write]

Each load is one client that calls again as soon as it is answered. Every count is set against that of a server that
does the least: it parses the body, commits one row, and answers (bench/floor_server.py). bench/counted.toml says how
much each may be; the exit code is 1 where one is more. Needs valgrind and strace, and the right to trace a process.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import harness
import httpx
from webhooks import floor_server, last_node_workflow, received_workflow, unfinished

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).resolve().parent
LIMITS = HERE / "counted.toml"
WARM_CALLS = 50
SLOW_START = 300.0
"""Seconds: a program takes some 40 times as long under callgrind."""
REST = 1.0
"""Seconds for the runs behind the answers, before anybody asks whether they are over: a question is counted as well."""
TRACES = 3
WAITS = ("futex", "epoll_wait", "epoll_pwait", "poll", "ppoll", "select", "restart_syscall", "clock_gettime", "getpid")
"""How often threads wait for each other, and look at the clock, depends on how busy the machine is."""
SERVER = "hypercorn"
FLOOR = "floor"


@dataclass(frozen=True, slots=True)
class Target:
    """A running server. `settled` returns when it has nothing left to do."""

    pid: int
    urls: Mapping[str, str]
    settled: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Counts:
    """Per call."""

    figures: Mapping[str, float]

    def over(self, other: Counts) -> Counts:
        """As multiples of the other's."""
        return Counts({name: value / other.figures[name] for name, value in self.figures.items()})


@contextmanager
def daemon(prefix: Sequence[str], env: Mapping[str, str]) -> Iterator[Target]:
    """Ours, with both workflows."""
    with tempfile.TemporaryDirectory() as directory:
        made = Daemon(Path(directory), prefix=[*prefix, sys.executable], arguments=["--server", SERVER], env=env)
        try:
            made.start(timeout=SLOW_START)
            api = made.admin()
            api.timeout = httpx.Timeout(SLOW_START)
            for document in (received_workflow(), last_node_workflow()):
                made.live(document, api)
            urls = {name: f"{made.base_url}/webhook/{name}" for name in ("received", "last-node")}
            yield Target(made.pid, urls, lambda: settle(api))
        except Exception:
            sys.stderr.write(made.tail())
            raise
        finally:
            made.close()


def settle(api: httpx.Client) -> None:
    poll(lambda: rested(api), "all is run", timeout=SLOW_START)


def rested(api: httpx.Client) -> bool:
    time.sleep(REST)
    return unfinished(api) == 0


@contextmanager
def floor(prefix: Sequence[str], env: Mapping[str, str]) -> Iterator[Target]:
    """The server that does the least."""
    with tempfile.TemporaryDirectory() as directory:
        database = Path(directory, "floor.db")
        with floor_server(SERVER, database, prefix, env, SLOW_START) as (url, pid):
            yield Target(pid, {FLOOR: url}, lambda: None)


def call(target: Target, name: str, count: int) -> None:
    """One after the other, until all of their work is done."""
    headers = {"Content-Type": "application/json", "X-GitHub-Event": "push", "User-Agent": "GitHub-Hookshot/0"}
    with httpx.Client(trust_env=False, timeout=SLOW_START, headers=headers) as client:
        for _ in range(count):
            client.post(target.urls[name], content=harness.payload()).raise_for_status()
    target.settled()


def instructions(serve: Callable[..., contextlib.AbstractContextManager[Target]], calls: int) -> dict[str, Counts]:
    """Instructions of all threads, and allocations: with PYTHONMALLOC=malloc each is a call of the C library's."""
    with tempfile.TemporaryDirectory() as directory:
        output = Path(directory, "calls")
        tool = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={output}"]
        with serve(tool, {"PYTHONMALLOC": "malloc"}) as target:
            found = {}
            for number, name in enumerate(target.urls, 1):
                call(target, name, WARM_CALLS)
                control("-i", "on", target.pid)
                call(target, name, calls)
                control("-d", "counted", target.pid)
                control("-i", "off", target.pid)
                dump = Path(f"{output}.{number}")
                poll(dump.exists, f"callgrind has written {dump.name}", timeout=60)
                found[name] = read_dump(dump, calls)
    return found


def control(option: str, value: str, pid: int) -> None:
    subprocess.run(["callgrind_control", option, value, str(pid)], check=True, stdout=subprocess.DEVNULL)


def read_dump(dump: Path, calls: int) -> Counts:
    """What callgrind counted. Its format: https://valgrind.org/docs/manual/cl-format.html"""
    text = dump.read_text(errors="replace")
    total = re.search(r"^totals: (\d+)", text, re.MULTILINE)  # "summary" is off in all dumps but the first
    if total is None:
        raise LookupError(f"callgrind wrote no total into {dump.name}")
    return Counts({"instructions": int(total[1]) / calls, "allocations": allocations(text) / calls})


def allocations(text: str) -> int:
    """Calls of the C library's allocator. A name stands once, behind its number, and the number alone afterwards."""
    numbers = {found[1] for found in re.finditer(r"^c?fn=\((\d+)\) (?:malloc|calloc|realloc)$", text, re.MULTILINE)}
    found = re.finditer(r"^cfn=\((\d+)\)[^\n]*\ncalls=(\d+)", text, re.MULTILINE)
    return sum(int(each[2]) for each in found if each[1] in numbers)


def system_calls(serve: Callable[..., contextlib.AbstractContextManager[Target]], calls: int) -> dict[str, Counts]:
    """System calls of all threads, those that wait for the disk, and bytes written: the least of several times."""
    with serve([], {}) as target:
        found = {}
        for name in target.urls:
            call(target, name, WARM_CALLS)
            several = [traced_calls(target, name, calls) for _ in range(TRACES)]
            found[name] = Counts({figure: min(one[figure] for one in several) for figure in several[0]})
    return found


def traced_calls(target: Target, name: str, calls: int) -> dict[str, float]:
    written = bytes_written(target.pid)
    with tempfile.NamedTemporaryFile() as table:
        with tracing(target.pid, table.name):
            call(target, name, calls)
        counts = read_trace(Path(table.name).read_text(), calls)
    return {**counts, "bytes written": (bytes_written(target.pid) - written) / calls}


@contextmanager
def tracing(pid: int, output: str) -> Iterator[None]:
    tool = subprocess.Popen(
        ["strace", "-f", "-c", "-o", output, "-p", str(pid)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    try:
        poll(lambda: traced(pid), "strace has attached itself", timeout=30)
        time.sleep(0.2)  # to the other threads too; nothing tells of it
        yield
    finally:
        tool.terminate()
        tool.communicate(timeout=30)


def traced(pid: int) -> bool:
    return all("TracerPid:\t0" not in status.read_text() for status in Path(f"/proc/{pid}/task").glob("*/status"))


def read_trace(text: str, calls: int) -> dict[str, float]:
    """The table of `strace -c`: share, seconds, microseconds, calls, errors where there were some, name."""
    lines = re.findall(r"^ *[\d.]+ +[\d.]+ +\d+ +(\d+) +(?:\d+ +)?(\w+)$", text, re.MULTILINE)
    counted = {name: int(count) for count, name in lines if name not in ("total", *WAITS)}
    synced = sum(counted.get(name, 0) for name in ("fsync", "fdatasync"))
    return {"system calls": sum(counted.values()) / calls, "waits for the disk": synced / calls}


def bytes_written(pid: int) -> int:
    """By all threads, into files; pages that are written twice count twice."""
    found = re.search(r"^write_bytes: (\d+)$", Path(f"/proc/{pid}/io").read_text(), re.MULTILINE)
    if found is None:
        raise LookupError("the kernel does not count bytes that are written")
    return int(found[1])


def counted(calls: int) -> dict[str, Counts]:
    """All figures, by load."""
    found: dict[str, Counts] = {}
    for measure in (instructions, system_calls):
        for serve in (floor, daemon):
            for name, counts in measure(serve, calls).items():
                found[name] = Counts({**(found[name].figures if name in found else {}), **counts.figures})
    return found


def judged(found: Mapping[str, Counts]) -> tuple[list[list[str]], bool]:
    """The table's lines, and whether nothing is more than it may be."""
    limits = tomllib.loads(LIMITS.read_text())
    lines, ok = [], True
    for name, allowed in limits.items():
        relative = found[name].over(found[FLOOR])
        for figure, most in allowed.items():
            passed = relative.figures[figure] <= most
            ok = ok and passed
            values = [f"{found[each].figures[figure]:,.0f}" for each in (FLOOR, name)]
            lines.append(
                [name, figure, *values, f"{relative.figures[figure]:.2f}", f"{most:g}", harness.verdict(passed)]
            )
    return lines, ok


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=100, help="how many calls each count is of")
    parser.add_argument("--write", action="store_true", help="put the result into docs/benchmarks.md")
    options = parser.parse_args()
    harness.need("valgrind", "callgrind_control", "strace")
    lines, ok = judged(counted(options.calls))
    header = ["load", "per call", "floor", "Jackfield", "x floor", "at most", ""]
    command = f"`python bench/counted.py --calls {options.calls}` — {harness.environment('hypercorn', 'quart')}."
    harness.publish("counted", f"{command}\n\n{harness.table(header, lines)}", write=options.write)
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
