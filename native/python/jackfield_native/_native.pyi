from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import TypeAlias, final

__all__ = ["Logs", "Part"]

_Counts: TypeAlias = tuple[int, int, int, int]
_Sum: TypeAlias = tuple[int, int, int, int, int, int]
_Memory: TypeAlias = tuple[
    str | None, str | None, str | None, str | None, tuple[_Counts | None, str] | None, int | None, str | None
]
_Row: TypeAlias = tuple[int, int, int, int, int, int, int, int, int, int, float | None, int]
_Dim: TypeAlias = tuple[int, str, str, str, str, str, str]
_Session: TypeAlias = tuple[int, str, str, str]
_Response: TypeAlias = tuple[int, str]
_Mark: TypeAlias = tuple[int, int, _Memory | None, bool, tuple[int | None, str] | None, bytes]

@final
class Logs(Iterator[Part]):
    """Reads coding agents' logs on its own threads, which hold no lock of the interpreter's.

    `sources`: form of the logs (`claude` or `codex`), name of the agent, provider and profile whose they are (or
    empty). `jobs`: files, which the threads take in this order. Each has the number of the source, path, identity of
    the file, byte to begin at (the beginning of a line), and memory (None: nothing). `rows`: of a part, about; a part
    ends where a file ends, or within one that alone has four times as many. `nice`: by how much the threads give way to
    others, on Linux.

    `judge`: `judge(job, offset, line, memory)`, called on one of the threads for each line that is not plain. Such a
    line is strict JSON with everything at its place, and may still be an answer. It gives back the memory from there
    on, and the names, rows and responses of answers in the line. They are as `Part` has them, with 0 <= numbers <
    2**63. An exception of it becomes the trouble of the file.

    `memory`: session, model, directory, service tier, total counts, a time, and an answer. Up to the time, Unix ms, a
    fork repeats its parent's lines. The answer is the provider's id of the one whose counts come next. Counts are
    input, of which cached, of which written to the cache, output; or None and any text.

    A line without its end is left for another time; lines of more than 256 MiB are passed over. Memory is one block of
    256 KiB for each thread, or its longest line, and some parts. Raises ValueError for forms and sources that there are
    not; an error of the system is the trouble of its file.
    """

    def __new__(
        cls,
        sources: Sequence[tuple[str, str, str, str]],
        jobs: Sequence[tuple[int, str | PathLike[str], str, int, _Memory | None]],
        judge: Callable[
            [int, int, bytes, _Memory],
            tuple[_Memory, Sequence[_Dim], Sequence[_Session], Sequence[_Row], Sequence[_Response]],
        ],
        *,
        threads: int = 1,
        rows: int = 8192,
        nice: int = 0,
    ) -> Logs: ...
    def __iter__(self) -> Logs: ...
    def __next__(self) -> Part: ...
    def close(self) -> None:
        """Stop the threads and wait until they have; what is not taken yet is lost."""

@final
class Part:
    """Answers of one source, each once. Of two rows of an answer, the one with more tokens stays, then the earlier one,
    then the first one read. A row: key, Unix ms, dim, session, step, input (without cached), output, written to the
    cache, read from it, hours, dollars, mark. `hours` counts the written tokens that last an hour; the mark is 1 for a
    row of a profile.

    `key`: 44 bits of a digest of agent and answer, 19 of the request. 0 there is a copy of an answer, 1 is the caller's
    own. `step`: the number of lengths that the prompt exceeds, of 32, 64, 100, 128, 200, 256, 272, 512 and 1000
    thousand.
    """

    @property
    def source(self) -> int: ...
    @property
    def dims(self) -> list[_Dim]:
        """id, agent, provider, profile, model, service tier, `log`. An id follows from the names."""

    @property
    def sessions(self) -> list[_Session]:
        """id, agent, name, directory."""

    @property
    def responses(self) -> list[_Response]:
        """The key of a row, and the provider's id of its answer: of rows of Codex whose log has one."""

    @property
    def marks(self) -> list[_Mark]:
        """How far jobs have come with this part: number, byte, memory (None: nothing was read), a flag, trouble, and
        digest of the 256 bytes before. The flag says whether it is the job's last mark. The trouble is the text, and
        the system's errno if there is one.
        """

    def __len__(self) -> int:
        """Rows."""

    def answers(self) -> str:
        """The first key that each answer's rows can have, as an array in JSON."""

    def split(
        self, known: Sequence[int], profiled: bool, together: int
    ) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]], _Sum, list[_Row]]:
        """Rows that can be stored as they are, and others.

        The former have a separate answer, which is not among `known` (as `answers` gives them), no cost, and numbers
        that fit. If `profiled`, they are no profile's. They come packed, `together` of them in one tuple, and the rest
        of them is among the others. Each has seven numbers: key; `ms << 4 | step`; dim; session; `input << 31 |
        output`; `written << 31 | read`; `hours << 1 | profiled`. The last bit is 1 for a row of a profile. Then their
        sums by quarter of an hour: its number, dim, session, step, count, input, output, written, read, hours, first
        and last ms. Then their sum: count, input, output, written, read, hours. Then the other rows, by key.
        """
