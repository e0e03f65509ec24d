"""The trigger kind `form`: which pages a document has, and why it may not go live."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.credentials import Credentials
from jackfield.api.form_fields import plain
from jackfield.api.nodes import NodeError
from jackfield.api.triggers import Registration, Start, WorkflowChange, node_path, served_nodes
from jackfield.api.workflows import Node, Problem, Workflow
from jackfield_forms.guarding import CREDENTIAL, authentication, networks
from jackfield_forms.mounts import LIVE
from jackfield_forms.pages import options_of, read_page

KIND = "form"
NODES = ("formTrigger",)
LONGEST_PATH = 500


class FormTrigger:
    """Serves formTrigger nodes. The trigger reads its nodes from the store with each page, so that nothing has to
    follow."""

    kind = KIND

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return [
            Registration(node.id, node.name, KIND, "FORM", "/" + path, path, authentication(node.parameters))
            for node in served_nodes(workflow, NODES)
            if (path := path_of(node))
        ]

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        found: list[Problem] = []
        for node in served_nodes(workflow, NODES):
            where = node_path(workflow, node)
            found += [Problem(f"{where}.{path}", message) async for path, message in self._problems(node)]
        return found

    async def _problems(self, node: Node) -> AsyncIterator[tuple[str, str]]:
        if not path_of(node):
            yield (
                "parameters.path",
                "A form needs a path, such as feedback; it may hold letters, digits, - _ . ~ and /.",
            )
        try:
            read_page(node.parameters)
        except ValueError as exc:
            yield "parameters.formFields", str(exc)
        try:
            networks(node.parameters)
        except ValueError:
            yield "parameters.options.ipWhitelist", "This must be addresses or CIDR ranges, separated by commas."
        kind = authentication(node.parameters)
        if kind == "basicAuth":
            message = await self._credential_problem(node)
            if message:
                yield f"credentials.{CREDENTIAL}", message
        elif kind != "none":
            yield "parameters.authentication", "authentication must be one of none, basicAuth."

    async def _credential_problem(self, node: Node) -> str | None:
        ident = node.credential_id(CREDENTIAL)
        if ident is None:
            return "basicAuth needs a stored credential of the kind httpBasicAuth."
        try:
            values = await self._context.port(Credentials).values(ident, CREDENTIAL)
        except NodeError as exc:
            return exc.message
        return None if values.get("user") and values.get("password") else "The credential has no user or no password."

    async def starts(self, workflow: Workflow) -> Sequence[Start]:
        return [Start(each.node_name, f"The form at /{LIVE}{each.path}") for each in self.registrations(workflow)]

    async def follow(self, change: WorkflowChange) -> None:
        """Nothing is kept."""


def path_of(node: Node) -> str:
    """The form's path without slashes at its ends. Empty when it has none that can be served. n8n serves one without a
    path under its webhookId."""
    written = options_of(node.parameters).get("path") or node.parameters.get("path") or node.webhook_id
    path = plain(written).strip("/")
    fits = 0 < len(path) <= LONGEST_PATH and "//" not in path and path.isprintable() and not set(path) & set("?#%{}\\ ")
    return path if fits and not {".", ".."} & set(path.split("/")) else ""
