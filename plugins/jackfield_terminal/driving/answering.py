"""Dialogs that a profile has answered beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from jackfield.api.agent_screens import DialogKind
from jackfield.api.errors import Conflict
from jackfield.api.profiles import Launch
from jackfield_terminal.driving.looks import Look, ScreenJudge
from jackfield_terminal.driving.view import AgentView
from jackfield_terminal.screen.keys import sequence

Said: TypeAlias = Literal["yes", "no"]
AGAIN = 3.0
"""Seconds after which a dialog that is still shown is answered once more."""
PAUSE = 0.25
"""Seconds between a dialog and its answer: some programs take no key in the moment in which they draw."""
FOREVER = 3600.0
"""Seconds of one wait; the next one follows."""


def answers_of(launch: Launch) -> Mapping[DialogKind, Said]:
    """The answers that the profile gives to dialogs. Trust is for the profile's own working directory."""
    found = launch.profile.metadata.get("answers")
    given = found if isinstance(found, dict) else {}
    made: dict[DialogKind, Said] = {}
    if given.get("asking") == "yes" or given.get("asking") == "no":
        made["asking"] = "yes" if given["asking"] == "yes" else "no"
    own = launch.profile.working_dir or str(launch.profile.home)
    if given.get("trusting") == "yes" and str(launch.cwd) == own:
        made["trusting"] = "yes"
    return made


class DialogAnswerer:
    """Answers the dialogs of one session, for as long as it runs."""

    def __init__(self, view: AgentView) -> None:
        self._view = view
        self._trusted: str | None = None
        self._has_worked = view.session.is_taken_over
        self._has_failed = False
        self.answers = answers_of(view.session.launch)

    async def run(self) -> None:
        """Returns with the session, or when the manifest does not say what dialogs look like.

        Any other failure is logged once, and tried again after `AGAIN` seconds.
        """
        session = self._view.session
        while self.answers and not (session.ended.is_set() or session.left.is_set()):
            try:
                judge = await self._view.judge()
                if judge is None:
                    return
                await self._answer_all(judge)
            except Conflict:
                return  # it has ended, or does not read
            except Exception:  # a mistake in one answer must not leave all further dialogs unanswered
                if not self._has_failed:
                    self._view.log.exception("A dialog of the session %s is not answered.", session.id)
                self._has_failed = True
                await self._view.clock.sleep(AGAIN)

    async def _answer_all(self, judge: ScreenJudge) -> None:
        while True:
            look, met = await self._view.until(judge, lambda now: self.answers_to(self._noted(now)), FOREVER)
            if met:
                await self._answer(judge, look)

    def answers_to(self, look: Look) -> bool:
        """Whether the profile has an answer to what is shown. Trust is asked for before anything else: later an agent's
        words, or a command that it wants to run, could look like that question."""
        if look.dialog is None or look.dialog.kind not in self.answers:
            return False
        is_late = self._has_worked or self._trusted not in (None, look.dialog.text)
        return look.dialog.kind != "trusting" or not is_late

    def _noted(self, look: Look) -> Look:
        self._has_worked = self._has_worked or look.shows in ("ready", "busy", "asking")
        return look

    async def _answer(self, judge: ScreenJudge, look: Look) -> None:
        await self._view.clock.sleep(PAUSE)
        if look.dialog is None or judge.look(await self._view.screen.snapshot()).dialog != look.dialog:
            return
        if look.dialog.kind == "trusting":
            self._trusted = look.dialog.text
        looks = judge.looks.trusting if look.dialog.kind == "trusting" else judge.looks.asking
        if looks is not None:
            keys = looks.yes if self.answers[look.dialog.kind] == "yes" else looks.no
            await self._view.session.write(b"".join(map(sequence, keys)))
        await self._view.until(judge, lambda now: self._noted(now).dialog != look.dialog, AGAIN)
