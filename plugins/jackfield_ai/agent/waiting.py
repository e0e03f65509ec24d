"""The conversations of one run of an agent, of which some wait for people: one question is open at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jackfield.api.ai import ToolCall
from jackfield.api.nodes import NodeError, NodeRun, Suspend
from jackfield.api.nodes.items import pass_all
from jackfield.api.records import replace
from jackfield.api.workflows import Items
from jackfield_ai.agent.talk_state import TalkState, WaitingTalks
from jackfield_ai.settings import AiSettings
from jackfield_ai.tools.reviewed import refusal
from jackfield_ai.tools.toolbox import Toolbox, tools_of

APPROVED_CALL = "approvedCall"
"""In the node's memory: what the call gave that a person has approved last, until its model has heard it."""


class AgentTalks:
    """Goes on where the run waited, if it did."""

    def __init__(self, run: NodeRun, settings: AiSettings) -> None:
        self._run = run
        self._settings = settings
        resumed = run.resumed
        self._kept = WaitingTalks() if resumed is None else WaitingTalks.read(resumed.state)
        self._answer: Items | None = None if resumed is None else resumed.items
        self._goes_on = resumed is not None
        """Whether the conversation goes on whose question was asked."""
        self._unasked = ""
        """Why its question could not be sent."""
        self._waits: set[int] = set()
        """Input items that have begun to wait since `over`."""

    def open(self) -> Sequence[int]:
        """The input items to work on now."""
        kept = self._kept
        if self._goes_on:
            return [kept.asked]
        return [index for index in range(len(self._run.items)) if index not in kept.made and index not in kept.talks]

    async def answered(self, index: int, tools: Toolbox) -> TalkState | None:
        """The conversation of this item with the answer to its question. None: it begins."""
        talk = self._kept.talks.get(index)
        if talk is None:
            return None
        place = talk.answers.index(None)
        call = talk.messages[-1].calls[place]
        if self._unasked:
            text = f"Error: {self._unasked}"
        else:
            text = refusal(call.name, self._answer) or await self._approved(call, tools)
        answers = [text if number == place else one for number, one in enumerate(talk.answers)]
        return replace(talk, messages=[*talk.messages], steps=[*talk.steps], answers=answers)

    async def _approved(self, call: ToolCall, tools: Toolbox) -> str:
        """The approval is of one call. A run that is tried again after it keeps what the call gave."""
        number = self._kept.questions
        noted = self._run.context.get(APPROVED_CALL)
        if isinstance(noted, dict) and noted.get("question") == number:
            return str(noted["result"])
        text = await tools.approved(call)
        self._run.context[APPROVED_CALL] = {"question": number, "result": text}
        return text

    def wait(self, index: int, talk: TalkState) -> None:
        """The conversation needs an answer."""
        self._kept.talks[index] = talk
        self._waits.add(index)

    def over(self, made: Iterable[tuple[int, Items]]) -> None:
        """Keep what items gave that wait no more."""
        self._goes_on, self._unasked = False, ""
        self._run.context.pop(APPROVED_CALL, None)
        for index, items in made:
            if index not in self._waits:
                self._kept.talks.pop(index, None)
                self._kept.made[index] = items
        self._waits.clear()

    async def ask(self) -> Suspend | None:
        """Ask for the first call that waits. None: none does, or nobody can send its question. Its model learns that
        then."""
        kept = self._kept
        if not kept.talks:
            return None
        kept.asked = min(kept.talks)
        kept.questions += 1
        talk = kept.talks[kept.asked]
        call = talk.messages[-1].calls[talk.answers.index(None)]
        try:
            tools = Toolbox(await tools_of(self._run, kept.asked), self._settings)
            wait = await tools.ask(kept.asked, call, str(kept.questions))
        except NodeError as exc:
            self._goes_on, self._unasked = True, exc.message
            return None
        return replace(wait, outputs=pass_all(self._run.items), state=kept.written())

    def items(self) -> Items:
        """Of all input items, in their order."""
        return [item for index in sorted(self._kept.made) for item in self._kept.made[index]]
