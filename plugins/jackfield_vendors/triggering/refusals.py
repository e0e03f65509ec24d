"""Refusals of a service, which say when to come again."""

from __future__ import annotations

from collections.abc import Callable

from jackfield.api.http_client import HttpReply
from jackfield.api.nodes import NodeError
from jackfield.api.triggers.failures import ServiceRefusal, wait_asked
from jackfield_vendors.described.description import DescribedNode
from jackfield_vendors.requests.calls import raise_for_status


def refusing(node: DescribedNode) -> Callable[[HttpReply], None]:
    """The check that raises `ServiceRefusal`, with the service's own words, for any answer but a good one."""

    def check(reply: HttpReply) -> None:
        try:
            raise_for_status(reply, node.errors, node.title)
        except NodeError as exc:
            raise ServiceRefusal(exc.message, status=reply.status, retry_after=wait_asked(reply)) from None

    return check
