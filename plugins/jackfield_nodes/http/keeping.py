"""Answers that are files go to the execution's files while they arrive."""

from __future__ import annotations

from collections.abc import AsyncIterator

from jackfield.api.binary import DEFAULT_TYPE
from jackfield.api.nodes import NodeRun
from jackfield.api.nodes.files import kept_file
from jackfield.api.records import record
from jackfield.api.workflows import BinaryData
from jackfield_nodes.http.call import Expect, Reply
from jackfield_nodes.http.response import file_name, form_of, media_type


@record
class FileKeeper:
    """`jackfield.api.http_client.BodyKeeper` for what is expected to be a file, or turns out to be one."""

    run: NodeRun
    expect: Expect

    def wants(self, head: Reply) -> bool:
        return form_of(head, self.expect) == "file"

    async def keep(self, head: Reply, chunks: AsyncIterator[bytes]) -> BinaryData:
        """Raises `NodeError`."""
        return await kept_file(self.run, chunks, mime_type=media_type(head) or DEFAULT_TYPE, file_name=file_name(head))
