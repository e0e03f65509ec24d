"""A test event: what a trigger would start its workflow with now."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import InvalidInput, NotFound, UpstreamFailed
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeCatalog, NodeError
from jackfield.api.triggers.listening import listening_node
from jackfield.api.triggers.polling import polling_node
from jackfield.api.triggers.resolving import resolved
from jackfield.api.triggers.subscribing import subscribing_node
from jackfield.api.workflows import Item, Node, Workflow
from jackfield_triggers.addresses import event_url, ident_of, reachable
from jackfield_triggers.listening.one_connection import node_of, run_of
from jackfield_triggers.live_nodes import LiveNode
from jackfield_triggers.polling.one_poll import OnePoll
from jackfield_triggers.running import begin
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.subscribing.steps import Wanted
from jackfield_triggers.subscribing.subscriptions import Subscriptions
from jackfield_triggers.subscribing.waiting import TestEvents


async def fetch_test_event(context: PluginContext, workflow: Workflow, node: Node, seconds: float) -> list[Item]:
    """The newest items of a node that polls; of one that subscribes or listens the next event, within that many
    seconds. Raises `JackfieldError`.
    """
    found = context.port(NodeCatalog).find(node.kind)
    if polling_node(found) is not None:
        return await polled(context, workflow, node, new_id())
    settings = context.settings(TriggerSettings)
    wait = min(seconds, settings.test_wait)
    with _told(context):
        if subscribing_node(found) is not None:
            return await _received(context, workflow, node, wait)
        if listening_node(found) is not None:
            return await _heard(context, settings, workflow, node, wait)
    raise InvalidInput(
        "The node has no test events.", details={"node": "give a trigger that polls, subscribes or listens"}
    )


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
    known = await _known(context, workflow, node)
    zone = context.port(WorkflowReader).timezone(workflow)
    url = event_url(context, ident, test=True)
    live = LiveNode(f"test-{new_id()}", workflow.id or "", known, zone)
    wanted = Wanted(live, url)
    subscriptions = context.port(Subscriptions)
    begin(context)  # whatever becomes of this, the subscription is ended
    with context.port(TestEvents).waiting(ident) as wait:
        try:
            # The service may call before its answer is here.
            await subscriptions.begin_test(wanted, lambda kept: setattr(wait, "kept", kept))
            async with asyncio.timeout(seconds):
                return list(await asyncio.shield(wait.items))
        except TimeoutError:
            raise _nothing(seconds) from None
        finally:
            await subscriptions.end_test(live.id, live.workflow_id)


async def _heard(
    context: PluginContext, settings: TriggerSettings, workflow: Workflow, node: Node, seconds: float
) -> list[Item]:
    zone = context.port(WorkflowReader).timezone(workflow)
    ident = f"test-{new_id()}"
    wanted = LiveNode(ident, workflow.id or "", await _known(context, workflow, node), zone)
    run = run_of(context, settings, wanted, {}, test=True)
    connection = node_of(context, wanted.node)
    found: list[Item] | None = None
    deadline = asyncio.timeout(seconds)
    try:
        async with deadline, connection.listen(run) as events:
            async for heard in events:
                if heard.settle is not None:
                    await heard.settle("left")
                if heard.items:
                    found = list(heard.items)
                    break
    except TimeoutError:
        if not deadline.expired():
            raise
    finally:
        async with asyncio.timeout(settings.listen_close):
            await connection.leave(run)
    if found is None:
        raise _nothing(seconds)
    return found


async def _known(context: PluginContext, workflow: Workflow, node: Node) -> Node:
    known, failures = await resolved(context, workflow, node)
    if failures:
        raise InvalidInput("An expression has no value.", details={f"parameters.{k}": v for k, v in failures.items()})
    return known


def _nothing(seconds: float) -> NotFound:
    message = f"No event came within {seconds:g} seconds; make one at the service, and try again."
    return NotFound(message, code="NO_TEST_EVENT")
