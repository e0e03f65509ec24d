"""The part that trigger nodes of both kinds have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeResult, NodeRun
from jackfield.api.nodes.items import pass_all
from jackfield.api.nodes.lists import CredentialAccess
from jackfield.api.records import replace
from jackfield.api.workflows import Node, Problem
from jackfield_vendors.dates import iso_time
from jackfield_vendors.described.file import Description
from jackfield_vendors.described.triggers import DescribedTrigger
from jackfield_vendors.node import VendorNode
from jackfield_vendors.operations import Check
from jackfield_vendors.parameters import OperationParameters, missing
from jackfield_vendors.requests.exchange import authorized
from jackfield_vendors.requests.sending import ServiceSteps, WholeListSteps, with_special
from jackfield_vendors.templates import TemplateScope
from jackfield_vendors.triggering.compiled import checker
from jackfield_vendors.triggering.poll_times import with_poll_times
from jackfield_vendors.triggering.refusals import refusing


class VendorTriggerNode(VendorNode):
    """In a run by hand it passes on what it is given."""

    effect = False

    @classmethod
    def made(cls, context: PluginContext, description: Description, shapes: Path | None = None) -> Self | None:
        if description.trigger is not None and description.trigger.poll:
            description = with_poll_times(description)
        found = super().made(context, description, shapes)
        if found is not None and description.trigger is not None:
            found.take(description.trigger, checker(found.text.parameters, found.values))
        return found

    def take(self, trigger: DescribedTrigger, check: Check) -> None:
        """Compile its tables. Raises ValueError with the key and what is wrong with it."""
        raise NotImplementedError

    async def execute(self, run: NodeRun) -> NodeResult:
        return [*pass_all(run.items), *([] for _ in range(self.outputs(run.node) - 1))]

    def outputs(self, node: Node) -> int:
        return max(1, len(self.output_names(node)))

    def output_names(self, node: Node) -> Sequence[str]:
        """Empty: it has one without a name."""
        described = self.text.outputs
        return described.names(self.version_of(node), self.given(node)) if described is not None else []

    def version_of(self, node: Node) -> float:
        return max(self.versions) if node.version is None else node.version

    def given(self, node: Node) -> dict[str, Json]:
        """The node's parameters with their defaults."""
        model = self.parameters(node.version).model_validate(dict(node.parameters))
        return model.given() if isinstance(model, OperationParameters) else dict(node.parameters)

    def parameter_problems(self, node: Node) -> Sequence[Problem]:
        """Required parameters that are empty once expressions have their values."""
        found = missing(self.text.parameters, self.given(node))
        return [Problem(f"parameters.{name}", f"The parameter {name} is empty; fill it in.") for name in found]

    async def asking(
        self, node: Node, credentials: CredentialAccess, special: Mapping[str, Json], secrets: Sequence[str] = ()
    ) -> tuple[ServiceSteps, TemplateScope]:
        """The steps that ask the service for this node, and the scope that templates see. Raises `NodeError`."""
        given = self.given(node)
        found = await authorized(self.context, credentials, self.credential_kind(given, node))
        exchange = replace(found, secrets=[*found.secrets, *secrets], check=refusing(self.text))
        scope = self.scope(given, exchange, node.version, {})
        for name, value in special.items():
            scope = with_special(scope, name, value)
        return WholeListSteps(self.text, self.base, exchange), scope

    def times(self, now: int, timezone: str) -> dict[str, Json]:
        """`{$now}` and `{$timezone}`. now: Unix ms."""
        return {"$now": iso_time(now), "$timezone": timezone}


def no_variant(node: Node) -> NodeError:
    return NodeError(f"The parameters of {node.name} choose nothing that the trigger can ask for.")
