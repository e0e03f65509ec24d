"""A test event: what a trigger would start its workflow with now."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import InvalidInput, NotFound, UpstreamFailed
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeCatalog, NodeError
from jackfield.api.triggers.polling import polling_node
from jackfield.api.triggers.resolving import resolved
from jackfield.api.triggers.subscribing import subscribing_node
from jackfield.api.workflows import Item, Node, Workflow
from jackfield_triggers.addresses import event_url, ident_of, reachable
from jackfield_triggers.polling.one_poll import OnePoll
from jackfield_triggers.running import begin
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.subscribing.steps import Wanted
from jackfield_triggers.subscribing.subscriptions import Subscriptions
from jackfield_triggers.subscribing.waiting import TestEvents


async def fetch_test_event(context: PluginContext, workflow: Workflow, node: Node, seconds: float) -> list[Item]:
    """The newest items of a node that polls; of one that subscribes the next event, within so many seconds. Raises
    `JackfieldError`."""
    found = context.port(NodeCatalog).find(node.kind)
    if polling_node(found) is not None:
        return await polled(context, workflow, node, new_id())
    if subscribing_node(found) is None:
        raise InvalidInput(
            "The node has no test events.", details={"node": "give a trigger that polls a service or subscribes to one"}
        )
    wait = min(seconds, context.settings(TriggerSettings).test_wait)
    with _told(context):
        return await _received(context, workflow, node, wait)


async def polled(context: PluginContext, workflow: Workflow, node: Node, execution_id: str) -> list[Item]:
    """The newest items of a node that polls, whose files are kept for this execution. Raises `JackfieldError`."""
    with _told(context):
        return list(
            (await OnePoll(context, context.settings(TriggerSettings)).test(workflow, node, execution_id)).items
        )


@contextlib.contextmanager
def _told(context: PluginContext) -> Iterator[None]:
    """Failures of the service as an API's caller gets them."""
    try:
        yield
    except NodeError as exc:
        raise UpstreamFailed(context.secrets.hide(exc.message), code="TEST_EVENT_FAILED") from None
    except TimeoutError:
        raise UpstreamFailed("The service did not answer in time; try again.", code="TEST_EVENT_FAILED") from None


async def _received(context: PluginContext, workflow: Workflow, node: Node, seconds: float) -> list[Item]:
    ident = ident_of(node)
    if not ident or not reachable(context):
        raise InvalidInput(
            "The service cannot reach this daemon.",
            details={"node": "give it a webhookId, and set server.public_url to the address of this daemon"},
        )
    known, failures = await resolved(context, workflow, node)
    if failures:
        raise InvalidInput("An expression has no value.", details={f"parameters.{k}": v for k, v in failures.items()})
    zone = context.port(WorkflowReader).timezone(workflow)
    url = event_url(context, ident, test=True)
    wanted = Wanted(f"test-{new_id()}", workflow.id or "", known, zone, url)
    subscriptions = context.port(Subscriptions)
    begin(context)  # whatever becomes of this, the subscription is ended
    with context.port(TestEvents).waiting(ident) as wait:
        try:
            # The service may call before its answer is here.
            await subscriptions.begin_test(wanted, lambda kept: setattr(wait, "kept", kept))
            async with asyncio.timeout(seconds):
                return list(await asyncio.shield(wait.items))
        except TimeoutError:
            message = f"No event came within {seconds:g} seconds; make one at the service, and try again."
            raise NotFound(message, code="NO_TEST_EVENT") from None
        finally:
            await subscriptions.end_test(wanted.id, wanted.workflow_id)
