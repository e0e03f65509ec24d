"""`[oidc_login]`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class OidcLoginSettings(BaseModel):
    """`[oidc_login]`"""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)

    title: str = Field("Single sign-on", max_length=80, description="What the login page shows.")
    issuer: str = Field("", description="The provider, as its ID tokens name it; empty: no login.")
    client_id: str = Field("", description="Jackfield's id at the provider.")
    client_secret: str = Field("", repr=False, description="And its secret.", json_schema_extra={"secret": True})
    scope: str = Field("openid profile groups", description="What is asked for, with spaces between.")
    groups_claim: str = Field("groups", description="The claim that lists a person's groups.")
    admin_groups: list[str] = Field(default_factory=list, description="Groups whose people are administrators.")
    member_groups: list[str] = Field(default_factory=list, description="Groups whose people are members.")
    viewer_groups: list[str] = Field(default_factory=list, description="Groups whose people may look.")
