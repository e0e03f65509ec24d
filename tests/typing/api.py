"""Uses of the public API that the type checker must accept, and (marked) those that it must refuse. Never run:
checked by `tox -e type`, where an ignore that ignores nothing is an error."""

from __future__ import annotations

from collections.abc import Sequence

import click
from pydantic import BaseModel, Field
from quart import Blueprint, Response

from jackfield.api.asgi import AsgiMount, Receive, Scope, Send
from jackfield.api.auth import AuthMethod, AuthRequest, Principal
from jackfield.api.cli import Cli, config_dir_option
from jackfield.api.clock import Clock, SystemClock
from jackfield.api.context import PluginContext
from jackfield.api.engine import Engine, Execution, ExecutionRequest, Outcome
from jackfield.api.errors import JackfieldError, NotFound
from jackfield.api.hooks import SettingsTable, hookimpl
from jackfield.api.http import json_response, operation, principal, read_model
from jackfield.api.nodes import NodeDescription, NodeParameters, NodeResult, NodeRun, NodeType, Suspend
from jackfield.api.triggers import Registration, Trigger, WorkflowChange
from jackfield.api.workflows import Item, Node, Problem, Workflow
from jackfield.testing.clock import FakeClock


class GreeterSettings(BaseModel):
    greeting: str = Field("Hello", description="The first word.")


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    return [SettingsTable("greeter", GreeterSettings)]


def settings_keep_their_type(context: PluginContext) -> str:
    return context.settings(GreeterSettings).greeting


class TicketAuth:
    name = "ticket"

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        ticket = request.header("x-ticket")
        return None if ticket is None else Principal("1", "one", "viewer", self.name)


method: AuthMethod = TicketAuth()


class Shout:
    kind = "shout"
    versions: Sequence[float] = (1.0,)
    description = NodeDescription("Shout", "Upper-cases a text.", "transform")
    effect = False

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return NodeParameters

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        item: Item = {"json": {"text": "HI"}}
        if run.node.disabled:
            return Suspend(until=0, outputs=[[item]])
        return [[item]]


node_type: NodeType = Shout()


class Listening:
    kind = "listening"

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return []

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        return [Problem("nodes[0]", "Nothing to listen to.", severity="warning")]

    async def follow(self, change: WorkflowChange) -> None:
        return None


trigger: Trigger = Listening()


class Greeting(BaseModel):
    name: str


blueprint = Blueprint("greeter", __name__, url_prefix="/api/v1/greetings")


@blueprint.post("/")
@operation("Greet.", scope="workflows:read", request=Greeting, response=Greeting, status=201)
async def greet() -> Response:
    wanted = await read_model(Greeting)
    if not wanted.name:
        raise NotFound("Nobody is there to greet.")
    return json_response({"name": wanted.name, "by": principal().username}, 201)


async def raw(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})


mount = AsgiMount("raw", raw, access="public")
wrong_access = AsgiMount("raw", raw, access="anybody")  # type: ignore[arg-type]


@click.command("greet")
@config_dir_option
@click.pass_obj
def command(cli: Cli, config_dir: None) -> None:
    async def work(context: PluginContext) -> int:
        return len(await context.store.users())

    count: int = cli.run("greeter", work, config_dir=config_dir)
    click.echo(count)


clocks: list[Clock] = [SystemClock(), FakeClock()]


async def run(context: PluginContext, request: ExecutionRequest) -> Outcome:
    execution: Execution = context.port(Engine).submit(request)
    await execution.accepted
    return await execution.finished


def errors_say_their_status(error: JackfieldError) -> int:
    return error.status


wrong_severity = Problem("nodes", "Bad.", severity="fatal")  # type: ignore[arg-type]
