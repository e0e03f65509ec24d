"""The parameters of pagination, evaluated for each page."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.nodes import Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.http.form import PAGE_PARAMETER, PAGES


class PageParameter(Parameters):
    ui_fields: ClassVar[UiFields] = PAGE_PARAMETER

    type: Literal["qs", "headers", "body"] = "qs"
    name: str = ""
    value: object = None


class PageParameters(Parameters):
    parameters: list[PageParameter] = Field(default_factory=list)


class PageSettings(Parameters):
    """The pagination option with its expressions evaluated for one page."""

    ui_fields: ClassVar[UiFields] = PAGES

    pagination_mode: Literal["off", "updateAParameterInEachRequest", "responseContainsNextURL"] = (
        "updateAParameterInEachRequest"
    )
    next_url: str | None = Field(None, alias="nextURL")
    parameters: PageParameters = Field(default_factory=PageParameters)
    pagination_complete_when: Literal["responseIsEmpty", "receiveSpecificStatusCodes", "other"] = "responseIsEmpty"
    status_codes_when_complete: str | None = None
    complete_expression: object = None
    limit_pages_fetched: bool = False
    max_requests: float | None = Field(100, ge=0)
    request_interval: float | None = Field(0, ge=0, le=3_600_000)

    def statuses(self) -> set[int]:
        codes = (self.status_codes_when_complete or "").replace(",", " ").split()
        return {int(code) for code in codes if code.isdecimal()}
