"""Runs of git: without a shell, hooks, the account's settings or a terminal, within bounds of time and size."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping
from pathlib import Path

from jackfield.api.errors import UpstreamFailed

_OPTIONS = (
    "--no-replace-objects", "--literal-pathspecs",
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.symlinks=false",
    "-c", "credential.helper=", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "fetch.fsckObjects=true",
    "-c", "submodule.recurse=false", "-c", "protocol.ext.allow=never", "-c", "http.followRedirects=false",
)  # fmt: skip
_PASSED = ("PATH", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "TMPDIR")
"""Of the daemon's environment; nothing that begins with GIT_."""
_OF_SSH = "fatal: Could not read from remote repository."
"""Behind the line of ssh that tells why."""
_MOST_ERROR = 65_536
_CHUNK = 65_536


class GitRuns:
    """directory: the bare repository; environment: what lets git in, beside the usual."""

    def __init__(self, directory: Path, timeout: float, most: int, largest: int) -> None:
        """timeout: seconds of a run; most: bytes that it may print; largest: bytes of a file that it may write."""
        self.directory = directory
        self._timeout = timeout
        self._most = most
        self._largest = largest

    async def run(
        self,
        *arguments: str,
        given: bytes = b"",
        environment: Mapping[str, str] | None = None,
        accepted: int = 0,
        most: int = 0,
    ) -> bytes:
        """Its output. given: on standard input; accepted: an exit code that is no failure; most: bytes that it may
        print, unless as usual. Raises `UpstreamFailed` with
        git's own words, which hold no credential: those are in the environment alone."""
        try:
            process = await asyncio.create_subprocess_exec(
                "git", *_OPTIONS, f"--git-dir={self.directory}", *arguments,
                stdin=PIPE if given else DEVNULL, stdout=PIPE, stderr=PIPE,
                env=self._environment(environment or {}), start_new_session=True, cwd="/",
            )  # fmt: skip
        except FileNotFoundError:
            raise UpstreamFailed("The program git is not installed; install it.") from None
        _bound(process.pid, self._largest)
        try:
            async with asyncio.timeout(self._timeout):
                output, error, _ = await asyncio.gather(
                    _read(process.stdout, most or self._most),
                    _read(process.stderr, _MOST_ERROR),
                    _write(process, given),
                )
                code = await process.wait()
        except TimeoutError:
            raise UpstreamFailed(f"git {arguments[0]} did not end within {self._timeout:g} s.") from None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        if code not in (0, accepted):
            raise UpstreamFailed(f"git {arguments[0]} failed: {_told(error)}")
        return output

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        kept = {name: os.environ[name] for name in _PASSED if name in os.environ}
        fixed = {
            "HOME": str(self.directory), "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "/bin/false",
            "GIT_PROTOCOL_FROM_USER": "0", "GIT_OPTIONAL_LOCKS": "0",
        }  # fmt: skip
        return {**kept, **fixed, **more}


def _bound(pid: int, largest: int) -> None:
    """Bound the files of a process and of those that it starts, such as the one that writes a pack."""
    if sys.platform == "linux":
        import resource

        with contextlib.suppress(ProcessLookupError, PermissionError):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (largest, largest))


async def _read(stream: asyncio.StreamReader | None, most: int) -> bytes:
    """Raises `UpstreamFailed` for more."""
    if stream is None:
        return b""
    found = bytearray()
    while chunk := await stream.read(_CHUNK):
        found += chunk
        if len(found) > most:
            raise UpstreamFailed(f"git prints more than {most} bytes; raise git.total_bytes.")
    return bytes(found)


async def _write(process: asyncio.subprocess.Process, given: bytes) -> None:
    if process.stdin is None:
        return
    # RuntimeError: uvloop's, when git has ended without reading.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError, RuntimeError):
        process.stdin.write(given)
        await process.stdin.drain()
        process.stdin.close()


def _told(error: bytes) -> str:
    """The line that says it, without control characters."""
    lines = [line.strip() for line in error.decode("utf-8", "replace").splitlines() if line.strip()]
    places = (at for at, line in enumerate(lines) if line.startswith(("fatal:", "error:", "remote:", "!")))
    at = next(places, -1)
    if at > 0 and lines[at] == _OF_SSH:
        at -= 1
    text = lines[at] if at >= 0 else (lines[-1] if lines else "it does not say why")
    return "".join(char for char in text if char.isprintable())[:300]
