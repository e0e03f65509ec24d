"""A real rsyslog reads what we send; it is there where CI has installed it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from jackfield.testing.context import FakeContext
from jackfield.testing.daemon import free_port
from jackfield_log_streams.book import LogStream
from jackfield_log_streams.messages import StreamMessage
from jackfield_log_streams.senders.sending import SendFailed, sender_of

PROGRAM = shutil.which("rsyslogd", path="/usr/sbin:/usr/bin:/sbin:/bin")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="rsyslogd is not installed")
MESSAGES = [
    StreamMessage("audit", "workflow.update", 1_767_225_600_123, False, {"number": 1, "name": "Käse\nzwei"}, 1),
    StreamMessage("audit", "user.login", 1_767_225_600_124, True, {"number": 2}, 2),
    StreamMessage("audit", "large.one", 1_767_225_600_125, False, {"text": "y" * 20_000}, 3),
]


@pytest.fixture
async def rsyslog(tmp_path: Path) -> AsyncIterator[tuple[int, Path]]:
    """Its port, and the file with what it has read."""
    port, read = free_port(), tmp_path / "read.log"
    fields = "%pri-text%|%protocol-version%|%timereported:::date-rfc3339%|%app-name%|%msgid%|%msg%"
    (tmp_path / "r.conf").write_text(
        f'global(workDirectory="{tmp_path}" maxMessageSize="64k")\nmodule(load="imtcp")\nmodule(load="imudp")\n'
        f'input(type="imtcp" port="{port}" address="127.0.0.1")\n'
        f'input(type="imudp" port="{port}" address="127.0.0.1")\n'
        f'template(name="t" type="string" string="{fields}\\n")\naction(type="omfile" file="{read}" template="t")\n'
    )
    assert PROGRAM is not None
    arguments = ["-n", "-f", str(tmp_path / "r.conf"), "-i", str(tmp_path / "pid")]
    process = await asyncio.create_subprocess_exec(PROGRAM, *arguments, stderr=asyncio.subprocess.DEVNULL)
    yield port, read
    process.terminate()
    await process.wait()


@pytest.mark.parametrize("scheme", ["tcp", "udp"])
async def test_rsyslog_reads_each_message(rsyslog: tuple[int, Path], tmp_path: Path, scheme: str) -> None:
    port, read = rsyslog
    sender = sender_of(
        FakeContext(tmp_path), LogStream("s", "S", "syslog", f"{scheme}://127.0.0.1:{port}", ("audit",)), 5
    )
    async with asyncio.timeout(20):
        while not read.exists():  # it takes a moment to listen
            with contextlib.suppress(SendFailed):
                await sender.send(MESSAGES)
            await asyncio.sleep(0.05)
        while len(found := _by_event(read)) < len(MESSAGES):
            await asyncio.sleep(0.02)
    await sender.close()
    good, bad, large = (found[message.event] for message in MESSAGES)
    assert good[:5] == ["audit.info", "1", "2026-01-01T00:00:00.123Z", "jackfield", "workflow.update"]
    assert json.loads(good[5])["name"] == "Käse\nzwei"
    assert bad[0] == "audit.warning"
    assert len(json.loads(large[5])["text"]) == 20_000


def _by_event(read: Path) -> dict[str, list[str]]:
    """The fields of the whole lines; of repeated ones the last."""
    lines = [line.split("|", 5) for line in read.read_text().split("\n")[:-1]]
    return {fields[4]: fields for fields in lines}
