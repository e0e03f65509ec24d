"""The parameters of the nodes for S3."""

from __future__ import annotations

import re
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.nodes import Flag, NodeError, Parameters
from jackfield.api.nodes.ui import Ui, UiFields
from jackfield_integrations.parameters import Text

_GRANTS = ("grantFullControl", "grantRead", "grantReadAcp", "grantWrite", "grantWriteAcp")
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s_-]+")


def words(text: str) -> list[str]:
    """The words of `publicRead` or `one zone`, in small letters."""
    return [word.lower() for word in _WORDS.split(text) if word]


class S3Tag(Parameters):
    key: Text = ""
    value: Text = ""


class S3Tags(Parameters):
    tags_values: list[S3Tag] = Field(default_factory=list)


class S3Fields(Parameters):
    """Further fields and options; those that an operation does not know do not matter to it."""

    acl: Text = Field("", description="The access that others have, such as publicRead.")
    bucket_object_lock_enabled: Flag = False
    region: Text = Field("", description="The region of a new bucket.")
    parent_folder_key: Text = Field("", description="The folder that the new one lies in.")
    storage_class: Text = ""
    requester_pays: Flag = False
    prefix: Text = ""
    encoding_type: Text = ""
    delimiter: Text = ""
    delmiter: Text = Field("", description="The same, as documents of n8n's version 1 spell it.")
    fetch_owner: Flag = False
    start_after: Text = ""
    include_common_prefixes: Flag = False
    folder_key: Text = Field("", description="The folder to look into.")
    version_id: Text = ""
    lock_legal_hold: Flag = False
    lock_mode: Text = ""
    lock_retain_until_date: Text = ""
    server_side_encryption: Text = ""
    encryption_aws_kms_key_id: Text = ""
    server_side_encryption_context: Text = ""
    tagging_directive: Text = ""
    metadata_directive: Text = ""

    def payer(self) -> dict[str, str]:
        return {"x-amz-request-payer": "requester"} if self.requester_pays else {}

    def headers(self) -> dict[str, str]:
        """Those of a new bucket or object. Raises `NodeError`."""
        if granted := next((name for name in _GRANTS if (self.model_extra or {}).get(name)), None):
            raise NodeError(f"The field {granted} names nobody to grant rights to; use acl.")
        given = {
            "x-amz-acl": "-".join(words(self.acl)),
            "x-amz-bucket-object-lock-enabled": "true" if self.bucket_object_lock_enabled else "",
            "x-amz-storage-class": "_".join(words(self.storage_class)).upper(),
            "x-amz-object-lock-legal-hold": "ON" if self.lock_legal_hold else "",
            "x-amz-object-lock-mode": self.lock_mode.upper(),
            "x-amz-object-lock-retain-until-date": self.lock_retain_until_date,
            "x-amz-server-side-encryption": self.server_side_encryption,
            "x-amz-server-side-encryption-aws-kms-key-id": self.encryption_aws_kms_key_id,
            "x-amz-server-side-encryption-context": self.server_side_encryption_context,
            "x-amz-tagging-directive": self.tagging_directive.upper(),
            "x-amz-metadata-directive": self.metadata_directive.upper(),
        }
        return {name: value for name, value in given.items() if value} | self.payer()


def _when(resource: str, *operations: str) -> Ui:
    return Ui(when={"resource": [resource], "operation": [*operations]})


class S3Parameters(Parameters):
    ui_fields: ClassVar[UiFields] = {
        "resource": Ui(choices={"bucket": "Bucket", "file": "File", "folder": "Folder"}),
        "operation": (
            Ui("select", when={"resource": ["bucket"]}, default="create").over(
                Ui(choices={"create": "Create", "delete": "Delete", "getAll": "Get many", "search": "Search"})
            ),
            Ui("select", when={"resource": ["file"]}, default="download").over(
                Ui(
                    choices={
                        "copy": "Copy",
                        "delete": "Delete",
                        "download": "Download",
                        "getAll": "Get many",
                        "upload": "Upload",
                    }
                )
            ),
            Ui("select", when={"resource": ["folder"]}, default="create").over(
                Ui(choices={"create": "Create", "delete": "Delete", "getAll": "Get many"})
            ),
        ),
        "name": _when("bucket", "create", "delete"),
        "bucketName": (
            _when("bucket", "search"),
            _when("folder", "create", "delete", "getAll"),
            _when("file", "delete", "download", "getAll", "upload"),
        ),
        "returnAll": (_when("bucket", "getAll", "search"), _when("file", "getAll"), _when("folder", "getAll")),
        "limit": Ui(when={"operation": ["getAll", "search"], "returnAll": [False]}),
        "folderName": _when("folder", "create"),
        "folderKey": _when("folder", "delete"),
        "sourcePath": _when("file", "copy"),
        "destinationPath": _when("file", "copy"),
        "fileName": _when("file", "upload"),
        "fileKey": _when("file", "delete", "download"),
        "binaryData": _when("file", "upload"),
        "fileContent": Ui(when={"resource": ["file"], "operation": ["upload"], "binaryData": [False]}),
        "binaryPropertyName": (
            _when("file", "download"),
            Ui(when={"resource": ["file"], "operation": ["upload"], "binaryData": [True]}),
        ),
        "tagsUi": _when("file", "upload"),
    }

    resource: Literal["bucket", "file", "folder"] = "file"
    operation: Literal["", "copy", "create", "delete", "download", "getAll", "search", "upload"] = ""
    name: Text = Field("", description="The bucket's name.")
    bucket_name: Text = ""
    return_all: Flag = False
    limit: int = Field(100, ge=1)
    folder_name: Text = ""
    folder_key: Text = ""
    source_path: Text = Field("", description="Bucket and key, such as /bucket/a/b.png.")
    destination_path: Text = Field("", description="Bucket and key, such as /bucket/a/b.png.")
    file_name: Text = ""
    file_key: Text = ""
    binary_data: Flag = Field(True, description="Whether a file of the item is uploaded, else a text.")
    file_content: Text = ""
    binary_property_name: Text = Field("data", description="The field of the file.")
    tags_ui: S3Tags = Field(default_factory=S3Tags)
    additional_fields: S3Fields = Field(default_factory=S3Fields)
    options: S3Fields = Field(default_factory=S3Fields)

    @property
    def work(self) -> tuple[str, str]:
        """Resource and operation."""
        return self.resource, self.operation or ("download" if self.resource == "file" else "create")

    @property
    def most(self) -> int | None:
        return None if self.return_all else self.limit

    def needed(self, name: str, value: str) -> str:
        """Raises `NodeError` where it is empty."""
        if not value.strip("/ "):
            raise NodeError(f"The parameter {name} is empty.")
        return value
