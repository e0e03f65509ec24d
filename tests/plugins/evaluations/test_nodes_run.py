"""The nodes of evaluations in the real engine: a workflow as n8n's people write it."""

from __future__ import annotations

from tests.plugins.evaluations.evaluation_world import World

from jackfield.testing.documents import node, set_fields, wires


def test_a_workflow_with_n8ns_nodes_is_evaluated(world: World) -> None:
    table = world.table("dataset", [{"q": "kitten", "a": "sitting"}, {"q": "x", "a": "x"}], q="string", a="string")
    locator = {"__rl": True, "mode": "id", "value": table}
    outputs = {"values": [{"outputName": "answer", "outputValue": "={{ $json.said }}"}]}
    answers = {"expectedAnswer": "={{ $('Row').item.json.a }}", "actualAnswer": "={{ $('Answer').item.json.said }}"}
    document = {
        "name": "evaluated",
        "nodes": [
            node("Row", "evaluationTrigger", {"source": "dataTable", "dataTableId": locator}, version=4.7),
            set_fields("Answer", said="={{ $json.q }}"),
            node("Evaluating", "evaluation", {"operation": "checkIfEvaluating"}, version=4.8),
            node(
                "Write",
                "evaluation",
                {"operation": "setOutputs", "source": "dataTable", "dataTableId": locator, "outputs": outputs},
                version=4.8,
            ),
            node(
                "Measure",
                "evaluation",
                {"operation": "setMetrics", "metric": "stringSimilarity", **answers},
                version=4.8,
            ),
            set_fields("Normal", normal=True),
        ],
        "connections": wires(
            ("Row", "Answer"), ("Answer", "Evaluating"), ("Evaluating", "Write"), ("Evaluating", "Normal", 1),
            ("Write", "Measure"),
        ),
    }  # fmt: skip
    workflow = world.workflow(document)
    scorer = {"kind": "metric", "name": "similar", "metric": "String similarity"}
    target = {"kind": "workflow", "workflowId": workflow, "outputNode": "Answer"}
    world.evaluation("nodes", tableId=table, target=target, scorers=[scorer])
    run = world.run("nodes")
    first, second = world.rows(run["id"])
    assert first["problem"] == ""
    assert (first["output"], first["metrics"]) == ({"said": "kitten"}, {"String similarity": 1 - 3 / 7})
    assert (second["score"], run["totals"]["metrics"]["String similarity"]) == (1, (1 - 3 / 7 + 1) / 2)
    rows = world.get(f"/data-tables/{table}/rows")["data"]
    assert [row["answer"] for row in rows] == ["kitten", "x"]
    by_hand = world.post(f"/workflows/{workflow}/execute", {})
    assert by_hand["status"] == "success", by_hand
