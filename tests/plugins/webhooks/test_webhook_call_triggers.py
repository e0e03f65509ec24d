"""Triggers of other plugins that receive calls: what their mistakes cannot do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from jackfield.api.call_triggers import CallIngress, CallTrigger
from jackfield.api.jsontext import Json
from jackfield.api.workflows import Node
from jackfield_webhooks.ingress.applications import PluginIngress
from jackfield_webhooks.routing.registry import call_triggers

Bench = Any
NODE = {"id": "i", "name": "Bell", "type": "jackfield.bell", "parameters": {"door": "front"}}


class Bell(CallTrigger):
    kind = "bell"
    nodes = ("bell",)
    says: Callable[[Node], Any] = staticmethod(lambda node: {"path": node.parameters["door"]})

    def reception(self, node: Node) -> Mapping[str, Json]:
        found: Mapping[str, Json] = self.says(node)
        return found


@pytest.fixture
def bell(bench: Bench) -> Bell:
    trigger = Bell(bench.context)
    bench.context.ports.update(jackfield_triggers=[bench.trigger, trigger], CallIngress=PluginIngress(bench.context))
    return trigger


def test_it_registers_under_its_own_kind(bench: Bench, bell: Bell, parse: Callable[..., Any]) -> None:
    ingress: CallIngress = PluginIngress(bench.context)
    assert list(call_triggers(bench.context)) == ["bell"]
    (found,) = ingress.registrations(bell, parse(NODE))
    assert (found.kind, found.method, found.path, found.pattern) == ("bell", "POST", "/front", "front")
    assert bell.registrations(parse({**NODE, "disabled": True})) == []


@pytest.mark.parametrize("says", [lambda node: 1 / 0, lambda node: None, lambda node: 7, lambda node: {"path": None}])
async def test_one_that_fails_takes_no_call_and_does_not_go_live(
    bench: Bench, bell: Bell, parse: Callable[..., Any], says: Callable[[Node], Any], caplog: pytest.LogCaptureFixture
) -> None:
    bell.says = says
    workflow = parse(NODE)
    assert bell.registrations(workflow) == []
    (problem,) = await bell.activation_problems(workflow)
    assert problem.path == "nodes[0].parameters.path"
    await bench.hook("mine")
    assert (await bench.call("mine", json={})).status == 200
