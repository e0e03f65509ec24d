"""The metrics of the node Evaluation that a model gives: correctness and helpfulness, 1 to 5."""

from __future__ import annotations

from typing import cast

from jackfield.api import jsontext
from jackfield.api.ai import LANGUAGE_MODEL, ChatModel, Message, note_tokens
from jackfield.api.errors import InvalidInput
from jackfield.api.nodes import NodeError, NodeRun

CORRECTNESS = """Compare an answer with the answer that is known to be right.
Judge the facts and not the wording. Give a score.
5: both say the same. 4: small differences. 3: the core is there and something is missing or added.
2: little of it is there. 1: the answer is wrong or about something else."""
HELPFULNESS = """Judge how much a response helps the person who has asked.
Look at whether it addresses the question, is complete, and can be acted on. Give a score.
5: it does all that was asked for. 4: most of it. 3: it helps in part. 2: hardly. 1: not at all."""
CORRECTNESS_INPUT = "Output: {actual_answer}\n\nGround truth: {expected_answer}"
HELPFULNESS_INPUT = "Query: {user_query}\n\nResponse: {actual_answer}"
_FORM = (
    "\n\nAnswer with a JSON object alone: "
    '{"extended_reasoning": your analysis, "reasoning_summary": one sentence, "score": an integer from 1 to 5}.'
)


async def asked_score(run: NodeRun, index: int, prompt: str, question: str) -> int:
    """Raises `NodeError`."""
    parts = run.attached(LANGUAGE_MODEL)
    if not parts:
        raise NodeError("No language model connected", item=index)
    model = cast("ChatModel", await parts[0].supply(index))
    if not hasattr(model, "complete"):
        raise NodeError(f"The node '{parts[0].node.name}' does not give a language model.", item=index)
    answer = await model.complete([Message("system", prompt + _FORM), Message("user", question)], json=True)
    note_tokens(run.context, model.name, answer.usage.input, answer.usage.output)
    return _score(answer.message.text, index)


def _score(text: str, index: int) -> int:
    begin, end = text.find("{"), text.rfind("}")
    try:
        found = jsontext.loads(text[begin : end + 1].encode())
    except (InvalidInput, UnicodeEncodeError):
        found = None
    score = found.get("score") if isinstance(found, dict) else None
    if isinstance(score, bool) or not isinstance(score, int | float) or not 1 <= score <= 5 or score != int(score):
        raise NodeError("The model's answer has no score from 1 to 5.", item=index, description=text[:2000])
    return int(score)


def filled(template: str, values: dict[str, str]) -> str:
    """The template with each `{name}` replaced; the values are not looked at again."""
    parts = template
    marks = {name: f"\x00{number}\x00" for number, name in enumerate(values)}
    for name, mark in marks.items():
        parts = parts.replace(f"{{{name}}}", mark)
    for name, mark in marks.items():
        parts = parts.replace(mark, values[name])
    return parts
