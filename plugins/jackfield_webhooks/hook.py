"""A webhook made ready for calls: everything that its parameters say, worked out once."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.binary import BinarySettings
from jackfield.api.call_triggers import CallTrigger
from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeCatalog
from jackfield.api.nodes.streaming_nodes import NOTHING_STREAMS, streams_behind
from jackfield.api.projects import reaching, run_reach
from jackfield.api.records import record, replace
from jackfield.api.storage import Webhook
from jackfield.api.triggers import TRIGGERS, Registration, node_path, registered_node
from jackfield.api.workflows import Node, Problem, Workflow
from jackfield_webhooks import paths
from jackfield_webhooks.answers.plans import AnswerPlan, plan
from jackfield_webhooks.authentication import callers, credentials
from jackfield_webhooks.authentication.callers import Network, Origins
from jackfield_webhooks.authentication.presets import PresetCatalog
from jackfield_webhooks.authentication.verifiers import Closed, Verifier
from jackfield_webhooks.bodies.parsing import BodyOptions
from jackfield_webhooks.parameters import SECRETS, Findings, HookParameters, read, text

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
    networks: tuple[Network, ...] | None
    origins: Origins | None
    ignore_robots: bool
    body: BodyOptions
    plan: AnswerPlan
    url: str
    test_url: str
    credential: tuple[str, int] | None
    """Id and time of change of the stored credential that the verifier was made from."""


class HookFactory:
    """`HookSource`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._presets = context.port(PresetCatalog)

    async def make(self, webhook: Webhook, workflow: Workflow) -> Hook | None:
        node = node_of(self._context, webhook, workflow)
        if node is None:
            return None
        parameters = read(node)
        if webhook.method not in parameters.methods:
            return None
        findings: Findings = {}
        with reaching(run_reach(webhook.workflow_id)):
            verifier, credential = await self._verifier(node, parameters, findings)
        if isinstance(verifier, Closed):
            self._context.log.warning(
                "A webhook has no usable credential; its calls are refused.",
                extra={"webhookId": webhook.id, "workflowId": webhook.workflow_id},
            )
        base = self._context.service.public_url
        inline_limit = self._context.settings(BinarySettings).inline_limit
        return Hook(
            webhook=webhook,
            workflow=workflow,
            node=node,
            parameters=parameters,
            output=parameters.methods.index(webhook.method),
            verifier=verifier,
            own_headers=verifier.headers if verifier else NOTHING,
            networks=callers.networks(parameters.options, findings),
            origins=callers.origins(parameters.options, findings),
            ignore_robots=parameters.options.get("ignoreBots") is True,
            body=replace(body_options(parameters, findings), inline_limit=inline_limit),
            plan=plan(parameters, findings),
            url=paths.url(base, webhook.kind, webhook.path),
            test_url=paths.url(base, paths.test_segment(webhook.kind), webhook.path),
            credential=credential,
        )

    def registrations(self, kind: str, nodes: Sequence[Node]) -> Sequence[Registration]:
        return [found for node in nodes for found in _registrations(kind, node)]

    async def problems(self, kind: str, nodes: Sequence[Node], workflow: Workflow) -> Sequence[Problem]:
        found: list[Problem] = []
        for node in nodes:
            where = node_path(workflow, node)
            for name, message in (await self._findings(node)).items():
                found.append(Problem(f"{where}.parameters.{name}", message))
            if read(node).mode == "streaming" and not streams_behind(node, workflow, self._context.port(NodeCatalog)):
                found.append(Problem(f"{where}.parameters.responseMode", NOTHING_STREAMS))
        return [*found, *_twice(kind, nodes, workflow)]

    async def _findings(self, node: Node) -> Findings:
        """Everything that keeps the node from going live."""
        parameters = read(node)
        findings: Findings = dict(parameters.findings)
        callers.networks(parameters.options, findings)
        callers.origins(parameters.options, findings)
        body_options(parameters, findings)
        plan(parameters, findings)
        if parameters.authentication != "unknown":
            await self._verifier(node, parameters, findings)
        return findings

    async def _verifier(
        self, node: Node, parameters: HookParameters, findings: Findings
    ) -> tuple[Verifier | None, tuple[str, int] | None]:
        """The verifier, and the stored credential that it needed.

        Mistakes go to `findings`, and then the verifier refuses every call.
        """
        kind = parameters.authentication
        config = credentials.written_config(parameters, findings)
        written: Findings = {}
        verifier = await self._built(parameters, config, written)
        named = credentials.reference(node, kind)
        used: tuple[str, int] | None = None
        if isinstance(verifier, Closed) and named is not None:
            stored = await credentials.stored_config(self._context, kind, named)
            written = {}  # a missing credential is reported of every node alike, not by its type
            if stored is not None:
                config = {**config, **stored[0]}
                verifier = await self._built(parameters, config, written)
            elif await self._context.store.credential(named.id) is not None:
                unfit = "is of another kind, or sealed with another key; choose another"
                written["authentication"] = f"The stored credential {named.name or named.id} {unfit}."
            used = (named.id, stored[1] if stored else 0)
        findings.update(written)
        self._context.secrets.redact(*(value for name, value in config.items() if name in SECRETS))
        return verifier, used

    async def _built(
        self, parameters: HookParameters, config: credentials.Config, findings: Findings
    ) -> Verifier | None:
        if parameters.authentication != "hmac":
            return credentials.build(parameters.authentication, config, findings)
        presets = await self._presets.load()
        if not config.get("preset"):
            return credentials.build("hmac", config, findings, [preset.name for preset in presets])
        names = [field.name for preset in presets for field in preset.fields]
        return await self._presets.build({**credentials.preset_config(parameters, names, findings), **config}, findings)


def node_of(context: PluginContext, webhook: Webhook, workflow: Workflow) -> Node | None:
    """The registration's node, with the parameters of a Webhook node."""
    node = registered_node(workflow.nodes.values(), webhook.node_id, webhook.node_name)
    trigger = context.extensions(TRIGGERS).get(webhook.kind)
    return as_webhook(context, trigger, node) if node is not None and isinstance(trigger, CallTrigger) else node


def as_webhook(context: PluginContext, trigger: CallTrigger, node: Node) -> Node:
    """A node of another plugin's trigger as a Webhook node would say it; its stored credential stays its own. When the
    trigger fails, the node has no path, so that it takes no call and does not go live."""
    try:
        parameters = dict(trigger.reception(node))
    except Exception as exc:
        context.log.error("The trigger %s cannot say how the node %s takes calls: %r", trigger.kind, node.name, exc)
        parameters = {}
    return replace(node, version=None, webhook_id=None, parameters=parameters)


def body_options(parameters: HookParameters, findings: Findings) -> BodyOptions:
    name = text(parameters.options, "binaryPropertyName", findings, "options.")
    return BodyOptions(parameters.options.get("rawBody") is True, name or None)


def _registrations(kind: str, node: Node) -> list[Registration]:
    parameters = read(node)
    if not parameters.registrable:
        return []
    if not parameters.n8n_path:
        places = [(parameters.path, paths.pattern(parameters.path))]
    else:  # n8n lets two nodes have the same parameters, since each has an id in front; so nobody owns the rest
        places = [(parameters.n8n_path, paths.pattern(parameters.n8n_path)), (parameters.path, "")]
    return [
        Registration(
            node_id=node.id,
            node_name=node.name,
            kind=kind,
            method=method,
            path=paths.display(path),
            pattern=pattern,
            authentication=parameters.authentication,
        )
        for path, pattern in places
        for method in parameters.methods
    ]


def _twice(kind: str, nodes: Sequence[Node], workflow: Workflow) -> list[Problem]:
    """Two nodes of one workflow that want the same route."""
    holders: dict[tuple[str, str], str] = {}
    found: list[Problem] = []
    for node in nodes:
        for wanted in _registrations(kind, node):
            if not wanted.pattern:
                continue
            holder = holders.setdefault((wanted.method, wanted.pattern), node.name)
            if holder != node.name:
                message = f"The node {holder} serves {wanted.method} {wanted.path} already; change one of the paths."
                found.append(Problem(f"{node_path(workflow, node)}.parameters.path", message))
    return found
