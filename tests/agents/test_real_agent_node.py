"""A webhook puts the real Claude Code to work, and answers with what it says."""

from __future__ import annotations

from agents_lab import Lab, said, tokens
from model_streams import Reply, Used

AGENT = {
    "profile": "node",
    "prompt": "=Is this rude? {{ $json.body.text }}",
    "outputFormat": "json",
    "timeout": 90,
}
USED = Used(fresh=900, output=12, cached=80, written=7)


def workflow(path: str) -> dict[str, object]:
    return {
        "name": path,
        "nodes": [
            {
                "id": "1",
                "name": "Webhook",
                "type": "jackfield.webhook",
                "parameters": {"path": path, "httpMethod": "POST", "responseMode": "responseNode"},
            },
            {"id": "2", "name": "Agent", "type": "jackfield.agent", "parameters": AGENT},
            {
                "id": "3",
                "name": "Respond",
                "type": "jackfield.respondToWebhook",
                "parameters": {"respondWith": "json", "responseBody": "={{ $json }}"},
            },
        ],
        "connections": {
            "Webhook": {"main": [[{"node": "Agent", "type": "main", "index": 0}]]},
            "Agent": {"main": [[{"node": "Respond", "type": "main", "index": 0}]]},
        },
    }


def test_a_webhook_is_answered_by_the_agent(lab: Lab) -> None:
    lab.profile("node", "claude", "messages")
    lab.daemon.live(workflow("ask-agent"))
    lab.models.replies = [Reply('Certainly:\n```json\n{"rude": true}\n```', used=USED)]
    answer = lab.api.post("/webhook/ask-agent", json={"text": "Go away!"})
    assert answer.status_code == 200, answer.text
    said_back = answer.json()
    assert (said_back["data"], said_back["exitCode"]) == ({"rude": True}, 0)
    assert said_back["usage"]["tokens"] == tokens([USED])
    [served] = lab.models.served
    assert any("Is this rude? Go away!" in text for text in said(served.body))
    assert lab.usage("node")["total_tokens"] == tokens([USED])


def test_a_refusal_fails_the_execution_with_the_models_reason(lab: Lab) -> None:
    lab.profile("refused-node", "codex", "completions")
    document = workflow("ask-refused")
    document["nodes"][1]["parameters"] = {**AGENT, "profile": "refused-node"}  # type: ignore[index]
    ident = lab.daemon.live(document)
    lab.models.refusal = "prompts about rudeness are refused"
    assert lab.api.post("/webhook/ask-refused", json={"text": "Go away!"}).status_code == 500
    [failed] = lab.daemon.admin().get("/executions", params={"status": "failed", "workflowId": ident}).json()["data"]
    execution = lab.daemon.admin().get(f"/executions/{failed['id']}").json()
    assert lab.models.refusal in str(execution["error"])
