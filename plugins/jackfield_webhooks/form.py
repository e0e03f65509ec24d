"""How Webhook shows its parameters. The fields of `authConfig` that presets bring are added by the node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field, SecretStr

from jackfield.api.nodes import Parameters
from jackfield.api.nodes.ui import Case, Scalar, Ui, UiFields, Words

_LAST: Case = {"responseMode": "lastNode"}
_METHODS: Mapping[Scalar, Words] = {name: name for name in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")}


class HeaderEntry(Parameters):
    name: str = ""
    value: str = ""


class HeaderEntries(Parameters):
    entries: list[HeaderEntry] = Field(default_factory=list)


class StatusValues(Parameters):
    response_code: int = 200
    custom_code: int | None = None

    ui_fields: ClassVar[UiFields] = {
        "responseCode": Ui(label="Status code"),
        "customCode": Ui(label="Other status code"),
    }


class StatusChoice(Parameters):
    values: StatusValues = StatusValues()


class WebhookOptions(Parameters):
    """The options as a form shows them; the trigger reads them by itself."""

    allowed_origins: str = "*"
    binary_property_name: str = "data"
    ignore_bots: bool = False
    ip_whitelist: str = ""
    no_response_body: bool = False
    raw_body: bool = False
    response_code: StatusChoice = StatusChoice()
    response_content_type: str = ""
    response_data: str = ""
    response_headers: HeaderEntries = HeaderEntries()
    response_property_name: str = "data"

    ui_fields: ClassVar[UiFields] = {
        "allowedOrigins": Ui(
            label="Allowed origins (CORS)", help="Web pages that may call the webhook, comma separated; * is all."
        ),
        "binaryPropertyName": Ui(help="The field for a file that the caller sends."),
        "ignoreBots": Ui(label="Ignore bots", help="Refuses calls of crawlers and link previews."),
        "ipWhitelist": Ui(
            label="Allowed IP addresses",
            help="Addresses that may call the webhook, comma separated; empty is everybody.",
        ),
        "noResponseBody": Ui(
            label="No response body", when={"/responseMode": "onReceived"}, help="Answers with no body."
        ),
        "rawBody": Ui(label="Raw body", help="Keeps the body as it came, as a file."),
        "responseCode": Ui(when={"/responseMode": ["onReceived", "lastNode"]}, help="The status of the answer."),
        "responseContentType": Ui(
            label="Response content type",
            when={"/responseMode": "lastNode", "/responseData": "firstEntryJson"},
            placeholder="application/xml",
            help="The MIME type of the answer.",
        ),
        "responseData": Ui(
            "textarea", label="Response body", when={"/responseMode": "onReceived"}, help="The text of the answer."
        ),
        "responseHeaders": Ui(options={"add": "Add header"}, help="Further headers of the answer."),
        "responsePropertyName": Ui(
            label="Field to answer with",
            when={"/responseMode": "lastNode", "/responseData": "firstEntryJson"},
            help="Answers with this field alone.",
        ),
    }


_HMAC: Case = {"/authentication": "hmac"}
_JWT: Case = {"/authentication": ["jwtAuth", "jwt"]}
_BASIC: Case = {"/authentication": "basicAuth"}
_HEADER: Case = {"/authentication": "headerAuth"}


class AuthConfig(Parameters):
    """`authConfig` as a form shows it, without what presets bring."""

    header_name: str = ""
    header_value: SecretStr | None = None
    username: str = ""
    password: SecretStr | None = None
    preset: str = ""
    secret: SecretStr | None = None
    public_key: str = ""
    header: str = ""
    algorithm: str = ""
    encoding: str = ""
    require_exp: bool = True

    ui_fields: ClassVar[UiFields] = {
        "headerName": Ui(when=_HEADER, placeholder="X-API-Key"),
        "headerValue": Ui(when=_HEADER),
        "username": Ui(label="User name", when=_BASIC),
        "password": Ui(when=_BASIC),
        "preset": Ui("select", label="Sender", when=_HMAC, help="The service whose signatures are checked."),
        "secret": (
            Ui(when=_HMAC, help="The secret that the sender signs with."),
            Ui(when=_JWT, help="The secret of tokens with an HS algorithm."),
        ),
        "publicKey": Ui("textarea", when=_JWT, help="The key of tokens with any other algorithm, as PEM."),
        "header": Ui(label="Signature header", when={**_HMAC, "preset": ""}, placeholder="X-Signature"),
        "algorithm": (
            Ui(
                when={**_HMAC, "preset": ""},
                choices={"": "Not set", "sha256": "SHA-256", "sha384": "SHA-384", "sha512": "SHA-512"},
            ),
            Ui(when=_JWT, placeholder="HS256", help="Such as HS256, RS256 or ES256."),
        ),
        "encoding": Ui(when={**_HMAC, "preset": ""}, choices={"": "Not set", "hex": "Hexadecimal", "base64": "Base64"}),
        "requireExp": Ui(label="Tokens must expire", when=_JWT, help="Refuses a token without an end."),
    }


_CODE = Ui("number", label="Response code", help="The status of the answer.", options={"min": 200, "max": 599})
WEBHOOK: UiFields = {
    "httpMethod": (
        Ui(
            "select",
            label="HTTP method",
            hide={"multipleMethods": True},
            choices=_METHODS,
            help="The method that starts the workflow.",
        ),
        Ui(
            "multiselect",
            label="HTTP methods",
            when={"multipleMethods": True},
            choices=_METHODS,
            default=["GET", "POST"],
            help="The methods that start the workflow; each has an output.",
        ),
    ),
    "path": Ui(placeholder="orders/:id", help="The end of the address; `:name` stands for any one part."),
    "multipleMethods": Ui(label="Several methods", help="Takes several methods, each with its own output."),
    "authentication": Ui(
        choices={
            "none": "None",
            "basicAuth": "Basic auth",
            "headerAuth": "Header auth",
            "hmac": ("Signature (HMAC)", "The sender signs the body, as GitHub and Stripe do."),
            "jwtAuth": "JWT",
        },
        help="How a caller proves that it may call.",
    ),
    "authConfig": Ui(
        "collection",
        label="Authentication details",
        when={"authentication": ["basicAuth", "headerAuth", "hmac", "jwtAuth", "jwt"]},
        help="Used where no credential is chosen.",
    ),
    "responseMode": Ui(
        label="Respond",
        choices={
            "onReceived": ("At once", "Answers as soon as the call has come."),
            "lastNode": ("When the last node ends", "Answers with the data of the last node."),
            "responseNode": ("By a Respond to Webhook node", "That node makes the answer."),
            "streaming": ("In chunks", "Sends what nodes say while they run."),
        },
        help="When and with which data the call is answered.",
    ),
    "responseData": Ui(
        label="Response data",
        when=_LAST,
        choices={
            "allEntries": "All items",
            "firstEntryJson": "The first item",
            "firstEntryBinary": "The first item's file",
            "noData": "Nothing",
        },
        help="The data of the last node that is answered.",
    ),
    "responseCode": Ui(when={"responseMode": ["onReceived", "lastNode"]}).over(_CODE),
    "responseBinaryPropertyName": Ui(
        label="File field", when={**_LAST, "responseData": "firstEntryBinary"}, help="The field with the file."
    ),
    "options": Ui("collection", fields=WebhookOptions, help=""),
}
EXPORTED: UiFields = {
    "path": Ui(placeholder="orders/:id", help="The end of the address; the node's own ID unless given."),
    "responseCode": Ui(when={"responseMode": ["onReceived", "lastNode"], "@version": {"_cnd": {"lt": 2}}}).over(_CODE),
}
