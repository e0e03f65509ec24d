"""How Form Trigger and Form show their parameters."""

from __future__ import annotations

from typing import ClassVar

from pydantic import JsonValue

from jackfield.api.nodes import Parameters
from jackfield.api.nodes.ui import Case, Ui, UiFields


class EndingValues(Parameters):
    respond_with: str = "text"
    form_submitted_text: str = ""
    redirect_url: str = ""

    ui_fields: ClassVar[UiFields] = {
        "respondWith": Ui(choices={"text": "A text", "redirect": "A redirect"}),
        "formSubmittedText": Ui("textarea", label="Text", when={"respondWith": "text"}),
        "redirectUrl": Ui(when={"respondWith": "redirect"}, placeholder="https://example.com/thanks"),
    }


class EndingChoice(Parameters):
    values: EndingValues = EndingValues()


class FormOptions(Parameters):
    """The options as a form shows them; `pages` reads them."""

    append_attribution: bool = False
    button_label: str = "Submit"
    custom_css: str = ""
    form_title: str = ""
    form_description: str = ""
    form_submitted_text: str = ""
    ignore_bots: bool = False
    ip_whitelist: str = ""
    path: str = ""
    respond_with_options: EndingChoice = EndingChoice()
    use_workflow_timezone: bool = False

    ui_fields: ClassVar[UiFields] = {
        "appendAttribution": Ui(label="Attribution", help="n8n's own line; Jackfield shows none."),
        "buttonLabel": Ui(help="The text of the button that sends the form."),
        "customCss": Ui("code", label="CSS", options={"language": "css"}, help="Styles of the page."),
        "formTitle": Ui(label="Title"),
        "formDescription": Ui("textarea", label="Description"),
        "formSubmittedText": Ui("textarea", label="Text after sending"),
        "ignoreBots": Ui(help="Refuses crawlers and link previews."),
        "ipWhitelist": Ui(label="Allowed IP addresses", help="Comma separated; empty is everybody."),
        "path": Ui(help="The end of the form's address."),
        "respondWithOptions": Ui(label="After sending", help="The page or address that follows."),
        "useWorkflowTimezone": Ui(help="Gives the time of sending in the workflow's time zone."),
    }


WITH_FIELDS: UiFields = {
    "formTitle": Ui(label="Title", help="The heading of the page."),
    "formDescription": Ui("textarea", label="Description", help="The text below the heading."),
    "defineForm": Ui(
        label="Define the form by",
        choices={"fields": "Fields below", "json": "JSON"},
        help="How you give the form's fields.",
    ),
    "formFields": Ui(
        label="Fields",
        help="The inputs of the page, from top to bottom.",
        when={"defineForm": "fields"},
        options={"add": "Add field"},
    ),
    "jsonOutput": Ui("json", label="Fields as JSON", when={"defineForm": "json"}, help="A list of fields."),
    "options": Ui("collection", fields=FormOptions, help=""),
}
_PATH = Ui(help="The end of the form's address; the node's own ID unless given.")
_SET: JsonValue = {"_cnd": {"exists": True}}
TRIGGER: UiFields = {
    "path": (
        Ui(when={"@version": {"_cnd": {"lt": 2.2}}}).over(_PATH),
        Ui(when={"@version": {"_cnd": {"gte": 2.2}}, "path": _SET}).over(_PATH),
    ),
    "authentication": Ui(
        when={"@version": {"_cnd": {"gte": 2}}},
        choices={"none": "None", "basicAuth": "Basic auth"},
        help="The people that may open the form.",
    ),
    "defineForm": Ui(
        label="Define the form by",
        when={"defineForm": "json"},
        choices={"fields": "Fields below", "json": "JSON"},
        help="How you give the form's fields.",
    ),
    "formFields": Ui(
        label="Fields",
        hide={"defineForm": "json"},
        options={"add": "Add field"},
        help="The inputs of the page, from top to bottom.",
    ),
    "responseMode": Ui(
        label="Respond",
        choices={
            "onReceived": "When the form is sent",
            "lastNode": "When the workflow ends",
            "responseNode": "By a Respond to Webhook node",
        },
        help="When the last page is shown.",
    ),
}
_PAGE: Case = {"operation": "page"}
_END: Case = {"operation": "completion"}
FORM: UiFields = {
    "operation": Ui(
        label="Page",
        choices={"page": "Next page of the form", "completion": "Last page"},
        help="The page that the person sees next.",
    ),
    "formTitle": Ui(label="Title", when={"formTitle": _SET}, help="The heading of the page; now one of the options."),
    "formDescription": Ui(
        "textarea",
        label="Description",
        when={"formDescription": _SET},
        help="The text below the heading; now one of the options.",
    ),
    "defineForm": Ui(
        label="Define the form by",
        when=_PAGE,
        choices={"fields": "Fields below", "json": "JSON"},
        help="How you give the form's fields.",
    ),
    "formFields": Ui(
        label="Fields",
        help="The inputs of the page, from top to bottom.",
        when={**_PAGE, "defineForm": "fields"},
        options={"add": "Add field"},
    ),
    "jsonOutput": Ui("json", label="Fields as JSON", when={**_PAGE, "defineForm": "json"}, help="A list of fields."),
    "respondWith": Ui(
        label="Show",
        when=_END,
        choices={
            "text": "A heading and a text",
            "redirect": "Another address",
            "showText": "A text or HTML",
            "returnBinary": "A file (not available)",
        },
        help="The content of the last page.",
    ),
    "completionTitle": Ui(
        label="Title", help="The heading of the page.", when={**_END, "respondWith": ["text", "returnBinary"]}
    ),
    "completionMessage": Ui(
        "textarea", label="Text", help="The text of the page.", when={**_END, "respondWith": ["text", "returnBinary"]}
    ),
    "responseText": Ui(
        "textarea", label="Text or HTML", help="The content of the page.", when={**_END, "respondWith": "showText"}
    ),
    "redirectUrl": Ui(
        help="The address that the person is sent to.",
        when={**_END, "respondWith": "redirect"},
        placeholder="https://example.com/thanks",
    ),
    "limitWaitTime": Ui(label="Limit the wait", when=_PAGE, help="Goes on after a time even when no form is sent."),
    "limitType": Ui(
        label="Limit",
        when={**_PAGE, "limitWaitTime": True},
        help="When the wait ends at the latest.",
        choices={"afterTimeInterval": "After a time", "atSpecifiedTime": "At a date and time (not available)"},
    ),
    "resumeAmount": Ui(
        label="At most",
        when={**_PAGE, "limitWaitTime": True, "limitType": "afterTimeInterval"},
        help="In the unit below.",
    ),
    "resumeUnit": Ui(
        label="Unit",
        when={**_PAGE, "limitWaitTime": True, "limitType": "afterTimeInterval"},
        help="The unit of that time.",
        choices={"seconds": "Seconds", "minutes": "Minutes", "hours": "Hours", "days": "Days"},
    ),
}
