"""How nodes show the fields of a form; `form_fields` reads what people choose there."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, JsonValue

from .nodes import Parameters
from .nodes.ui import Case, Ui, UiFields

_CHOICES: Case = {"fieldType": ["dropdown", "checkbox", "radio"]}


class FormChoice(Parameters):
    option: str = ""


class FormChoices(Parameters):
    values: list[FormChoice] = Field(default_factory=list)


class FormFieldRow(Parameters):
    """A field of the page as the node's form shows it; `read_fields` reads it."""

    field_label: str = ""
    field_type: str = "text"
    field_name: str = ""
    element_name: str = ""
    placeholder: str = ""
    default_value: str = ""
    field_value: str = ""
    field_options: FormChoices = FormChoices()
    multiselect: bool = False
    multiple_files: bool = True
    accept_file_types: str = ""
    html: str = ""
    format_date: str = ""
    required_field: bool = False

    ui_fields: ClassVar[UiFields] = {
        "fieldLabel": Ui(label="Label", hide={"fieldType": ["html", "hiddenField"]}, help="The name of the field."),
        "fieldType": Ui(
            label="Type",
            choices={
                "text": "Text",
                "textarea": "Text of several lines",
                "number": "Number",
                "date": "Date",
                "email": "Email",
                "password": "Password",
                "dropdown": "Dropdown",
                "checkbox": "Checkboxes",
                "radio": "Radio buttons",
                "file": "File",
                "hiddenField": "Hidden field",
                "html": "HTML",
            },
            help="The kind of input.",
        ),
        "fieldName": Ui(label="Name", help="The key of the value; the label unless given."),
        "elementName": Ui(label="Name", when={"fieldType": "html"}, help="The key of the value."),
        "placeholder": Ui(
            when={"fieldType": ["text", "textarea", "number", "email", "password"]},
            help="Shown while the field is empty.",
        ),
        "defaultValue": Ui(
            hide={"fieldType": ["file", "html", "hiddenField", "password"]},
            help="The value that the field begins with.",
        ),
        "fieldValue": Ui(label="Value", when={"fieldType": "hiddenField"}, help="The value that the form sends."),
        "fieldOptions": Ui(label="Options", when=_CHOICES, options={"add": "Add option"}, help="The choices."),
        "multiselect": Ui(label="Several choices", when={"fieldType": "dropdown"}, help="Allows more than one."),
        "multipleFiles": Ui(label="Several files", when={"fieldType": "file"}, help="Allows more than one file."),
        "acceptFileTypes": Ui(
            label="File types",
            when={"fieldType": "file"},
            placeholder=".pdf, .png",
            help="Comma separated; empty is all.",
        ),
        "html": Ui("code", label="HTML", when={"fieldType": "html"}, options={"language": "html"}),
        "formatDate": Ui(label="Date format", when={"fieldType": "date"}, placeholder="yyyy-MM-dd"),
        "requiredField": Ui(
            label="Required", hide={"fieldType": ["html", "hiddenField"]}, help="The field must be filled."
        ),
    }


class FormRows(Parameters):
    """A parameter that holds such rows."""

    ui_fields: ClassVar[UiFields] = {"values": Ui("collection", label="Field", multiple=True, fields=FormFieldRow)}

    values: list[dict[str, JsonValue]] = Field(
        default_factory=list,
        description="fieldLabel, fieldType (text, textarea, number, date, email, password, dropdown, checkbox, radio, "
        "file, hiddenField, html), requiredField, placeholder, fieldOptions, multiselect, acceptFileTypes.",
    )
