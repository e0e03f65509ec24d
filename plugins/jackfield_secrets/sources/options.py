"""The options that the settings have for each kind of source.

Secrets stand in files or in variables of the environment.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Url = Annotated[str, StringConstraints(pattern=r"^https?://[^\s@]+$", max_length=2048)]
Mount = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$", max_length=255)]
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=255)]


class SourceOptions(BaseModel):
    """Keys and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class WebOptions(SourceOptions):
    """ca_file: certificates (PEM) that the server is checked against too, beside the system's."""

    ca_file: str = ""


class VaultOptions(WebOptions):
    """`mount`: of the secrets engine KV; empty: the first name of a path says it, as in n8n. `version`: of that engine;
    0: the server is asked. `auth_mount`: where the way to log in is mounted, unless it has its usual name.
    """

    url: Url
    namespace: str = ""
    mount: Mount | Literal[""] = ""
    version: Literal[0, 1, 2] = 0
    auth: Literal["token", "approle", "kubernetes"] = "token"
    auth_mount: Mount | Literal[""] = ""
    token_file: str = ""
    token_env: VariableName | Literal[""] = ""
    role_id: str = ""
    secret_id_file: str = ""
    secret_id_env: VariableName | Literal[""] = ""
    role: str = ""
    jwt_file: str = "/var/run/secrets/kubernetes.io/serviceaccount/token"


class AwsOptions(WebOptions):
    """endpoint: in place of Amazon's for the region. prefix: before every name. The key is that of the environment, as
    AWS' programs have it, unless files or other variables are named."""

    region: str = Field("us-east-1", pattern=r"^[a-z0-9-]{2,40}$")
    endpoint: Url | Literal[""] = ""
    prefix: str = ""
    access_key_id: str = ""
    secret_key_file: str = ""
    secret_key_env: VariableName = "AWS_SECRET_ACCESS_KEY"  # noqa: S105 - its name


class GcpOptions(WebOptions):
    """credentials_file: the JSON file of a service account; empty: the server of metadata of the machine gives
    tokens."""

    project: str = Field(min_length=1, max_length=100, pattern=r"^[a-z0-9.:-]+$")
    credentials_file: str = ""
    endpoint: Url = "https://secretmanager.googleapis.com"
    metadata_url: Url = "http://metadata.google.internal"
    prefix: str = ""


class OnePasswordOptions(WebOptions):
    """url: of the Connect server."""

    url: Url
    token_file: str = ""
    token_env: VariableName | Literal[""] = ""


class FilesOptions(SourceOptions):
    """directory: files, one secret each, as Docker and Kubernetes mount them."""

    directory: str = Field(min_length=1)


class EnvironmentOptions(SourceOptions):
    """prefix: only variables whose names begin so are secrets here; it is left out of a secret's name."""

    prefix: str = Field(min_length=2, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
