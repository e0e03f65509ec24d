"""Threads of free-threaded Python beside processes: executions, and the server that does the least.

    python bench/free_threaded.py PYTHON [PYTHON ...] [--rounds 5] [--seconds 2] [--undisturbed] [--write]

PYTHON: interpreters, one of them free-threaded, which have jackfield's dependencies but orjson: that refuses to be
built for free-threaded Python, so msgspec takes its place in all (`peers/json_stand_in`). Each runs the same work on
one thread, on two threads, and in two processes, each with an event loop of its own: that is how a daemon would divide
connections and executions.

- executions: Webhook -> Set -> IF -> Set in engine, run loop and expressions, without store and HTTP
  (`bench/runloop.py`). They share workflow and code, and nothing else.
- least server: uvicorn with httptools and uvloop, which reads a delivery as JSON (`bench/floor_server.py`), with one
  listening socket for all, as the daemon's workers have it; wrk shares the cores.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import harness

HERE = Path(__file__).resolve().parent
WAYS = ("1 thread", "2 threads", "2 processes")
LOADS = ("executions", "least server")
PIECE = 320
"""Executions, after which the clock is looked at."""
Rates = dict[str, dict[str, list[float]]]
"""Load -> way -> units a second of each round."""


# --------------------------------------------------------------------------------------- in the interpreter that works


def at_once(way: str, work: Callable[[], int]) -> tuple[int, list[int]]:
    """Does the work as often at once as the way says. Gives the sum of what it has returned, and further processes."""
    count, kind = way.split()
    if kind == "processes":
        return forked(int(count), work)
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(work())) for _ in range(int(count))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(found), []


def forked(count: int, work: Callable[[], int]) -> tuple[int, list[int]]:
    pipes = [os.pipe() for _ in range(count)]
    started = []
    for _, writing in pipes:
        pid = os.fork()
        if pid == 0:
            os.write(writing, str(work()).encode())
            os._exit(0)
        started.append(pid)
    total = sum(int(os.read(reading, 100)) for reading, _ in pipes)
    for pid in started:
        os.waitpid(pid, 0)
    return total, started


def run_executions(way: str, seconds: float, undisturbed: bool) -> float:
    """Executions a second."""
    import runloop

    from jackfield.cli.processes.serving import spare_collector

    workflow = runloop.workflows()["Webhook -> Set -> IF -> Set"]
    asyncio.run(runloop.run(workflow, "accept", PIECE))
    spare_collector()
    until = 0.0

    def work() -> int:
        done = 0
        while time.monotonic() < until:
            asyncio.run(runloop.run(workflow, "accept", PIECE))
            done += PIECE
        return done

    with harness.undisturbed([]) if undisturbed else contextlib.nullcontext():
        begun = time.monotonic()
        until = begun + seconds
        done, _ = at_once(way, work)
        return done / (time.monotonic() - begun)


def serve(way: str) -> None:
    """Says the port, and serves until it is ended."""
    import floor_server
    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0), backlog=512)
    listening.setblocking(False)
    print(listening.getsockname()[1], flush=True)

    def work() -> int:
        config = uvicorn.Config(
            floor_server.floor(None), http="httptools", loop="none", access_log=False, log_level="error", lifespan="off"
        )
        server = uvicorn.Server(config)
        server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]
        with asyncio.Runner(loop_factory=floor_server.fastest_loop()) as runner:
            runner.run(server.serve(sockets=[listening]))
        return 0

    at_once(way, work)


def describe() -> str:
    is_locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    return f"{sys.version.split()[0]}, {'with its lock' if is_locked else 'free-threaded'}"


# ------------------------------------------------------------------------------------------------------------ the bench


def command(python: str, *arguments: str) -> tuple[list[str], dict[str, str]]:
    """Of this program in another interpreter, and its environment."""
    places = [HERE / "peers/json_stand_in", harness.ROOT / "src", harness.ROOT / "plugins", HERE]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places)), "PYTHON_GIL": "0"}
    if not is_free(python):
        del env["PYTHON_GIL"]
    return [python, str(Path(__file__).resolve()), *arguments], env


def is_free(python: str) -> bool:
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_config_var('Py_GIL_DISABLED'))"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip() == "1"


def asked(python: str, *arguments: str) -> str:
    """Its last line."""
    argv, env = command(python, *arguments)
    return subprocess.run(argv, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")[-2]


@contextlib.contextmanager
def serving(python: str, way: str) -> Iterator[tuple[str, list[int]]]:
    """The address, and processes."""
    argv, env = command(python, "--serve", way)
    with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, text=True) as child:
        pids = [child.pid]
        try:
            assert child.stdout is not None
            port = int(child.stdout.readline())
            harness.drive(f"http://127.0.0.1:{port}/", 1, core=None)
            pids += harness.children(child.pid)
            yield f"http://127.0.0.1:{port}/", pids
        finally:
            for pid in reversed(pids):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, 9)


def served(python: str, way: str, seconds: int, undisturbed: bool) -> float:
    """Requests a second. Raises `RuntimeError` for those that fail."""
    with serving(python, way) as (url, pids):
        with harness.undisturbed(pids) if undisturbed else contextlib.nullcontext():
            load = harness.drive(url, seconds, core=None)
        if load.failures:
            raise RuntimeError(f"{load.failures} requests have failed.")
        return load.rate


def measure(pythons: Sequence[str], rounds: int, seconds: int, undisturbed: bool) -> Mapping[str, Rates]:
    alone = ["--undisturbed"] if undisturbed else []
    found: dict[str, Rates] = {python: {load: {way: [] for way in WAYS} for load in LOADS} for python in pythons}
    for _ in range(rounds):
        for way in WAYS:
            for python in pythons:
                ran = asked(python, "--run", way, "--seconds", str(seconds), *alone)
                found[python]["executions"][way].append(float(ran))
                found[python]["least server"][way].append(served(python, way, seconds, undisturbed))
    return found


def report(found: Mapping[str, Rates]) -> str:
    rows = []
    for python, rates in found.items():
        name = asked(python, "--describe")
        for load, ways in rates.items():
            medians = [f"{statistics.median(ways[way]):,.0f}" for way in WAYS]
            rows.append([load, name, *medians, *(ratio(ways, way) for way in WAYS[1:])])
    rows.sort(key=lambda row: LOADS.index(row[0]))
    header = ["a second", "Python", *WAYS, *(f"{way}, x one" for way in WAYS[1:])]
    return harness.table(header, rows)


def ratio(ways: Mapping[str, Sequence[float]], way: str) -> str:
    return f"{statistics.median(many / one for one, many in zip(ways[WAYS[0]], ways[way], strict=True)):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2, help="of each load")
    parser.add_argument("--undisturbed", action="store_true", help="before all other processes; needs root")
    parser.add_argument("--write", action="store_true", help="put the result into docs/benchmarks.md")
    for name in ("run", "serve"):
        parser.add_argument(f"--{name}", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--describe", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.describe:
        print(describe())
    elif options.run:
        print(run_executions(options.run, options.seconds, options.undisturbed))
    elif options.serve:
        serve(options.serve)
    elif not options.python:
        parser.error("give interpreters")
    else:
        harness.need("wrk")
        table = report(measure(options.python, options.rounds, options.seconds, options.undisturbed))
        alone = " --undisturbed" if options.undisturbed else ""
        shown = f"python bench/free_threaded.py PYTHON PYTHON{alone} --rounds {options.rounds}"
        harness.publish(
            "free-threaded", f"`{shown}` — {json_of()}. {harness.environment()}.\n\n{table}", write=options.write
        )


def json_of() -> str:
    return f"{os.cpu_count()} cores for all, wrk with {harness.CONNECTIONS} connections"


if __name__ == "__main__":
    main()
