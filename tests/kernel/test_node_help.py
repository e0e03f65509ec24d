"""The help of each node: a page that the browser's help has, with the place that is named."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from jackfield.core.kernel import Kernel

from .test_given_values import serve
from .test_host_checks import kernel

__all__ = ["kernel", "serve"]

DOCS = Path(__file__).resolve().parents[2] / "docs"
LEFT_OUT = {"architecture", "benchmarks", "decisions", "dependencies", "plugins", "replaced-parts"}
"""By the build of the interface."""
Call = Callable[..., Awaitable[tuple[int, Any]]]


def places(page: str) -> set[str]:
    headings = re.findall(r"^#{2,4} (.+)$", (DOCS / f"{page}.md").read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip()) for heading in headings}


async def test_the_help_of_every_node_is_there(
    kernel: Callable[[], Kernel], serve: Callable[[Kernel], Awaitable[Call]]
) -> None:
    call = await serve(kernel())
    _, body = await call("GET", "/api/v1/node-types?schemas=false&unavailable=true")
    named = {node["kind"]: node["help"] for node in body["data"]}
    assert [kind for kind, place in named.items() if not place] == []
    assert (named["webhook"], named["if"], named["slack"]) == ("webhooks#the-node", "workflows#nodes", "integrations")
    for page, _, place in (help_of.partition("#") for help_of in set(named.values())):
        assert page not in LEFT_OUT
        assert not place or place in places(page), f"{page} has no {place}"
