"""Steps of nodes of services, which both sides take before servers of their own or in places of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .cases import Document

SIDE = "sidemark"
"""In documents: a name that each side has for itself."""
MARKS = {"n8n": "n8n", "Jackfield": "ours"}
"""What stands in its place, by the side's name."""
TEXT: Document = {
    "json": {},
    "binary": {"data": {"data": "R3LDvMOfZQ==", "mimeType": "text/plain", "fileName": "g.txt"}},
}


@dataclass(frozen=True)
class Step:
    """One node that runs. volatile: keys of its items, at any depth, that differ with each run."""

    node: Document
    items: Sequence[Document] = ({"json": {}},)
    volatile: Sequence[str] = ()


@dataclass(frozen=True)
class Service:
    """server: which server it needs."""

    name: str
    server: str
    steps: Sequence[Step] = field(default_factory=tuple)


def _node(kind: str, version: float, credential: str, parameters: Mapping[str, Any], **more: Any) -> Document:
    given = {credential: {"id": credential, "name": credential}}
    node = {"type": f"n8n-nodes-base.{kind}", "typeVersion": version, "parameters": dict(parameters)}
    return {**node, "credentials": given, **more}


def _mongo(version: float) -> Iterator[Step]:
    ids = ("_id", "id")

    def step(operation: str, *items: Any, on_error: str = "stopWorkflow", **parameters: Any) -> Step:
        wanted = {"operation": operation, "collection": f"{SIDE}{str(version).replace('.', 'x')}", **parameters}
        given = [{"json": one} for one in items] or [{"json": {}}]
        return Step(_node("mongoDb", version, "mongoDb", wanted, onError=on_error), given, ids)

    people = (
        {"n": 1, "name": "Ada", "in": {"a": 1}, "born": "1815-12-10"},
        {"n": 2, "name": None, "extra": [1, {"b": 2}]},
    )
    yield step("insert", *people, fields="n,name,in,born,extra", options={"dateFields": "born"})
    yield step("insert", {"n": 3, "in": {"a": 5, "b": 6}}, fields="n,in.a", options={"useDotNotation": True})
    yield step("find", query="{}", options={"sort": '{"n": 1}'})
    yield step(
        "find", {"a": 1}, {"a": 2}, query='{"n": {"$gte": 2}}', options={"limit": 1, "skip": 1, "sort": '{"n": 1}'}
    )
    yield step("find", query='{"n": "$1"}', queryParameters="=[2]", options={"projection": '{"name": 1}'})
    yield step("update", {"n": 1, "name": "Ada L"}, {"n": 9, "name": "no"}, updateKey="n", fields="name")
    yield step("update", {"n": 1, "in": {"b": 7}}, updateKey="n", fields="in.b", options={"useDotNotation": True})
    yield step("update", {"n": 4, "name": "new"}, updateKey="n", fields="name", upsert=True)
    yield step("findOneAndUpdate", {"n": 4, "name": "newer"}, {"other": 1}, updateKey="n", fields="name")
    yield step("findOneAndReplace", {"n": 2, "whole": True}, updateKey="n", fields="whole")
    yield step("find", query="{}", options={"sort": '{"n": 1}'})
    yield step("aggregate", query='[{"$match": {"n": {"$lt": 3}}}, {"$sort": {"n": -1}}]')
    yield step("find", query="{", on_error="continueRegularOutput")
    yield step("delete", query='{"n": {"$lt": 3}}')
    yield step("delete", query="{}")


def _ldap() -> Iterator[Step]:
    base, people = f"ou={SIDE},dc=example,dc=com", f"ou={SIDE},dc=example,dc=com"

    def step(operation: str, on_error: str = "stopWorkflow", **parameters: Any) -> Step:
        return Step(_node("ldap", 1, "ldap", {"operation": operation, **parameters}, onError=on_error))

    def attributes(**values: Any) -> Any:
        return {"attribute": [{"id": name, "value": value} for name, value in values.items()]}

    ada = f"uid=ada,{people}"
    yield step("create", dn=base, attributes=attributes(objectClass="organizationalUnit", ou=SIDE))
    person = attributes(objectClass="inetOrgPerson", uid="ada", cn="Ada", sn="L", title="Dr")
    yield step("create", dn=ada, attributes=person)
    search = {"baseDN": people, "searchFor": "(objectclass=person)", "attribute": "uid", "searchText": "a*"}
    yield step("search", **search)
    yield step("search", **search, options={"attributes": ["cn", "mail"]})
    own = {"baseDN": people, "searchFor": "custom", "customFilter": "=(uid={{ 'a' + 'da' }})"}
    yield step("search", **own)
    yield step("search", **{**own, "customFilter": "=(uid={{ '*' }})"})
    yield step("compare", dn=ada, id="title", value="Dr")
    yield step("compare", dn=ada, id="title", value="x")
    yield step("update", dn=ada, attributes={"replace": [{"id": "cn", "value": "Ada L"}]})
    yield step("rename", dn=ada, targetDn=f"uid=lovelace,{people}")
    yield step("search", **{**search, "searchText": "love*"}, returnAll=True)
    yield step("delete", on_error="continueErrorOutput", dn=ada)
    yield step("delete", dn=f"uid=lovelace,{people}")


def _s3(kind: str, version: float, credential: str) -> Iterator[Step]:
    times = ("LastModified", "CreationDate", "ETag", "Owner", "ChecksumAlgorithm", "ChecksumType")

    def step(
        work: str, items: Sequence[Document] = ({"json": {"kept": 1}},), on_error: str = "stopWorkflow", **more: Any
    ) -> Step:
        resource, operation = work.split(".")
        wanted = {"resource": resource, "operation": operation, **more}
        return Step(_node(kind, version, credential, wanted, onError=on_error), items, times)

    bucket = f"{SIDE}{kind.lower()}{version}"
    yield step("bucket.create", name=bucket)
    file = {"bucketName": bucket, "binaryPropertyName": "data"}
    yield step("file.upload", [TEXT], **file, fileName="a b.txt")
    yield step("file.upload", bucketName=bucket, fileName="t.txt", binaryData=False, fileContent="text")
    yield step("folder.create", bucketName=bucket, folderName="deep")
    folder = {"additionalFields": {"parentFolderKey": "deep"}}
    yield step("file.upload", bucketName=bucket, fileName="in.txt", binaryData=False, fileContent="in", **folder)
    yield step("file.getAll", bucketName=bucket, returnAll=True)
    yield step("file.getAll", bucketName=bucket, options={"folderKey": "deep/"})
    yield step("folder.getAll", bucketName=bucket)
    yield step("bucket.search", bucketName=bucket, returnAll=True, additionalFields={"prefix": "deep"})
    yield step("file.download", **file, fileKey="a b.txt")
    yield step("file.copy", sourcePath=f"/{bucket}/t.txt", destinationPath=f"/{bucket}/copy.txt")
    yield step("file.delete", bucketName=bucket, fileKey="t.txt")
    yield step("file.download", on_error="continueErrorOutput", **file, fileKey="t.txt")
    yield step("folder.delete", bucketName=bucket, folderKey="deep/")
    yield step("file.delete", bucketName=bucket, fileKey="copy.txt")
    yield step("file.delete", bucketName=bucket, fileKey="a b.txt")
    yield step("bucket.delete", name=bucket)


def _sns() -> Iterator[Step]:
    def step(**parameters: Any) -> Step:
        return Step(_node("awsSns", 1, "aws", parameters), ({"json": {"a": 1}},), ("MessageId", "TopicArn"))

    yield step(operation="create", name=SIDE)
    topic = {"__rl": True, "mode": "id", "value": f"arn:aws:sns:us-east-1:123456789012:{SIDE}"}
    yield step(operation="publish", topic=topic, subject="S", message="M & m")
    yield step(operation="delete", topic=topic)


def _dynamo() -> Iterator[Step]:
    def step(
        operation: str, given: Mapping[str, Any] | None = None, on_error: str = "stopWorkflow", **more: Any
    ) -> Step:
        wanted = {"resource": "item", "operation": operation, "tableName": f"{SIDE}table", **more}
        return Step(_node("awsDynamoDb", 1, "aws", wanted, onError=on_error), [{"json": given or {}}])

    def key(value: str) -> Any:
        return {"keysUi": {"keyValues": [{"key": "id", "type": "S", "value": value}]}}

    inner: Document = {"a": [1, "2", None, {"b": False}]}
    item = {"id": "one", "n": 1.5, "text": "a", "digits": "12", "yes": True, "skip": 1}
    mapped = {"dataToSend": "autoMapInputData", "inputsToIgnore": "skip"}
    yield step("upsert", item, **mapped)
    yield step("upsert", {"id": "deep", "in": inner, "none": None}, **mapped)
    yield step("upsert", {"id": "two", "digits": "12"}, **{**mapped, "inputsToIgnore": ""}, autoParseNumbers=False)
    fields = {"fieldValues": [{"fieldId": "id", "fieldValue": "three"}, {"fieldId": "n", "fieldValue": "7"}]}
    yield step("upsert", dataToSend="defineBelow", fieldsUi=fields)
    condition = {"conditionExpression": "attribute_not_exists(id)"}
    for on_error in ("continueRegularOutput", "stopWorkflow"):
        yield step("upsert", {"id": "one"}, on_error, **mapped, additionalFields=condition)
    for simple in (True, False):
        yield step("get", **key("one"), simple=simple, select="ALL_ATTRIBUTES")
    yield step("get", **key("none"), simple=True, select="ALL_ATTRIBUTES")
    names = {"eanValues": [{"key": "#n", "value": "n"}]}
    values = {"eavValues": [{"attribute": ":n", "type": "N", "value": "2"}]}
    scan = {"scan": True, "filterExpression": "#n > :n", "options": {"eanUi": names}, "eavUi": values}
    yield step("getAll", **scan, simple=True, returnAll=True)
    yield step("getAll", **scan, simple=False, returnAll=False, limit=10)
    one = {"eavValues": [{"attribute": ":id", "type": "S", "value": "two"}]}
    query = {"scan": False, "keyConditionExpression": "id = :id", "eavUi": one}
    yield step("getAll", **query, simple=True, returnAll=True)
    yield step("getAll", **query, simple=False, select="COUNT", limit=5)
    yield step("delete", **key("one"), returnValues="ALL_OLD", simple=True)
    yield step("delete", **key("two"), returnValues="ALL_OLD", simple=False)
    yield step("delete", **key("three"), returnValues="NONE")
    yield step("delete", **key("three"), returnValues="NONE", on_error="continueRegularOutput", tableName="nothing")


def _ses() -> Iterator[Step]:
    def step(work: str, on_error: str = "stopWorkflow", **more: Any) -> Step:
        resource, operation = work.split(".")
        wanted = {"resource": resource, "operation": operation, **more}
        volatile = ("MessageId", "RequestId", "CreatedTimestamp")
        return Step(_node("awsSes", 1, "aws", wanted, onError=on_error), volatile=volatile)

    mail = {"fromEmail": "a@example.com", "toAddresses": ["b@example.com", "c@example.com"]}
    yield step("email.send", **mail, subject="S & s", body="B", isBodyHtml=False)
    more = {"ccAddresses": ["d@example.com"], "replyToAddresses": ["e@example.com"]}
    yield step("email.send", **mail, subject="S", body="<b>B</b>", isBodyHtml=True, additionalFields=more)
    unknown = {**mail, "fromEmail": "z@example.com"}
    yield step("email.send", "continueRegularOutput", **unknown, subject="S", body="B", isBodyHtml=False)
    named = {"templateName": f"{SIDE}template"}
    parts = {"subjectPart": "Hi {{name}}", "htmlPart": "<p>{{name}}</p>"}
    yield step("template.create", **named, **parts, additionalFields={"textPart": "{{name}}"})
    yield step("template.get", **named)
    data = {"templateDataValues": [{"key": "name", "value": "Ada"}]}
    yield step("email.sendTemplate", **mail, **named, templateDataUi=data)
    yield step("template.update", **named, updateFields={"subjectPart": "S2", "htmlPart": "H2", "textPart": "T2"})
    yield step("template.get", **named)
    yield step("template.delete", **named)
    yield step("template.get", "continueRegularOutput", **named)


def _elastic() -> Iterator[Step]:
    def step(work: str, *items: Any, on_error: str = "stopWorkflow", **parameters: Any) -> Step:
        resource, operation = work.split(".")
        wanted = {"resource": resource, "operation": operation, "indexId": SIDE, **parameters}
        given = [{"json": one} for one in items] or [{"json": {}}]
        return Step(_node("elasticsearch", 1, "elasticsearchApi", wanted, onError=on_error), given)

    yield step("index.create")
    yield step("document.create", {"n": 1, "x": 2}, dataToSend="autoMapInputData", inputsToIgnore="x")
    fields = {"fieldValues": [{"fieldId": "n", "fieldValue": 2}]}
    yield step("document.create", fieldsUi=fields, additionalFields={"documentId": "two"})
    bulk = {"options": {"bulkOperation": True}, "dataToSend": "autoMapInputData", "inputsToIgnore": ""}
    yield step("document.create", {"n": 3}, {"n": 4}, **bulk, additionalFields={"documentId": "={{ 'd' + $json.n }}"})
    yield step("document.get", documentId="two")
    yield step("document.get", documentId="two", simple=False)
    yield step("document.getAll", returnAll=True)
    yield step("document.getAll", limit=1, simple=False)
    query = {"query": '{"query": {"term": {"n": "$1"}}}', "queryParameters": "=[3]"}
    yield step("document.getAll", options=query)
    yield step("document.update", documentId="two", fieldsUi=fields)
    yield step(
        "document.update",
        {"n": 3},
        {"n": 99},
        **bulk,
        documentId="={{ 'd' + $json.n }}",
        on_error="continueRegularOutput",
    )
    yield step("document.delete", documentId="two")
    yield step("index.get")
    yield step("index.delete")


def _nextcloud() -> Iterator[Step]:
    def step(
        work: str, items: Sequence[Document] = ({"json": {"kept": 1}},), on_error: str = "stopWorkflow", **more: Any
    ) -> Step:
        resource, operation = work.split(".")
        wanted = {"resource": resource, "operation": operation, **more}
        return Step(_node("nextCloud", 1, "nextCloudApi", wanted, onError=on_error), items, ("lastModified", "eTag"))

    yield step("folder.create", path=f"/{SIDE}")
    yield step("file.upload", [TEXT], path=f"/{SIDE}/a b.txt", binaryDataUpload=True)
    yield step("file.upload", path=f"/{SIDE}/Grüße.txt", fileContent="text ü")
    yield step("file.copy", path=f"/{SIDE}/a b.txt", toPath=f"/{SIDE}/c é.txt")
    yield step("folder.create", path=f"/{SIDE}/in")
    yield step("file.move", path=f"/{SIDE}/c é.txt", toPath=f"/{SIDE}/in/moved.txt")
    yield step("folder.list", path=f"/{SIDE}/in")
    yield step("file.download", [TEXT], path=f"/{SIDE}/in/moved.txt", binaryPropertyName="other")
    yield step("file.download", path=f"/{SIDE}/Grüße.txt", binaryPropertyName="data")
    yield step("file.share", path=f"/{SIDE}/a b.txt", shareType=200)
    yield step("file.delete", path=f"/{SIDE}/in/moved.txt")
    yield step("folder.list", path=f"/{SIDE}/in")
    missing = {"path": f"/{SIDE}/missing.txt"}
    yield step("file.delete", on_error="continueRegularOutput", **missing)
    yield step("file.delete", **missing)
    yield step("file.download", on_error="continueRegularOutput", **missing, binaryPropertyName="data")
    yield step("folder.delete", path=f"/{SIDE}")


SERVICES = (
    *(Service(f"MongoDB {version}", "mongo", tuple(_mongo(version))) for version in (1, 1.1, 1.2, 1.3, 1.4, 1.5)),
    Service("LDAP", "ldap", tuple(_ldap())),
    Service("S3", "moto", tuple(_s3("s3", 1, "s3"))),
    *(Service(f"AWS S3 {version}", "moto", tuple(_s3("awsS3", version, "aws"))) for version in (1, 2)),
    Service("DynamoDB", "moto", tuple(_dynamo())),
    Service("SES", "moto", tuple(_ses())),
    Service("SNS", "moto", tuple(_sns())),
    Service("Elasticsearch", "elastic", tuple(_elastic())),
    Service("Nextcloud", "dav", tuple(_nextcloud())),
)
