"""What strangers give has values, and each can be wrong: it is left out and its plugin named, and everybody else's part
of an answer is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import pytest
from quart import Quart

from jackfield.api.auth import OWNER
from jackfield.core.kernel import Kernel
from jackfield.core.plugins import MOST_ERRORS, PluginHost
from jackfield.http.app import create_app

from .test_host_checks import NODE, Install, failed, install, kernel

__all__ = ["install", "kernel"]
Call = Callable[..., Awaitable[tuple[int, Any]]]
GIVING = "class P(Plugin):\n    @hookimpl\n    def jackfield_nodes(self): return [Odd('acme_odd'), Node('acme_good')]\n"


@pytest.fixture
async def serve() -> AsyncIterator[Callable[[Kernel], Awaitable[Call]]]:
    """`call = await serve(kernel)`: the management API as the daemon's own user asks it."""
    running: list[Kernel] = []

    async def started(made: Kernel) -> Call:
        await made.start()
        running.append(made)
        management = create_app(made).management
        management.begin()
        app: Quart = await asyncio.wait_for(management.quart(), 60)
        client = app.test_client()

        async def call(method: str, path: str, body: object = None) -> tuple[int, Any]:
            given = {} if body is None else {"json": body}
            answer = await client.open(path, method=method, scope_base={"jackfield.principal": OWNER}, **given)
            text = await answer.get_data(as_text=True)
            return answer.status_code, (await answer.get_json()) if answer.is_json else text

        return call

    yield started
    for made in running:
        await made.stop()


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        ("    description = 'Greets'\n", "its description is a str"),
        ("    versions = ('one',)\n", "its versions"),
        ("    versions = '12'\n", "its versions"),
        ("    def __init__(self, kind): self.kind = 'two words'\n", "its kind 'two words'"),
        ("    def __init__(self, kind): self.kind = 7\n", "its kind 7"),
        ("    description = NodeDescription('Mine', 'Odd.', 'flow', outputs='main')\n", "description.outputs"),
        ("    description = NodeDescription('Mine', 'Odd.', 'flow', help='javascript:1')\n", "description.help"),
        ("    def parameters(self, version): raise RuntimeError('no form')\n", "no form"),
    ],
)
async def test_a_node_with_odd_values_is_left_out_of_the_list(
    install: Install, kernel: Callable[[], Kernel], serve: Callable[[Kernel], Awaitable[Call]], odd: str, told: str
) -> None:
    install("acme-odd", {"acme": "acme_odd:P"}, acme_odd=f"{NODE}\nclass Odd(Node):\n{odd}\n{GIVING}")
    made = kernel()
    call = await serve(made)
    for path in ("/api/v1/node-types", "/api/v1/node-types?schemas=false"):
        status, body = await call("GET", path)
        assert status == 200
        kinds = [node["kind"] for node in body["data"]]
        assert {"acme_good", "set"} <= set(kinds)
        assert body["total"] == len(kinds)
    assert "acme_odd" not in [node["kind"] for node in (await call("GET", "/api/v1/node-types"))[1]["data"]]
    assert (await call("GET", "/api/v1/node-types/acme_odd"))[0] == 404
    assert (await call("GET", "/api/v1/node-types/acme_good"))[0] == 200
    assert told in failed(made)["acme"]
    assert failed(made)["acme"].count(told) == 1


TRIGGER = """
class Trigger:
    kind = "acme"
    def registrations(self, workflow): return []
    async def activation_problems(self, workflow): return []
    async def follow(self, change): pass
class Start(Node):
    description = NodeDescription("Start", "Begins.", "trigger", inputs=0, trigger=True)
class Odd(Trigger):
%s
class P(Plugin):
    @hookimpl
    def jackfield_nodes(self): return [Start("acmeTrigger")]
    @hookimpl
    def jackfield_triggers(self): return [Odd()]
"""


def workflow(kind: str) -> Mapping[str, object]:
    node = {"id": "1", "name": "Start", "type": kind, "typeVersion": 1, "position": [0, 0], "parameters": {}}
    return {"name": "Tried", "nodes": [node], "connections": {}}


@pytest.mark.parametrize(
    "odd",
    [
        "    def registrations(self, workflow): raise RuntimeError('no list')",
        "    def registrations(self, workflow): return None",
        "    def registrations(self, workflow): return ['one']",
        "    def registrations(self, workflow): raise SystemExit(3)",
    ],
)
async def test_a_trigger_that_cannot_register_refuses_its_own_workflows_alone(
    install: Install, kernel: Callable[[], Kernel], serve: Callable[[Kernel], Awaitable[Call]], odd: str
) -> None:
    install("acme-odd", {"acme": "acme_odd:P"}, acme_odd=NODE + TRIGGER % odd)
    made = kernel()
    call = await serve(made)
    status, body = await call("POST", "/api/v1/workflows", workflow("jackfield.manualTrigger"))
    assert status == 201, body
    assert "registrations of the trigger acme" in failed(made)["acme"]
    status, body = await call("POST", "/api/v1/workflows", workflow("jackfield.acmeTrigger"))
    assert status == 400
    assert "The plugin acme failed in registrations" in str(body)
    assert "no list" not in str(body)
    status, body = await call("GET", "/api/v1/workflows")
    assert len(body["data"]) == 1


@pytest.mark.parametrize(
    "odd",
    [
        "    async def follow(self, change): raise RuntimeError('no follow')",
        "    def follow(self, change): raise RuntimeError('no follow')",
        "    def follow(self, change): return None",
        "    async def follow(self, change): raise SystemExit(3)",
        "    async def follow(self, change): import asyncio; raise asyncio.CancelledError",
    ],
)
async def test_an_answer_after_the_commit_does_not_fail(
    install: Install, kernel: Callable[[], Kernel], serve: Callable[[Kernel], Awaitable[Call]], odd: str
) -> None:
    install("acme-odd", {"acme": "acme_odd:P"}, acme_odd=NODE + TRIGGER % odd)
    made = kernel()
    call = await serve(made)
    status, body = await call("POST", "/api/v1/workflows", workflow("jackfield.acmeTrigger"))
    assert status == 201, body
    assert "follow of the trigger acme" in failed(made)["acme"]
    listed = {plugin["name"]: plugin for plugin in (await call("GET", "/api/plugins"))[1]["data"]}
    assert "follow of the trigger acme" in listed["acme"]["error"]
    status, _ = await call("DELETE", f"/api/v1/workflows/{body['id']}")
    assert status in (200, 204)


async def test_a_trigger_that_cannot_tell_problems_is_a_problem_of_its_workflows(
    install: Install, kernel: Callable[[], Kernel], serve: Callable[[Kernel], Awaitable[Call]]
) -> None:
    odd = "    async def activation_problems(self, workflow): raise RuntimeError('no look')"
    install("acme-odd", {"acme": "acme_odd:P"}, acme_odd=NODE + TRIGGER % odd)
    call = await serve(kernel())
    status, body = await call("POST", "/api/v1/workflows/validate", workflow("jackfield.acmeTrigger"))
    assert status == 200
    assert "The plugin acme failed in activation_problems" in str(body)
    status, body = await call("POST", "/api/v1/workflows/validate", workflow("jackfield.manualTrigger"))
    assert "acme" not in str(body)


METRICS = """
from jackfield.api.diagnosis import Metric
class P(Plugin):
    @hookimpl
    def jackfield_metrics(self):
        return [Metric("acme_good", "Good.", "gauge", 1.5, {"place": 'a"b'}), %s]
"""


@pytest.mark.parametrize(
    ("sample", "told"),
    [
        ("Metric('met_x', 'h', 'counter', None)", "no finite number"),
        ("Metric('met_x', 'h', 'counter', float('nan'))", "no finite number"),
        ("Metric('met_x', 'h', 'counter', 10 ** 400)", "no finite number"),
        ("Metric('met x', 'h', 'counter', 1)", "its name is none"),
        ("Metric('info', 'h', 'gauge', 1)", "the kernel's"),
        ("Metric('met_x', 'one\\ntwo', 'gauge', 1)", "one line"),
        ("Metric('met_x', 'h', 'summary', 1)", "none of counter, gauge and histogram"),
        ("Metric('met_x', 'h', 'gauge', 1, {'a b': 'c'})", "labels"),
        ("Metric('met_x', 'h', 'gauge', 1, {'a': 1})", "labels"),
        ("Metric('acme_good', 'Good.', 'gauge', 2, {'place': 'a\"b'})", "given already"),
        ("Metric('acme_spread', 'Good.', 'histogram', 2)", "its part is none of its kind's"),
        ("Metric('acme_part', 'Good.', 'gauge', 2, {}, 'sum')", "its part is none of its kind's"),
        ("Metric('acme_good', 'Good.', 'counter', 2)", "its kind is not the gauge"),
    ],
)
async def test_a_sample_that_prometheus_cannot_read_is_left_out(
    install: Install, kernel: Callable[[], Kernel], serve: Callable[[Kernel], Awaitable[Call]], sample: str, told: str
) -> None:
    install("acme-odd", {"acme": "acme_odd:P"}, acme_odd=METRICS % sample)
    made = kernel()
    call = await serve(made)
    for _ in range(2):
        status, text = await call("GET", "/metrics")
        assert status == 200
        assert 'jackfield_acme_good{place="a\\"b"} 1.5' in text.splitlines()
        assert "met" not in text.replace("metric", "")
        assert text.count("# TYPE jackfield_info ") == 1
    assert failed(made)["acme"].count(told) == 1


BLUEPRINT = """
from quart import Blueprint
from jackfield.api.http import operation
def blueprints(context):
    good, bad = Blueprint("good", __name__), Blueprint("bad", __name__)
    @good.before_request
    async def before(): pass
    @good.get("/api/v1/acme")
    @operation("Say yes.", scope=None)
    async def yes(): return "yes"
    @bad.get("/api/v1/other")
    @operation("Say no.", scope=None)
    async def no(): return "no"
    async def taken(*given): return "taken"
    {use}
    return [good, bad]
class P(Plugin):
    jackfield_blueprints = later("acme_odd:blueprints")
"""


@pytest.mark.parametrize(
    ("use", "told"),
    [
        ("bad.before_app_request(taken)", "before_app_request"),
        ("bad.after_app_request(taken)", "after_app_request"),
        ("bad.app_errorhandler(404)(taken)", "app_errorhandler"),
        ("bad.app_context_processor(taken)", "app_context_processor"),
        ("bad.before_app_websocket(taken)", "before_app_websocket"),
        ("bad.before_app_serving(taken)", "before_app_serving"),
        ("bad.app_template_filter('x')(taken)", "app_template_filter"),
        ("bad.record(lambda state: state.app.before_request(taken))", "record()"),
        ("bad.record_once(lambda state: state.app.before_request(taken))", "record()"),
        (
            "inner = Blueprint('inner', __name__); inner.before_app_request(taken); bad.register_blueprint(inner)",
            "before_app_request",
        ),
    ],
)
async def test_a_blueprint_does_nothing_to_the_whole_api(
    install: Install, kernel: Callable[[], Kernel], serve: Callable[[Kernel], Awaitable[Call]], use: str, told: str
) -> None:
    install("acme-odd", {"acme": "acme_odd:P"}, acme_odd=BLUEPRINT.replace("{use}", use))
    made = kernel()
    call = await serve(made)
    assert (await call("GET", "/api/v1/acme")) == (200, "yes")
    assert (await call("GET", "/api/v1/other"))[0] == 404
    assert (await call("GET", "/api/v1/node-types/set"))[0] == 200
    assert told in failed(made)["acme"]


def test_the_mistakes_that_are_kept_are_bounded() -> None:
    host = PluginHost()
    host.discover()
    for number in range(MOST_ERRORS + 10):
        host.report("webhooks", f"failed for the {number}th time")
    assert len(host.plugins["webhooks"].errors) == MOST_ERRORS
