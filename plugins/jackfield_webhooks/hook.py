"""A webhook made ready for calls: everything that its parameters say, worked out once."""

from __future__ import annotations

from jackfield.api.binary import BinarySettings
from jackfield.api.context import PluginContext
from jackfield.api.records import record, replace
from jackfield.api.storage import Webhook
from jackfield.api.workflows import Node, Workflow
from jackfield_webhooks import callers, credentials, paths
from jackfield_webhooks.bodies import BodyOptions
from jackfield_webhooks.callers import Network, Origins
from jackfield_webhooks.parameters import SECRETS, Findings, HookParameters, read, text
from jackfield_webhooks.paths import PRODUCTION, TEST
from jackfield_webhooks.plans import AnswerPlan, plan
from jackfield_webhooks.signatures import SignatureVerifier
from jackfield_webhooks.verifiers import Closed, Verifier

NOTHING: frozenset[str] = frozenset()


@record
class Hook:
    """One method of one Webhook node, of one version of its workflow."""

    webhook: Webhook
    workflow: Workflow
    node: Node
    parameters: HookParameters
    output: int
    """Which output of the node has the item: one per method."""
    verifier: Verifier | None
    own_headers: frozenset[str]
    signed_id: str | None
    """The header with the delivery's id, if the signature covers it."""
    networks: tuple[Network, ...] | None
    origins: Origins | None
    ignore_robots: bool
    body: BodyOptions
    plan: AnswerPlan
    url: str
    test_url: str
    credential: tuple[str, int] | None
    """Id and time of change of the stored credential that the verifier was made from."""


async def make_hook(context: PluginContext, webhook: Webhook, workflow: Workflow) -> Hook | None:
    """None when this version of the workflow has no such webhook. Raises `StoreUnavailable`."""
    node = find_node(workflow, webhook)
    if node is None:
        return None
    parameters = read(node)
    if webhook.method not in parameters.methods:
        return None
    findings: Findings = {}
    verifier, credential = await make_verifier(context, node, parameters, findings)
    if isinstance(verifier, Closed):
        context.log.warning(
            "A webhook has no usable credential; its calls are refused.",
            extra={"webhookId": webhook.id, "workflowId": webhook.workflow_id},
        )
    base = context.service.public_url
    return Hook(
        webhook=webhook,
        workflow=workflow,
        node=node,
        parameters=parameters,
        output=parameters.methods.index(webhook.method),
        verifier=verifier,
        own_headers=verifier.headers if verifier else NOTHING,
        signed_id=verifier.signed_id if isinstance(verifier, SignatureVerifier) else None,
        networks=callers.networks(parameters.options, findings),
        origins=callers.origins(parameters.options, findings),
        ignore_robots=parameters.options.get("ignoreBots") is True,
        body=replace(body_options(parameters, findings), inline_limit=context.settings(BinarySettings).inline_limit),
        plan=plan(parameters, findings),
        url=paths.url(base, PRODUCTION, webhook.path),
        test_url=paths.url(base, TEST, webhook.path),
        credential=credential,
    )


def find_node(workflow: Workflow, webhook: Webhook) -> Node | None:
    """The registration's node; ids may be missing or repeated in a document, so that the name counts too."""
    named = workflow.nodes.get(webhook.node_name)
    if named is not None and named.id == webhook.node_id:
        return named
    return next((node for node in workflow.nodes.values() if node.id == webhook.node_id), None)


def body_options(parameters: HookParameters, findings: Findings) -> BodyOptions:
    name = text(parameters.options, "binaryPropertyName", findings, "options.")
    return BodyOptions(parameters.options.get("rawBody") is True, name or None)


async def make_verifier(
    context: PluginContext, node: Node, parameters: HookParameters, findings: Findings
) -> tuple[Verifier | None, tuple[str, int] | None]:
    """The verifier, and the stored credential that it needed. What is wrong goes to `findings`, and then the verifier
    refuses every call. Raises `StoreUnavailable`."""
    kind = parameters.authentication
    config = credentials.written_config(parameters, findings)
    written: Findings = {}
    verifier = credentials.build(kind, config, written)
    named = credentials.reference(node, kind)
    used: tuple[str, int] | None = None
    if isinstance(verifier, Closed) and named is not None:
        stored = await credentials.stored_config(context, kind, named)
        written = {}
        if stored is None:
            written["authentication"] = f"The stored credential {named.name or named.id} is not there."
        else:
            verifier = credentials.build(kind, {**config, **stored[0]}, written)
        used = (named.id, stored[1] if stored else 0)
        config = {**config, **(stored[0] if stored else {})}
    findings.update(written)
    context.secrets.redact(*(value for name, value in config.items() if name in SECRETS))
    return verifier, used


async def check_node(context: PluginContext, node: Node) -> Findings:
    """Everything that keeps the node from going live. Raises `StoreUnavailable`."""
    parameters = read(node)
    findings: Findings = dict(parameters.findings)
    callers.networks(parameters.options, findings)
    callers.origins(parameters.options, findings)
    body_options(parameters, findings)
    plan(parameters, findings)
    if parameters.authentication != "unknown":
        await make_verifier(context, node, parameters, findings)
    return findings
