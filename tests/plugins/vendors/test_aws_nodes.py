"""Nodes of AWS beside a real server of its protocols (moto): what they send, boto3 reads, and the other way round."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from loopback import Loopback, Seen, reply
from vendor_lab import Lab

from jackfield.api.aws_endpoints import endpoint_of, signed_for
from jackfield.api.http_client import HttpCall
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Items
from jackfield.testing.s3 import ACCESS_KEY, REGION, SECRET_KEY, S3Server
from jackfield_integrations.aws.signing import signed
from jackfield_integrations.connection_tests import kinds
from jackfield_integrations.kinds import AWS
from jackfield_integrations.settings import IntegrationSettings
from jackfield_vendors.catalogue import SHIPPED

Run = Callable[..., Any]
SERVICES = ("lambda", "sns", "ses", "sqs", "rekognition", "comprehend", "dynamoDb", "sts", "textract", "transcribe")


def key(endpoint: str) -> dict[str, str]:
    own = {f"{name}Endpoint": endpoint for name in SERVICES}
    return {"accessKeyId": ACCESS_KEY, "secretAccessKey": SECRET_KEY, "customEndpoints": "true", **own}


class Moto:
    """Runs nodes before the server; `boto` is Amazon's own client of a service."""

    def __init__(self, lab: Lab, endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lab = lab
        self.endpoint = endpoint
        monkeypatch.setattr("vendor_lab.CREDENTIALS", {"aws": key(endpoint)})

    async def run(self, kind: str, parameters: Mapping[str, Any], given: Items | None = None, **more: Any) -> Any:
        made = self.lab.node(SHIPPED / f"{kind}.toml")
        self.lab.kinds["aws"] = AWS
        found = await self.lab.run(kind, 1, parameters, given, node=made, credentials={"aws": {"id": "c1"}}, **more)
        return [item["json"] for item in found]

    def boto(self, service: str) -> Any:
        import boto3

        keys = {"aws_access_key_id": ACCESS_KEY, "aws_secret_access_key": SECRET_KEY}
        return boto3.client(service, endpoint_url=self.endpoint, region_name=REGION, **keys)


@pytest.fixture
def moto(lab: Lab, jackfield_s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> Moto:
    return Moto(lab, jackfield_s3.endpoint, monkeypatch)


@pytest.fixture
def seen(lab: Lab, server: Loopback, monkeypatch: pytest.MonkeyPatch) -> Moto:
    """Before the loopback server, for what moto does not have."""
    return Moto(lab, server.url(""), monkeypatch)


async def test_sqs_sends_messages_with_attributes(moto: Moto) -> None:
    sqs = moto.boto("sqs")
    queue = sqs.create_queue(QueueName="plain")["QueueUrl"]
    (sent,) = await moto.run("awsSqs", {"queue": queue}, [{"json": {"text": "ü & 1", "list": [1]}}])
    assert {"MessageId", "MD5OfMessageBody"} <= sent.keys()
    file = await moto.lab.files.write(b"\x00\xff", mime_type="application/octet-stream", file_name="f")
    rows = {
        "string": [{"name": "colour", "value": "a=b&c"}],
        "binary": [{"name": "raw", "dataPropertyName": "data"}],
        "number": [{"name": "count", "value": 3}],
    }
    parameters = {
        "queue": queue,
        "sendInputData": False,
        "message": {"as": "object"},
        "options": {"messageAttributes": rows},
    }
    await moto.run("awsSqs", parameters, [{"json": {}, "binary": {"data": file}}])
    found = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, MessageAttributeNames=["All"])["Messages"]
    bodies = [json.loads(row["Body"]) for row in found]
    assert bodies == [{"text": "ü & 1", "list": [1]}, {"as": "object"}]
    attributes = found[1]["MessageAttributes"]
    assert attributes["colour"]["StringValue"] == "a=b&c"
    assert attributes["raw"]["BinaryValue"] == b"\x00\xff"
    assert attributes["count"] == {"StringValue": "3", "DataType": "Number"}


async def test_sqs_sends_to_ordered_queues_and_says_what_is_wrong(moto: Moto) -> None:
    sqs = moto.boto("sqs")
    queue = sqs.create_queue(QueueName="ordered.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
    parameters = {
        "queue": queue,
        "queueType": "fifo",
        "messageGroupId": "g 1",
        "options": {"messageDeduplicationId": "d1"},
    }
    await moto.run("awsSqs", parameters, [{"json": {"n": 1}}, {"json": {"n": 1}}])
    found = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, AttributeNames=["All"])["Messages"]
    assert [row["Attributes"]["MessageGroupId"] for row in found] == ["g 1"]
    with pytest.raises(NodeError, match="queue does not exist"):
        await moto.run("awsSqs", {"queue": f"{moto.endpoint}/1/none"})
    with pytest.raises(NodeError, match="parameter queue is empty"):
        await moto.run("awsSqs", {"queue": "no address"})


async def test_sns_makes_topics_and_publishes(moto: Moto) -> None:
    sns, sqs = moto.boto("sns"), moto.boto("sqs")
    (made,) = await moto.run("awsSns", {"operation": "create", "name": "news", "options": {"displayName": "The news"}})
    topic = made["TopicArn"]
    assert sns.get_topic_attributes(TopicArn=topic)["Attributes"]["DisplayName"] == "The news"
    (ordered,) = await moto.run("awsSns", {"operation": "create", "name": "order", "options": {"fifoTopic": True}})
    assert ordered["TopicArn"].endswith(":order.fifo")
    queue = sqs.create_queue(QueueName="listener")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)
    page = f"https://us-east-1.console.aws.amazon.com/sns/v3/home?region=us-east-1#/topic/{topic}"
    for located in ({"__rl": True, "mode": "id", "value": topic}, {"__rl": True, "mode": "url", "value": page}):
        parameters = {"operation": "publish", "topic": located, "subject": "Hi", "message": "a & b: ü"}
        (sent,) = await moto.run("awsSns", parameters)
        assert list(sent) == ["MessageId"]
    messages = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10)["Messages"]
    assert {json.loads(row["Body"])["Message"] for row in messages} == {"a & b: ü"}
    assert await moto.run("awsSns", {"operation": "delete", "topic": topic}) == [{"success": True}]
    assert topic not in [row["TopicArn"] for row in sns.list_topics()["Topics"]]


async def test_ses_sends_mails_and_keeps_templates(moto: Moto) -> None:
    ses = moto.boto("ses")
    ses.verify_email_identity(EmailAddress="ada@example.com")
    mail = {"fromEmail": "ada@example.com", "toAddresses": ["bob@example.com", "eve@example.com"]}
    parameters = {"resource": "email", "operation": "send", "subject": "Hi", "body": "<b>ü</b>", "isBodyHtml": True}
    (sent,) = await moto.run("awsSes", {**parameters, **mail, "additionalFields": {"ccAddresses": ["c@example.com"]}})
    assert sent["SendEmailResponse"]["SendEmailResult"]["MessageId"]
    assert ses.get_send_quota()["SentLast24Hours"] >= 1
    template = {"resource": "template", "templateName": "greeting", "subjectPart": "Hi {{name}}", "htmlPart": "<p/>"}
    await moto.run("awsSes", {**template, "operation": "create", "additionalFields": {"textPart": "text"}})
    assert ses.get_template(TemplateName="greeting")["Template"]["TextPart"] == "text"
    change = {"resource": "template", "operation": "update", "templateName": "greeting"}
    await moto.run("awsSes", {**change, "updateFields": {"subjectPart": "Bye", "htmlPart": "<i/>", "textPart": "t"}})
    (found,) = await moto.run("awsSes", {"resource": "template", "operation": "get", "templateName": "greeting"})
    assert found["GetTemplateResult"]["Template"]["SubjectPart"] == "Bye"
    listed = await moto.run("awsSes", {"resource": "template", "operation": "getAll", "returnAll": True})
    assert [row["Name"] for row in listed] == ["greeting"]
    templated = {"resource": "email", "operation": "sendTemplate", "templateName": "greeting", **mail}
    values = {"templateDataValues": [{"key": "name", "value": "Bob"}]}
    (sent,) = await moto.run("awsSes", {**templated, "templateDataUi": values})
    assert sent["SendTemplatedEmailResult"]["MessageId"]
    await moto.run("awsSes", {"resource": "template", "operation": "delete", "templateName": "greeting"})
    assert ses.list_templates()["TemplatesMetadata"] == []
    with pytest.raises(NodeError, match="toAddresses"):
        await moto.run("awsSes", {**parameters, **mail, "toAddresses": []})
    with pytest.raises(NodeError, match="not verified"):
        await moto.run("awsSes", {**parameters, **mail, "fromEmail": "other@elsewhere.example"})


@pytest.fixture
def table(moto: Moto) -> Any:
    dynamo = moto.boto("dynamodb")
    dynamo.create_table(
        TableName="people",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}],
        AttributeDefinitions=[
            {"AttributeName": "id", "AttributeType": "S"},
            {"AttributeName": "n", "AttributeType": "N"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    yield dynamo
    dynamo.delete_table(TableName="people")


def fields(**values: Any) -> dict[str, Any]:
    return {"fieldValues": [{"fieldId": name, "fieldValue": value} for name, value in values.items()]}


async def test_dynamodb_puts_and_gets_items(moto: Moto, table: Any) -> None:
    put = {"resource": "item", "operation": "upsert", "tableName": "people"}
    (made,) = await moto.run("awsDynamoDb", {**put, "fieldsUi": fields(id="a", n="1", text="x")})
    assert made == {"id": "a", "n": "1", "text": "x"}
    row: dict[str, Any] = {"id": "b", "n": 2, "on": True, "inner": {"list": [1, "2"]}, "none": None, "secret": "s"}
    await moto.run(
        "awsDynamoDb", {**put, "dataToSend": "autoMapInputData", "inputsToIgnore": "secret, x"}, [{"json": row}]
    )
    kept = table.get_item(TableName="people", Key={"id": {"S": "b"}, "n": {"N": "2"}})["Item"]
    assert kept["inner"] == {"M": {"list": {"L": [{"N": "1"}, {"S": "2"}]}}}
    assert "secret" not in kept
    keys = {"keyValues": [{"key": "id", "type": "S", "value": "b"}, {"key": "n", "type": "N", "value": 2}]}
    get = {"resource": "item", "operation": "get", "tableName": "people", "keysUi": keys}
    (plain,) = await moto.run("awsDynamoDb", get)
    assert plain == {name: value for name, value in row.items() if name != "secret"}
    names = {"eanValues": [{"key": "i", "value": "inner"}]}
    more = {"projectionExpression": "#i", "eanUi": names, "readType": "stronglyConsistentRead"}
    (part,) = await moto.run("awsDynamoDb", {**get, "additionalFields": more, "simple": False})
    assert part == {"inner": {"M": {"list": {"L": [{"N": "1"}, {"S": "2"}]}}}}
    delete = {**get, "operation": "delete"}
    assert await moto.run("awsDynamoDb", {**delete, "returnValues": "ALL_OLD"}) == [plain]
    assert await moto.run("awsDynamoDb", delete) == [{"success": True}]


async def test_dynamodb_conditions_and_lists(moto: Moto, table: Any) -> None:
    for number in range(1, 6):
        table.put_item(
            TableName="people", Item={"id": {"S": "a"}, "n": {"N": str(number)}, "even": {"S": "yn"[number % 2]}}
        )
    query = {
        "resource": "item",
        "operation": "getAll",
        "tableName": "people",
        "keyConditionExpression": "id = :id",
        "eavUi": {"eavValues": [{"attribute": "id", "type": "S", "value": "a"}]},
    }
    assert [row["n"] for row in await moto.run("awsDynamoDb", {**query, "limit": 2})] == [1, 2]
    assert len(await moto.run("awsDynamoDb", {**query, "returnAll": True})) == 5
    assert (await moto.run("awsDynamoDb", {**query, "select": "COUNT"}))[0]["Count"] == 5
    scan = {
        **query,
        "scan": True,
        "filterExpression": "#e = :e",
        "eavUi": {"eavValues": [{"attribute": ":e", "type": "S", "value": "y"}]},
        "options": {"eanUi": {"eanValues": [{"key": "#e", "value": "even"}]}},
        "returnAll": True,
    }
    assert [row["n"] for row in await moto.run("awsDynamoDb", scan)] == [2, 4]
    put = {"resource": "item", "operation": "upsert", "tableName": "people", "fieldsUi": fields(id="a", n=1)}
    condition = {"conditionExpression": "attribute_not_exists(id)"}
    with pytest.raises(NodeError, match="conditional request failed"):
        await moto.run("awsDynamoDb", {**put, "additionalFields": condition})
    failed = await moto.run(
        "awsDynamoDb", {**put, "additionalFields": condition}, [{"json": {}}], on_error="continueRegularOutput"
    )
    assert list(failed[0]) == ["error"]


async def test_transcribe_manages_its_jobs(moto: Moto) -> None:
    base = {"resource": "transcriptionJob", "transcriptionJobName": "job"}
    create = {**base, "operation": "create", "mediaFileUri": "s3://b/talk.mp3", "options": {"maxSpeakerLabels": 2}}
    (made,) = await moto.run("awsTranscribe", create)
    assert made["Settings"]["MaxSpeakerLabels"] == 2
    assert made["LanguageCode"] == "en-US"
    (found,) = await moto.run("awsTranscribe", {**base, "operation": "get", "returnTranscript": False})
    assert found["TranscriptionJobName"] == "job"
    listed = await moto.run("awsTranscribe", {**base, "operation": "getAll", "filters": {"jobNameContains": "jo"}})
    assert [row["TranscriptionJobName"] for row in listed] == ["job"]
    assert await moto.run("awsTranscribe", {**base, "operation": "delete"}) == [{"success": True}]
    assert await moto.run("awsTranscribe", {**base, "operation": "getAll", "returnAll": True}) == []


async def test_transcribe_reads_the_transcript_without_the_key(seen: Moto, server: Loopback) -> None:
    def answer(asked: Seen) -> bytes:
        if asked.method == "GET":
            return reply({"results": {"transcripts": [{"transcript": "Hello."}, {"transcript": "Bye."}]}})
        address = server.url("/out.json?X-Amz-Signature=abc")
        return reply({"TranscriptionJob": {"Transcript": {"TranscriptFileUri": address}}})

    server.answer = answer
    get = {"resource": "transcriptionJob", "operation": "get", "transcriptionJobName": "job"}
    assert await seen.run("awsTranscribe", get) == [{"transcript": "Hello. Bye."}]
    assert "authorization" not in {name.lower() for name in server.seen[-1].headers}
    assert (await seen.run("awsTranscribe", {**get, "simple": False}))[0]["results"]["transcripts"][0]


def answering(server: Loopback, first: Any) -> list[Any]:
    """The list whose only element the server answers with."""
    answers = [first]
    server.answer = lambda asked: reply(answers[0])
    return answers


async def test_lambda_gives_what_the_function_answers(seen: Moto, server: Loopback) -> None:
    answers = answering(server, [1, {"a": "ü"}])
    wanted = {"function": "arn:aws:lambda:us-east-1:1:function:f", "payload": '{"n": 1}', "qualifier": "prod"}
    assert await seen.run("awsLambda", wanted) == [{"result": [1, {"a": "ü"}]}]
    asked = server.seen[-1]
    assert asked.target == (
        "/2015-03-31/functions/arn%3Aaws%3Alambda%3Aus-east-1%3A1%3Afunction%3Af/invocations?Qualifier=prod"
    )
    headers = {name.lower(): value for name, value in asked.headers.items()}
    assert asked.body == b'{"n": 1}'
    assert headers["x-amz-invocation-type"] == "RequestResponse"
    assert f"{ACCESS_KEY}/" in headers["authorization"]
    assert "/us-east-1/lambda/aws4_request" in headers["authorization"]
    answers[0] = {"errorMessage": "division by zero", "errorType": "ZeroDivisionError"}
    with pytest.raises(NodeError, match="The function failed: division by zero"):
        await seen.run("awsLambda", wanted)


async def test_pictures_and_texts_are_looked_at(seen: Moto, server: Loopback) -> None:
    file = await seen.lab.files.write(b"picture", mime_type="image/png", file_name="p.png")
    item: Items = [{"json": {}, "binary": {"data": file}}]

    def body() -> Any:
        return json.loads(server.seen[-1].body)

    answers = answering(server, {"TextDetections": []})
    parameters = {"type": "detectText", "binaryData": True, "additionalFields": {"wordFilterUi": {"MinConfidence": 60}}}
    assert await seen.run("awsRekognition", parameters, item) == [{"TextDetections": []}]
    assert body() == {"Image": {"Bytes": "cGljdHVyZQ=="}, "Filters": {"WordFilter": {"MinConfidence": 60}}}
    await seen.run("awsRekognition", {"bucket": "b", "name": "n", "additionalFields": {"attributes": ["all"]}})
    assert body() == {"Image": {"S3Object": {"Bucket": "b", "Name": "n"}}, "Attributes": ["ALL"]}
    field = {"Type": {"Text": "TOTAL"}, "ValueDetection": {"Text": "9.99"}}
    answers[0] = {"ExpenseDocuments": [{"SummaryFields": [field]}]}
    assert await seen.run("awsTextract", {}, item) == [{"TOTAL": "9.99"}]
    answers[0] = {"Languages": [{"LanguageCode": "de", "Score": 0.9}]}
    assert await seen.run("awsComprehend", {"text": "Hallo"}) == [{"de": 0.9}]
    answers[0] = {"Entities": [{"Text": "Ada"}, {"Text": "Bob"}]}
    assert len(await seen.run("awsComprehend", {"operation": "detectEntities", "text": "Ada, Bob"})) == 2


async def test_a_key_is_tested_with_its_owner(moto: Moto) -> None:
    moto.lab.context.tables.append(IntegrationSettings())
    (kind,) = (kind for kind in kinds(moto.lab.context) if kind.name == "aws")
    assert kind.connection_test is not None
    assert await kind.connection_test(key(moto.endpoint)) == "127.0.0.1 accepted the credential."
    with pytest.raises(NodeError, match="allowedHosts"):
        await kind.connection_test({**key(moto.endpoint), "allowedHosts": "amazonaws.com"})
    with pytest.raises(NodeError, match="accessKeyId"):
        await kind.connection_test({**key(moto.endpoint), "accessKeyId": ""})


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("lambda.eu-central-1.amazonaws.com", ("lambda", "eu-central-1")),
        ("bucket.s3.eu-west-1.amazonaws.com", ("s3", "eu-west-1")),
        ("s3.dualstack.eu-west-1.amazonaws.com", ("s3", "eu-west-1")),
        ("bucket.s3.amazonaws.com", ("s3", "us-east-2")),
        ("email.us-west-2.amazonaws.com", ("ses", "us-west-2")),
        ("eu-west-1.queue.amazonaws.com", ("sqs", "eu-west-1")),
        ("search-x.eu-west-1.es.amazonaws.com", ("es", "eu-west-1")),
        ("abc.execute-api.eu-west-1.amazonaws.com", ("execute-api", "eu-west-1")),
        ("bedrock-runtime.us-east-1.amazonaws.com", ("bedrock", "us-east-1")),
        ("iam.amazonaws.com", ("iam", "us-east-1")),
        ("ec2.cn-north-1.amazonaws.com.cn", ("ec2", "cn-north-1")),
    ],
)
def test_hosts_tell_what_is_signed(host: str, found: tuple[str, str]) -> None:
    assert signed_for(host, "us-east-2") == found


def test_endpoints() -> None:
    assert endpoint_of("sqs", {"region": "eu-west-1"}) == "https://sqs.eu-west-1.amazonaws.com"
    assert endpoint_of("sqs", {"region": "cn-north-1"}) == "https://sqs.cn-north-1.amazonaws.com.cn"
    own = {"region": "eu-west-1", "customEndpoints": "true", "sesEndpoint": "https://{region}.example/"}
    assert endpoint_of("email", own) == "https://eu-west-1.example"
    with pytest.raises(ValueError, match="region"):
        endpoint_of("sqs", {"region": "x.example/"})


def test_a_signed_request_keeps_its_secrets() -> None:
    values = {"accessKeyId": "A", "secretAccessKey": "very-secret", "temporaryCredentials": "true", "sessionToken": "t"}
    call = signed(HttpCall("GET", "https://sqs.eu-west-1.amazonaws.com/", query=[("a b", "c/d")]), values)
    assert call.url.endswith("/?a%20b=c%2Fd")
    assert (call.query, call.follow) == ([], "none")
    assert {"very-secret", "t"} <= set(call.secrets)
    assert "very-secret" not in str(call.headers)
    presigned = HttpCall("GET", "https://b.s3.amazonaws.com/k?X-Amz-Signature=1")
    assert signed(presigned, values) is presigned
