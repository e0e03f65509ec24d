"""The table `binary.s3`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class S3Settings(BaseModel):
    """The bucket of files, and what its use may take. Sizes in bytes, times in seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    bucket: str = Field("", description="Name of the bucket; it must be there.", max_length=255)
    prefix: str = Field(
        "jackfield",
        max_length=500,
        pattern=r"^([A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*)?$",
        description="Begin of every key. Installations that share a bucket need one each.",
    )
    endpoint: str = Field(
        "",
        pattern=r"^(https?://[^\s@]+)?$",
        description="Address of the server, such as `https://minio.example:9000`; default: Amazon's for the region.",
    )
    region: str = Field("us-east-1", min_length=1, max_length=100, description="Region of the bucket.")
    addressing: Literal["path", "host"] = Field(
        "path", description="Where an address names the bucket: in its path, or in its host's name."
    )
    access_key_id: str = Field(
        "",
        description="Id of the access key; default: AWS_ACCESS_KEY_ID, or the role of the machine, pod or task.",
        json_schema_extra={"secret": True, "libraries": ["AWS_ACCESS_KEY_ID"]},
    )
    secret_access_key: str = Field(
        "",
        description="The access key itself; default: as for its id.",
        json_schema_extra={"secret": True, "libraries": ["AWS_SECRET_ACCESS_KEY"]},
    )
    session_token: str = Field(
        "",
        description="Token of a temporary access key.",
        json_schema_extra={"secret": True, "libraries": ["AWS_SESSION_TOKEN"]},
    )
    ca_file: str = Field(
        "", description="Path of certificates (PEM) that the server is checked against too, beside the system's."
    )
    timeout: float = Field(
        30.0, ge=0.1, le=600, description="Seconds that one request may take; it carries `part_size` bytes at most."
    )
    retries: int = Field(
        3,
        ge=0,
        le=20,
        description="How often a request is repeated when the server does not answer or fails, within twice `timeout`.",
    )
    part_size: int = Field(
        8 * 2**20,
        ge=5 * 2**20,
        le=512 * 2**20,
        description="Bytes of one part of a larger file that is sent; a file has 10,000 parts at most.",
    )
    read_size: int = Field(
        2**20,
        ge=2**16,
        le=64 * 2**20,
        description="Bytes that one request reads of a file that is streamed; each reader has that many in memory.",
    )
    transfers: int = Field(
        16,
        ge=1,
        le=1000,
        description="Requests side by side, and beside them larger files that are sent; more wait. A larger file takes "
        "about three times `part_size` of memory meanwhile.",
    )
    presigned: float = Field(
        0,
        ge=0,
        le=3600,
        description="Seconds for which a signed address gives a file, when a browser or client downloads it from an "
        "execution and the daemon redirects it there. 0: the daemon sends the file itself.",
    )
    release_age: float = Field(
        3600,
        ge=1,
        le=30 * 86400,
        description="How long a file that no execution refers to any more is left alone, in seconds: somebody may "
        "still be reading it.",
    )
