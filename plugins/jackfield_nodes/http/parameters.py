"""Parameters of HTTP Request, one model per generation; each says what it asks for as a `Call`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar, Literal, TypeAlias

from pydantic import Field

from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import CREDENTIAL_JSON, CREDENTIAL_ROWS, NodeError, Parameters, needed
from jackfield.api.nodes.ui import Ui, UiFields
from jackfield_nodes.http.body import HttpFile, Upload, file_body, form_body, json_body, multipart_body, raw_body
from jackfield_nodes.http.call import Body, Call, Expect, Pairs
from jackfield_nodes.http.fields import ArrayStyle, collected, object_from, pairs
from jackfield_nodes.http.form import BATCH, BODY_ROW, HTTP, OPTIONS, REDIRECT, RESPONSE
from jackfield_nodes.http.page_settings import PageSettings
from jackfield_nodes.values.parameters import NameValue

Format: TypeAlias = "Literal['autodetect', 'json', 'text', 'file']"
ContentType: TypeAlias = "Literal['json', 'form-urlencoded', 'multipart-form-data', 'binaryData', 'raw']"


KEY_HEADER = (
    "Name of a header, such as Idempotency-Key, with a key that stays the same when this request is repeated. n8n "
    "ignores this option."
)


class HttpBatch(Parameters, title="Batch"):
    ui_fields: ClassVar[UiFields] = BATCH

    batch_size: int = Field(50, ge=-1, description="How many items are sent at one time; -1 is no limit of the node.")
    batch_interval: int = Field(1000, ge=0, le=3_600_000, description="Pause between two batches, in milliseconds.")


class HttpParameters(Parameters):
    """The questions that both generations can answer."""

    def batch(self) -> HttpBatch | None:
        """How the items are spread over time."""
        raise NotImplementedError

    def credential_kind(self) -> str | None:
        """The kind of credential that the request carries. Raises `NodeError` when it is not named."""
        raise NotImplementedError

    def pagination(self) -> Mapping[str, Json] | None:
        """The pagination as written; None: one request."""
        return None

    def request_view(self, call: Call) -> dict[str, Json]:
        """`$request` in the expressions of pagination."""
        return {}

    def key_header(self) -> str:
        """The header that gets the idempotency key of the request; empty: none."""
        raise NotImplementedError

    def file_fields(self) -> Collection[str]:
        """The binary fields of the item whose files go along."""
        raise NotImplementedError

    def call(self, files: Mapping[str, HttpFile]) -> Call:
        """The request for one item. files: those of `file_fields`. Raises `NodeError`."""
        raise NotImplementedError

    def expect(self) -> Expect:
        """How its answer becomes items."""
        raise NotImplementedError


class HttpRows(Parameters, title="Rows"):
    parameters: list[NameValue] = Field(default_factory=list, json_schema_extra=CREDENTIAL_ROWS)


class BodyRow(NameValue):
    ui_fields: ClassVar[UiFields] = BODY_ROW

    parameter_type: str = Field("formData", description="formData, or formBinaryData for a file.")
    input_data_field_name: str | None = None


class BodyRows(Parameters):
    parameters: list[BodyRow] = Field(default_factory=list, json_schema_extra=CREDENTIAL_ROWS)


class ResponseOptions(Parameters):
    ui_fields: ClassVar[UiFields] = RESPONSE

    full_response: bool = Field(False, description="Also give status and headers.")
    never_error: bool = Field(False, description="Whether a status other than 2xx is no error.")
    response_format: Format = Field("autodetect", description="How the body is read.")
    output_property_name: str = Field("data", description="Where text or a file goes.")


class HttpResponseOptions(Parameters, title="Response"):
    response: ResponseOptions = Field(default_factory=ResponseOptions)


class RedirectOptions(Parameters):
    ui_fields: ClassVar[UiFields] = REDIRECT

    follow_redirects: bool | None = Field(None, description="Default: from version 4 on.")
    max_redirects: int = Field(21, ge=0, description="Most redirects to follow.")


class Redirect(Parameters):
    redirect: RedirectOptions = Field(default_factory=RedirectOptions)


class HttpBatching(Parameters, title="Batching"):
    batch: HttpBatch = Field(default_factory=HttpBatch)


class Pagination(Parameters):
    ui_fields: ClassVar[UiFields] = {"pagination": Ui("collection", fields=PageSettings)}

    pagination: dict[str, object] | None = Field(
        None, description="Evaluated for each page: where the next one is, and when all have come."
    )


class HttpOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = OPTIONS

    response: HttpResponseOptions = Field(default_factory=HttpResponseOptions)
    redirect: Redirect = Field(default_factory=Redirect)
    batching: HttpBatching | None = None
    pagination: Pagination | None = None
    timeout: float | None = Field(None, ge=0, description="Longest time of the request, in milliseconds.")
    proxy: str | None = Field(
        None,
        description="http:// URL of a proxy that opens tunnels (CONNECT). It may have a password.",
        json_schema_extra={"secret": True},
    )
    allow_unauthorized_certs: bool = Field(False, description="Accept any certificate.")
    lowercase_headers: bool = Field(True, description="Send header names in lower case.")
    query_parameter_arrays: ArrayStyle = Field("brackets", description="How lists are written in the query.")
    idempotency_key: str | None = Field(None, description=KEY_HEADER, max_length=200)


class HttpRequest(HttpParameters):
    """Versions 3 to 4.4."""

    ui_fields: ClassVar[UiFields] = HTTP

    method: str = Field("GET", description="GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS.")
    url: str | None = Field("", description="http:// or https://.", json_schema_extra=needed())
    authentication: Literal["none", "genericCredentialType", "predefinedCredentialType"] = "none"
    generic_auth_type: str | None = Field(None, description="Kind of the credential, such as httpHeaderAuth.")
    node_credential_type: str | None = None
    send_query: bool = False
    specify_query: Literal["keypair", "json"] = "keypair"
    query_parameters: HttpRows = Field(default_factory=HttpRows)
    json_query: object = Field("", json_schema_extra=CREDENTIAL_JSON)
    send_headers: bool = False
    specify_headers: Literal["keypair", "json"] = "keypair"
    header_parameters: HttpRows = Field(default_factory=HttpRows)
    json_headers: object = Field("", json_schema_extra=CREDENTIAL_JSON)
    send_body: bool = False
    content_type: ContentType = "json"
    specify_body: Literal["keypair", "json", "string"] = "keypair"
    body_parameters: BodyRows = Field(default_factory=BodyRows)
    json_body: object = ""
    body: object = ""
    raw_content_type: str = ""
    input_data_field_name: str = "data"
    options: HttpOptions = Field(default_factory=HttpOptions)

    follows: ClassVar[bool] = True
    repeats_names: ClassVar[bool] = False

    def batch(self) -> HttpBatch | None:
        return self.options.batching.batch if self.options.batching else None

    def credential_kind(self) -> str | None:
        return chosen_kind(self.authentication, self.generic_auth_type, self.node_credential_type)

    def key_header(self) -> str:
        name = self.options.idempotency_key or ""
        return name.lower() if self.options.lowercase_headers else name

    @classmethod
    def late(cls, parameters: Mapping[str, Json]) -> Collection[str]:
        return ("options.pagination.pagination",)

    def pagination(self) -> Mapping[str, Json] | None:
        found = self.options.pagination.pagination if self.options.pagination else None
        return None if found is None or found.get("paginationMode") == "off" else found  # type: ignore[return-value]

    def request_view(self, call: Call) -> dict[str, Json]:
        whole = call.body.whole if call.body else None
        body: Json = whole.decode("utf-8", "replace") if whole is not None else None
        if call.body and whole is not None and (call.body.content_type or "").startswith("application/json"):
            body = loads(whole, max_depth=200)
        return {
            "method": call.method,
            "url": call.url,
            "qs": self._query_fields() if self.send_query else {},
            "headers": dict(call.headers),
            "body": body,
        }

    def file_fields(self) -> Collection[str]:
        if self.send_body and self.content_type == "binaryData":
            return [self.input_data_field_name]
        if self.send_body and self.content_type == "multipart-form-data":
            return [upload.field for upload in self._uploads()]
        return ()

    def _uploads(self) -> list[Upload]:
        rows = [row for row in self.body_parameters.parameters if row.parameter_type == "formBinaryData"]
        return [Upload(row.name, row.input_data_field_name or "data") for row in rows]

    def call(self, files: Mapping[str, HttpFile]) -> Call:
        options = self.options
        redirect = options.redirect.redirect
        follows = self.follows if redirect.follow_redirects is None else redirect.follow_redirects
        return Call(
            method=self.method,
            url=self.url or "",
            query=self._query() if self.send_query else [],
            headers=self._headers() if self.send_headers else [],
            body=self._body(files) if self.send_body else None,
            follow="all" if follows else "none",
            max_redirects=redirect.max_redirects,
            timeout=options.timeout / 1000 if options.timeout else None,
            verify=not options.allow_unauthorized_certs,
            proxy=options.proxy or None,
        )

    def expect(self) -> Expect:
        response = self.options.response.response
        return Expect(
            response.response_format,
            response.full_response,
            response.never_error,
            response.output_property_name or "data",
        )

    def _query(self) -> Pairs:
        return pairs(self._query_fields(), self.options.query_parameter_arrays)

    def _query_fields(self) -> dict[str, Json]:
        if self.specify_query == "json":
            return object_from(self.json_query, "jsonQuery")
        return collected(self.query_parameters.parameters, repeat=self.repeats_names)

    def _headers(self) -> Pairs:
        if self.specify_headers == "json":
            given = pairs(object_from(self.json_headers, "jsonHeaders"))
        else:
            given = pairs(collected(self.header_parameters.parameters, repeat=False))
        return [(name.lower(), value) for name, value in given] if self.options.lowercase_headers else given

    def _body(self, files: Mapping[str, HttpFile]) -> Body | None:
        match self.content_type:
            case "raw":
                return raw_body(self.body, self.raw_content_type)
            case "binaryData":
                return file_body(files[self.input_data_field_name])
            case "multipart-form-data":
                parts = [(upload.name, files[upload.field]) for upload in self._uploads()]
                return multipart_body(self._fields(), parts)
            case "form-urlencoded":
                if self.specify_body == "string":
                    return raw_body(self.body, "application/x-www-form-urlencoded")
                return form_body(self._fields())
        if self.specify_body == "json":
            return json_body(self.json_body, "jsonBody")
        return json_body(self._fields(), "bodyParameters")

    def _fields(self) -> dict[str, Json]:
        rows = [row for row in self.body_parameters.parameters if row.parameter_type != "formBinaryData"]
        return collected(rows, repeat=self.repeats_names)


class HttpRequest3(HttpRequest):
    """Version 3: follows redirects only when asked to."""

    follows: ClassVar[bool] = False


class HttpRequest43(HttpRequest):
    """Versions 4.3 and 4.4: a repeated name is a list."""

    repeats_names: ClassVar[bool] = True


def chosen_kind(authentication: str, generic: str | None, predefined: str | None) -> str | None:
    """The kind of credential; None for no authentication. Raises `NodeError`."""
    match authentication:
        case "none":
            return None
        case "genericCredentialType" if generic:
            return generic
        case "genericCredentialType":
            raise NodeError("The parameter genericAuthType is empty; choose the kind of credential.")
        case "predefinedCredentialType" if predefined:
            return predefined
    raise NodeError("The parameter nodeCredentialType is empty; choose the kind of credential.")
