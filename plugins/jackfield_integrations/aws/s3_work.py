"""The work of the nodes for S3 on one item."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from urllib.parse import quote, urlencode
from xml.sax.saxutils import escape

from jackfield.api.http_client import HttpReply
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.nodes.files import content_of, file_of, kept_file, with_file
from jackfield.api.nodes.items import new_item, new_items
from jackfield.api.records import record
from jackfield.api.workflows import BinaryData, Item, Items
from jackfield.api.xml_answers import parsed, rows
from jackfield_integrations.aws.s3_parameters import S3Parameters
from jackfield_integrations.aws.s3_session import S3Session
from jackfield_integrations.files import too_large

_XML = "http://s3.amazonaws.com/doc/2006-03-01/"
_AT_ONCE = 1000
"""Objects of one request that deletes; S3 takes no more."""
_FIRST_REGION = "us-east-1"
"""The region that a request for a new bucket may not name."""


@record
class S3Item:
    """limit: bytes of a file; rows: of a list."""

    run: NodeRun
    session: S3Session
    wanted: S3Parameters
    item: Item
    index: int
    limit: int
    rows: int

    def done(self) -> Items:
        return new_items([{"success": True}], self.index)

    def bucket(self) -> str:
        return self.wanted.needed("bucketName", self.wanted.bucket_name)


class ToFile:
    """`BodyKeeper`: an object becomes a file of the execution."""

    def __init__(self, asked: S3Item, name: str) -> None:
        self._asked = asked
        self._name = name

    def wants(self, head: HttpReply) -> bool:
        return True

    async def keep(self, head: HttpReply, chunks: AsyncIterator[bytes]) -> BinaryData:
        """Raises `NodeError`."""
        media = head.header("content-type").partition(";")[0].strip()
        return await kept_file(self._asked.run, self._bounded(chunks), mime_type=media, file_name=self._name)

    async def _bounded(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        total = 0
        async for chunk in chunks:
            total += len(chunk)
            if total > self._asked.limit:
                raise too_large(self._asked.limit)
            yield chunk


async def create_bucket(asked: S3Item) -> Items:
    fields = asked.wanted.additional_fields
    region = fields.region or asked.session.place.region
    told = f'<CreateBucketConfiguration xmlns="{_XML}"><LocationConstraint>{escape(region)}</LocationConstraint>'
    body = b"" if region == _FIRST_REGION else f"{told}</CreateBucketConfiguration>".encode()
    name = asked.wanted.needed("name", asked.wanted.name)
    await asked.session.asked("PUT", name, headers=fields.headers(), body=body)
    return asked.done()


async def delete_bucket(asked: S3Item) -> Items:
    await asked.session.asked("DELETE", asked.wanted.needed("name", asked.wanted.name))
    return asked.done()


async def list_buckets(asked: S3Item) -> Items:
    found = parsed((await asked.session.asked("GET")).body).get("ListAllMyBucketsResult")
    buckets = found.get("Buckets") if isinstance(found, dict) else None
    listed = rows(buckets.get("Bucket")) if isinstance(buckets, dict) else []
    return new_items(listed[: asked.wanted.most], asked.index)


async def search(asked: S3Item) -> Items:
    fields = asked.wanted.additional_fields
    delimiter = fields.delimiter or fields.delmiter
    query = {
        "prefix": fields.prefix,
        "encoding-type": fields.encoding_type,
        "delimiter": delimiter,
        "fetch-owner": "true" if fields.fetch_owner else "",
        "start-after": fields.start_after,
        "max-keys": "" if asked.wanted.most is None else str(min(asked.wanted.most, _AT_ONCE)),
    }
    element = "CommonPrefixes" if delimiter and fields.include_common_prefixes else "Contents"
    return await _listed(asked, query, lambda row: True, element)


async def create_folder(asked: S3Item) -> Items:
    fields = asked.wanted.additional_fields
    name = asked.wanted.needed("folderName", asked.wanted.folder_name).strip("/")
    await asked.session.asked(
        "PUT", asked.bucket(), _below(fields.parent_folder_key, f"{name}/"), headers=fields.headers()
    )
    return asked.done()


async def delete_folder(asked: S3Item) -> Items:
    """All objects whose keys begin with the folder's."""
    folder = asked.wanted.needed("folderKey", asked.wanted.folder_key)
    keys = [str(row["Key"]) async for row in asked.session.listed(asked.bucket(), {"prefix": folder}) if row.get("Key")]
    if not keys:
        await asked.session.asked("DELETE", asked.bucket(), folder)
        return new_items([{"deleted": [{"Key": folder}]}], asked.index)
    deleted: list[Json] = []
    for start in range(0, len(keys), _AT_ONCE):
        deleted += await _deleted(asked, keys[start : start + _AT_ONCE])
    return new_items([{"deleted": deleted[0] if len(deleted) == 1 else deleted}], asked.index)


async def _deleted(asked: S3Item, keys: list[str]) -> list[Json]:
    objects = "".join(f"<Object><Key>{escape(key)}</Key></Object>" for key in keys)
    body = f'<Delete xmlns="{_XML}">{objects}</Delete>'.encode()
    headers = {"content-type": "application/xml", "content-md5": _digest(body)}
    reply = await asked.session.asked("POST", asked.bucket(), query={"delete": ""}, headers=headers, body=body)
    found = parsed(reply.body).get("DeleteResult")
    told = found if isinstance(found, dict) else {}
    if failed := rows(told.get("Error")):
        raise NodeError(f"S3 did not delete {failed[0].get('Key')}: {failed[0].get('Code')}.")
    return list(rows(told.get("Deleted")))


async def list_folders(asked: S3Item) -> Items:
    def folder(row: Mapping[str, Json]) -> bool:
        key = str(row.get("Key"))
        return key.endswith("/") and row.get("Size") == "0" and key != asked.wanted.options.folder_key

    return await _listed(asked, _options(asked), folder)


async def list_files(asked: S3Item) -> Items:
    """As in n8n, without empty ones."""
    query = {**_options(asked), "delimiter": "/"}
    return await _listed(asked, query, lambda row: not str(row.get("Key")).endswith("/") and row.get("Size") != "0")


def _options(asked: S3Item) -> dict[str, str]:
    options = asked.wanted.options
    return {"prefix": options.folder_key, "fetch-owner": "true" if options.fetch_owner else ""}


async def _listed(
    asked: S3Item, query: Mapping[str, str], counts: Callable[[Mapping[str, Json]], bool], element: str = "Contents"
) -> Items:
    found: list[dict[str, Json]] = []
    given = {name: value for name, value in query.items() if value}
    async for row in asked.session.listed(asked.bucket(), given, element):
        if counts(row):
            found.append(row)
        if len(found) > asked.rows:
            raise NodeError(f"More than {asked.rows} objects came (integrations.max_rows); set a limit or a prefix.")
        if asked.wanted.most is not None and len(found) >= asked.wanted.most:
            break
    return new_items(found, asked.index)


async def copy_file(asked: S3Item) -> Items:
    source = asked.wanted.needed("sourcePath", asked.wanted.source_path)
    bucket, _, key = asked.wanted.needed("destinationPath", asked.wanted.destination_path).lstrip("/").partition("/")
    if not key:
        raise NodeError("The parameter destinationPath has no key; write it as /bucket/key.")
    headers = {"x-amz-copy-source": quote(source, safe="/-_.~"), **asked.wanted.additional_fields.headers()}
    found = parsed((await asked.session.asked("PUT", bucket, key, headers=headers)).body)
    if "Error" in found:  # S3 may say so behind a status of 200
        raise NodeError("S3 could not copy the file.")
    made = found.get("CopyObjectResult")
    return new_items([made if isinstance(made, dict) else {"success": True}], asked.index)


async def delete_file(asked: S3Item) -> Items:
    version = asked.wanted.options.version_id
    key = asked.wanted.needed("fileKey", asked.wanted.file_key)
    await asked.session.asked("DELETE", asked.bucket(), key, query={"versionId": version} if version else {})
    return asked.done()


async def download_file(asked: S3Item) -> Items:
    key = asked.wanted.needed("fileKey", asked.wanted.file_key)
    if key.endswith("/"):
        raise NodeError("The parameter fileKey names a folder; give the key of a file.")
    reply = await asked.session.asked("GET", asked.bucket(), key, keeper=ToFile(asked, key.rpartition("/")[2]))
    if reply.file is None:
        raise NodeError("The server sent no file.")
    files = with_file(asked.item, asked.wanted.binary_property_name or "data", reply.file)
    return [new_item(asked.item["json"], asked.index, files)]


async def upload_file(asked: S3Item) -> Items:
    wanted = asked.wanted
    name, media = wanted.file_name, "text/html"
    if wanted.binary_data:
        file = file_of(asked.item, wanted.binary_property_name, asked.index)
        name, media = name or file.get("fileName") or "", file.get("mimeType") or "application/octet-stream"
        body = await content_of(asked.run, asked.item, wanted.binary_property_name, asked.index, limit=asked.limit)
    else:
        body = wanted.file_content.encode()
    tags = urlencode([(tag.key, tag.value) for tag in wanted.tags_ui.tags_values])
    headers = {
        **wanted.additional_fields.headers(),
        "content-type": media,
        "content-md5": _digest(body),
        **({"x-amz-tagging": tags} if tags else {}),
    }
    key = _below(wanted.additional_fields.parent_folder_key, wanted.needed("fileName", name))
    await asked.session.asked("PUT", asked.bucket(), key, headers=headers, body=body)
    return asked.done()


def _below(folder: str, name: str) -> str:
    return f"{folder.strip('/')}/{name}" if folder.strip("/") else name


def _digest(body: bytes) -> str:
    return base64.b64encode(hashlib.md5(body, usedforsecurity=False).digest()).decode()


OPERATIONS: Mapping[tuple[str, str], Callable[[S3Item], Awaitable[Items]]] = {
    ("bucket", "create"): create_bucket,
    ("bucket", "delete"): delete_bucket,
    ("bucket", "getAll"): list_buckets,
    ("bucket", "search"): search,
    ("file", "copy"): copy_file,
    ("file", "delete"): delete_file,
    ("file", "download"): download_file,
    ("file", "getAll"): list_files,
    ("file", "upload"): upload_file,
    ("folder", "create"): create_folder,
    ("folder", "delete"): delete_folder,
    ("folder", "getAll"): list_folders,
}
