"""A proxy against its rivals on one provider without a delay, in one run: requests and streams, passed through and
translated, what it adds to a request's time, memory and start.

    python bench/proxy.py [--litellm PROGRAM] [--ccr PROGRAM] [--seconds N] [--write]

LiteLLM's proxy is measured where its program `litellm` is given, claude-code-router where its `ccr` is. Each proxy has
one core. The provider and the load share the other one, and so does whoever counts what our proxy has served: the
daemon, with its ledger of usage. A load is over when the ledger has all of it.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import harness
from harness import CLIENT_CORE, SERVER_CORE, own_processor_seconds, pinned, process, resident_mb, table, verdict

from jackfield.testing.daemon import HOST, free_port, poll

PEERS = Path(__file__).resolve().parent / "peers"
TOKEN = "token-of-the-bench"
DELTAS = 1000
"""Events of a stream that is measured."""
TIMED = 1000
"""Requests, one after the other, of which the percentiles are taken."""
STARTS = 5
SETTLED = 0.3
"""Seconds without a new answer after which the ledger has all."""
TEXT = "Please look at the function below, say what is wrong with it, and mend it. "
HEADERS = {"Authorization": f"Bearer {TOKEN}", "anthropic-version": "2023-06-01"}


@dataclass(frozen=True)
class Asked:
    """Paths and bodies of a request for a whole answer and of one for a stream; each event of a stream has `event`, its
    last one `end`."""

    path: str
    body: bytes
    stream_path: str
    stream_body: bytes
    event: bytes = b"content_block_delta"
    end: bytes = b"message_stop"


@dataclass(frozen=True)
class Keeper:
    """Who keeps a proxy of ours, and counts what it has served. port: of the proxy, pid: of the proxy's process, took:
    milliseconds to its readiness."""

    own_pid: int
    ledger: Path
    pid: int
    port: int
    took: float

    def answers(self) -> int:
        """That are in the ledger."""
        if not self.ledger.exists():
            return 0
        with contextlib.closing(sqlite3.connect(f"file:{self.ledger}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM entries").fetchone()[0])


@dataclass(frozen=True)
class Server:
    """requests: passed and translated; None: it cannot. keeper: of ours."""

    name: str
    port: int
    pid: int
    passed: Asked | None
    translated: Asked | None
    keeper: Keeper | None = None

    def url(self, path: str) -> str:
        return f"http://{HOST}:{self.port}{path}"


@dataclass
class Measured:
    """rates: requests/s; cpu: us of one core for a request, which other load changes little; ledger: us of it beside
    that for whoever counts what was served; streams: MB/s; p50, p99: ms added to a request; memory: MB."""

    rates: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    ledger: dict[str, float] = field(default_factory=dict)
    streams: dict[str, float] = field(default_factory=dict)
    p50: float = 0.0
    p99: float = 0.0
    memory: float = 0.0
    failures: int = 0


def body(model: str, *, stream: bool = False) -> bytes:
    """A request of 4 KB with a tool, as agents send them, though shorter."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    value = {
        "model": model,
        "max_tokens": 4096,
        "system": [{"type": "text", "text": TEXT * 10}],
        "tools": [{"name": "read_file", "description": TEXT, "input_schema": schema}],
        "messages": [
            {"role": "user", "content": TEXT * 10},
            {"role": "assistant", "content": [{"type": "text", "text": TEXT * 10}]},
            {"role": "user", "content": [{"type": "text", "text": TEXT * 10}]},
        ],
        "stream": stream,
    }
    return json.dumps(value, separators=(",", ":")).encode()


def messages(model: str) -> Asked:
    path = "/v1/messages"
    return Asked(path, body(model), path, body(model, stream=True))


def generated(model: str) -> Asked:
    """The same in Gemini's dialect."""
    function = {
        "name": "read_file",
        "description": TEXT,
        "parametersJsonSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    }
    value = {
        "systemInstruction": {"parts": [{"text": TEXT * 10}]},
        "tools": [{"functionDeclarations": [function]}],
        "contents": [{"role": role, "parts": [{"text": TEXT * 10}]} for role in ("user", "model", "user")],
        "generationConfig": {"maxOutputTokens": 4096},
    }
    path, sent = f"/v1beta/models/{model}", json.dumps(value, separators=(",", ":")).encode()
    return Asked(
        f"{path}:generateContent", sent, f"{path}:streamGenerateContent?alt=sse", sent, b'"text"', b'"finishReason"'
    )


# ------------------------------------------------------------------------------------------------------------ servers


@contextlib.contextmanager
def upstream() -> Iterator[str]:
    port = free_port()
    with process(pinned(CLIENT_CORE, sys.executable, str(PEERS / "model_upstream.py"), str(port), str(DELTAS))):
        poll(lambda: answers(port), "the provider answers")
        yield f"http://{HOST}:{port}"


def answers(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request("GET", "/")
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


@contextlib.contextmanager
def keeper(provider: str) -> Iterator[Keeper]:
    """A proxy of ours."""
    with tempfile.TemporaryDirectory() as folder:
        argv = pinned(CLIENT_CORE, sys.executable, str(PEERS / "proxy_keeper.py"), provider, TOKEN, folder)
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as child:
            try:
                assert child.stdout is not None
                pid, port, took = child.stdout.readline().split()
                os.sched_setaffinity(int(pid), {int(SERVER_CORE)})
                yield Keeper(child.pid, Path(folder, "telemetry/ledger.db"), int(pid), int(port), float(took))
            finally:
                child.terminate()


@contextlib.contextmanager
def ours(provider: str) -> Iterator[Server]:
    with keeper(provider) as made:
        yield Server("jackfield", made.port, made.pid, messages("served"), messages("other-model"), made)


@contextlib.contextmanager
def ours_to_gemini(provider: str) -> Iterator[Server]:
    """The same before a provider of Gemini's dialect: asked in that, and in Messages."""
    with keeper(provider) as made:
        asked = generated("gemini-model"), messages("gemini-model")
        yield Server("jackfield, to Gemini", made.port, made.pid, *asked, made)


@contextlib.contextmanager
def relay(provider: str) -> Iterator[Server]:
    port = free_port()
    argv = pinned(SERVER_CORE, sys.executable, str(PEERS / "bare_relay.py"), str(port), provider)
    with process(argv) as child:
        poll(lambda: answers(port), "the bare relay answers")
        yield Server("bare aiohttp relay", port, child.pid, messages("served"), None)


@contextlib.contextmanager
def litellm(provider: str, program: str) -> Iterator[Server]:
    port = free_port()
    models = {
        "served": {"model": "anthropic/served", "api_base": provider, "api_key": "key"},
        "other-model": {"model": "openai/served", "api_base": f"{provider}/v1", "api_key": "key"},
    }
    listed = [{"model_name": name, "litellm_params": params} for name, params in models.items()]
    with tempfile.TemporaryDirectory() as directory:
        config = Path(directory, "config.yaml")  # JSON is YAML
        # The first: to Chat Completions, as the others translate, and not to Responses.
        settings = {"use_chat_completions_url_for_anthropic_messages": True, "telemetry": False}
        made = {
            "model_list": listed,
            "litellm_settings": settings,
            "router_settings": {"disable_cooldowns": True},
            "general_settings": {"master_key": TOKEN},
        }
        config.write_text(json.dumps(made))
        env = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOG": "ERROR"}
        options = ["--config", str(config), "--port", str(port), "--host", HOST, "--num_workers", "1"]
        with process(pinned(SERVER_CORE, program, *options), env=env) as child:
            poll(lambda: answers(port), "LiteLLM answers", timeout=120)
            yield Server("LiteLLM", port, child.pid, messages("served"), messages("other-model"))


@contextlib.contextmanager
def ccr(provider: str, program: str) -> Iterator[Server]:
    """Its pass-through is the transformer `Anthropic`."""
    port = free_port()
    same = {"name": "same", "api_base_url": f"{provider}/v1/messages", "transformer": {"use": ["Anthropic"]}}
    other = {"name": "other", "api_base_url": f"{provider}/v1/chat/completions"}
    config = {
        "LOG": False,
        "HOST": HOST,
        "PORT": port,
        "APIKEY": TOKEN,
        "NON_INTERACTIVE_MODE": True,
        "Providers": [{**one, "api_key": "key", "models": ["served"]} for one in (same, other)],
        "Router": {"default": "same,served"},
    }
    with tempfile.TemporaryDirectory() as home:
        place = Path(home, ".claude-code-router")
        place.mkdir()
        (place / "config.json").write_text(json.dumps(config))
        env = {**os.environ, "HOME": home}
        with process(pinned(SERVER_CORE, program, "start"), env=env) as child:
            poll(lambda: answers(port), "claude-code-router answers", timeout=30)
            yield Server("claude-code-router", port, child.pid, messages("same,served"), messages("other,served"))


# ---------------------------------------------------------------------------------------------------------- measuring


def measured(server: Server, direct: list[float], seconds: int) -> Measured:
    found = Measured()
    for kind, asked in (("passed", server.passed), ("translated", server.translated)):
        if asked is None:
            continue
        timed(server, asked, 20)  # whatever is loaded with the first requests
        harness.drive(server.url(asked.path), 2, body=asked.body, headers=HEADERS)
        if server.keeper is not None:
            settle(server.keeper)
        load, spent, counting = driven(server, asked, seconds)
        found.rates[kind] = load.rate
        found.cpu[kind] = spent / max(1, load.requests) * 1e6
        if server.keeper is not None:
            found.ledger[kind] = counting / max(1, load.requests) * 1e6
        found.failures += load.failures
        size = stream_size(server, asked)
        url = server.url(asked.stream_path)
        load = harness.drive(url, seconds, body=asked.stream_body, headers=HEADERS, connections=8)
        found.streams[kind] = load.rate * size / 1e6
        found.failures += load.failures
    if server.passed is not None:
        times = timed(server, server.passed)
        found.p50, found.p99 = (
            percentile(times, 50) - percentile(direct, 50),
            percentile(times, 99) - percentile(direct, 99),
        )
    found.memory = resident_mb(server.pid)
    return found


def driven(server: Server, asked: Asked, seconds: int) -> tuple[harness.Load, float, float]:
    """The load, and seconds of the processor: of the server, and of whoever counts what it has served. Raises
    `RuntimeError` when something of it was not counted."""
    keeper = server.keeper
    before, counted = own_processor_seconds(server.pid), 0 if keeper is None else keeper.answers()
    counting = 0.0 if keeper is None else own_processor_seconds(keeper.own_pid)
    load = harness.drive(server.url(asked.path), seconds, body=asked.body, headers=HEADERS)
    spent = own_processor_seconds(server.pid) - before
    if keeper is None:
        return load, spent, 0.0
    counted = settle(keeper) - counted
    if counted < load.requests - load.failures:
        raise RuntimeError(f"The ledger has {counted} of {load.requests} requests.")
    return load, spent, own_processor_seconds(keeper.own_pid) - counting


def settle(keeper: Keeper) -> int:
    """Answers in the ledger, once it gets no more of them."""
    seen = [-1]

    def is_over() -> bool:
        seen.append(keeper.answers())
        time.sleep(SETTLED)
        return seen[-1] == seen[-2]

    poll(is_over, "the ledger has everything", timeout=60)
    return seen[-1]


def stream_size(server: Server, asked: Asked) -> int:
    """Bytes of one stream, which is looked at: it must be whole."""
    connection = http.client.HTTPConnection(HOST, server.port, timeout=60)
    headers = {**HEADERS, "Content-Type": "application/json"}
    connection.request("POST", asked.stream_path, asked.stream_body, headers)
    answer = connection.getresponse().read()
    connection.close()
    if asked.end not in answer or answer.count(asked.event) < DELTAS // 50:
        raise RuntimeError(f"{server.name}: no stream but {answer[:500]!r}")
    return len(answer)


def timed(server: Server, asked: Asked, count: int = TIMED) -> list[float]:
    """Milliseconds of requests that follow one another on one connection."""
    connection = http.client.HTTPConnection(HOST, server.port, timeout=60)
    headers = {**HEADERS, "Content-Type": "application/json"}
    found = []
    for number in range(count + 100):
        begun = time.perf_counter()
        connection.request("POST", asked.path, asked.body, headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != http.HTTPStatus.OK:
            raise RuntimeError(f"{server.name} answers with {answer.status}")
        if number >= 100:
            found.append((time.perf_counter() - begun) * 1e3)
    connection.close()
    return found


def percentile(values: list[float], share: int) -> float:
    return statistics.quantiles(values, n=100)[share - 1]


def started(provider: str) -> float:
    """Milliseconds to readiness, the median."""
    found = []
    for _ in range(STARTS):
        with keeper(provider) as made:
            found.append(made.took)
    return statistics.median(found)


# ----------------------------------------------------------------------------------------------------------- the table


def goals(own: Measured, others: dict[str, Measured], start: float) -> list[list[str]]:
    """What is wanted, what was found, and whether that is enough."""
    rows = []

    def at_least(what: str, found: float, wanted: float) -> None:
        rows.append(
            [what, f"{found:.2g}" if found < 10 else f"{found:.0f}", f">= {wanted:g}", verdict(found >= wanted)]
        )

    def at_most(what: str, found: float, wanted: float) -> None:
        rows.append(
            [what, f"{found:.2f}" if found < 10 else f"{found:.0f}", f"<= {wanted:g}", verdict(found <= wanted)]
        )

    for name, passed, translated in (("LiteLLM", 20, 10), ("claude-code-router", 2, 2)):
        if name in others:
            at_least(f"requests/s passed, x {name}", own.rates["passed"] / others[name].rates["passed"], passed)
            ratio = own.rates["translated"] / others[name].rates["translated"]
            at_least(f"requests/s translated, x {name}", ratio, translated)
        else:
            rows.append([f"requests/s, x {name}", "not measured: its program is not given", "-", "-"])
    bare = others["bare aiohttp relay"]
    at_least("requests/s passed, x a bare aiohttp relay", own.rates["passed"] / bare.rates["passed"], 0.65)
    at_least("requests/s translated, x a bare aiohttp relay", own.rates["translated"] / bare.rates["passed"], 0.45)
    at_least("stream MB/s, x a bare aiohttp relay", own.streams["passed"] / bare.streams["passed"], 0.5)
    at_most("ms added, p50", own.p50, 1.5)
    at_most("ms added, p99", own.p99, 10)
    at_most("MB resident", own.memory, 60)
    at_most("ms from start to ready", start, 800)
    return rows


def short(found: float) -> str:
    return f"{found:.2f}" if found < 10 else f"{found:.0f}"


def shown(name: str, one: Measured) -> list[str]:
    def of(values: dict[str, float]) -> list[str]:
        return [f"{values[kind]:,.0f}" if kind in values else "-" for kind in ("passed", "translated")]

    added = [f"{one.p50:.2f}", f"{one.p99:.2f}", f"{one.memory:.0f}", str(one.failures)]
    return [name, *of(one.rates), *of(one.cpu), *of(one.ledger), *of(one.streams), *added]


def main() -> None:
    parser = argparse.ArgumentParser(description="A proxy against its rivals.")
    parser.add_argument("--litellm", metavar="PROGRAM", help="the program litellm")
    parser.add_argument("--ccr", metavar="PROGRAM", help="the program ccr")
    parser.add_argument("--seconds", type=int, default=5, help="of each load")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    options = parser.parse_args()
    harness.need("wrk", "taskset")
    others: dict[str, Measured] = {}
    with upstream() as provider:
        port = int(provider.rsplit(":", 1)[1])
        straight = Server("the provider itself", port, 0, messages("served"), None)
        direct = timed(straight, messages("served"))
        start = started(provider)
        with ours(provider) as server:
            own = measured(server, direct, options.seconds)
        with ours_to_gemini(provider) as server:
            others[server.name] = measured(server, direct, options.seconds)
        with relay(provider) as server:
            others[server.name] = measured(server, direct, options.seconds)
        if options.ccr:
            with ccr(provider, options.ccr) as server:
                others[server.name] = measured(server, direct, options.seconds)
        if options.litellm:
            with litellm(provider, options.litellm) as server:
                others[server.name] = measured(server, direct, options.seconds)
    both = ("requests/s", "CPU us/request", "ledger us/request", "stream MB/s")
    header = ["Proxy", *(f"{name} {kind}" for name in both for kind in ("passed", "translated")), "ms added p50", "p99"]
    rows = [shown(name, one) for name, one in {"jackfield": own, **others}.items()]
    about = (
        f"`python bench/proxy.py` — {harness.CONNECTIONS} connections, requests of {len(body('served')) / 1e3:.0f} KB, "
        f"streams of {DELTAS} deltas on 8. {harness.environment('aiohttp')}."
    )
    found = table(["goal", "found", "wanted", ""], goals(own, others, start))
    text = "\n\n".join([about, table([*header, "MB", "failures"], rows), found])
    harness.publish("proxy", text, write=options.write)


if __name__ == "__main__":
    main()
