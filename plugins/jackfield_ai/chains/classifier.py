"""Text Classifier and Sentiment Analysis: an item leaves by the output of its category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, cast

from pydantic import Field

from jackfield.api.ai import LANGUAGE_MODEL, ChatModel, Message, OutputParser
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import error_item, passed_on, with_json
from jackfield.api.nodes.running import side_by_side
from jackfield.api.nodes.ui import Ui, UiFields
from jackfield.api.nodes.unresolved import first_resolved
from jackfield.api.workflows import Item, Node, Outputs
from jackfield_ai.asking import CountedModel, asked_for
from jackfield_ai.chains.form import CATEGORY, CLASSIFIER_OPTIONS, CLASSIFIER_UI, SENTIMENT_OPTIONS
from jackfield_ai.nodes import AiNode, SideBySide
from jackfield_ai.parameters import Text, required
from jackfield_ai.parsing.parsers import FixingParser, StructuredParser, filled
from jackfield_ai.serving import model_of

CLASSIFIER = (
    "Please classify the text provided by the user into one of the following categories: {categories}, and use the "
    "provided formatting instructions below. Don't explain, and only output the json."
)
SENTIMENTS = "Positive, Neutral, Negative"
SENTIMENT = (
    "You are highly intelligent and accurate sentiment analyzer. Analyze the sentiment of the provided text. "
    "Categorize it into one of the following: {categories}. Use the provided formatting instructions. Only output the "
    "JSON."
)
Placed = tuple[list[int], Item]
"""Outputs and the item that leaves there."""


class Category(Parameters):
    ui_fields: ClassVar[UiFields] = CATEGORY

    category: str = ""
    description: str = ""


class Categories(Parameters):
    categories: list[Category] = Field(default_factory=list)


class ClassifierOptions(Parameters):
    ui_fields: ClassVar[UiFields] = CLASSIFIER_OPTIONS

    multi_class: bool = Field(False, description="Whether several categories may fit.")
    fallback: Literal["discard", "other"] = Field("discard", description="The way of items that fit nowhere.")
    system_prompt_template: Text = CLASSIFIER
    enable_auto_fixing: bool = True
    batching: SideBySide = Field(default_factory=SideBySide)


class Classifier(Parameters):
    ui_fields: ClassVar[UiFields] = CLASSIFIER_UI

    input_text: Text = Field("", description="The text that is classified.")
    categories: Categories = Field(default_factory=Categories)
    options: ClassifierOptions = Field(default_factory=ClassifierOptions)


class _Sorting(AiNode):
    """Items are asked about in batches and keep their order at each output."""

    async def _place(self, run: NodeRun, parameters: Parameters, index: int) -> Placed:
        """Asks about one item: which output it goes to; both kinds have their own."""
        raise NotImplementedError

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[Parameters] = await run.resolve()
        made: Outputs = [[] for _ in range(self.outputs(run.node))]
        batching = self._batch(first_resolved(resolved))
        size = max(1, min(batching.batch_size, 50))

        async def work(index: int) -> Placed:
            return await self._place(run, resolved[index], index)

        async def pause() -> None:
            if delay := batching.delay_between_batches:
                await self._context.clock.sleep(delay / 1000)

        found = await side_by_side(run, range(len(resolved)), work, size=size, pause=pause)
        for index, one in enumerate(found):
            places, item = ([0], error_item(one, index)) if isinstance(one, NodeError) else one
            for place in places:
                if place < len(made):
                    made[place].append(item)
        return made

    def _batch(self, parameters: Parameters | None) -> SideBySide:
        options = getattr(parameters, "options", None)
        found = getattr(options, "batching", None)
        return found if isinstance(found, SideBySide) else SideBySide()


async def _asked(run: NodeRun, model: ChatModel, parser: OutputParser, prompt: str, text: str) -> Mapping[str, Json]:
    system = f"{prompt}\n\n{parser.instructions}"
    counted = CountedModel(model)
    try:
        value = await asked_for(counted, [Message("system", system), Message("user", text)], parser)
    finally:
        counted.log(run)
    return value if isinstance(value, dict) else {}


class ClassifierNode(_Sorting):
    kind = "langchain.textClassifier"
    versions: Sequence[float] = (1, 1.1)
    model = Classifier
    description = NodeDescription(
        "Text Classifier",
        "Lets a model choose the output of each item.",
        "ai",
        accepts=(LANGUAGE_MODEL,),
        needs=(LANGUAGE_MODEL,),
    )

    def outputs(self, node: Node) -> int:
        categories, options = node.parameters.get("categories"), node.parameters.get("options")
        rows = categories.get("categories") if isinstance(categories, dict) else None
        count = len(rows) if isinstance(rows, list) else 0
        return max(1, count + (isinstance(options, dict) and options.get("fallback") == "other"))

    async def _place(self, run: NodeRun, parameters: Parameters, index: int) -> Placed:
        given = cast("Classifier", parameters)
        rows, options = given.categories.categories, given.options
        if not rows:
            raise NodeError("The node has no categories; add one.")
        text = required(given.input_text, "inputText")
        model = await model_of(run, index)
        structured = StructuredParser(_choices(rows))
        parser: OutputParser = FixingParser(structured, model) if options.enable_auto_fixing else structured
        prompt = filled(options.system_prompt_template, categories=", ".join(row.category.strip() for row in rows))
        answer = await _asked(run, model, parser, f"{prompt}\n{_rules(options)}", text)
        found = [place for place, row in enumerate(rows) if answer.get(row.category.strip()) is True]
        if not found and options.fallback == "other":
            found = [len(rows)]
        kept = found if options.multi_class else found[:1]
        return kept, passed_on(run.items[index], index)


def _choices(rows: Sequence[Category]) -> dict[str, Json]:
    described = {
        row.category.strip(): {
            "type": "boolean",
            "description": f'Should be true if the input has category "{row.category.strip()}" '
            f"(description: {row.description})",
        }
        for row in rows
    }
    return {"type": "object", "properties": described}  # type: ignore[dict-item]  # JSON


def _rules(options: ClassifierOptions) -> str:
    one = "Categories are not mutually exclusive, and multiple can be true."
    if not options.multi_class:
        one = "Categories are mutually exclusive, and only one can be true."
    if options.fallback == "other":
        return f"{one} If no categories apply, all of them are false."
    return f"{one} If there is not a very fitting category, choose the one that fits best."


class SentimentOptions(Parameters):
    ui_fields: ClassVar[UiFields] = SENTIMENT_OPTIONS

    categories: str = SENTIMENTS
    system_prompt_template: Text = SENTIMENT
    include_detailed_results: bool = False
    enable_auto_fixing: bool = True
    batching: SideBySide = Field(default_factory=SideBySide)


class Sentiment(Parameters):
    ui_fields: ClassVar[UiFields] = {"inputText": Ui(label="Text to judge")}

    input_text: Text = Field("", description="The text that is judged.")
    options: SentimentOptions = Field(default_factory=SentimentOptions)


def categories_in(text: object) -> list[str]:
    return [part for row in str(text or SENTIMENTS).split(",") if (part := row.strip())]


class SentimentNode(_Sorting):
    kind = "langchain.sentimentAnalysis"
    versions: Sequence[float] = (1, 1.1)
    model = Sentiment
    description = NodeDescription(
        "Sentiment Analysis",
        "Lets a model judge the sentiment of each item.",
        "ai",
        outputs=("Positive", "Neutral", "Negative"),
        accepts=(LANGUAGE_MODEL,),
        needs=(LANGUAGE_MODEL,),
    )

    def outputs(self, node: Node) -> int:
        options = node.parameters.get("options")
        return max(1, len(categories_in(options.get("categories") if isinstance(options, dict) else None)))

    async def _place(self, run: NodeRun, parameters: Parameters, index: int) -> Placed:
        given = cast("Sentiment", parameters)
        options, text = given.options, required(given.input_text, "inputText")
        names = categories_in(options.categories)
        schema: dict[str, Json] = {
            "type": "object",
            "properties": {
                "sentiment": {"type": "string", "enum": list[Json](names)},
                "strength": {"type": "number", "minimum": 0, "maximum": 1, "description": "Of the sentiment."},
                "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            },
            "required": ["sentiment", "strength", "confidence"] if options.include_detailed_results else ["sentiment"],
        }
        model = await model_of(run, index)
        structured = StructuredParser(schema)
        parser: OutputParser = FixingParser(structured, model) if options.enable_auto_fixing else structured
        prompt = filled(options.system_prompt_template, categories=", ".join(names))
        answer = await _asked(run, model, parser, prompt, text)
        found: dict[str, Json] = {"category": answer["sentiment"]}
        if options.include_detailed_results:
            found |= {"strength": answer["strength"], "confidence": answer["confidence"]}
        item = run.items[index]
        json: dict[str, Json] = {**item["json"], "sentimentAnalysis": found}
        return [names.index(str(answer["sentiment"]))], with_json(item, json, index)


def classifier(context: PluginContext, kind: str) -> ClassifierNode:
    return ClassifierNode(context)


def sentiment(context: PluginContext, kind: str) -> SentimentNode:
    return SentimentNode(context)
