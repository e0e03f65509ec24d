"""SSH and SFTP against asyncssh's own server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from integration_fakes import Bench, rows

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_integrations.remote.ssh_node import in_directory

asyncssh = pytest.importorskip("asyncssh")
PASSWORD = "ssh-pass-word"


class Server(asyncssh.SSHServer):
    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return (username, password) == ("ada", PASSWORD)


async def pump(reader: asyncio.StreamReader | None, writer: asyncssh.SSHWriter[bytes]) -> None:
    while reader and (chunk := await reader.read(1 << 16)):
        writer.write(chunk)
        await writer.drain()


async def shell(process: asyncssh.SSHServerProcess[bytes], running: set[asyncio.Task[Any]]) -> None:
    """Runs the command for real."""
    task = asyncio.current_task()
    assert task is not None
    running.add(task)
    pipe = asyncio.subprocess.PIPE
    made = await asyncio.create_subprocess_shell(
        process.command or "", stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
    )
    try:
        pumps = asyncio.gather(pump(made.stdout, process.stdout), pump(made.stderr, process.stderr))
        left = asyncio.ensure_future(process.channel.wait_closed())
        await asyncio.wait({pumps, left}, return_when=asyncio.FIRST_COMPLETED)
        if left.done():
            pumps.cancel()
        else:
            process.exit(await made.wait())
    finally:
        with contextlib.suppress(ProcessLookupError):
            made.kill()
        made._transport.close()  # type: ignore[attr-defined]  # pipes that nobody reads would keep wait() waiting
        await made.wait()


@dataclass
class Machine:
    home: Path
    key: asyncssh.SSHKey
    user_key: asyncssh.SSHKey
    port: int = 0
    opened: list[asyncssh.SSHServerConnection] = field(default_factory=list)
    running: set[asyncio.Task[Any]] = field(default_factory=set)

    def values(self, **more: str) -> dict[str, str]:
        made = {"host": "127.0.0.1", "port": str(self.port), "username": "ada"}
        return {**made, "hostFingerprint": self.key.get_fingerprint(), **more}

    def by_password(self, **more: str) -> dict[str, dict[str, str]]:
        return {"sshPassword": self.values(**{"password": PASSWORD, **more})}

    def by_key(self, passphrase: str = "pass-phrase") -> dict[str, dict[str, str]]:
        text = self.user_key.export_private_key("openssh", passphrase).decode()
        return {"sshPrivateKey": self.values(privateKey=text, passphrase=passphrase)}

    def sftp(self, **more: str) -> dict[str, dict[str, str]]:
        return {"sftp": self.values(**{"password": PASSWORD, **more})}


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[Machine]:
    home = tmp_path / "machine"
    home.mkdir()
    made = Machine(home, asyncssh.generate_private_key("ssh-ed25519"), asyncssh.generate_private_key("ssh-ed25519"))
    async with await asyncssh.create_server(
        Server,
        "127.0.0.1",
        0,
        server_host_keys=[made.key],
        authorized_client_keys=asyncssh.import_authorized_keys(made.user_key.export_public_key().decode()),
        process_factory=lambda process: shell(process, made.running),
        encoding=None,
        sftp_factory=lambda channel: asyncssh.SFTPServer(channel, chroot=str(home).encode()),
        acceptor=made.opened.append,
    ) as server:
        made.port = server.get_port()
        yield made
    await asyncio.gather(*made.running, return_exceptions=True)


def command(text: str, **more: Json) -> dict[str, Json]:
    return {"command": text, **more}


async def test_commands(bench: Bench, machine: Machine) -> None:
    made = await bench.json("ssh", 1, command("echo ü; echo bad >&2; pwd; exit 3"), credentials=machine.by_password())
    assert made == [{"code": 3, "signal": None, "stdout": "ü\n/", "stderr": "bad"}]
    keyed = command("pwd", cwd="/tmp", authentication="privateKey")
    assert (await bench.json("ssh", 1, keyed, credentials=machine.by_key()))[0]["stdout"] == "/tmp"
    (made_here,) = await bench.json(
        "ssh", 1, command("echo no", cwd="/none $(echo x)"), credentials=machine.by_password()
    )
    assert made_here["code"] != 0
    assert made_here["stdout"] == ""
    for connection in machine.opened:
        await asyncio.wait_for(connection.wait_closed(), 5)


def test_directories_are_quoted() -> None:
    assert in_directory("ls", "/a b; rm x") == "cd -- '/a b; rm x' && ls"
    assert in_directory("ls", "~/a b") == "cd ~/'a b' && ls"
    assert in_directory("ls", "~") == "cd ~/ && ls"
    assert in_directory("ls", "") == "ls"


async def test_an_unknown_host_key_is_refused(
    make_bench: Callable[..., Bench], machine: Machine, tmp_path: Path
) -> None:
    unknown = machine.by_password(hostFingerprint="")
    file = tmp_path / "known_hosts"
    other = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode()

    async def outcome(values: Any, **settings: Any) -> str:
        try:
            return str(
                (await make_bench(**settings).json("ssh", 1, command("echo in"), credentials=values))[0]["stdout"]
            )
        except NodeError as exc:
            return exc.message

    assert "is not known" in await outcome(unknown)
    assert await outcome(unknown, ssh_accept_unknown=True) == "in"
    wrong = machine.by_password(hostFingerprint="SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU")
    assert "not the one that is trusted" in await outcome(wrong, ssh_accept_unknown=True)
    assert "must begin with SHA256" in await outcome(machine.by_password(hostFingerprint="MD5:1"))
    file.write_text(f"[127.0.0.1]:{machine.port} {machine.key.export_public_key().decode()}")
    assert await outcome(unknown, ssh_known_hosts=str(file)) == "in"
    file.write_text(f"[127.0.0.1]:{machine.port} {other}")
    changed = await outcome(unknown, ssh_known_hosts=str(file), ssh_accept_unknown=True)
    assert "not the one that is trusted" in changed
    assert "cannot be read" in await outcome(unknown, ssh_known_hosts=str(tmp_path / "none"))


async def test_failures(make_bench: Callable[..., Bench], machine: Machine) -> None:
    wrong = machine.by_password(password="wrong-and-secret")
    with pytest.raises(NodeError, match="Permission denied") as failed:
        await make_bench().json("ssh", 1, command("true"), credentials=wrong)
    assert "wrong-and-secret" not in failed.value.message
    keyed = command("true", authentication="privateKey")
    broken = machine.by_key()
    broken["sshPrivateKey"]["passphrase"] = "not it"
    with pytest.raises(NodeError, match="privateKey of the credential sshPrivateKey cannot be read"):
        await make_bench().json("ssh", 1, keyed, credentials=broken)
    with pytest.raises(NodeError, match=r"integrations\.allowed_hosts"):
        await make_bench(allowed_hosts=[]).json("ssh", 1, command("true"), credentials=machine.by_password())
    with pytest.raises(NodeError, match="more than 1024 bytes"):
        await make_bench(command_output_bytes=1024).json("ssh", 1, command("yes"), credentials=machine.by_password())
    with pytest.raises(NodeError, match="longer than 1 seconds"):
        await make_bench(timeout=1).json("ssh", 1, command("exec sleep 60", cwd=""), credentials=machine.by_password())


async def test_files(bench: Bench, machine: Machine) -> None:
    item = rows({"n": 1})
    content = bytes(range(256)) * 2000
    item[0]["binary"] = {"data": await bench.files.write(content, mime_type="image/png", file_name="../../a.png")}
    upload: dict[str, Json] = {"resource": "file", "operation": "upload", "path": "/new/dir"}
    assert await bench.json("ssh", 1, upload, item, credentials=machine.by_password()) == [{"success": True}]
    assert (machine.home / "new/dir/a.png").read_bytes() == content
    download: dict[str, Json] = {"resource": "file", "operation": "download", "path": "/new/dir/a.png"}
    (made,) = await bench.items("ssh", 1, download, rows({"n": 1}), credentials=machine.by_password())
    assert made["json"] == {"n": 1}
    file = made["binary"]["data"]
    assert (await bench.files.read(file), file["mimeType"], file.get("fileName")) == (content, "image/png", "a.png")
    with pytest.raises(NodeError, match="SFTP: /none: No such file"):
        await bench.json("ssh", 1, download | {"path": "/none"}, credentials=machine.by_password())


async def test_sftp(make_bench: Callable[..., Bench], machine: Machine) -> None:
    bench = make_bench()

    async def run(operation: str, **more: Json) -> list[dict[str, Json]]:
        parameters = {"protocol": "sftp", "operation": operation, **more}
        return await bench.json("ftp", 1, parameters, credentials=machine.sftp())

    assert await run("upload", path="/a/b/c.txt", binaryData=False, fileContent="ü") == [{"success": True}]
    (machine.home / "a/d.txt").write_text("123")
    listed = await run("list", path="/a", recursive=True)
    assert {(row["path"], row["type"]) for row in listed} == {("/a/b", "d"), ("/a/d.txt", "-"), ("/a/b/c.txt", "-")}
    assert next(row["size"] for row in listed if row["name"] == "d.txt") == 3
    assert await run("rename", oldPath="/a/d.txt", newPath="/x/y/d.txt", options={"createDirectories": True})
    (item,) = await bench.items("ftp", 1, {"protocol": "sftp", "path": "/x/y/d.txt"}, credentials=machine.sftp())
    assert await bench.files.read(item["binary"]["data"]) == b"123"
    await run("delete", path="/x/y/d.txt")
    await run("delete", path="/x/y", options={"folder": True})
    await run("delete", path="/a", options={"folder": True, "recursive": True})
    assert [path.name for path in machine.home.rglob("*")] == ["x"]
    (machine.home / "large").write_bytes(b"x" * 5000)
    with pytest.raises(NodeError, match="larger than 1024 bytes"):
        await make_bench(max_bytes=1024).json(
            "ftp", 1, {"protocol": "sftp", "path": "/large"}, credentials=machine.sftp()
        )
