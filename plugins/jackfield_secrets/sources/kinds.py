"""The kinds of sources that come with Jackfield.

The modules that a kind needs are imported when the settings name it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.object_references import load
from jackfield.api.secret_sources import SecretSource, SecretSourceKind

if TYPE_CHECKING:
    from pydantic import BaseModel

_HERE = "jackfield_secrets.sources"
_KINDS = (
    ("vault", "HashiCorp Vault or OpenBao", "VaultOptions", "vault:vault_source"),
    ("aws", "AWS Secrets Manager", "AwsOptions", "aws:aws_source"),
    ("gcp", "Google Cloud Secret Manager", "GcpOptions", "gcp:gcp_source"),
    ("onepassword", "1Password Connect", "OnePasswordOptions", "one_password:one_password_source"),
    ("files", "Files of a directory", "FilesOptions", "files:files_source"),
    ("environment", "Variables of the environment", "EnvironmentOptions", "environment:environment_source"),
)


def kinds(context: PluginContext) -> Sequence[SecretSourceKind]:
    return [
        SecretSourceKind(name, title, f"{_HERE}.options:{options}", _made(context, place))
        for name, title, options, place in _KINDS
    ]


def _made(context: PluginContext, place: str) -> Callable[[BaseModel], SecretSource]:
    def make(options: BaseModel) -> SecretSource:
        made = cast("Callable[[PluginContext, BaseModel], SecretSource]", load(f"{_HERE}.{place}"))
        return made(context, options)

    return make
