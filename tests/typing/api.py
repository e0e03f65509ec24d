"""Uses of the public API that the type checker must accept, and (marked) those that it must refuse. Never run:
checked by `tox -e type`, where an ignore that ignores nothing is an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, assert_type

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
from jackfield.api.extensions import ExtensionPoint, Given
from jackfield.api.http import json_response, operation, principal, read_model
from jackfield.api.nodes import NodeDescription, NodeParameters, NodeResult, NodeRun, NodeType, Suspend
from jackfield.api.plugin import OutsideContext, Plugin, SettingsTable, deferred, hookimpl, later
from jackfield.api.registry import Registry
from jackfield.api.triggers import Registration, Trigger, WorkflowChange
from jackfield.api.workflows import Item, Node, Problem, Workflow
from jackfield.testing.clock import FakeClock


class GreeterSettings(BaseModel):
    greeting: str = Field("Hello", description="The first word.")


class Greeter(Protocol):
    def greet(self, name: str) -> str: ...


class Style(Protocol):
    @property
    def name(self) -> str: ...


STYLES = ExtensionPoint("greeter_styles", Style)


class GreeterPlugin(Plugin):
    name = "greeter"
    requires = "1"
    settings = (SettingsTable("greeter", GreeterSettings), SettingsTable("greeter.more", "greeter.settings:More"))
    commands = ("greeter.commands:greet",)
    provides = {Greeter: "greeter.service:Service", "greeter.ports:Other": "greeter.service:Other"}
    parts = ("greeter.service:Cache",)
    extension_points = (STYLES,)

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self.nodes = [Shout()]

    @hookimpl
    def jackfield_nodes(self) -> Sequence[NodeType]:
        return self.nodes

    @hookimpl(specname="jackfield_auth_methods")
    def methods(self) -> Sequence[AuthMethod]:
        return [TicketAuth()]

    jackfield_blueprints = later("greeter.routes:blueprints")
    start = deferred("greeter.service:start")

    async def stop(self) -> None:
        assert_type(self.context.settings(GreeterSettings), GreeterSettings)


class QuickPlugin(Plugin):
    def start(self) -> None:
        self.context.log.info("Nothing to wait for.")


class WrongPlugin(Plugin):
    requires = 1  # type: ignore[assignment]
    settings = ("greeter",)  # type: ignore[assignment]

    def stop(self, timeout: float) -> None:  # type: ignore[override]
        return None


def ports_keep_their_type(context: PluginContext) -> None:
    assert_type(context.port(Greeter), Greeter)
    assert_type(context.port(Registry), Registry)
    assert_type(context.find_port(Greeter), Greeter | None)
    assert_type(context.built_port(Greeter), Greeter | None)
    assert_type(context.extensions(STYLES), Mapping[str, Style])
    assert_type(context.given(STYLES), Mapping[str, Given[Style]])
    context.port(Greeter).shout()  # type: ignore[attr-defined]
    context.port("Greeter")  # type: ignore[arg-type]


no_daemon: object = OutsideContext("greeter").settings


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
