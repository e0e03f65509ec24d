"""The view of expressions while the parameters of one node run are resolved."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from jackfield.api.expressions import ExpressionProblem, RunSurroundings
from jackfield.api.javascript import NotExact
from jackfield.api.workflows import Item

MOST_LOCALS = 32
"""Parameters of the functions in one expression."""
SECONDS = 0.05
"""How long expressions may run in Python for one item; afterwards they are JavaScript's."""
SECONDS_EACH = 0.000_25
"""Seconds that each further item adds again to what is left of that: hundreds of items are resolved in one go."""
LOOK_S = 0.001
"""Seconds between two looks at the thread's processor time. One costs as much as a small expression."""
_processor = time.thread_time


class ItemScope:
    """One item of a node run. Moved from item to item instead of made anew. `scripted`: the values of the parameters'
    JavaScript sources for this item. `locals`: what the parameters of functions hold, each with its own place. `left`:
    seconds that expressions may still run. `until`: when what is being evaluated has to end, as `time.perf_counter` has
    it. `due`: from when on, by that clock, the thread's processor time is looked at again. `unsettled`: whether it put
    something that is no JSON into a list or an object.

    Seconds are those of the thread's processor. Work that runs beside it on a busy machine must not send a long list to
    JavaScript, which would take all of it anew. For the first item they are those on the clock, which cost less.
    """

    __slots__ = (
        "_now",
        "_processor_at",
        "around",
        "due",
        "index",
        "item",
        "items",
        "json",
        "left",
        "locals",
        "scripted",
        "unsettled",
        "until",
    )

    def __init__(self, items: Sequence[Item], around: RunSurroundings) -> None:
        self.left = SECONDS
        self.until = 0.0
        self.due = math.inf
        self._processor_at = 0.0
        self.unsettled = False
        self._now: int | None = None
        self.items = items
        self.around = around
        self.scripted: Sequence[object] = ()
        self.locals: list[object] = []
        self.move(0)

    def move(self, index: int) -> None:
        """Look at the item at this index; past the end at an empty one."""
        self.index = index
        self.item: Item = self.items[index] if index < len(self.items) else {"json": {}}
        self.json = self.item["json"]
        if index and self.due == math.inf:
            self.due = 0.0
        if self.left < SECONDS:
            self.left += SECONDS_EACH

    def look(self, now: float) -> None:
        """Note the thread's processor time, as an expression begins. now: on the clock of `until`."""
        self._processor_at = _processor()
        self.due = now + LOOK_S

    def spend(self, seconds: float) -> None:
        """Count an expression that took so long on the clock; of the processor it may have had less."""
        self.left -= seconds if self.due == math.inf else min(seconds, _processor() - self._processor_at)

    def overdue(self, now: float) -> None:
        """`until` is over. Raises `NotExact`, unless the processor was elsewhere: then `until` moves on."""
        left = 0.0 if self.due == math.inf else self.left - (_processor() - self._processor_at)
        if left <= 0:
            raise NotExact
        self.until = now + left

    def now_ms(self) -> int:
        """`$now`, the same for every item of a node run."""
        if self._now is None:
            self._now = self.around.now_ms()
        return self._now


class ItemEvaluation(ItemScope):
    """`Evaluation`: it is the scope itself, since most node runs have one item."""

    __slots__ = ("_blame", "_get", "_leaves")

    def __init__(
        self,
        get: Callable[[ItemScope], object],
        leaves: Sequence[Callable[[ItemScope], object]],
        blame: Callable[[ItemScope], str | None],
        items: Sequence[Item],
        around: RunSurroundings,
    ) -> None:
        """get: the parameters' value; leaves: those of the expressions in them; blame: the path of the one that raises
        `ExpressionProblem`."""
        super().__init__(items, around)
        self._get = get
        self._leaves = leaves
        self._blame = blame

    def at(self, index: int, scripted: Sequence[object] = ()) -> object:
        if index != self.index:
            self.move(index)
        self.scripted = scripted
        try:
            return self._get(self)
        except ExpressionProblem as exc:
            exc.path = self._blame(self)
            raise

    def leaves(self, index: int, scripted: Sequence[object] = ()) -> list[object]:
        if index != self.index:
            self.move(index)
        self.scripted = scripted
        try:
            return [get(self) for get in self._leaves]
        except ExpressionProblem as exc:
            exc.path = self._blame(self)
            raise
