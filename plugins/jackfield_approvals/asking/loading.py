"""The MCP SDK comes late and on a thread. It takes a second, and five on a busy machine: by then an agent that has
begun has given up its servers. So it is there before the agent begins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.errors import NotSupported
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.object_references import load
from jackfield_approvals.asking.asking import Asking

if TYPE_CHECKING:
    from jackfield_approvals.asking.prompt_tool import PromptTool

_TOOL = "jackfield_approvals.asking.prompt_tool:PromptTool"


class LoadedPromptTool:
    """The one of the daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self.asking = Asking(context)
        self._made: PromptTool | None = None
        self._loading = asyncio.Lock()

    async def get(self) -> PromptTool:
        """Raises `NotSupported` where the SDK is not installed."""
        async with self._loading:
            if self._made is None:
                if missing := lacking_library("mcp", "mcp"):
                    raise NotSupported(missing)
                made = cast("Callable[..., PromptTool]", await asyncio.to_thread(load, _TOOL))
                self._made = made(self._context, self.asking)
            return self._made
