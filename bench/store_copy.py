"""How fast `jackfield store copy` moves a store, and in how much memory: SQLite to PostgreSQL and back, each in a
process of its own, over executions with a call, an input of 2 KB and two chunks of steps of 1 KB.

    python bench/store_copy.py [--executions 20000] [--write]

It starts a PostgreSQL server of its own, with fsync off.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import harness

from jackfield.api.ids import new_id
from jackfield.api.storage import FinishedExecution, NewCall, NewExecution
from jackfield.testing.postgres import postgres_server
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore

AT_ONCE = 500
RANDOM = random.Random(1)


@dataclass(frozen=True, slots=True)
class Move:
    """rows: of all tables; seconds: of the whole command; copying: of these, without its start; cpu: seconds of the
    command's own processor; resident: MB at most."""

    name: str
    rows: int
    seconds: float
    copying: float
    cpu: float
    resident: float


async def fill(directory: Path, executions: int) -> None:
    store = SqliteStore(directory, SqliteSettings(), logging.getLogger("bench"))
    await store.open()
    for _ in range(executions // AT_ONCE):
        await asyncio.gather(*(_execution(store) for _ in range(AT_ONCE)))
    await store.close()


async def _execution(store: SqliteStore) -> None:
    ident = new_id()
    now = time.time_ns() // 1_000_000
    hook, body = f"hook{RANDOM.randrange(9)}", RANDOM.randbytes(500).hex()
    call = NewCall(new_id(), hook, now, "POST", b'{"x-header":"value"}', body)
    new = NewExecution(ident, "w", 1, "webhook", "running", now, RANDOM.randbytes(2000), now, call=call)
    adding = store.add_execution(new)
    steps = store.append_steps(ident, RANDOM.randbytes(1000), 0)
    end = FinishedExecution(ident, "success", now, now, RANDOM.randbytes(1000), number=1)
    await asyncio.gather(adding, steps, store.finish_execution(end))


def move(name: str, directory: Path, environment: Mapping[str, str], *addresses: str) -> Move:
    program = Path(sys.executable).with_name("jackfield")
    command = [str(program), "store", "copy", "--json", "--config-dir", str(directory), *addresses]
    began = time.monotonic()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        told = json.loads(running.stdout.read())
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode or not told["equal"]:
        sys.exit(f"{name}: the copy differs")
    rows = sum(table["rows"] for table in told["tables"])
    cpu = used.ru_utime + used.ru_stime
    return Move(name, rows, time.monotonic() - began, told["seconds"], cpu, used.ru_maxrss / 1024)


def table(moves: Sequence[Move], megabytes: float) -> str:
    rows = [
        [each.name, f"{each.rows:,}", f"{each.seconds:.1f}", f"{each.rows / each.copying:,.0f}",
         f"{megabytes / each.copying:.1f}", f"{each.cpu:.1f}", f"{each.resident:.0f}"] for each in moves
    ]  # fmt: skip
    return harness.table(["", "rows", "s", "rows/s", "MB/s", "processor s", "MB resident at most"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=int, default=20_000)
    parser.add_argument("--write", action="store_true", help="renew docs/benchmarks.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, postgres_server() as server:
        directory = Path(name)
        asyncio.run(fill(directory, options.executions))
        megabytes = (directory / "jackfield.db").stat().st_size / 2**20
        environment = {**os.environ, "JACKFIELD_STORE_POSTGRES_DSN": server.dsn()}
        moves = [
            move("SQLite to PostgreSQL", directory, environment, "--to", "postgres"),
            move("PostgreSQL to SQLite", directory, environment, "--from", "postgres", "--to", str(directory / "b.db")),
            move("SQLite to SQLite", directory, environment, "--to", str(directory / "c.db")),
        ]
    command = f"python bench/store_copy.py --executions {options.executions}"
    told = f"`{command}` — a database of {megabytes:.0f} MB, both sides compared. {harness.environment('psycopg')}."
    harness.publish("store-copy", f"{told}\n\n{table(moves, megabytes)}", write=options.write)


if __name__ == "__main__":
    main()
