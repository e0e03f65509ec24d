"""Files that came with a call."""

from __future__ import annotations

import base64

from jackfield.api.binary import DEFAULT_TYPE, entry
from jackfield.api.records import record
from jackfield.api.workflows import BinaryData


@record
class ReceivedFile:
    """A file as it came. content: a part of the body, not a copy of it."""

    content: memoryview
    content_type: str | None
    file_name: str | None = None

    def described(self) -> BinaryData:
        """The item's entry for it, without its content."""
        mime = (self.content_type or "").partition(";")[0].strip().lower() or DEFAULT_TYPE
        return entry(mime, self.file_name, len(self.content))

    def inline(self) -> BinaryData:
        """The same with its content."""
        made = self.described()
        made["data"] = base64.b64encode(self.content).decode("ascii")
        return made
