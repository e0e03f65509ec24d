"""How the nodes for dates, texts and keys show their parameters."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.nodes.labels import label_of
from jackfield.api.nodes.ui import Case, Scalar, Ui, UiFields, Words


def _choices(*values: str) -> Mapping[Scalar, Words]:
    return {value: label_of(value) for value in values}


def _same(*values: str) -> Mapping[Scalar, Words]:
    return {value: value for value in values}


_ADD: Case = {"operation": ["addToDate", "subtractFromDate"]}
_BETWEEN: Case = {"operation": "getTimeBetweenDates"}
_UNITS = _choices("years", "quarters", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds")
_PARTS = _choices("year", "month", "week", "day", "hour", "minute", "second")
_FORMATS: Mapping[Scalar, Words] = {
    "custom": "Custom format",
    "MM/dd/yyyy": "MM/DD/YYYY, such as 09/04/1986",
    "yyyy/MM/dd": "YYYY/MM/DD, such as 1986/09/04",
    "MMMM dd yyyy": "Month DD YYYY, such as September 04 1986",
    "MM-dd-yyyy": "MM-DD-YYYY, such as 09-04-1986",
    "yyyy-MM-dd": "YYYY-MM-DD, such as 1986-09-04",
    "X": "Unix time in seconds",
    "x": "Unix time in milliseconds",
}
DATE_TIME: UiFields = {
    "operation": Ui(
        choices={
            "getCurrentDate": "Get the current date",
            "formatDate": "Format a date",
            "addToDate": "Add to a date",
            "subtractFromDate": "Subtract from a date",
            "getTimeBetweenDates": "Get the time between dates",
            "extractDate": "Extract a part of a date",
            "roundDate": "Round a date",
        }
    ),
    "magnitude": Ui("date", label="Date", when=_ADD, help="The date that is changed."),
    "timeUnit": Ui(label="Unit", when=_ADD, choices=_UNITS),
    "duration": Ui(when=_ADD),
    "date": Ui("date", when={"operation": ["extractDate", "formatDate", "roundDate"]}, help="The date to work on."),
    "part": Ui(when={"operation": "extractDate"}, choices=_PARTS),
    "format": Ui(when={"operation": "formatDate"}, choices=_FORMATS, help="How the date is written."),
    "customFormat": Ui(
        when={"operation": "formatDate", "format": "custom"},
        placeholder="yyyy-MM-dd HH:mm",
        help="A pattern such as yyyy-MM-dd HH:mm.",
    ),
    "mode": Ui(
        label="Round",
        when={"operation": "roundDate"},
        choices={"roundDown": "Down", "roundUp": "Up"},
    ),
    "toNearest": Ui(label="To nearest", when={"operation": "roundDate", "mode": "roundDown"}, choices=_PARTS),
    "to": Ui(label="To end of", when={"operation": "roundDate", "mode": "roundUp"}, choices=_PARTS),
    "startDate": Ui("date", when=_BETWEEN),
    "endDate": Ui("date", when=_BETWEEN),
    "units": Ui("multiselect", when=_BETWEEN, choices={**_PARTS, "millisecond": "Millisecond"}),
    "includeTime": Ui(when={"operation": "getCurrentDate"}),
    "outputFieldName": Ui(label="Output field"),
}
LEGACY_DATE_TIME: UiFields = {
    "action": Ui(choices={"format": "Format a date", "calculate": "Calculate a date"}),
    "value": Ui(help="The date to work on."),
    "dataPropertyName": Ui(label="Output field"),
    "custom": Ui(label="Custom format", when={"action": "format"}),
    "toFormat": Ui(label="Format", when={"action": "format"}),
    "operation": Ui(when={"action": "calculate"}, choices={"add": "Add", "subtract": "Subtract"}),
    "duration": Ui(when={"action": "calculate"}),
    "timeUnit": Ui(label="Unit", when={"action": "calculate"}, choices=_UNITS),
}
DATE_OPTIONS: UiFields = {
    "fromFormat": Ui(label="Input format"),
    "timezone": Ui(
        label="Time zone", help="For the current date a zone such as Europe/Berlin; else whether the workflow's counts."
    ),
    "isoString": Ui(label="As ISO 8601 duration", when={"/operation": "getTimeBetweenDates"}),
}
LEGACY_DATE_OPTIONS: UiFields = {
    "fromFormat": Ui(label="Input format"),
    "fromTimezone": Ui(label="Input time zone"),
    "toTimezone": Ui(label="Output time zone"),
}

_DIGESTS = _same("MD5", "SHA1", "SHA256", "SHA384", "SHA512", "SHA3-256", "SHA3-384", "SHA3-512")
_HASHES: Case = {"action": ["hash", "hmac"]}
_CIPHER: Case = {"action": ["encrypt", "decrypt"]}
CRYPTO: UiFields = {
    "action": Ui(
        choices={
            "generate": "Generate a random text",
            "hash": "Hash",
            "hmac": "HMAC",
            "sign": "Sign",
            "encrypt": "Encrypt",
            "decrypt": "Decrypt",
        }
    ),
    "type": Ui(label="Algorithm", when=_HASHES, choices=_DIGESTS, help=""),
    "binaryData": Ui(label="Take a file", when=_HASHES, help="Takes a file of the item instead of a value."),
    "binaryPropertyName": Ui(when={**_HASHES, "binaryData": True}),
    "value": (
        Ui(when={**_HASHES, "binaryData": False}, help="The text that is hashed."),
        Ui(when={"action": ["sign", "encrypt", "decrypt"]}, help="The text that is signed or encrypted."),
    ),
    "dataPropertyName": Ui(label="Output field"),
    "encoding": Ui(
        when={"action": ["hash", "hmac", "sign"]},
        choices=_same("hex", "base64", "base64url", "latin1", "ascii", "utf8", "utf16le"),
        help="How the result is written.",
    ),
    "secret": Ui(when={"action": "hmac", "@version": 1}),
    "algorithm": Ui(when={"action": "sign"}, help="Such as RSA-SHA256."),
    "privateKey": Ui(when={"action": "sign", "@version": 1}),
    "encodingType": Ui(
        label="Kind of text",
        when={"action": "generate"},
        choices={"ascii": "ASCII", "base64": "Base64", "hex": "Hex", "uuid": "UUID"},
    ),
    "stringLength": Ui(
        "number", label="Length", when={"action": "generate", "encodingType": ["ascii", "base64", "hex"]}
    ),
    "mode": Ui(label="Key", when=_CIPHER, choices={"symmetric": "Passphrase", "asymmetric": "Key pair"}),
    "cipher": Ui(when={**_CIPHER, "mode": "symmetric"}, help="Such as aes-256-gcm."),
}

LATEST_CRYPTO: UiFields = {"secret": Ui("hidden"), "privateKey": Ui("hidden")}

_EXTRACT: Case = {"operation": "extractHtmlContent"}
HTML_EXTRACT: UiFields = {"operation": Ui("hidden"), "html": Ui("hidden")}
HTML: UiFields = {
    "options": Ui(when={"operation": ["extractHtmlContent", "convertToHtmlTable"]}),
    "operation": Ui(
        choices={
            "generateHtmlTemplate": ("Generate HTML", "Fills in a document of your own."),
            "extractHtmlContent": ("Extract from HTML", "Takes values out of a document by CSS selectors."),
            "convertToHtmlTable": ("Make a table", "Gives all items as one HTML table."),
        },
        help="The work that the node does.",
    ),
    "html": Ui(
        "code",
        label="HTML",
        when={"operation": "generateHtmlTemplate"},
        options={"language": "html"},
        help="The document.",
    ),
    "sourceData": Ui(
        label="Source", when=_EXTRACT, choices={"json": "A field", "binary": "A file"}, help="Where the document is."
    ),
    "dataPropertyName": Ui(label="Field", when=_EXTRACT, help="The field with the document or its file."),
    "extractionValues": Ui(
        label="Values to extract",
        when=_EXTRACT,
        options={"add": "Add value"},
        help="Each value has a CSS selector and a field.",
    ),
}
_TABLE: Case = {"/operation": "convertToHtmlTable"}
HTML_OPTIONS: UiFields = {
    "trimValues": Ui(when={"/operation": "extractHtmlContent"}),
    "cleanUpText": Ui(when={"/operation": "extractHtmlContent"}),
    **{
        name: Ui(when=_TABLE)
        for name in (
            *("capitalize", "caption", "customStyling"),
            *("tableAttributes", "headerAttributes", "rowAttributes", "cellAttributes"),
        )
    },
}
EXTRACTION: UiFields = {
    "key": Ui(label="Output field", help="The field for the value."),
    "returnValue": Ui(
        label="Take",
        choices={"attribute": "An attribute", "html": "The HTML", "text": "The text", "value": "The input's value"},
        help="The part of the element that is taken.",
    ),
    "attribute": Ui(when={"returnValue": "attribute"}, placeholder="href", help="The attribute's name."),
    "skipSelectors": Ui(label="Selectors to skip", when={"returnValue": "text"}),
    "returnArray": Ui(label="Give a list"),
}

JWT: UiFields = {
    "operation": Ui(
        choices={"sign": "Sign", "verify": "Verify", "decode": ("Decode", "Reads the token and checks nothing.")}
    ),
    "useJson": Ui(label="Claims as JSON", when={"operation": "sign"}),
    "claims": Ui(when={"operation": "sign", "useJson": False}),
    "claimsJson": Ui("json", label="Claims", when={"operation": "sign", "useJson": True}),
    "token": Ui("textarea", when={"operation": ["verify", "decode"]}),
}
JWT_CLAIMS: UiFields = {
    "audience": Ui(help="The claim aud."),
    "issuer": Ui(help="The claim iss."),
    "subject": Ui(help="The claim sub."),
    "jwtid": Ui(label="ID", help="The claim jti."),
    "expiresIn": Ui(label="Expires in (s)"),
    "notBefore": Ui(label="Not before (s)"),
}
JWT_OPTIONS: UiFields = {
    "complete": Ui(label="With header and signature", when={"/operation": ["decode", "verify"]}),
    "ignoreExpiration": Ui(when={"/operation": "verify"}),
    "ignoreNotBefore": Ui(when={"/operation": "verify"}),
    "clockTolerance": Ui(label="Clock tolerance (s)", when={"/operation": "verify"}),
    "kid": Ui(label="Key ID", when={"/operation": "sign"}),
    "algorithm": Ui(
        when={"/operation": ["sign", "verify"]},
        choices=_same(
            "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"
        ),
    ),
}

MARKDOWN: UiFields = {
    "mode": Ui(
        choices={"htmlToMarkdown": "HTML to Markdown", "markdownToHtml": "Markdown to HTML"},
        help="The direction of the conversion.",
    ),
    "html": Ui("textarea", when={"mode": "htmlToMarkdown"}, options={"rows": 5}, help="The HTML to convert."),
    "markdown": Ui("textarea", when={"mode": "markdownToHtml"}, options={"rows": 5}, help="The Markdown to convert."),
}
XML: UiFields = {
    "mode": Ui(choices={"xmlToJson": "XML to JSON", "jsonToxml": "JSON to XML"}),
    "dataPropertyName": Ui(label="Field"),
}
XML_OPTIONS: UiFields = {
    "attrkey": Ui(label="Field of attributes"),
    "charkey": Ui(label="Field of text"),
    "ignoreAttrs": Ui(label="Ignore attributes", when={"/mode": "xmlToJson"}),
    "mergeAttrs": Ui(label="Merge attributes", when={"/mode": "xmlToJson"}),
    **{
        name: Ui(when={"/mode": "xmlToJson"})
        for name in ("explicitArray", "explicitRoot", "normalize", "normalizeTags", "trim")
    },
    "cdata": Ui(label="CDATA", when={"/mode": ["jsonToxml", "jsonToXml"]}),
    "headless": Ui(label="Without declaration", when={"/mode": ["jsonToxml", "jsonToXml"]}),
    "rootName": Ui(label="Root element", when={"/mode": ["jsonToxml", "jsonToXml"]}),
}
