"""Operations that send a question and wait for its answer."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeRun, Suspend
from jackfield.api.questions import Question, Wording, asked, suspended
from jackfield.api.records import record
from jackfield.api.resume import ResumeLinks
from jackfield_vendors.parameters import OperationParameters


@record
class AskedQuestion:
    """A question that is still to be sent, and the wait that follows it."""

    question: Question
    wait: Suspend


def question_of(context: PluginContext, run: NodeRun, parameters: OperationParameters) -> AskedQuestion | None:
    """None: the operation asks nothing. Raises `NodeError`."""
    described = parameters.compiled.described
    if described.question is None or described.unavailable:
        return None
    given = parameters.given()
    wording = Wording(described.question.approve, described.question.decline)
    question = asked(run, ResumeLinks(context), given, wording)
    return AskedQuestion(question, suspended(run, question, given, context.clock.now_ms()))
