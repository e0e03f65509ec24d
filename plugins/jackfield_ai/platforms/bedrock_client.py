"""Requests to AWS Bedrock, signed with the node's credential `aws`. Source: Amazon Bedrock API Reference, Runtime."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

from jackfield.api.aws_endpoints import endpoint_of
from jackfield.api.context import PluginContext
from jackfield.api.http_client import HttpCall, HttpReply
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield.api.urls import joined
from jackfield_ai.credential_holders import CredentialHolder
from jackfield_ai.models.client import ProviderClient

AWS = "aws"
_SERVICE = "bedrock"
"""As signatures call it, also at an address of the credential's own."""
_ARN = re.compile(r"arn:(?:aws|aws-cn|aws-us-gov):bedrock:([a-z0-9-]+):")


class BedrockClient(ProviderClient):
    """Talks to one model."""

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
        self._model = model

    async def url(self, work: str) -> str:
        """Where the model is asked for this: converse, invoke. Raises `NodeError`."""
        base = base_of(self._model, await self.values())
        return joined(base, f"/model/{quote(self._model, safe='')}/{work}")

    async def send(self, call: HttpCall) -> HttpReply:
        return await super().send(replace(call, service=_SERVICE))


def base_of(model: str, values: Mapping[str, str]) -> str:
    """In the region of the model's ARN, or the credential's. Raises `NodeError`."""
    named = _ARN.match(model)
    try:
        return endpoint_of("bedrock-runtime", {**values, "region": named[1]} if named else values)
    except ValueError as exc:
        raise NodeError(str(exc)) from None
