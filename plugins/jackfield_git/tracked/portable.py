"""Things that their own plugin gives as documents: profiles and evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.auth import Principal
from jackfield.api.jsontext import Json
from jackfield.api.portable_documents import PortableDocuments
from jackfield_git.tracked.files import TrackedFile


class TrackedDocuments:
    """See `TrackedKind`. A pull removes none: keys, homes and runs of them are the environment's."""

    removes = False

    def __init__(self, folder: str, word: str, documents: PortableDocuments) -> None:
        self.folder = folder
        self.word = word
        self._documents = documents

    async def read(self) -> Sequence[TrackedFile]:
        found = await self._documents.documents()
        return [TrackedFile(f"{self.folder}/{name}.json", name, document) for name, document in found.items()]

    async def write(self, name: str, document: Mapping[str, Json], author: Principal) -> None:
        await self._documents.put(name, document, author)

    async def remove(self, name: str, author: Principal) -> None:
        """It stays."""
