"""Claude Code in an agent node, through its profile's proxy: the proxy's span belongs to the execution's trace."""

from __future__ import annotations

import sys
from pathlib import Path

from agents_lab import Lab, agents_daemon, user_home
from model_server import ModelServer
from model_streams import Reply, Used

from jackfield.testing.daemon import poll
from jackfield.testing.documents import chain, node, webhook

sys.path.insert(0, str(Path(__file__).parents[1] / "plugins/telemetry"))

from otel_lab import Collector, values

PROXY = {"enabled": True, "port": None, "routing": {"strategy": "Conditional", "rules": []}}
TRACE, SPAN = "7" * 32, "b" * 16


def test_a_request_of_an_agent_stands_below_its_run(models: ModelServer, tmp_path: Path) -> None:
    models.forget()
    models.replies = [Reply("Hi.", used=Used(fresh=10, output=5))]
    collector = Collector()
    daemon = agents_daemon(tmp_path, user_home(tmp_path / "user"), models)
    config = daemon.config_dir / "config.toml"
    config.write_text(f'{config.read_text()}\n[telemetry]\notlp_endpoint = "{collector.url}"\n')
    try:
        daemon.start()
        env = {"ANTHROPIC_CUSTOM_HEADERS": "X-Own: 1"}
        Lab(daemon, models, tmp_path / "user").profile("one", "claude", "messages", proxy_config=PROXY, env=env)
        hook = {**webhook("ask"), "parameters": {"path": "ask", "httpMethod": "POST", "responseMode": "lastNode"}}
        asked = {"profile": "one", "prompt": "Hello", "outputFormat": "text"}
        daemon.live(chain("Ask", hook, node("Agent", "agent", asked, version=1)))
        above = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
        answer = daemon.client(timeout=120).post("/webhook/ask", headers=above)
        assert answer.status_code == 200, answer.text
    finally:
        daemon.close()
    poll(lambda: len(collector.spans) >= 4, "the spans arrive")
    spans = {span.name.partition(" ")[0]: span for span in collector.spans}
    assert {span.trace_id.hex() for span in collector.spans} == {TRACE}
    assert spans["chat"].parent_span_id == spans["invoke_agent"].span_id
    assert values(spans["chat"])["http.response.status_code"] == 200
    # The proxy passes the agent's own span on.
    assert set(models.traces) == {f"00-{TRACE}-{spans['invoke_agent'].span_id.hex()}-01"}
    collector.server.shutdown()
