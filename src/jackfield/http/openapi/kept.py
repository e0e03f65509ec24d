"""The API's description as it is served: made once, beside the event loop, when it is asked for first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from html import escape

from jackfield.api import jsontext
from jackfield.api.records import record
from jackfield.api.version import __version__

from .failures import Described

STYLE = (
    "body{font:16px/1.5 system-ui;max-width:70rem;margin:2rem auto;padding:0 1rem}"
    "td,th{text-align:left;padding:.2rem 1rem .2rem 0;vertical-align:top}code{font:14px ui-monospace,monospace}"
)


@record
class OpenApiTexts:
    """document: JSON. page: HTML."""

    document: bytes
    page: bytes


class KeptDescription:
    """describe: takes some 200 ms, so that it runs in a thread. Routes do not change while the daemon serves."""

    def __init__(self, describe: Callable[[], Described]) -> None:
        self._describe = describe
        self._making: asyncio.Task[OpenApiTexts] | None = None

    async def made(self) -> OpenApiTexts:
        """Those who ask at the same time wait for one. Raises what `describe` raises; it is tried again then."""
        making = self._making
        if making is None or (making.done() and (making.cancelled() or making.exception())):
            making = self._making = asyncio.create_task(asyncio.to_thread(self._make))
        return await asyncio.shield(making)

    def _make(self) -> OpenApiTexts:
        document = self._describe()
        return OpenApiTexts(jsontext.dumps(document), render(document).encode())


def render(document: Described) -> str:
    """The operations as a table: no script, nothing fetched from elsewhere."""
    rows = []
    for path, methods in sorted(document["paths"].items()):
        for method, described in methods.items():
            scope = described.get("x-scope", "")
            rows.append(
                f"<tr><td><code>{escape(method.upper())}</code></td><td><code>{escape(path)}</code></td>"
                f"<td>{escape(described['summary'])}</td><td><code>{escape(str(scope))}</code></td></tr>"
            )
    head = "<tr><th>Method</th><th>Path</th><th>What it does</th><th>Scope</th></tr>"
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Jackfield API</title><style>{STYLE}</style>"
        f"<h1>Jackfield API</h1><p>Version {__version__}. The full description with schemas: "
        f"<a href=/openapi.json>openapi.json</a>.</p><table>{head}{''.join(rows)}</table></html>"
    )
