"""Wolfram|Alpha. Source: the documentation of its LLM API."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeError, NoParameters
from jackfield_ai.tools.searching import SearchToolNode, Web

API = "https://www.wolframalpha.com/api/v1/llm-api"
_NOT_UNDERSTOOD = 501
"""Its text says what else may be asked."""


class Wolfram:
    kind = "langchain.toolWolframAlpha"
    title = "Wolfram|Alpha"
    name = "wolfram_alpha"
    about = (
        "A wrapper around Wolfram Alpha. Useful for when you need to answer questions about Math, Science, Technology, "
        "Culture, Society and Everyday Life. Input should be a search query."
    )
    credential = "wolframAlphaApi"
    parameters = NoParameters

    async def answer(self, web: Web, parameters: NoParameters, query: str) -> str:
        reply = await web.get(API, [("input", query)])
        if not 200 <= reply.status < 300 and reply.status != _NOT_UNDERSTOOD:
            raise NodeError(f"Wolfram|Alpha answered {reply.status} {reply.reason}.")
        return reply.body.decode("utf-8", "replace")


def wolfram(context: PluginContext, kind: str) -> SearchToolNode:
    return SearchToolNode(context, Wolfram())
