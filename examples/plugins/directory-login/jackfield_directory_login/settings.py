"""`[directory_login]`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class DirectoryLoginSettings(BaseModel):
    """`[directory_login]`"""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    title: str = Field("Company directory", max_length=80, description="What the login page shows.")
    file: str = Field("people.json", description="The directory, in the configuration directory.")
    admin_groups: list[str] = Field(default_factory=list, description="Groups whose people are administrators.")
    member_groups: list[str] = Field(default_factory=list, description="Groups whose people are members.")
    viewer_groups: list[str] = Field(default_factory=list, description="Groups whose people may look.")
