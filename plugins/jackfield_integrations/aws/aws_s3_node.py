"""AWS S3: the same for Amazon's own."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeCredential, NodeDescription
from jackfield_integrations.aws.s3_node import S3Node
from jackfield_integrations.aws.s3_session import place_of_aws
from jackfield_integrations.kinds import AWS


class AwsS3Node(S3Node):
    kind = "awsS3"
    versions: Sequence[float] = (1, 2)
    description = NodeDescription(
        "AWS S3", "Buckets and files of Amazon S3.", "network", credentials=(NodeCredential(AWS.name),)
    )
    credential_kind = AWS
    place = staticmethod(place_of_aws)


def node(context: PluginContext) -> AwsS3Node:
    return AwsS3Node(context)
