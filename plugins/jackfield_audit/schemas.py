"""Queries and answers of the audit log."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, ConfigDict, Field
from pydantic.alias_generators import to_camel

from jackfield.api.paging import Clamped
from jackfield.api.schemas import Schema

Text = Annotated[str, Field(max_length=200)]


class _AuditShown(Schema):
    model_config = ConfigDict(extra="allow", alias_generator=to_camel)


class AuditWhere(Schema):
    """`act`: one act, or all that begin with a text that ends with a dot, such as `workflow.`. Times: ISO 8601 with a
    zone, `since` included, `until` not."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)

    act: Text = ""
    actor: Text = ""
    kind: Text = ""
    subject: Text = ""
    outcome: Literal["", "success", "refused", "failed"] = ""
    project_id: Text = ""
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None


class AuditQuery(AuditWhere):
    """before: only records with smaller numbers, which is how the next page is asked for."""

    before: Annotated[int, Field(ge=1)] | None = None
    limit: Annotated[int, Clamped(1, 250)] = 50


class AuditExportQuery(AuditWhere):
    format: Literal["jsonl", "csv"] = "jsonl"


class AuditActorShown(_AuditShown):
    id: str
    name: str
    method: str
    credential: str
    address: str
    agent: str
    run: str


class AuditRecordShown(_AuditShown):
    """hash: SHA-256 of the hash before and the record, in hex."""

    number: int
    time: str
    act: str
    outcome: Literal["success", "refused", "failed"]
    actor: AuditActorShown
    kind: str
    subject: str
    name: str
    project: str
    code: str
    request: str
    fields: list[str]
    n8n_event: Annotated[str, Field(alias="n8nEvent")]
    hash: str


class AuditPage(_AuditShown):
    """next: the `before` of the next page; null: this is the last one."""

    data: list[AuditRecordShown]
    next: int | None


class AuditVerdict(_AuditShown):
    """`whole`: whether nothing was changed, taken out or put in. `brokenAt`: the number of the first record that is
    wrong. `dropped`: how many records retention has dropped."""

    whole: bool
    records: int
    first: int
    last: int
    dropped: int
    broken_at: int | None
    problem: str
    unvouched: int
