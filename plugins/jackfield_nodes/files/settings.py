"""The table `nodes.files`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, field_validator


class FilesSettings(BaseModel):
    """Limits of nodes that use files: where the files may be, and how large a file may be that a node takes apart."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    root: str = Field(
        "",
        description="The directory below which the nodes that read and write files on disk may do so; symbolic links "
        "in it are not followed. Without it these nodes are off.",
    )
    max_files: int = Field(
        1000,
        ge=1,
        le=100_000,
        description="Most files that one pattern may match.",
        json_schema_extra={"former": {"maxFiles": "0.3"}},
    )
    max_watched: int = Field(
        100_000, ge=1, le=10_000_000, description="Most files and directories below a path that one trigger watches."
    )
    parse_limit: int = Field(
        32 * 2**20,
        ge=1024,
        le=2**30,
        description="Largest file that is taken apart (CSV, PDF, Excel ...), in bytes.",
        json_schema_extra={"former": {"parseLimit": "0.3"}},
    )
    unpacked_limit: int = Field(
        256 * 2**20,
        ge=1024,
        le=2**32,
        description="Largest content of a packed file (xlsx, ods, zip, gzip), in bytes.",
        json_schema_extra={"former": {"unpackedLimit": "0.3"}},
    )
    archive_files: int = Field(
        1000,
        ge=1,
        le=65_535,
        description="Most files that are taken out of one zip file.",
        json_schema_extra={"former": {"archiveFiles": "0.3"}},
    )
    max_rows: int = Field(
        100_000,
        ge=1,
        le=10_000_000,
        description="Most rows or pages that are read from one file.",
        json_schema_extra={"former": {"maxRows": "0.3"}},
    )
    max_cells: int = Field(
        10_000_000,
        ge=1,
        le=10**9,
        description="Most cells of a table that is read from a file; every row counts as wide as the first, or wider.",
        json_schema_extra={"former": {"maxCells": "0.3"}},
    )
    parse_timeout: float = Field(
        60,
        gt=0,
        le=3600,
        description="Longest time to take one file apart, in seconds.",
        json_schema_extra={"former": {"parseTimeout": "0.3"}},
    )

    @field_validator("root")
    @classmethod
    def _absolute(cls, value: str) -> str:
        if value and not value.startswith("/"):
            raise ValueError("the directory must be an absolute path, such as /srv/files")
        return value
