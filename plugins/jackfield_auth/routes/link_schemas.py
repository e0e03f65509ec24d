"""Bodies of invitations and links to reset a password."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from jackfield_auth.routes.browser_schemas import SessionModel
from jackfield_auth.routes.schemas import AuthBody, AuthView, Role

InProject = Literal["project:viewer", "project:editor", "project:admin"]


class InvitedProject(AuthBody):
    id: Annotated[str, Field(min_length=1, max_length=64)]
    role: InProject = "project:editor"


class InvitationBody(AuthBody):
    label: str = Field(
        "",
        max_length=200,
        description="Tells invitations apart; an address gets the link by mail, if mail is set up.",
    )
    role: Role = Field(description="Of the user that it makes.")
    projects: list[InvitedProject] = Field(
        default_factory=list, max_length=50, description="Projects that the user becomes a member of."
    )
    expires_in: int | None = Field(
        None, ge=60, le=366 * 86400, description="Seconds; default: security.invitations.expiration."
    )


class LinkView(AuthView):
    id: str
    purpose: Literal["invitation", "reset"]
    label: str
    role: Role | None = None
    projects: list[InvitedProject]
    user_id: str | None = Field(None, description="The user whose password a reset is for.")
    created_at: str
    expires_at: str


class NewLinkView(LinkView):
    address: str = Field(description="The link. It is shown this once, and works once.")
    mailed: bool = Field(False, description="Whether the mail server has taken a mail with the link.")
    mail_problem: str | None = Field(None, description="Why no mail went out, although mail is set up.")


class LinkList(AuthView):
    data: list[LinkView]


class LinkTokenBody(SessionModel):
    token: str = Field(max_length=200, description="The part of the link behind `#token=`.")


class LinkTold(SessionModel):
    purpose: Literal["invitation", "reset"]
    username: str | None = Field(description="Of the user whose password is reset.")
    role: Literal["viewer", "member", "admin"] | None = Field(description="Of the user that the invitation makes.")


class LinkToldAnswer(SessionModel):
    success: Literal[True]
    data: LinkTold


class InvitedNameBody(LinkTokenBody):
    username: str = Field(max_length=256, description="1 to 64 printable characters without a colon.")


class AcceptanceBody(LinkTokenBody):
    username: str = Field(
        "", max_length=256, description="Of an invitation: 1 to 64 printable characters without a colon."
    )
    password: str | None = Field(
        None,
        max_length=1024,
        description="At least 12 characters, at most 1,024 bytes.",
        json_schema_extra={"format": "password"},
    )
    passkey: str | None = Field(None, max_length=65536, description="In place of a password: the browser's answer.")
    passkey_name: str = Field("", max_length=200, description="For people to read.")


class LinkPasskeyOptions(SessionModel):
    options: JsonValue


class LinkPasskeyAnswer(SessionModel):
    success: Literal[True]
    data: LinkPasskeyOptions
