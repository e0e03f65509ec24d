"""The work of SSH nodes on a connection: commands and files."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import asyncssh

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_integrations.remote.sftp_server import SftpServer, files_of
from jackfield_integrations.remote.ssh_session import SshOutputTooLarge, opened, run_command
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets


class SshActions:
    """One connection of a node run."""

    def __init__(
        self, connection: asyncssh.SSHClientConnection, values: DriverCredential, settings: IntegrationSettings
    ) -> None:
        self._connection = connection
        self._values = values
        self._settings = settings

    async def command(self, text: str) -> dict[str, Json]:
        """How the command ended and what it wrote. Raises `NodeError`, without secrets."""
        most = self._settings.command_output_bytes
        try:
            ended = await run_command(self._connection, text, most)
        except SshOutputTooLarge:
            raise NodeError(
                f"The command wrote more than {most} bytes (integrations.command_output_bytes) and was ended."
            ) from None
        except (asyncssh.Error, OSError) as exc:
            raise NodeError(f"SSH: {self._values.shown(exc)}.") from None
        return {"code": ended.code, "signal": ended.signal, "stdout": ended.stdout, "stderr": ended.stderr}

    def files(self) -> contextlib.AbstractAsyncContextManager[SftpServer]:
        """The files of the other machine. Raises `NodeError`."""
        return files_of(self._connection, self._values, self._settings)


@contextlib.asynccontextmanager
async def connected(
    targets: Targets, values: DriverCredential, settings: IntegrationSettings
) -> AsyncIterator[SshActions]:
    """A connection that is signed in. Raises `NodeError`."""
    async with opened(targets, values, settings) as connection:
        yield SshActions(connection, values, settings)
