"""The event stream of `:streamGenerateContent` -> events. Each is a whole answer with the parts that are new."""

from __future__ import annotations

from ...records import replace
from ..counts import google_counts
from ..fields import arr, obj, text
from ..model import (
    Block,
    BlockStop,
    Delta,
    Event,
    Foreign,
    MessageStart,
    MessageStop,
    ModelResponse,
    Object,
    Signature,
    TextBlock,
    Thinking,
    TokenCounts,
    ToolUse,
)
from ..reading import SseReader, cut_off
from .answer import answer_blocks, parse_answer, parts_of, require_served, stop_of


class GeminiReader(SseReader):
    def __init__(self) -> None:
        super().__init__()
        self._started = self._called = False
        self._last: Object | None = None  # the candidate that says why the answer ends
        self._prose: tuple[int, Block] | None = None  # the open text or thinking block

    def _parse(self, body: bytes) -> ModelResponse:
        return parse_answer(body)

    def _take(self, name: str, data: Object, out: list[Event]) -> None:
        if usage := obj(data.get("usageMetadata")):
            self._count(_latest(self.usage, google_counts(usage)), out)
        require_served(data)
        if not self._started:
            self._started = True
            out.append(MessageStart(text(data.get("responseId")), text(data.get("modelVersion"))))
        for candidate in map(obj, arr(data.get("candidates"))):
            if not candidate.get("index"):  # others are of further answers to the same request
                self._candidate(candidate, out)

    def _candidate(self, candidate: Object, out: list[Event]) -> None:
        for part in parts_of(candidate):
            for block in answer_blocks(part):
                self._block(block, out)
        if candidate.get("finishReason"):
            self._last = candidate
            stop_of(candidate, called=self._called)  # raises for an answer that is none

    def _block(self, block: Block, out: list[Event]) -> None:
        match block:
            case TextBlock():
                self._say(TextBlock(""), block.text, out)
            case Thinking(redacted=False):
                self._say(Thinking("", origin="gemini"), block.text, out)
                if block.signature and self._prose is not None:
                    out.append(Signature(self._prose[0], block.signature))
                    self._stop_prose(out)
            case ToolUse():
                self._called = True
                self._stop_prose(out)
                self._put(replace(block, arguments=""), block.arguments, out)
            case Thinking() | Foreign():
                self._stop_prose(out)
                self._put(block, "", out)

    def _say(self, block: TextBlock | Thinking, content: str, out: list[Event]) -> None:
        if self._prose is None or self._prose[1] != block:
            self._stop_prose(out)
            self._prose = self._open(block, out), block
        if content:
            out.append(Delta(self._prose[0], content))

    def _stop_prose(self, out: list[Event]) -> None:
        if self._prose is not None:
            out.append(BlockStop(self._prose[0]))
            self._prose = None

    def _ended(self, out: list[Event]) -> None:
        """There is no closing mark: counts may still follow the reason."""
        if self._last is None:
            raise cut_off()
        self._stop_prose(out)
        out.append(MessageStop(stop_of(self._last, called=self._called)))
        self.finished = True


def _latest(old: TokenCounts, new: TokenCounts) -> TokenCounts:
    """Counts are cumulative; an event that tells the prompt alone does not undo what an earlier one told."""
    return new if new.output or not old.output else replace(old, input=new.input, cache_read=new.cache_read)
