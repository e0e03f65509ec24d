"""S3 and AWS S3 beside a real server of S3's protocol: what they write, boto3 reads."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from integration_fakes import Bench

from jackfield.api.http_client import HttpReply
from jackfield.api.nodes import NodeError
from jackfield.api.xml_answers import MAX_DEPTH, parsed
from jackfield.testing.context import FakeContext
from jackfield.testing.s3 import ACCESS_KEY, SECRET_KEY, S3Server
from jackfield_integrations.aws.s3_parameters import words
from jackfield_integrations.aws.s3_session import S3Session, place_of_aws
from jackfield_integrations.kinds import AWS
from jackfield_integrations.secret_values import DriverCredential
from jackfield_nodes.http.client import GuardedClient
from jackfield_nodes.http.settings import HttpSettings

Server = dict[str, Any]


class KeepingContext(FakeContext):
    """Keeps its background tasks, so that a test can end them."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.tasks: list[asyncio.Task[None]] = []

    def spawn(self, name: str, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]:
        self.tasks.append(super().spawn(name, coroutine))
        return self.tasks[-1]


@pytest.fixture
async def server(tmp_path: Path, jackfield_s3: S3Server) -> AsyncIterator[Server]:
    """`run` gives the items of a node; `bucket` is a new one; `boto` is Amazon's own client."""
    context = KeepingContext(tmp_path, tables=[HttpSettings(allowed_networks=["127.0.0.0/8"])])
    client = GuardedClient(context)
    bench = Bench(tmp_path, HttpClient=client)
    keys = {"accessKeyId": ACCESS_KEY, "secretAccessKey": SECRET_KEY}
    values = {
        "s3": {**keys, "endpoint": jackfield_s3.endpoint, "forcePathStyle": "true"},
        "aws": {**keys, "customEndpoints": "true", "s3Endpoint": jackfield_s3.endpoint},
    }

    async def run(operation: str, *, node: str = "s3", items: Any = None, **parameters: Any) -> Any:
        resource, name = operation.split(".")
        wanted = {"resource": resource, "operation": name, **parameters}
        version = 1 if node == "s3" else 2
        return await bench.items(node, version, wanted, items, credentials=parameters.pop("credentials", values))

    bucket = jackfield_s3.new_bucket()
    yield {"run": run, "bucket": bucket, "boto": jackfield_s3.client(), "bench": bench, "values": values}
    for task in context.tasks:
        task.cancel()
    await asyncio.gather(*context.tasks, return_exceptions=True)


@pytest.mark.parametrize("node", ["s3", "awsS3"])
async def test_a_file_goes_there_and_comes_back(server: Server, node: str) -> None:
    run, bucket, boto, bench = (server[name] for name in ("run", "bucket", "boto", "bench"))
    content = bytes(range(256)) * 5000
    file = await bench.files.write(content, mime_type="image/png", file_name="a b+ü.png")
    given = [{"json": {"n": 1}, "binary": {"data": file}}]
    fields = {"parentFolderKey": "deep/er", "storageClass": "reducedRedundancy"}
    tags = {"tagsValues": [{"key": "who", "value": "a b:c"}]}
    sent = await run(
        "file.upload", node=node, items=given, bucketName=bucket, additionalFields=fields, tagsUi=tags, binaryData=True
    )
    assert [item["json"] for item in sent] == [{"success": True}]
    key = "deep/er/a b+ü.png"
    found = boto.get_object(Bucket=bucket, Key=key)
    assert (found["Body"].read(), found["ContentType"]) == (content, "image/png")
    assert found["StorageClass"] == "REDUCED_REDUNDANCY"
    assert boto.get_object_tagging(Bucket=bucket, Key=key)["TagSet"] == [{"Key": "who", "Value": "a b:c"}]
    (item,) = await run("file.download", node=node, items=[{"json": {"n": 2}}], bucketName=bucket, fileKey=key)
    assert (item["json"], item["binary"]["data"]["fileName"]) == ({"n": 2}, "a b+ü.png")
    assert await bench.files.read(item["binary"]["data"]) == content


async def test_texts_are_uploaded_copied_listed_and_deleted(server: Server) -> None:
    run, bucket, boto = server["run"], server["bucket"], server["boto"]
    text = {"bucketName": bucket, "binaryData": False, "fileContent": "Grüße"}
    for name in ("a.txt", "d/b.txt", "d/c.txt"):
        await run("file.upload", fileName=name, **text)
    (copied,) = await run("file.copy", sourcePath=f"/{bucket}/a.txt", destinationPath=f"/{bucket}/d/ä ö.txt")
    assert copied["json"]["ETag"]
    assert boto.get_object(Bucket=bucket, Key="d/ä ö.txt")["Body"].read() == "Grüße".encode()
    listed = await run("file.getAll", bucketName=bucket, returnAll=True)
    assert [(item["json"]["Key"], item["json"]["Size"]) for item in listed] == [("a.txt", "7")]
    inside = await run("file.getAll", bucketName=bucket, limit=2, options={"folderKey": "d/"})
    assert [item["json"]["Key"] for item in inside] == ["d/b.txt", "d/c.txt"]
    found = await run("bucket.search", bucketName=bucket, returnAll=True, additionalFields={"prefix": "d/b"})
    assert [item["json"]["Key"] for item in found] == ["d/b.txt"]
    await run("file.delete", bucketName=bucket, fileKey="a.txt")
    assert "a.txt" not in {row["Key"] for row in boto.list_objects_v2(Bucket=bucket)["Contents"]}


async def test_folders_are_made_listed_and_deleted_with_all_in_them(server: Server) -> None:
    run, bucket, boto = server["run"], server["bucket"], server["boto"]
    await run("folder.create", bucketName=bucket, folderName="one")
    await run("folder.create", bucketName=bucket, folderName="two", additionalFields={"parentFolderKey": "one"})
    listed = await run("folder.getAll", bucketName=bucket, returnAll=True, options={"folderKey": "one/"})
    assert [item["json"]["Key"] for item in listed] == ["one/two/"]
    for number in range(1005):
        boto.put_object(Bucket=bucket, Key=f"one/{number:04}&", Body=b"x")
    every = await run("bucket.search", bucketName=bucket, returnAll=True)
    assert len(every) == 1007
    (deleted,) = await run("folder.delete", bucketName=bucket, folderKey="one/")
    assert len(deleted["json"]["deleted"]) == 1007
    assert "Contents" not in boto.list_objects_v2(Bucket=bucket)
    (again,) = await run("folder.delete", bucketName=bucket, folderKey="none/")
    assert again["json"] == {"deleted": [{"Key": "none/"}]}


async def test_buckets_are_made_listed_and_deleted(server: Server) -> None:
    run, name = server["run"], f"{server['bucket']}-new"
    await run("bucket.create", name=name, additionalFields={"region": "eu-central-1", "acl": "publicRead"})
    assert server["boto"].get_bucket_location(Bucket=name)["LocationConstraint"] == "eu-central-1"
    assert name in {item["json"]["Name"] for item in await run("bucket.getAll", returnAll=True)}
    assert len(await run("bucket.getAll", limit=1)) == 1
    await run("bucket.delete", name=name)
    assert name not in {row["Name"] for row in server["boto"].list_buckets()["Buckets"]}


async def test_mistakes_are_told_without_secrets(server: Server) -> None:
    run, bucket = server["run"], server["bucket"]
    for said, operation, parameters in (
        ("NoSuchBucket", "file.getAll", {"bucketName": "no-such-bucket"}),
        ("404", "file.download", {"bucketName": bucket, "fileKey": "gone"}),
        ("names a folder", "file.download", {"bucketName": bucket, "fileKey": "a/"}),
        ("bucketName is empty", "file.getAll", {}),
        ("bucket's name may only", "file.getAll", {"bucketName": "evil.example/x"}),
        ("no key", "file.copy", {"sourcePath": "/a/b", "destinationPath": "/a"}),
        ("is unknown", "folder.copy", {}),
        ("use acl", "bucket.create", {"name": "x12", "additionalFields": {"grantRead": True}}),
    ):
        with pytest.raises(NodeError, match=said) as caught:
            await run(operation, **parameters)
        assert SECRET_KEY not in str(caught.value)
    with pytest.raises(NodeError, match="must begin with http"):
        await run("bucket.getAll", credentials={"s3": {**server["values"]["s3"], "endpoint": "minio:9000"}})
    with pytest.raises(NodeError, match="allowedHosts"):
        await run("bucket.getAll", credentials={"s3": {**server["values"]["s3"], "allowedHosts": "example.com"}})


class Elsewhere:
    """Stands for a bucket of another region, as S3 tells of one."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.scopes: list[str] = []

    async def send(self, call: Any, authorization: Any = None) -> HttpReply:
        self.urls.append(call.url)
        self.scopes.append(dict(call.headers)["Authorization"].split("/")[2])
        if self.scopes[-1] == "eu-west-3":
            return HttpReply(200, "OK", [], b"", call.url)
        return HttpReply(301, "Moved", [("x-amz-bucket-region", "eu-west-3")], b"", call.url)


async def test_a_bucket_of_another_region_is_asked_there() -> None:
    client: Any = Elsewhere()
    values = DriverCredential(AWS, {"accessKeyId": "a", "secretAccessKey": "secret", "region": "us-east-1"})
    session = S3Session(client, values, place_of_aws(values))
    await session.asked("GET", "things", "a b")
    await session.asked("GET", "dotted.things")
    assert client.scopes == ["us-east-1", "eu-west-3", "us-east-1", "eu-west-3"]
    assert client.urls[:2] == [
        "https://things.s3.us-east-1.amazonaws.com/a%20b",
        "https://things.s3.eu-west-3.amazonaws.com/a%20b",
    ]
    assert client.urls[3] == "https://s3.eu-west-3.amazonaws.com/dotted.things/"


class Answering:
    """A server that has one answer."""

    def __init__(self, status: int, body: bytes) -> None:
        self.reply = HttpReply(status, "Bad Request", [], body, "https://a.example")

    async def send(self, call: Any, authorization: Any = None) -> HttpReply:
        return self.reply


def answered(status: int, body: bytes) -> S3Session:
    values = DriverCredential(AWS, {"accessKeyId": "a", "secretAccessKey": "secret", "region": "us-east-1"})
    client: Any = Answering(status, body)
    return S3Session(client, values, place_of_aws(values))


async def test_a_large_body_is_hashed_on_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    session, where = answered(200, b""), []
    call = session._call
    monkeypatch.setattr(session, "_call", lambda *given: where.append(threading.current_thread()) or call(*given))
    for size in (10, 2**21):
        await session.asked("PUT", "things", "k", body=bytes(size))
    assert [one is threading.main_thread() for one in where] == [True, False]


async def test_an_answer_of_a_proxy_is_told_by_its_status() -> None:
    with pytest.raises(NodeError, match="status 400 Bad Request"):
        await answered(400, b"<html><br>no XML").asked("GET", "things")


async def test_a_list_that_leads_to_itself_ends() -> None:
    page = b"<ListBucketResult><Contents><Key>k</Key></Contents><IsTruncated>true</IsTruncated>"
    session = answered(200, page + b"<NextContinuationToken>t</NextContinuationToken></ListBucketResult>")
    with pytest.raises(NodeError, match="the same page"):
        async for _ in session.listed("things", {}):
            pass


def test_answers_become_objects_and_lists() -> None:
    found = parsed(b'<r xmlns="x"><a>1</a><a>2</a><b k="v">t</b><c/><d><e>f</e></d></r>')
    rest = {"a": ["1", "2"], "b": {"$": {"k": "v"}, "_": "t"}, "c": "", "d": {"e": "f"}}
    assert found == {"r": {"$": {"xmlns": "x"}, **rest}}
    for bad in (b"no xml", b'<!DOCTYPE r [<!ENTITY a "aa">]><r>&a;</r>'):
        with pytest.raises(NodeError, match="no XML"):
            parsed(bad)


def test_an_answer_in_xml_does_not_exhaust_the_stack() -> None:
    deep = MAX_DEPTH * b"<a>" + MAX_DEPTH * b"</a>"
    assert parsed(deep)
    for depth in (1, 100_000):
        with pytest.raises(NodeError, match="no XML"):
            parsed(depth * b"<a>" + deep + depth * b"</a>")


def test_many_elements_of_one_name_cost_little() -> None:
    """A list that is copied for each of its elements would take an hour."""
    begin = time.process_time()
    found = parsed(b"<r>" + 200_000 * b"<a/>" + b"</r>")
    assert found == {"r": {"a": [""] * 200_000}}
    assert time.process_time() - begin < 15


@given(st.binary(max_size=60))
def test_any_answer_is_read_or_refused(content: bytes) -> None:
    with contextlib.suppress(NodeError):
        assert isinstance(parsed(content), dict)


def test_words_of_names() -> None:
    assert words("publicReadWrite") == ["public", "read", "write"]
    assert words("One_zone-IA") == ["one", "zone", "ia"]
