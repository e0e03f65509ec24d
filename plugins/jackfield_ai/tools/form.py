"""How tools show their parameters."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.nodes.ui import Case, Scalar, Ui, UiFields, Words
from jackfield.api.nodes.wording import AUTHENTICATION, GENERIC_CREDENTIALS, METHODS, SCHEMA_TYPES

WORKFLOW = Ui("workflow", label="Workflow", when={"source": "database"}, help="The saved workflow that is run.")

NAMED_TOOL: UiFields = {
    "name": Ui(help="The name by which the model calls the tool."),
    "description": Ui(help="Tells the model what the tool does and when to use it."),
}

_SPECIFIED: Case = {"specifyInputSchema": True}

SCHEMED_TOOL: UiFields = {
    **NAMED_TOOL,
    "specifyInputSchema": Ui(label="Define the input", help="Tells the model which arguments the tool takes."),
    "schemaType": Ui(label="Define it by", when=_SPECIFIED, choices=SCHEMA_TYPES, help="How you give the arguments."),
    "jsonSchemaExample": Ui("json", when={**_SPECIFIED, "schemaType": "fromJson"}),
    "inputSchema": Ui("json", when={**_SPECIFIED, "schemaType": "manual"}),
}

CODE_TOOL: UiFields = {
    **SCHEMED_TOOL,
    "language": Ui(
        choices={"javaScript": "JavaScript", "python": "Python"}, help="The language of the program.", expression=False
    ),
    "jsCode": Ui(
        "code",
        label="JavaScript",
        when={"language": "javaScript"},
        options={"language": "javascript"},
        help="The program: `query` holds the arguments; return a text.",
    ),
    "pythonCode": Ui(
        "code",
        label="Python",
        when={"language": "python"},
        options={"language": "python"},
        help="The program: `query` holds the arguments; return a text.",
    ),
}

_OLD_TOOL: Case = {"@version": {"_cnd": {"lt": 2}}}

WORKFLOW_TOOL: UiFields = {
    **SCHEMED_TOOL,
    "name": Ui(when={"@version": {"_cnd": {"lt": 2.2}}}, help="The name by which the model calls the tool."),
    "specifyInputSchema": Ui(label="Define the input", when=_OLD_TOOL),
    "schemaType": Ui(label="Define it by", when={**_SPECIFIED, **_OLD_TOOL}, choices=SCHEMA_TYPES),
    "jsonSchemaExample": Ui("json", when={**_SPECIFIED, **_OLD_TOOL, "schemaType": "fromJson"}),
    "inputSchema": Ui("json", when={**_SPECIFIED, **_OLD_TOOL, "schemaType": "manual"}),
    "source": Ui(choices={"database": "A saved workflow", "parameter": "JSON below"}, help="Where the workflow is."),
    "workflowId": WORKFLOW,
    "workflowJson": Ui("json", label="Workflow as JSON", when={"source": "parameter"}, help="The whole document."),
    "responsePropertyName": Ui(
        label="Field to return", when={"@version": {"_cnd": {"lt": 1.3}}}, help="The field that the model gets."
    ),
    "fields": Ui(label="Further inputs", when=_OLD_TOOL, options={"add": "Add value"}, help="Values for the workflow."),
    "workflowInputs": Ui("mapper", when={"@version": {"_cnd": {"gte": 2}}}),
}

FIELD_VALUE: UiFields = {
    "type": Ui(
        choices={
            "stringValue": "Text",
            "numberValue": "Number",
            "booleanValue": "True or false",
            "arrayValue": "List",
            "objectValue": "Object",
        }
    ),
    "stringValue": Ui(label="Value", when={"type": "stringValue"}),
    "numberValue": Ui(label="Value", when={"type": "numberValue"}),
    "booleanValue": Ui(label="Value", when={"type": "booleanValue"}),
    "arrayValue": Ui("json", label="Value", when={"type": "arrayValue"}),
    "objectValue": Ui("json", label="Value", when={"type": "objectValue"}),
}

_AS: Mapping[Scalar, Words] = {"keypair": "Fields below", "json": "JSON", "model": "Let the model decide"}


def _part(switch: str, specify: str, rows: str, json: str, what: str) -> UiFields:
    on: Case = {switch: True}
    return {
        switch: Ui(label=f"Send {what}", help=f"Adds the {what} to the request."),
        specify: Ui(label=f"{what.capitalize()} as", when=on, choices=_AS, help=f"How you give the {what}."),
        rows: Ui(
            label=what.capitalize(),
            when={**on, specify: "keypair"},
            options={"add": "Add value"},
            help="Names, and where their values come from.",
        ),
        json: Ui(
            "json",
            label=what.capitalize(),
            when={**on, specify: "json"},
            help="JSON; the model fills in {names} in braces.",
        ),
    }


_OPTIMIZED: Case = {"optimizeResponse": True}

HTTP_TOOL: UiFields = {
    "name": Ui(when={"@version": 1}, help="The name by which the model calls the tool."),
    "method": Ui(choices=METHODS),
    "url": Ui(
        "text", placeholder="https://api.example.com/{item}", help="The address; {names} are filled in by the model."
    ),
    "authentication": Ui(choices=AUTHENTICATION),
    "genericAuthType": Ui(choices=GENERIC_CREDENTIALS, when={"authentication": "genericCredentialType"}),
    "nodeCredentialType": Ui("credential", when={"authentication": "predefinedCredentialType"}),
    **_part("sendQuery", "specifyQuery", "parametersQuery", "jsonQuery", "query parameters"),
    **_part("sendHeaders", "specifyHeaders", "parametersHeaders", "jsonHeaders", "headers"),
    **_part("sendBody", "specifyBody", "parametersBody", "jsonBody", "body"),
    "placeholderDefinitions": Ui(
        label="Placeholders", options={"add": "Add placeholder"}, help="Tells the model what the {names} mean."
    ),
    "optimizeResponse": Ui(
        label="Shorten the response", help="Gives the model only the part of the response that it needs."
    ),
    "responseType": Ui(
        when=_OPTIMIZED, choices={"json": "JSON", "html": "HTML", "text": "Text"}, help="The form of the response."
    ),
    "dataField": Ui(
        label="Field with the data",
        when={**_OPTIMIZED, "responseType": "json"},
        help="The part of the response to take.",
    ),
    "fieldsToInclude": Ui(
        label="Fields",
        when={**_OPTIMIZED, "responseType": "json"},
        choices={"all": "All", "selected": "Selected fields", "except": "All except some"},
        help="The fields that the model gets.",
    ),
    "fields": Ui(
        "text",
        label="Names of fields",
        help="Separated by commas.",
        when={**_OPTIMIZED, "responseType": "json", "fieldsToInclude": ["selected", "except"]},
    ),
    "cssSelector": Ui(when={**_OPTIMIZED, "responseType": "html"}),
    "onlyContent": Ui(label="Text only", when={**_OPTIMIZED, "responseType": "html"}, help="Drops all markup."),
    "elementsToOmit": Ui(
        help="CSS selectors, separated by commas.", when={**_OPTIMIZED, "responseType": "html", "onlyContent": True}
    ),
    "truncateResponse": Ui(
        label="Cut long responses",
        help="Gives the model only the beginning.",
        when={**_OPTIMIZED, "responseType": ["html", "text"]},
    ),
    "maxLength": Ui(
        label="Most characters",
        help="How long the text may be.",
        when={**_OPTIMIZED, "responseType": ["html", "text"], "truncateResponse": True},
    ),
}

HTTP_TOOL_FIELD: UiFields = {
    "valueProvider": Ui(
        label="Value from",
        choices={
            "modelRequired": "The model (required)",
            "modelOptional": "The model (optional)",
            "fieldValue": "Defined below",
        },
    ),
    "value": Ui("text", when={"valueProvider": "fieldValue"}),
}

PLACEHOLDER: UiFields = {
    "type": Ui(
        choices={
            "not specified": "Not specified",
            "string": "Text",
            "number": "Number",
            "boolean": "True or false",
            "json": "JSON",
        }
    )
}

SEARXNG_OPTIONS: UiFields = {
    "numResults": Ui(label="Results", help="How many results the model gets at most."),
    "pageNumber": Ui(label="Page", help="The page of results."),
    "language": Ui(help="A code of a language, such as `en`."),
    "safesearch": Ui(label="Safe search", help="0 finds all, 1 is moderate, 2 is strict."),
}

SERP_OPTIONS: UiFields = {
    "gl": Ui("text", label="Country", help="A code of a country, such as `us`."),
    "device": Ui(help="desktop, mobile or tablet."),
    "no_cache": Ui(label="Without the cache", help="Asks Google again; each search counts."),
    "google_domain": Ui("text", label="Google's domain", help="Such as `google.com`."),
    "hl": Ui("text", label="Language", help="A code of a language, such as `en`."),
}
