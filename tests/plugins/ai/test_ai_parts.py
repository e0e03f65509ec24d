"""Nodes that serve others, as the reader, the validation and the engine see them; and types that are only known."""

from __future__ import annotations

from typing import Any

import pytest
from ai_lab import AiLab, flow, model, node

from jackfield.api.context import WorkflowReader
from jackfield.api.errors import InvalidInput
from jackfield.api.nodes import NodeCatalog, SupplyingNode
from jackfield.api.workflows import AttachedWire, local_type
from jackfield_ai.catalogue import RUNNING, SERVING
from jackfield_ai.known_kinds import KNOWN
from jackfield_workflows.routes.node_type_views import node_type_view
from jackfield_workflows.starts import start_node


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("@n8n/n8n-nodes-langchain.openAi", "langchain.openAi"),
        ("jackfield.langchain.openAi", "langchain.openAi"),
        ("n8n-nodes-base.openAi", "openAi"),
    ],
)
def test_two_packages_have_types_of_one_name(written: str, kind: str) -> None:
    assert local_type(written) == kind


def agent(**more: Any) -> dict[str, Any]:
    return node("Agent", "agent", {"promptType": "define", "text": "hi"}, typeVersion=2, **more)


def test_parts_are_no_wires(lab: AiLab) -> None:
    tool = node("T", "toolThink")
    document: Any = flow(agent(), parts=[(model(), "ai_languageModel", "Agent"), (tool, "ai_tool", "Agent")])
    document["connections"]["T"]["ai_tool"].append(None)
    document["connections"]["T"]["ai_tool"][0].append({"node": "Gone", "type": "ai_tool", "index": 0})
    document["connections"]["T"]["odd"] = 7
    workflow = lab.context.port(WorkflowReader).parse(document)
    assert workflow.attached == {
        "Agent": (AttachedWire("ai_languageModel", "Model", 0), AttachedWire("ai_tool", "T", 0))
    }
    assert list(workflow.wires) == ["Start"]
    assert workflow.parts() == {"Model", "T"}
    assert workflow.document is document


@pytest.mark.parametrize("wires", [7, {"0": []}, [7], [[7]]])
def test_the_form_of_these_wires_counts_too(lab: AiLab, wires: Any) -> None:
    document: Any = flow(agent())
    document["connections"]["Start"]["ai_tool"] = wires
    with pytest.raises(InvalidInput) as caught:
        lab.context.port(WorkflowReader).parse(document)
    assert "connections.Start.ai_tool" in str(caught.value.details)


def test_a_workflow_never_starts_at_a_part(lab: AiLab) -> None:
    document: Any = flow(agent(), parts=[(model(), "ai_languageModel", "Agent")])
    document["nodes"] = [document["nodes"][2], document["nodes"][1]]
    document["connections"].pop("Start")
    workflow = lab.context.port(WorkflowReader).parse(document)
    assert start_node(workflow, lab.context.port(NodeCatalog)) == "Agent"


def problems(lab: AiLab, document: Any) -> list[str]:
    found = lab.context.port(WorkflowReader).problems(lab.context.port(WorkflowReader).parse(document))
    return [f"{problem.severity} {problem.path}: {problem.message}" for problem in found]


def test_a_whole_agent_is_valid(lab: AiLab) -> None:
    tool = node("T", "n8n-nodes-base.setTool", {}, typeVersion=3.4)
    document = flow(agent(), parts=[(model(), "ai_languageModel", "Agent"), (tool, "ai_tool", "Agent")])
    assert problems(lab, document) == []


def test_what_is_wrong_with_parts(lab: AiLab) -> None:
    assert problems(lab, flow(agent())) == [
        "warning nodes[1]: The node needs a language model (ai_languageModel); connect one to it."
    ]
    off = {**model(), "disabled": True}
    assert "needs a language model" in problems(lab, flow(agent(), parts=[(off, "ai_languageModel", "Agent")]))[0]
    astray = flow(node("Set", "n8n-nodes-base.noOp"), parts=[(node("T", "toolThink"), "ai_tool", "Set")])
    assert problems(lab, astray) == [
        "warning connections.T.ai_tool: The node Set takes nothing of the kind ai_tool; the wire to it does nothing."
    ]
    wrong = flow(
        agent(), parts=[(model(), "ai_languageModel", "Agent"), (node("M", "toolThink"), "ai_memory", "Agent")]
    )
    assert "gives nothing of the kind ai_memory" in problems(lab, wrong)[0]
    missing: Any = flow(agent(), parts=[(model(), "ai_languageModel", "Agent")])
    missing["connections"]["Model"]["ai_languageModel"][0][0]["node"] = "Gone"
    assert any("no node Gone" in line and line.startswith("error") for line in problems(lab, missing))


async def test_an_agent_without_a_model_fails(lab: AiLab) -> None:
    assert "needs a language model; attach one" in await lab.failure(flow(agent()), {"x": 1})


async def test_a_part_does_not_run_by_itself(lab: AiLab) -> None:
    assert "serves other nodes" in await lab.failure(flow(model()), {"x": 1})


async def test_parts_in_a_circle_fail(lab: AiLab) -> None:
    first = node("One", "outputParserAutofixing")
    second = node("Two", "outputParserAutofixing")
    main = node("Agent", "agent", {"promptType": "define", "text": "x", "hasOutputParser": True}, typeVersion=2)
    kind = "ai_outputParser"
    document = flow(main, parts=[(first, kind, "Agent"), (second, kind, "One"), (model(), "ai_languageModel", "Agent")])
    wires: Any = document["connections"]
    wires["One"][kind][0].append({"node": "Two", "type": kind, "index": 0})
    assert "may lead in a circle" in await lab.failure(document, {"x": 1})


async def test_what_cannot_serve_is_named(lab: AiLab) -> None:
    odd = node("Odd", "n8n-nodes-base.set", {}, typeVersion=3.4)
    message = await lab.failure(flow(agent(), parts=[(odd, "ai_languageModel", "Agent")]), {"x": 1})
    assert message == "The node 'Odd' (n8n-nodes-base.set) cannot serve another node."


async def test_a_type_that_is_not_installed_fails_its_parent(lab: AiLab) -> None:
    odd = node("Odd", "@somebody/n8n-nodes-x.thing")
    document = flow(agent(), parts=[(odd, "ai_tool", "Agent"), (model(), "ai_languageModel", "Agent")])
    await lab.credential("openAiApi")
    assert "'@somebody/n8n-nodes-x.thing' is not installed" in await lab.failure(document, {"x": 1})


async def test_a_known_type_validates_and_fails_when_it_is_reached(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    memory = node("Memory", "memoryZep", {"sessionId": "t"}, typeVersion=1.3)
    document = flow(agent(), parts=[(memory, "ai_memory", "Agent"), (model(), "ai_languageModel", "Agent")])
    assert problems(lab, document) == [
        (
            "warning nodes[2].type: The node type @n8n/n8n-nodes-langchain.memoryZep cannot run here: There is no "
            "connection to this memory yet; use langchain.memoryBufferWindow."
        )
    ]
    assert "cannot run: There is no connection to this memory yet" in await lab.failure(document, {"x": 1})
    main = node("Guard", "guardrails", {}, typeVersion=1)
    assert "(@n8n/n8n-nodes-langchain.guardrails) cannot run" in await lab.failure(flow(main), {"x": 1})


def test_every_type_has_a_form_and_says_what_it_is(lab: AiLab) -> None:
    for kind in [*(f"langchain.{kind}" for kind in (*RUNNING, *SERVING)), *KNOWN]:
        found = lab.context.port(NodeCatalog).find(kind)
        assert found is not None, kind
        assert found.kind == kind
        view: Any = node_type_view(found)
        assert view["versions"], kind
        assert view["description"], kind
        assert view["parameters"]["type"] == "object", kind
        lacks_library = "; install jackfield[" in view["missing"]
        assert bool(view["missing"]) == (kind in KNOWN or lacks_library)
        assert isinstance(found, SupplyingNode) == (kind.partition(".")[2] in SERVING or kind in KNOWN)


def test_the_tool_form_of_a_type(lab: AiLab) -> None:
    catalog = lab.context.port(NodeCatalog)
    assert catalog.find("httpRequestTool") is catalog.find("httpRequest")
    assert catalog.find("langchain.agentTool") is catalog.find("langchain.agent")
    assert catalog.find("manualTriggerTool") is None
    assert catalog.find("Tool") is None


async def test_a_sub_workflow_is_asked_anew_when_the_question_changed(lab: AiLab) -> None:
    """After a crash an agent runs again, and may ask for something else than before."""
    from jackfield_engine.node.attached import _asked

    asked: Any = lab.context.port(WorkflowReader).parse(flow(agent())).nodes["Agent"]
    assert _asked(asked, [{"json": {"a": 1}}]) == _asked(asked, [{"json": {"a": 1}}])
    assert _asked(asked, [{"json": {"a": 1}}]) != _asked(asked, [{"json": {"a": 2}}])
