"""Bytes that a webhook call with its execution writes to SQLite and keeps there, and what compressing costs.

A GitHub delivery of 7 KB, stored as the engine stores a call that is answered at its end, with 1, 8 and 32 at once:
with the body twice (in the call as well), once, and once and compressed. Then codecs, those
that are installed, on real bodies and documents. Bytes are those that the process gave to the kernel: the write-ahead
log, and what of it was copied into the file. Processor time is that of the store alone.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import harness

from jackfield.api.ids import new_id
from jackfield.api.storage import CallUpdate, FinishedExecution, NewCall, NewExecution
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore

HEAD = (
    b'{"start":"Webhook","items":[{"json":{"headers":{"x-github-event":"push","user-agent":"GitHub-Hookshot/0",'
    b'"content-length":"7633","content-type":"application/json","host":"127.0.0.1:8080"},"params":{},"query":{},"body":'
)
TAIL = (
    b',"webhookUrl":"http://127.0.0.1:8080/webhook/last-node","httpMethod":"POST","executionMode":"production"}}],'
    b'"output":0,"pin":false,"responseNode":false,"depth":0}'
)
ITEM = '{"json":{"repository":"octo/hello","ref":"refs/heads/master"},"pairedItem":{"item":0}}'
STEPS = (
    "["
    + ",".join(
        f'{{"node":"{name}","index":{index},"startedAt":1795973750229,"duration":0,"status":"success",{outputs}}}'
        for index, (name, outputs) in enumerate(
            [("Webhook", '"inputOutput":0'), *((name, f'"outputs":[[{ITEM}]]') for name in ("Set", "If", "Yes"))]
        )
    )
    + "]"
).encode()
AT_ONCE = {1: 300, 8: 1600, 32: 3200}
"""Calls at once -> calls that are measured."""
HOOK = new_id()
WAYS: dict[str, tuple[bool, int]] = {"twice": (True, 0), "once": (False, 0), "once, compressed": (False, 512)}
"""Name -> whether the call has the body too, and `compress_from`."""


def written() -> int:
    """Bytes that this process has given to the kernel."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("wchar:"))


def add(store: SqliteStore, body: bytes, *, twice: bool) -> asyncio.Future[None]:
    ident, call_id, now = new_id(), new_id(), int(time.time() * 1000)
    places = () if twice else ((len(HEAD), len(body)),)
    call = NewCall(call_id, HOOK, now, "POST", b'{"host":"x"}', body.decode() if twice else "", places=places)
    new = NewExecution(ident, HOOK, 1, "webhook", "success", now, HEAD + body + TAIL, now, call=call)
    answer = CallUpdate(call_id, HOOK, "success", 200, '{"main":true}', duration_ms=3)
    return store.add_execution(new, FinishedExecution(ident, "success", now, now, STEPS, call=answer))


async def measured(twice: bool, compress_from: int, body: bytes) -> list[str]:
    """Cells: bytes written and microseconds for each number at once, and bytes that are kept."""
    cells, total = [], 0
    with tempfile.TemporaryDirectory() as directory:
        store = SqliteStore(Path(directory), SqliteSettings(compress_from=compress_from), logging.getLogger("bench"))
        await store.open()
        for at_once, calls in AT_ONCE.items():
            began, before = time.process_time(), written()
            for _ in range(calls // at_once):
                await asyncio.gather(*(add(store, body, twice=twice) for _ in range(at_once)))
            total += calls // at_once * at_once
            spent = (time.process_time() - began) / calls
            cells.append(f"{(written() - before) / calls / 1000:.1f} KB, {spent * 1e6:.0f} us")
        await store.close()
        kept = Path(directory, "jackfield.db").stat().st_size
    return [*cells, f"{kept / total / 1000:.1f} KB"]


def codecs() -> dict[str, Callable[[bytes], bytes]]:
    """Those that are installed."""
    found: dict[str, Callable[[bytes], bytes]] = {"zlib 1": lambda data: zlib.compress(data, 1)}
    try:
        lz4 = import_module("lz4.block")
        found["LZ4"] = lz4.compress
    except ImportError:
        pass
    try:
        zstd = import_module("backports.zstd")
        kept = zstd.ZstdCompressor(level=1)
        found["zstd 1"] = lambda data: kept.compress(data, zstd.ZstdCompressor.FLUSH_FRAME)
    except ImportError:
        pass
    return found


def compared(name: str, data: bytes) -> list[str]:
    cells = []
    for compress in codecs().values():
        made, best = compress(data), 1.0
        for _ in range(5):
            began = time.thread_time()
            for _ in range(100):
                compress(data)
            best = min(best, (time.thread_time() - began) / 100)
        cells.append(f"{len(made):,} B, {best * 1e6:.1f} us")
    return [name, f"{len(data):,}", *cells]


def samples() -> dict[str, bytes]:
    body = harness.payload()
    found = {
        "GitHub delivery": body,
        "its first 1,024 bytes": body[:1024],
        "generated push": harness.generated_payload(),
    }
    documents = sorted(
        (harness.ROOT.parent / "shared/corpus/workflows").rglob("*.json"), key=lambda p: p.stat().st_size
    )
    if documents:
        found["median workflow of the corpus"] = documents[len(documents) // 2].read_bytes()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    options = parser.parse_args()
    body = harness.payload()
    rows: list[Sequence[str]] = [[name, *asyncio.run(measured(*way, body))] for name, way in WAYS.items()]
    header = ["a call of", *(f"{count} at once" for count in AT_ONCE), "kept"]
    found = [compared(name, data) for name, data in samples().items()]
    text = "\n\n".join(
        [
            f"`python bench/bodies.py` — {len(body):,} bytes. {harness.environment('lz4')}.",
            harness.table(header, rows),
            harness.table(["bytes of", "", *codecs()], found),
        ]
    )
    harness.publish("bodies", text, write=options.write)


if __name__ == "__main__":
    main()
