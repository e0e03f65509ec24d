"""How HTTP Request shows its parameters."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.nodes.ui import Case, Scalar, Ui, UiFields, Words
from jackfield.api.nodes.wording import AUTHENTICATION, GENERIC_CREDENTIALS, METHODS

_QUERY: Case = {"sendQuery": True}
_HEADERS: Case = {"sendHeaders": True}
_BODY: Case = {"sendBody": True}
_PAIRS_OR_JSON: Mapping[Scalar, Words] = {"keypair": "Fields below", "json": "JSON"}
_PAGES: Case = {"paginationMode": ["updateAParameterInEachRequest", "responseContainsNextURL"]}

HTTP: UiFields = {
    "method": Ui(choices=METHODS, help="The HTTP method of the request."),
    "url": Ui(placeholder="https://api.example.com/items", help="The address that the request goes to."),
    "authentication": Ui(choices=AUTHENTICATION),
    "genericAuthType": Ui(
        choices=GENERIC_CREDENTIALS,
        when={"authentication": "genericCredentialType"},
        help="The kind of the general credential that you choose below.",
    ),
    "nodeCredentialType": Ui("credential", when={"authentication": "predefinedCredentialType"}),
    "sendQuery": Ui(label="Send query parameters", help="Adds parameters to the address."),
    "specifyQuery": Ui(
        label="Query parameters as", when=_QUERY, choices=_PAIRS_OR_JSON, help="How you give the query parameters."
    ),
    "queryParameters": Ui(
        when={**_QUERY, "specifyQuery": "keypair"}, options={"add": "Add parameter"}, help="Names and values."
    ),
    "jsonQuery": Ui(
        "json", label="Query parameters", when={**_QUERY, "specifyQuery": "json"}, help="An object of names and values."
    ),
    "sendHeaders": Ui(label="Send headers", help="Adds headers to the request."),
    "specifyHeaders": Ui(label="Headers as", when=_HEADERS, choices=_PAIRS_OR_JSON, help="How you give the headers."),
    "headerParameters": Ui(
        label="Headers",
        when={**_HEADERS, "specifyHeaders": "keypair"},
        options={"add": "Add header"},
        help="Names and values.",
    ),
    "jsonHeaders": Ui(
        "json", label="Headers", when={**_HEADERS, "specifyHeaders": "json"}, help="An object of names and values."
    ),
    "sendBody": Ui(label="Send body", help="Adds a body to the request."),
    "contentType": Ui(
        label="Body content type",
        when=_BODY,
        help="The form of the body.",
        choices={
            "json": "JSON",
            "form-urlencoded": "Form (URL encoded)",
            "multipart-form-data": "Form with files (multipart)",
            "binaryData": "File",
            "raw": "Raw",
        },
    ),
    "specifyBody": (
        Ui(
            label="Body as",
            when={**_BODY, "contentType": "json"},
            choices=_PAIRS_OR_JSON,
            help="How you give the body.",
        ),
        Ui(
            label="Body as",
            when={**_BODY, "contentType": "form-urlencoded"},
            choices={"keypair": "Fields below", "string": "Text"},
            help="How you give the body.",
        ),
    ),
    "bodyParameters": (
        Ui(
            label="Body fields",
            when={**_BODY, "contentType": ["json", "form-urlencoded"], "specifyBody": "keypair"},
            options={"add": "Add field"},
            help="Names and values.",
        ),
        Ui(
            label="Body fields",
            when={**_BODY, "contentType": "multipart-form-data"},
            options={"add": "Add field"},
            help="Texts and files with their names.",
        ),
    ),
    "jsonBody": Ui(
        "json", label="JSON", when={**_BODY, "contentType": "json", "specifyBody": "json"}, help="The body."
    ),
    "body": (
        Ui("textarea", when={**_BODY, "contentType": "raw"}, help="The body as it is sent.", options={"rows": 5}),
        Ui(
            "textarea",
            when={**_BODY, "contentType": "form-urlencoded", "specifyBody": "string"},
            placeholder="name=Ada&city=London",
            help="The body as it is sent.",
        ),
    ),
    "rawContentType": Ui(
        label="Content type",
        when={**_BODY, "contentType": "raw"},
        placeholder="text/plain",
        help="The MIME type of the body.",
    ),
    "inputDataFieldName": Ui(
        label="Input file field", when={**_BODY, "contentType": "binaryData"}, help="The item's field with the file."
    ),
}
BODY_ROW: UiFields = {
    "value": Ui(hide={"parameterType": "formBinaryData"}),
    "parameterType": Ui(
        label="Type",
        when={"/contentType": "multipart-form-data"},
        choices={"formData": "Text", "formBinaryData": "File"},
        help="Sends a text, or a file of the item.",
    ),
    "inputDataFieldName": Ui(
        label="Input file field",
        when={"/contentType": "multipart-form-data", "parameterType": "formBinaryData"},
        help="The item's field with the file.",
    ),
}
RESPONSE: UiFields = {
    "neverError": Ui(label="Accept every status", help="Takes an answer with an error status as a normal one."),
    "responseFormat": Ui(
        choices={"autodetect": "Detect", "json": "JSON", "text": "Text", "file": "File"}, help="How the body is read."
    ),
    "outputPropertyName": Ui(when={"responseFormat": ["text", "file", "autodetect"]}),
}
REDIRECT: UiFields = {
    "followRedirects": Ui(help="Goes where a redirect leads. From version 4 on, this is the default."),
    "maxRedirects": Ui(label="Most redirects", help="How many redirects one request may follow."),
}
BATCH: UiFields = {
    "batchSize": Ui(help="How many requests are sent at a time; -1 sends all of them at once."),
    "batchInterval": Ui(label="Pause between batches (ms)", help="Milliseconds to wait after each batch."),
}
_KEY = Ui(
    label="Idempotency key (header)",
    default="Idempotency-Key",
    help="The name of a header with a key that stays the same when this request is repeated, also after a crash.",
)
OPTIONS: UiFields = {
    "timeout": Ui(label="Timeout (ms)"),
    "idempotencyKey": _KEY,
    "pagination": Ui(help="Asks for one page after another."),
    "lowercaseHeaders": Ui(label="Lower-case headers", help="Sends the names of headers in lower case."),
    "queryParameterArrays": Ui(
        label="Lists in the query",
        choices={"brackets": "Brackets: a[]=1&a[]=2", "indices": "Numbers: a[0]=1&a[1]=2", "repeat": "Repeat: a=1&a=2"},
        help="How a list is written in the address.",
    ),
}
PAGES: UiFields = {
    "paginationMode": Ui(
        label="Next page",
        choices={
            "off": "Off",
            "updateAParameterInEachRequest": ("Change a parameter", "Each request gets other values."),
            "responseContainsNextURL": ("URL in the response", "Each answer tells the address of the next page."),
        },
        help="How the request for the next page is made.",
    ),
    "nextURL": Ui(
        when={"paginationMode": "responseContainsNextURL"},
        placeholder="={{ $response.body.next }}",
        help="An expression that gives the address of the next page.",
    ),
    "parameters": Ui(when={"paginationMode": "updateAParameterInEachRequest"}, options={"add": "Add parameter"}),
    "paginationCompleteWhen": Ui(
        label="Complete when",
        when=_PAGES,
        choices={
            "responseIsEmpty": "The response is empty",
            "receiveSpecificStatusCodes": "A status comes",
            "other": "An expression says so",
        },
        help="When no further page is asked for.",
    ),
    "statusCodesWhenComplete": Ui(
        label="Status codes",
        when={**_PAGES, "paginationCompleteWhen": "receiveSpecificStatusCodes"},
        placeholder="204, 404",
        help="The statuses that end the paging, separated by commas.",
    ),
    "completeExpression": Ui(
        label="Complete expression",
        when={**_PAGES, "paginationCompleteWhen": "other"},
        placeholder="={{ !$response.body.next }}",
        help="The paging ends when this expression gives true.",
    ),
    "limitPagesFetched": Ui(label="Limit pages", when=_PAGES, help="Stops after a number of pages."),
    "maxRequests": Ui(label="Most pages", when={**_PAGES, "limitPagesFetched": True}, help="How many pages at most."),
    "requestInterval": Ui(label="Pause between requests (ms)", when=_PAGES, help="Milliseconds between two pages."),
}
PAGE_PARAMETER: UiFields = {"type": Ui(choices={"qs": "Query", "headers": "Header", "body": "Body"})}

_JSON: Case = {"jsonParameters": True}
_ROWS: Case = {"jsonParameters": False}
_WITH_BODY: Case = {"requestMethod": ["DELETE", "PATCH", "POST", "PUT"]}
LEGACY: UiFields = {
    "authentication": (
        Ui(
            choices={
                "none": "None",
                "basicAuth": "Basic auth",
                "digestAuth": "Digest auth",
                "headerAuth": "Header auth",
                "oAuth1": "OAuth1",
                "oAuth2": "OAuth2",
                "queryAuth": "Query auth",
            },
            when={"@version": 1},
            help="",
        ),
        Ui(choices=AUTHENTICATION, when={"@version": 2}, help=""),
    ),
    "genericAuthType": Ui(choices=GENERIC_CREDENTIALS, when={"@version": 2, "authentication": "genericCredentialType"}),
    "nodeCredentialType": Ui("credential", when={"@version": 2, "authentication": "predefinedCredentialType"}),
    "requestMethod": Ui(label="Method", choices=METHODS, help="The HTTP method of the request."),
    "url": Ui(placeholder="https://api.example.com/items", help="The address that the request goes to."),
    "responseFormat": Ui(choices={"json": "JSON", "string": "Text", "file": "File"}),
    "dataPropertyName": Ui(label="Output field", when={"responseFormat": ["string", "file"]}),
    "jsonParameters": Ui(label="Parameters as JSON", help="Takes query, headers and body as JSON."),
    "sendBinaryData": Ui(label="Send a file", when={**_WITH_BODY, **_JSON}, help="The body is a file of the item."),
    "binaryPropertyName": Ui(label="Input file field", when={**_WITH_BODY, "sendBinaryData": True}),
    "bodyParametersJson": Ui("json", label="Body", when={**_WITH_BODY, **_JSON}, hide={"sendBinaryData": True}),
    "headerParametersJson": Ui("json", label="Headers", when=_JSON),
    "queryParametersJson": Ui("json", label="Query parameters", when=_JSON),
    "bodyParametersUi": Ui(label="Body fields", when={**_WITH_BODY, **_ROWS}, options={"add": "Add field"}),
    "headerParametersUi": Ui(label="Headers", when=_ROWS, options={"add": "Add header"}),
    "queryParametersUi": Ui(label="Query parameters", when=_ROWS, options={"add": "Add parameter"}),
}
LEGACY_OPTIONS: UiFields = {
    "timeout": Ui(label="Timeout (ms)"),
    "idempotencyKey": _KEY,
    "bodyContentType": Ui(
        choices={
            "json": "JSON",
            "raw": "Raw",
            "form-urlencoded": "Form (URL encoded)",
            "multipart-form-data": "Form with files (multipart)",
        }
    ),
    "bodyContentCustomMimeType": Ui(label="MIME type", when={"bodyContentType": "raw"}),
    "ignoreResponseCode": Ui(label="Accept every status", help="Takes an answer with an error status as a normal one."),
    "batchInterval": Ui(label="Pause between batches (ms)"),
    "useQueryString": Ui(label="Repeat names of lists"),
}
SSE: UiFields = {"url": Ui(label="URL", placeholder="https://example.com/events", help="Where the events come from.")}
