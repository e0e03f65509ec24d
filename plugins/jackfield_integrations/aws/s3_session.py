"""Requests to S3, signed with Signature Version 4. Source: Amazon S3 API Reference."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit

from jackfield.api.aws_signing import AwsKey, SignedScope, signature
from jackfield.api.http_client import BodyKeeper, HttpBody, HttpCall, HttpClient, HttpReply, host_allowed
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield.api.xml_answers import parsed, rows
from jackfield_integrations.secret_values import DriverCredential

_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,254}")
_REGION = re.compile(r"[a-z0-9-]{2,40}")
_UNRESERVED = "-_.~"
_SECRET = frozenset({"authorization", "x-amz-security-token"})
_LARGE = 2**20
"""Bytes that are hashed on a thread: the event loop does not wait for more."""
_MOST = 500
"""Characters of a server's message that are shown."""


@record
class S3Place:
    """A server. in_path: whether buckets stand in the path, else in front of the host; verify: its certificate."""

    endpoint: str
    region: str
    in_path: bool
    verify: bool = True


def place_of_s3(values: DriverCredential) -> S3Place:
    """Of a credential `s3`. Raises `NodeError`."""
    endpoint = values.needed("endpoint").rstrip("/")
    if not endpoint.startswith(("http://", "https://")):
        raise NodeError("The endpoint of the credential s3 must begin with http:// or https://.")
    return S3Place(endpoint, _region(values), values.flag("forcePathStyle"), not values.flag("ignoreSSLIssues"))


def place_of_aws(values: DriverCredential) -> S3Place:
    """Of a credential `aws`. Raises `NodeError`."""
    region = _region(values)
    own = values.text("s3Endpoint") if values.flag("customEndpoints") else ""
    if own:
        return S3Place(own.replace("{region}", region).rstrip("/"), region, in_path=True)
    domain = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return S3Place(f"https://s3.{region}.{domain}", region, in_path=False)


def _region(values: DriverCredential) -> str:
    region = values.text("region", "us-east-1").strip()
    if not _REGION.fullmatch(region):
        raise NodeError(f"The region of the credential {values.kind} is none; write one such as eu-central-1.")
    return region


class S3Session:
    """Buckets and objects of one server. Its methods raise `NodeError`."""

    def __init__(self, client: HttpClient, values: DriverCredential, place: S3Place) -> None:
        self._client = client
        self._values = values
        self.place = place
        token = values.text("sessionToken").strip() if values.flag("temporaryCredentials") else ""
        self._key = AwsKey(values.needed("accessKeyId"), values.needed("secretAccessKey"), token)
        self._regions: dict[str, str] = {}
        """By bucket, where it is another than the credential's."""

    async def asked(
        self,
        method: str,
        bucket: str = "",
        key: str = "",
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        keeper: BodyKeeper | None = None,
    ) -> HttpReply:
        """An answer with a status of 2xx. A bucket of another region is asked there, once more."""
        for _ in range(2):
            region = self._regions.get(bucket, self.place.region)
            parts = (method, bucket, key, query or {}, headers or {}, body, keeper, region)
            large = len(body) > _LARGE
            call = await asyncio.to_thread(self._call, *parts) if large else self._call(*parts)
            reply = await self._client.send(call)
            if 200 <= reply.status < 300:
                return reply
            other = _other_region(reply)
            if not bucket or other in ("", region):
                break
            self._regions[bucket] = other
        raise self._refused(reply)

    async def listed(
        self, bucket: str, query: Mapping[str, str], element: str = "Contents"
    ) -> AsyncIterator[dict[str, Json]]:
        """All objects, page by page, in the order of their keys. A page that leads to itself would have no end."""
        asked = {"list-type": "2", **query}
        while True:
            reply = await self.asked("GET", bucket, query=asked)
            page = parsed(reply.body).get("ListBucketResult")
            if not isinstance(page, dict):
                return
            for row in rows(page.get(element)):
                yield row
            token = page.get("NextContinuationToken")
            if page.get("IsTruncated") != "true" or not isinstance(token, str) or not token:
                return
            if token == asked.get("continuation-token"):
                raise NodeError("S3 names the same page as the next one again; its list has no end.")
            asked["continuation-token"] = token

    def _call(
        self,
        method: str,
        bucket: str,
        key: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        body: bytes,
        keeper: BodyKeeper | None,
        region: str,
    ) -> HttpCall:
        url = self._url(bucket, key, region) + _query(query)
        sent = [*headers.items(), ("x-amz-content-sha256", hashlib.sha256(body).hexdigest())]
        scope = SignedScope(region, "s3", datetime.now(UTC))
        sent += signature(self._key, scope, method, url, sent, body)
        return HttpCall(
            method,
            url,
            headers=sent,
            body=HttpBody(body) if body or method in ("PUT", "POST") else None,
            follow="none",
            verify=self.place.verify,
            secrets=[self._key.secret, self._key.session] if self._key.session else [self._key.secret],
            secret_headers=_SECRET,
            keeper=keeper,
        )

    def _url(self, bucket: str, key: str, region: str) -> str:
        endpoint = self.place.endpoint
        if endpoint.startswith(f"https://s3.{self.place.region}.amazonaws.com"):
            endpoint = endpoint.replace(self.place.region, region, 1)
        parts = urlsplit(endpoint)
        host = parts.netloc
        path = parts.path.rstrip("/")
        if bucket:
            if not _BUCKET.fullmatch(bucket):
                raise NodeError("The bucket's name may only have letters, digits, dots and hyphens.")
            if self.place.in_path or "." in bucket:
                path += f"/{bucket}"
            else:
                host = f"{bucket}.{host}"
        if not host_allowed(parts.hostname or "", self._values.text("allowedHosts")):
            raise NodeError(f"The credential may not be sent to {parts.hostname} (allowedHosts).")
        return f"{parts.scheme}://{host}{path}/{quote(key, safe='/' + _UNRESERVED)}"

    def _refused(self, reply: HttpReply) -> NodeError:
        error = _error(reply)
        code, message = str(error.get("Code") or reply.reason), self._values.shown(str(error.get("Message") or ""))
        return NodeError(f"S3 answers with status {reply.status} {code}: {message}"[:_MOST].rstrip(": ") + ".")


def _error(reply: HttpReply) -> Mapping[str, Json]:
    """The words of the server of it; a proxy in front of it may answer with something else."""
    try:
        told = parsed(reply.body).get("Error")
    except NodeError:
        told = None
    return told if isinstance(told, dict) else {}


def _query(query: Mapping[str, str]) -> str:
    pairs = [f"{quote(name, safe=_UNRESERVED)}={quote(value, safe=_UNRESERVED)}" for name, value in query.items()]
    return f"?{'&'.join(pairs)}" if pairs else ""


def _other_region(reply: HttpReply) -> str:
    """Where the server says that the bucket is; empty: it does not."""
    if reply.status not in (301, 307, 400, 403):
        return ""
    found = reply.header("x-amz-bucket-region")
    if not found and reply.status == 400:
        found = str(_error(reply).get("Region") or "")
    return found if _REGION.fullmatch(found) else ""
