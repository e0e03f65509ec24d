"""Requests to AWS Bedrock, signed with the node's credential `aws`. Source: Amazon Bedrock API Reference, Runtime."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import quote

from jackfield.api.aws_signing import AwsKey, SignedScope, signature
from jackfield.api.clock import Clock
from jackfield.api.context import PluginContext
from jackfield.api.credentials import ALLOWED_HOSTS
from jackfield.api.http_client import HttpCall, HttpReply, host_allowed
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield.api.urls import joined
from jackfield_ai.credential_holders import CredentialHolder
from jackfield_ai.models.client import ProviderClient

AWS = "aws"
_REGION = re.compile(r"[a-z0-9-]{3,40}")
_ARN = re.compile(r"arn:(?:aws|aws-cn|aws-us-gov):bedrock:([a-z0-9-]+):")


class AwsAuthorization:
    """`Authorization`: a signature of each request."""

    kind = AWS

    def __init__(self, values: Mapping[str, str], region: str, clock: Clock) -> None:
        """Raises `NodeError` when the credential has no key."""
        self.allowed_hosts = values.get(ALLOWED_HOSTS, "")
        access, secret = values.get("accessKeyId", "").strip(), values.get("secretAccessKey", "").strip()
        if not access or not secret:
            raise NodeError("The credential aws has no accessKeyId or no secretAccessKey; fill them in.")
        token = values.get("sessionToken", "").strip() if values.get("temporaryCredentials") == "true" else ""
        self._key = AwsKey(access, secret, token)
        self._region = region
        self._clock = clock

    async def apply(self, call: HttpCall) -> HttpCall:
        host = call.url.partition("://")[2].partition("/")[0].partition(":")[0]
        if not host_allowed(host, self.allowed_hosts):
            raise NodeError(f"The credential aws may not be sent to {host}; its allowedHosts do not name it.")
        now = datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC)
        body = call.body.whole or b"" if call.body is not None else b""
        headers = [*call.headers, ("content-type", "application/json")]
        added = signature(self._key, SignedScope(self._region, "bedrock", now), call.method, call.url, headers, body)
        return replace(
            call,
            headers=[*headers, *added],
            secrets=[*call.secrets, self._key.secret, *([self._key.session] if self._key.session else [])],
            secret_headers=call.secret_headers | {"authorization", "x-amz-security-token"},
        )

    async def again(self, sent: HttpCall, reply: HttpReply) -> HttpCall | None:
        return None


class BedrockClient(ProviderClient):
    """Talks to the models of one region."""

    def __init__(
        self,
        context: PluginContext,
        node: CredentialHolder,
        model: str,
        *,
        timeout: float | None = None,
        retries: int | None = None,
    ) -> None:
        super().__init__(context, node, AWS, "AWS Bedrock", timeout=timeout, retries=retries)
        self._clock = context.clock
        self._holder = node
        self._model = model
        self._base = ""

    async def url(self, work: str) -> str:
        """Where the model is asked for this: converse, invoke. Raises `NodeError`."""
        if not self._base:
            values = await self._holder.credential(AWS)
            region = region_of(self._model, values)
            own = values.get("bedrockRuntimeEndpoint", "") if values.get("customEndpoints") == "true" else ""
            domain = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
            base = own.replace("{region}", region) or f"https://bedrock-runtime.{region}.{domain}"
            self._authorization = AwsAuthorization(values, region, self._clock)
            self._base = base
        return joined(self._base, f"/model/{quote(self._model, safe='')}/{work}")


def region_of(model: str, values: Mapping[str, str]) -> str:
    """That of the model's ARN, or the credential's. Raises `NodeError`."""
    named = _ARN.match(model)
    region = named[1] if named else values.get("region", "").strip() or "us-east-1"
    if not _REGION.fullmatch(region):
        raise NodeError("The region of the credential aws is none; write one such as eu-central-1.")
    return region
