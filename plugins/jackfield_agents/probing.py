"""Running a command that tells whether an agent is installed: no shell, no input, little of the environment, and
nothing left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Self

from jackfield.api.records import record
from jackfield_agents.scratch import MANAGERS

KEPT = 65_536
"""Bytes of output that are looked at."""
PASSED = (
    *("HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "XDG_RUNTIME_DIR"),
    *MANAGERS,
)
"""Variables that a command gets. None of them holds a secret; the daemon's others may."""
_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)+(?:-[0-9A-Za-z.]+)?")


@record
class ProbeOutcome:
    """`failure`: why it does not count as installed, None when it does. `version`: the first dotted number it printed.
    `timed_out`: it may only have been slow."""

    failure: str | None
    version: str | None = None
    timed_out: bool = False


def environment(source: Mapping[str, str]) -> dict[str, str]:
    """The part of the daemon's environment that a command gets."""
    return {name: source[name] for name in PASSED if name in source} | {"TERM": "dumb", "NO_COLOR": "1"}


def version_in(text: str) -> str | None:
    """The first dotted number, with what follows it after a hyphen."""
    found = _NUMBER.search(text)
    return found[0] if found else None


async def probe(argv: Sequence[str], timeout: float, env: Mapping[str, str]) -> ProbeOutcome:
    """Run it for at most `timeout` seconds; then, or when this is cancelled, its whole process group is killed."""
    code: int | None = None
    with _BoundedPipeReader() as reader:
        try:
            async with _started(argv, reader.write_end, env) as process:
                with contextlib.suppress(TimeoutError):
                    code = await asyncio.wait_for(process.wait(), timeout)
        except (OSError, ValueError) as exc:
            return ProbeOutcome(f"cannot be started ({getattr(exc, 'strerror', None) or exc})")
        said = reader.text()
    if code is None:
        return ProbeOutcome(f"did not end within {timeout:g} s", timed_out=True)
    if code:
        return ProbeOutcome(f"ended with exit code {code}" if code > 0 else f"was ended by signal {-code}")
    return ProbeOutcome(None, version_in(said))


@contextlib.asynccontextmanager
async def _started(
    argv: Sequence[str], output: int, env: Mapping[str, str]
) -> AsyncIterator[asyncio.subprocess.Process]:
    """The command in its own process group, of which nothing is left afterwards. Starting is not cancelled half
    way: what was started then would stay."""
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=dict(env),
            cwd=os.sep,
            start_new_session=True,
        )
    )
    try:
        process = await asyncio.shield(starting)
    except asyncio.CancelledError:
        _kill((await starting).pid)
        raise
    try:
        yield process
    finally:
        _kill(process.pid)
        await process.wait()


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


class _BoundedPipeReader:
    """A pipe whose beginning is kept and whose rest is read and dropped. The pipe of asyncio would make the end of the
    process wait for everybody who has the pipe."""

    def __enter__(self) -> Self:
        self._end, self.write_end = os.pipe()
        os.set_blocking(self._end, False)
        self._head = bytearray()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._end, self._take)
        return self

    def _take(self) -> None:
        """Take one piece. At the end of the pipe there is none: we hold its other end open."""
        with contextlib.suppress(BlockingIOError):
            self._head += os.read(self._end, KEPT)[: KEPT - len(self._head)]

    def text(self) -> str:
        """All that was written until now."""
        before = -1
        while before < len(self._head) < KEPT:
            before = len(self._head)
            self._take()
        return self._head.decode(errors="replace")

    def __exit__(self, *_: object) -> None:
        self._loop.remove_reader(self._end)
        os.close(self._end)
        os.close(self.write_end)
