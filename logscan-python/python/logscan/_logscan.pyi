from collections.abc import Mapping, Sequence
from typing import final

__all__ = ["Scanner"]

@final
class Scanner:
    """Finds the plain lines of a buffer, and chosen fields of them.

    fields: paths such as `message.usage.input_tokens`, and what each has to be:

    - `text`: a string that is not empty and has no escapes; `text?`: the same, or absent (None), and it may be empty;
    - `int`: a whole number of at most 14 digits without a sign; `int?`: the same, or absent (0);
    - `flag`: true or false; `flag?`: the same, or absent (None);
    - `time`: a text such as `2026-01-31T12:00:00.000Z`, with at most three digits behind the point; it becomes
      milliseconds since 1970;
    - `=TEXT`: exactly this text; `none`: absent, or null. These two are no columns.

    A line is plain when it is one JSON object in strict JSON, each of these fields and each object on the way to it is
    there at most once, and they are what they have to be. Lines with numbers of more than 18 digits or with exponents,
    more than 32 levels, or lone surrogates are not plain.

    skip: lines are passed over, unparsed, whose own member of that name has one of these texts, in compact JSON and
    written before any object inside of the line. What else such a line holds does not matter.

    Raises ValueError for a kind that there is not, for a field that is part of another, and for more than 64 names.
    """

    def __new__(cls, fields: Mapping[str, str], skip: Mapping[str, Sequence[str]] | None = None) -> Scanner: ...
    def scan(
        self, data: bytes | bytearray | memoryview, start: int, end: int
    ) -> tuple[list[list[object]], list[tuple[int, int]]]:
        """The lines from `start` to `end`, which newlines divide.

        Returns columns, the first one with the place in the buffer where each plain line begins, then the fields in
        their order; and of all lines that are neither plain nor passed over where they begin and end. What the bytes
        are never raises. The GIL is held: blocks of some hundred KiB take less than a millisecond. Raises ValueError
        when the places are not in the buffer, and BufferError when it is not one of bytes.
        """
