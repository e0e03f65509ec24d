"""OpenAI: messages, images and audio of one provider, without a model node."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from jackfield.api.ai import TOOL
from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeError, NodeResult, NodeRun
from jackfield.api.workflows import Items
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.models.listing import ModelListingNode
from jackfield_ai.nodes import each_item
from jackfield_ai.openai import images, sounds, texts
from jackfield_ai.openai.asked import OpenAiItem
from jackfield_ai.openai.parameters import OpenAiNodeParameters
from jackfield_ai.shapes import PROVIDER_SHAPES

Work = Callable[[OpenAiItem], Awaitable[Items]]
RESPONSES_SINCE = 2
WORKS: Mapping[tuple[str, str], Work] = {
    ("text", "message"): texts.message,
    ("text", "response"): texts.response,
    ("text", "classify"): texts.classify,
    ("image", "analyze"): images.analyze,
    ("image", "generate"): images.generate,
    ("audio", "generate"): sounds.generate,
    ("audio", "transcribe"): sounds.transcribe,
    ("audio", "translate"): sounds.translate,
}
_FIRST = {"image": "generate", "audio": "generate"}


class OpenAiNode(ModelListingNode):
    kind = "langchain.openAi"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 2, 2.1)
    model = OpenAiNodeParameters
    description = NodeDescription(
        "OpenAI",
        "Texts, images and audio with OpenAI.",
        "ai",
        accepts=(TOOL, "ai_memory"),
        shapes=PROVIDER_SHAPES,
        credentials=(NodeCredential("openAiApi"),),
    )

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[OpenAiNodeParameters] = await run.resolve()

        async def one(index: int) -> Items:
            parameters = resolved[index]
            if any(value not in (None, False, {}, []) for value in parameters.built_in_tools.values()):
                raise NodeError("Built-in tools of the provider (builtInTools) are not available; attach tools.")
            options = parameters.options
            client = ProviderClient(
                self._context,
                run,
                "openAiApi",
                "OpenAI",
                timeout=options.seconds(),
                retries=options.max_retries,
            )
            return await _work(parameters, run.node.version)(
                OpenAiItem(self._context, run, index, parameters, client, self.settings)
            )

        return [await each_item(run, one)]


def _work(parameters: OpenAiNodeParameters, version: float | None) -> Work:
    """Raises `NodeError` for an operation that is not available."""
    resource = parameters.resource
    first = "response" if version is not None and version >= RESPONSES_SINCE else "message"
    operation = parameters.operation or (first if resource == "text" else _FIRST.get(resource, ""))
    found = WORKS.get((resource, operation))
    if found is None:
        known = ", ".join(f"{one} {other}" for one, other in WORKS)
        raise NodeError(f"The operation {operation or 'none'} of {resource} is not available; there are: {known}.")
    return found


def openai(context: PluginContext, kind: str) -> OpenAiNode:
    return OpenAiNode(context)
