"""Parameters of HTTP Request versions 1 and 2."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.jsontext import Json
from jackfield.api.nodes import CREDENTIAL_JSON, CREDENTIAL_ROWS, Parameters, needed
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.http.body import HttpFile, Upload, file_body, form_body, json_body, multipart_body, raw_body
from jackfield_nodes.http.call import Body, Call, Expect, Pairs
from jackfield_nodes.http.fields import ArrayStyle, collected, object_from, pairs
from jackfield_nodes.http.form import LEGACY, LEGACY_OPTIONS
from jackfield_nodes.http.parameters import KEY_HEADER, HttpBatch, HttpParameters, chosen_kind
from jackfield_nodes.values.parameters import NameValue

KINDS: Mapping[str, str] = {
    "basicAuth": "httpBasicAuth",
    "headerAuth": "httpHeaderAuth",
    "queryAuth": "httpQueryAuth",
    "digestAuth": "httpDigestAuth",
    "oAuth1": "oAuth1Api",
    "oAuth2": "oAuth2Api",
}
"""Version 1's `authentication` -> kind of credential."""


class LegacyHttpRows(Parameters, title="Rows"):
    parameter: list[NameValue] = Field(default_factory=list, json_schema_extra=CREDENTIAL_ROWS)


class LegacyHttpOptions(Parameters, title="LegacyOptions"):
    ui_fields: ClassVar[UiFields] = LEGACY_OPTIONS

    full_response: bool = Field(False, description="Also give status and headers.")
    body_content_type: Literal["json", "raw", "form-urlencoded", "multipart-form-data"] = "json"
    body_content_custom_mime_type: str = Field("", description="raw: the Content-Type.")
    ignore_response_code: bool = Field(False, description="Whether a status other than 2xx is no error.")
    split_into_items: bool = Field(False, description="One item per element of a JSON list.")
    follow_redirect: bool = Field(True, description="Follow redirects of GET and HEAD.")
    follow_all_redirects: bool = Field(False, description="Follow redirects of every method.")
    batch_size: int | None = Field(None, ge=-1, description="How many items are sent at one time.")
    batch_interval: int = Field(1000, ge=0, le=3_600_000, description="Pause between two batches, in milliseconds.")
    timeout: float | None = Field(None, ge=0, description="Longest time of the request, in milliseconds.")
    proxy: str | None = Field(
        None,
        description="http:// URL of a proxy that opens tunnels (CONNECT). It may have a password.",
        json_schema_extra={"secret": True},
    )
    use_query_string: bool = Field(False, description="Write lists in the query as repeated names.")
    idempotency_key: str | None = Field(None, description=KEY_HEADER, max_length=200)


class LegacyHttpRequest(HttpParameters):
    """Versions 1 and 2."""

    ui_fields: ClassVar[UiFields] = LEGACY

    authentication: str = Field("none", description="Version 1: basicAuth, headerAuth, queryAuth or none.")
    generic_auth_type: str | None = None
    node_credential_type: str | None = None
    request_method: str = Field("GET", description="GET, POST, PUT, PATCH, DELETE or HEAD.")
    url: str | None = Field("", description="http:// or https://.", json_schema_extra=needed())
    allow_unauthorized_certs: bool = Field(False, description="Accept any certificate.")
    response_format: Literal["json", "string", "file"] = Field("json", description="How the body is read.")
    data_property_name: str = Field(
        "data",
        description="Where text goes, or a file.",
        json_schema_extra=needed({"responseFormat": ["string", "file"]}),
    )
    json_parameters: bool = Field(False, description="Whether query, headers and body are given as JSON.")
    send_binary_data: bool = False
    binary_property_name: str = "data"
    body_parameters_json: object = ""
    header_parameters_json: object = Field("", json_schema_extra=CREDENTIAL_JSON)
    query_parameters_json: object = Field("", json_schema_extra=CREDENTIAL_JSON)
    body_parameters_ui: LegacyHttpRows = Field(default_factory=LegacyHttpRows)
    header_parameters_ui: LegacyHttpRows = Field(default_factory=LegacyHttpRows)
    query_parameters_ui: LegacyHttpRows = Field(default_factory=LegacyHttpRows)
    options: LegacyHttpOptions = Field(default_factory=LegacyHttpOptions)

    def batch(self) -> HttpBatch | None:
        size = self.options.batch_size
        return None if size is None else HttpBatch(batch_size=size, batch_interval=self.options.batch_interval)

    def credential_kind(self) -> str | None:
        if self.authentication in KINDS:
            return KINDS[self.authentication]
        return chosen_kind(self.authentication, self.generic_auth_type, self.node_credential_type)

    def key_header(self) -> str:
        return self.options.idempotency_key or ""

    def file_fields(self) -> Collection[str]:
        if not self.send_binary_data:
            return ()
        if self.options.body_content_type == "multipart-form-data":
            return [upload.field for upload in self._uploads()]
        return [self.binary_property_name]

    def call(self, files: Mapping[str, HttpFile]) -> Call:
        options = self.options
        style: ArrayStyle = "repeat" if options.use_query_string else "indices"
        return Call(
            method=self.request_method,
            url=self.url or "",
            query=pairs(self._given("query"), style),
            headers=self._headers(),
            body=self._body(files),
            follow="all" if options.follow_all_redirects else "reads" if options.follow_redirect else "none",
            timeout=options.timeout / 1000 if options.timeout else None,
            verify=not self.allow_unauthorized_certs,
            proxy=options.proxy or None,
        )

    def expect(self) -> Expect:
        return Expect(
            "text" if self.response_format == "string" else self.response_format,
            self.options.full_response,
            self.options.ignore_response_code,
            self.data_property_name or "data",
            self.options.split_into_items,
        )

    def _given(self, part: Literal["query", "header", "body"]) -> dict[str, Json]:
        """Names and values of one part, from JSON or from rows."""
        if self.json_parameters:
            return object_from(getattr(self, f"{part}_parameters_json"), f"{part}ParametersJson")
        rows: LegacyHttpRows = getattr(self, f"{part}_parameters_ui")
        return collected(rows.parameter, repeat=False)

    def _headers(self) -> Pairs:
        return pairs(self._given("header"))

    def _body(self, files: Mapping[str, HttpFile]) -> Body | None:
        if self.request_method in {"GET", "HEAD"} and not self.send_binary_data:
            return None
        kind = self.options.body_content_type
        if kind == "multipart-form-data":
            uploads = self._uploads() if self.send_binary_data else []
            return multipart_body(self._given("body"), [(upload.name, files[upload.field]) for upload in uploads])
        if self.send_binary_data:
            return file_body(files[self.binary_property_name])
        if self.json_parameters and kind != "form-urlencoded":
            return self._json_or_raw(kind)
        fields = self._given("body")
        if kind == "form-urlencoded":
            return form_body(fields)
        return json_body(fields, "bodyParametersUi") if fields else None

    def _json_or_raw(self, kind: str) -> Body | None:
        if kind == "raw":
            return raw_body(self.body_parameters_json, self.options.body_content_custom_mime_type)
        return json_body(self.body_parameters_json, "bodyParametersJson")

    def _uploads(self) -> list[Upload]:
        """`form field:binary field` pairs, comma separated, or one name for both."""
        made = []
        for part in self.binary_property_name.split(","):
            name, _, field = part.strip().partition(":")
            made.append(Upload(name, field or name))
        return made
