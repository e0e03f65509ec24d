"""The credentials that let git into the repository: a token over https, a key over ssh."""

from __future__ import annotations

import asyncio
import base64
import shlex
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.files import create_private, private_directory, read_private
from jackfield.api.secret_places import GivenSecret
from jackfield_git.settings import GitSettings


class GitEntry:
    """Read anew for each run: others may renew the token."""

    def __init__(self, context: PluginContext, directory: Path) -> None:
        self._context = context
        self._settings = context.settings(GitSettings)
        self._token = GivenSecret(context, "git.token", self._settings.token_file, self._settings.token_env)
        self._directory = directory

    async def environment(self) -> dict[str, str]:
        """Raises `ConfigurationError`."""
        return await asyncio.to_thread(self._environment)

    def _environment(self) -> dict[str, str]:
        url = self._settings.url
        scheme = url.partition("://")[0] if "://" in url else "ssh"
        allowed = {"GIT_ALLOW_PROTOCOL": scheme}
        if scheme == "ssh":
            return {**allowed, "GIT_SSH_COMMAND": self._ssh(), "GIT_SSH_VARIANT": "ssh"}
        if scheme == "https" and self._settings.ca_file:
            allowed["GIT_SSL_CAINFO"] = self._authorities()
        token = self._token.read() if scheme in ("http", "https") else ""
        if not token:
            return allowed
        pair = base64.b64encode(f"{self._settings.username}:{token}".encode()).decode()
        self._context.secrets.redact(pair)
        return {
            **allowed,
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "http.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {pair}",
        }

    def _authorities(self) -> str:
        path = self._context.service.config_dir / Path(self._settings.ca_file).expanduser()
        if not path.is_file():
            raise ConfigurationError(f"git.ca_file names {path}, which is no file. Put the certificates there.")
        return str(path)

    def _ssh(self) -> str:
        key = Path(self._settings.key_file) if self._settings.key_file else self.key_file
        if not key.is_file():
            raise ConfigurationError("There is no key for ssh: run `jackfield git key`, or set git.key_file.")
        words = ["ssh", "-F", "none", "-i", str(key), "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes"]
        words += ["-o", "StrictHostKeyChecking=yes", "-o", "ClearAllForwardings=yes"]
        if self._settings.known_hosts_file:
            words += ["-o", f"UserKnownHostsFile={self._settings.known_hosts_file}"]
        return shlex.join(words)  # a shell reads it

    @property
    def key_file(self) -> Path:
        return self._directory / "id_ed25519"

    def public_key(self) -> str:
        """Of the daemon's own key, which is made when there is none."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import (
            Encoding,
            NoEncryption,
            PrivateFormat,
            PublicFormat,
            load_ssh_private_key,
        )  # fmt: skip

        private_directory(self._directory)
        made = Ed25519PrivateKey.generate()
        create_private(self.key_file, made.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
        key = load_ssh_private_key(read_private(self.key_file) or b"", None)
        return f"{key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()} jackfield"
