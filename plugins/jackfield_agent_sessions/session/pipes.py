"""The process of an agent: lines out of it, frames into it, and the end of what it has said as errors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

from jackfield.api.process_containers import ProcessEnds

INPUT, OUTPUT = 0, 1


class LineSplitter:
    """Lines of a stream. One that is longer than the limit is left out; `lost` tells how many were."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self.lost = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that are complete now, without their ends."""
        *ended, rest = data.split(b"\n")
        lines = [line for line in map(self._complete, ended) if line is not None]
        self._add(rest)
        return lines

    def _complete(self, end: bytes) -> bytes | None:
        self._add(end)
        whole = b"".join(self._parts) if self._size <= self._limit else None
        if whole is None:
            self.lost += 1
        self._parts, self._size = [], 0
        return whole

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit:
            self._parts.clear()
        elif part:
            self._parts.append(part)


class AgentPipes(ProcessEnds):
    """heard: given each line of the output as it comes; it must not raise."""

    def __init__(self, line_limit: int, errors_kept: int, heard: Callable[[bytes], None]) -> None:
        super().__init__()
        self._heard = heard
        self._kept = errors_kept
        self._errors = bytearray()
        self._transport: asyncio.SubprocessTransport | None = None
        self.lines = LineSplitter(line_limit)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == OUTPUT:
            for line in self.lines.feed(data):
                self._heard(line)
            return
        self._errors += data
        del self._errors[: -self._kept]

    @property
    def errors(self) -> str:
        """The end of what it has written as errors."""
        return bytes(self._errors).decode("utf-8", "replace").strip()

    @property
    def unsent(self) -> int:
        """Bytes that the agent has not taken yet."""
        mouth = self._mouth
        return 0 if mouth is None else mouth.get_write_buffer_size()

    def send(self, line: bytes) -> None:
        """Nothing happens when the agent has closed its input."""
        mouth = self._mouth
        if mouth is not None and not mouth.is_closing():
            mouth.write(line + b"\n")

    def pause(self) -> None:
        """Read no more of the output for now; the agent is held back."""
        if (output := self._output) is not None:
            output.pause_reading()

    def resume(self) -> None:
        """Read on."""
        if (output := self._output) is not None:
            output.resume_reading()

    def close_input(self) -> None:
        """Once all is written that was sent."""
        mouth = self._mouth
        if mouth is not None:
            mouth.close()

    def close(self) -> None:
        """Let the pipes go."""
        if self._transport is not None:
            self._transport.close()

    @property
    def exit_code(self) -> int | None:
        """128+n for a signal; None while it runs."""
        code = None if self._transport is None else self._transport.get_returncode()
        return code if code is None or code >= 0 else 128 - code

    @property
    def _output(self) -> asyncio.ReadTransport | None:
        found = None if self._transport is None else self._transport.get_pipe_transport(OUTPUT)
        return None if found is None or found.is_closing() else cast("asyncio.ReadTransport", found)

    @property
    def _mouth(self) -> asyncio.WriteTransport | None:
        if self._transport is None:
            return None
        return cast("asyncio.WriteTransport | None", self._transport.get_pipe_transport(INPUT))
