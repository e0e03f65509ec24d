"""Connections over SSH. A server is trusted when its key is the credential's, or the known hosts' of the settings."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Any

import asyncssh

from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets

_KEEP_ALIVE_S = 30
_CHUNK = 64 * 1024


class _Verifier(asyncssh.SSHClient):
    """Judges a key that the known hosts do not have."""

    def __init__(self, fingerprint: str, *, known: bool, accept_unknown: bool) -> None:
        self._fingerprint = fingerprint
        self._accepts = accept_unknown and not known and not fingerprint

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        return self._accepts or (bool(self._fingerprint) and key.get_fingerprint("sha256") == self._fingerprint)

    def validate_host_ca_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        return False


@record
class EndedSshCommand:
    """How a command ended. signal: its name, or None."""

    code: int | None
    signal: str | None
    stdout: str
    stderr: str


class SshOutputTooLarge(Exception):
    """More than `integrations.command_output_bytes`."""


def fingerprint_of(values: DriverCredential) -> str:
    """As OpenSSH shows it, in the form in which it is compared. Raises `NodeError`."""
    text = values.text("hostFingerprint").strip().rstrip("=")
    if text and not text.startswith("SHA256:"):
        raise NodeError(f"The hostFingerprint of the credential {values.kind} must begin with SHA256:.")
    return text


def _known_hosts(settings: IntegrationSettings) -> asyncssh.SSHKnownHosts:
    if not settings.ssh_known_hosts:
        return asyncssh.import_known_hosts("")
    try:
        return asyncssh.read_known_hosts(settings.ssh_known_hosts)
    except (OSError, ValueError, UnicodeError):
        raise NodeError("The file of integrations.ssh_known_hosts cannot be read.") from None


def _private_keys(values: DriverCredential) -> list[asyncssh.SSHKey]:
    text = values.text("privateKey")
    if not text:
        return []
    try:
        return [asyncssh.import_private_key(text.strip() + "\n", values.text("passphrase") or None)]
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError, ValueError):
        raise NodeError(
            f"The privateKey of the credential {values.kind} cannot be read; check it and its passphrase."
        ) from None


@contextlib.asynccontextmanager
async def opened(
    targets: Targets, values: DriverCredential, settings: IntegrationSettings
) -> AsyncIterator[asyncssh.SSHClientConnection]:
    """A connection that is signed in. Raises `NodeError`."""
    host, port = values.needed("host"), values.port(22)
    fingerprint = fingerprint_of(values)
    known = await asyncio.to_thread(_known_hosts, settings)
    keys = await asyncio.to_thread(_private_keys, values)
    password = values.text("password")

    async def connect(address: str) -> asyncssh.SSHClientConnection:
        listed = known.match(host, address, port)
        trusted: Any = ([], [], []) if fingerprint else listed  # Any: the library's long type of known hosts
        unknown = not any(listed[:2])
        try:
            return await asyncssh.connect(
                sock=await _socket(address, port),
                host=host,
                port=port,
                config=None,
                known_hosts=trusted,
                client_factory=lambda: _Verifier(
                    fingerprint, known=not unknown, accept_unknown=settings.ssh_accept_unknown
                ),
                username=values.needed("username"),
                password=password or None,
                client_keys=keys or None,
                agent_path=None,
                gss_host=None,
                gss_kex=False,
                gss_auth=False,
                preferred_auth=[*(["publickey"] if keys else []), "password", "keyboard-interactive"],
                login_timeout=settings.connect_timeout,
                keepalive_interval=_KEEP_ALIVE_S,
            )
        except asyncssh.HostKeyNotVerifiable:
            raise NodeError(_distrust(host, changed=not unknown or bool(fingerprint))) from None

    connection = await targets.reach(values, host, port, connect, [asyncssh.Error, ValueError])
    try:
        yield connection
    finally:
        connection.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(settings.connect_timeout):
                await connection.wait_closed()


def _distrust(host: str, *, changed: bool) -> str:
    if changed:
        return f"The host key of {host} is not the one that is trusted; nothing was sent."
    return (
        f"The host key of {host} is not known; enter its hostFingerprint in the credential, or name a file in "
        "integrations.ssh_known_hosts."
    )


async def _socket(address: str, port: int) -> Any:
    """A connected socket. Any: as the library takes it."""
    loop = asyncio.get_running_loop()
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setblocking(False)
    try:
        await loop.sock_connect(made, (address, port))
    except BaseException:
        made.close()
        raise
    return made


async def _bounded(reader: asyncssh.SSHReader[bytes], most: int) -> str:
    found = bytearray()
    while chunk := await reader.read(_CHUNK):
        found += chunk
        if len(found) > most:
            raise SshOutputTooLarge
    return found.decode("utf-8", "replace").strip()


async def _outputs(process: asyncssh.SSHClientProcess[bytes], most: int) -> tuple[str, str]:
    """Standard output and errors. Raises `SshOutputTooLarge`."""
    try:
        async with asyncio.TaskGroup() as group:
            stdout = group.create_task(_bounded(process.stdout, most))
            stderr = group.create_task(_bounded(process.stderr, most))
    except* SshOutputTooLarge:
        raise SshOutputTooLarge from None
    return stdout.result(), stderr.result()


async def run_command(connection: asyncssh.SSHClientConnection, command: str, most: int) -> EndedSshCommand:
    """Run to the end. most: bytes of each output. Raises asyncssh.Error, `SshOutputTooLarge`."""
    async with connection.create_process(command, stdin=asyncssh.DEVNULL, encoding=None) as process:
        try:
            stdout, stderr = await _outputs(process, most)
        except BaseException:
            process.kill()
            raise
        await process.wait_closed()
        signal = process.exit_signal
        return EndedSshCommand(process.exit_status, signal[0] if signal else None, stdout, stderr)
