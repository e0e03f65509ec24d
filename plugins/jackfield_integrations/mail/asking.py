"""The parameters of a mail that asks a question; `jackfield.api.questions` reads them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from jackfield.api.nodes import Parameters
from jackfield.api.nodes.ui import Case, Ui, UiFields
from jackfield_integrations.parameters import Text

Style = Annotated[Literal["primary", "secondary"], Ui(choices={"primary": "Filled", "secondary": "Outlined"})]
_DOUBLE: Case = {"approvalType": "double"}


class ApprovalValues(Parameters):
    ui_fields: ClassVar[UiFields] = {
        "approvalType": Ui(
            label="Type of approval", choices={"single": "Approve only", "double": "Approve and decline"}, help=""
        ),
        "disapproveLabel": Ui(label="Label to decline", when=_DOUBLE),
        "buttonDisapprovalStyle": Ui(label="Style to decline", when=_DOUBLE),
    }

    approval_type: Literal["single", "double"] = "single"
    approve_label: Text = Field("Approve", title="Label to approve")
    button_approval_style: Style = Field("primary", title="Style to approve")
    disapprove_label: Text = "Decline"
    button_disapproval_style: Style = "secondary"


class Approval(Parameters):
    values: ApprovalValues | None = None


class LimitValues(Parameters):
    ui_fields: ClassVar[UiFields] = {
        "limitType": Ui(choices={"afterTimeInterval": "After a time", "atSpecifiedTime": "At a date and time"}),
        "resumeAmount": Ui(label="At most", when={"limitType": "afterTimeInterval"}),
        "resumeUnit": Ui(
            label="Unit",
            when={"limitType": "afterTimeInterval"},
            choices={"minutes": "Minutes", "hours": "Hours", "days": "Days"},
        ),
        "maxDateAndTime": Ui("date", label="Date and time", when={"limitType": "atSpecifiedTime"}),
    }

    limit_type: Literal["afterTimeInterval", "atSpecifiedTime"] = "afterTimeInterval"
    resume_amount: float = Field(1, ge=0)
    resume_unit: Literal["minutes", "hours", "days"] = "hours"
    max_date_and_time: Text = ""


class Limit(Parameters):
    values: LimitValues | None = None


class ApprovalOptions(Parameters):
    """The options of a question with buttons."""

    limit_wait_time: Limit = Field(default_factory=Limit, description="Goes on after a time even without an answer.")


class AnswerOptions(ApprovalOptions):
    """The options of a question with a page."""

    message_button_label: Text = Field("Respond", description="The text of the button in the mail.")
    response_form_title: Text = Field("", description="The heading of the page.")
    response_form_description: Text = Field("", description="The text below the heading; the message unless given.")
    response_form_button_label: Text = Field("Submit", description="The text of the page's button.")
    response_form_custom_css: Text = Field("", description="Styles of the page.")
