"""Keeps a proxy's process as the daemon does: `proxy_keeper.py UPSTREAM TOKEN FOLDER`. What the proxy has served is
counted as usage, in the ledger below the folder. The proxy's process id and port are printed when it listens, with the
milliseconds that it took."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from jackfield.core.manifests import FileLayers
from jackfield.testing.context import FakeContext
from jackfield_proxy.daemon.listener import ProxyListener
from jackfield_proxy.daemon.process import ProxyProcess
from jackfield_proxy.daemon.records import CountedAnswers, Records
from jackfield_proxy.daemon.takeover import ConnectionTakeover, DescriptorBudget
from jackfield_proxy.messages import ToChild
from jackfield_proxy.plan import ProxyPlan, Rule, Target, Upstream
from jackfield_proxy.takeover import InheritedDescriptors
from jackfield_telemetry.recorder import UsageRecorder

UPSTREAM, TOKEN, FOLDER = sys.argv[1:4]
RULES = [
    Rule("long", {"type": "token_count", "min": 500_000}, Target("same", "large"), 20),
    Rule("other", {"type": "model_pattern", "pattern": "other*"}, Target("other", "served"), 10),
    Rule("gemini", {"type": "model_pattern", "pattern": "gemini*"}, Target("gemini", "served"), 10),
]
"""Requests for models that begin with "other" go to the provider of the other dialect, and so on."""
UPSTREAMS = {
    "same": Upstream("same", "anthropic", UPSTREAM, keys=("key",)),
    "other": Upstream("other", "openai", f"{UPSTREAM}/v1", keys=("key",)),
    "gemini": Upstream("gemini", "gemini", UPSTREAM, keys=("key",)),
}


def records() -> Records:
    """As the daemon has them for a profile, with its prices and its ledger."""
    context = FakeContext(Path(FOLDER), ports={"Layers": FileLayers(Path(FOLDER))})
    context.events.heard = ()
    context.ports["Usage"] = UsageRecorder(context)
    return Records(context, "bench", CountedAnswers(), kept=1000)


async def main() -> None:
    kept = records()
    began = time.perf_counter()
    listener = ProxyListener(lambda _, coroutine: asyncio.get_running_loop().create_task(coroutine))
    listener.open(0)
    takeover = ConnectionTakeover(DescriptorBudget.of_process())
    process = await ProxyProcess.started(takeover.inherited(InheritedDescriptors(listener.fileno())))
    takeover.follow()
    logging = asyncio.create_task(process.log(_ignored))
    await process.send(ToChild(plan=ProxyPlan("bench", TOKEN, "same", rules=RULES, upstreams=UPSTREAMS)))
    try:
        async for message in process.messages():
            if message.listening is not None:
                took = (time.perf_counter() - began) * 1000
                print(process.pid, message.listening, f"{took:.0f}", flush=True)
            if message.served is not None:
                await kept.take(message.served, "claude-code")
    finally:
        process.kill()
        logging.cancel()


async def _ignored(lines: list[str]) -> None:
    sys.stderr.write("\n".join(lines) + "\n")


asyncio.run(main())
