"""Query and answer of `/node-types/{kind}/lists/{name}`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from jackfield.api.schemas import Schema
from jackfield_workflows.routes.schemas import Shown


class NodeListQuery(Schema):
    """`credential`: id of the one that the node has. `version`: of the node. `values`: its parameters, a JSON object.
    `search`: a text that names have to contain. `cursor`: `nextCursor` of the page before.
    """

    credential: Annotated[str, Field(max_length=64)] | None = None
    version: Annotated[float, Field(allow_inf_nan=False)] | None = None
    values: Annotated[str, Field(max_length=65_536)] | None = None
    search: Annotated[str, Field(max_length=200)] | None = None
    cursor: Annotated[str, Field(max_length=4096)] | None = None


class NodeListRow(Shown):
    value: str | int | float | bool
    label: str
    url: str | None = None
    type: str | None = None


class NodeListShown(Shown):
    data: list[NodeListRow]
    nextCursor: str | None = None  # noqa: N815 - as in JSON
