"""GitHub Document Loader: the texts of a repository. Sources: n8n's node, LangChain.js' GithubRepoLoader, GitHub's REST
API (Git trees, repository contents)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import ClassVar, Literal
from urllib.parse import quote, urlsplit

from pydantic import Field

from jackfield.api.ai import DOCUMENT, TEXT_SPLITTER, Document, TextSplitter
from jackfield.api.context import PluginContext
from jackfield.api.http_client import HttpCall
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeCredential, NodeDescription, NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield.api.urls import joined
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.nodes import ServingNode
from jackfield_ai.reading import list_at, text_at
from jackfield_ai.retrieval.form import GITHUB, GITHUB_OPTIONS
from jackfield_ai.retrieval.item_texts import in_pieces
from jackfield_ai.retrieval.splitting import RecursiveSplitter
from jackfield_ai.serving import splitter_of
from jackfield_ai.together import each

KIND = "githubApi"
SERVER = "https://api.github.com"
SIDE_BY_SIDE = 4
"""Files that are fetched at the same time."""
_MODE_SINCE = 1.1
"""Since then an attached splitter counts in the mode custom alone."""
_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


class GithubOptions(Parameters):
    ui_fields: ClassVar[UiFields] = GITHUB_OPTIONS

    recursive: bool = Field(False, description="The files of all folders, too.")
    ignore_paths: str = Field("", description="Paths and patterns that are left out, separated by commas.")

    def ignored(self, path: str) -> bool:
        """A name counts at any depth, and a folder for all in it, as in .gitignore."""
        parts = path.split("/")
        places = ["/".join(parts[: end + 1]) for end in range(len(parts))]
        for pattern in (one.strip().strip("/") for one in self.ignore_paths.split(",")):
            if pattern and any(fnmatchcase(one, pattern) for one in (*places, *("" if "/" in pattern else parts))):
                return True
        return False


class GithubParameters(Parameters):
    ui_fields: ClassVar[UiFields] = GITHUB

    repository: str = Field("", description="Such as https://github.com/octocat/hello-world.")
    branch: str = Field("main", description="The branch whose files are loaded.")
    text_splitting_mode: Literal["simple", "custom"] = "simple"
    additional_options: GithubOptions = Field(default_factory=GithubOptions)


class Repository:
    """`Documents`: the texts of a repository. most: files that are loaded."""

    def __init__(
        self, client: ProviderClient, parameters: GithubParameters, splitter: TextSplitter | None, most: int
    ) -> None:
        """Raises `NodeError` for an address that is none of a repository."""
        self._client = client
        self._address = parameters.repository.strip().rstrip("/").removesuffix(".git")
        parts = urlsplit(self._address).path.strip("/").split("/")
        if len(parts) != 2 or not all(_NAME.fullmatch(part) and part.strip(".") for part in parts):
            raise NodeError("The parameter repository is no repository; give one such as https://github.com/a/b.")
        self._path = f"/repos/{parts[0]}/{parts[1]}"
        self._branch = parameters.branch or "main"
        self._options = parameters.additional_options
        self._splitter = splitter
        self._most = most

    async def load(self) -> Sequence[Document]:
        made = await each(await self._files(), self._document, SIDE_BY_SIDE)
        return [document for documents in made for document in documents]

    async def _files(self) -> list[str]:
        """Paths of the files that count. Raises `NodeError` for too many."""
        query = [("recursive", "1")] if self._options.recursive else []
        place = f"{self._path}/git/trees/{quote(self._branch, safe='')}"
        reply = await self._client.send(HttpCall("GET", await self._url(place), query=query, follow="none"))
        answer: Json = self._client.object_in(reply)
        paths = [text_at(row, "path") for row in list_at(answer, "tree") if text_at(row, "type") == "blob"]
        found = [path for path in paths if path and not self._options.ignored(path)]
        if len(found) > self._most or (isinstance(answer, dict) and answer.get("truncated") is True):
            raise NodeError(
                f"The repository has more files than {self._most} (ai.vector_documents); leave some out by ignorePaths."
            )
        return found

    async def _document(self, path: str) -> list[Document]:
        """Nothing for a file that is no text."""
        call = HttpCall(
            "GET",
            await self._url(f"{self._path}/contents/{quote(path)}"),
            query=[("ref", self._branch)],
            headers=[("accept", "application/vnd.github.raw+json")],
            follow="none",
        )
        content = (await self._client.send(call)).body
        if b"\0" in content:
            return []
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return []
        whole = Document(text, {"source": path, "repository": self._address, "branch": self._branch})
        if self._splitter is None:
            return [whole]
        splitter = self._splitter
        return await asyncio.to_thread(lambda: in_pieces(whole, splitter.split(text)))

    async def _url(self, place: str) -> str:
        return joined((await self._client.values()).get("server") or SERVER, place)


class GithubNode(ServingNode):
    kind = "langchain.documentGithubLoader"
    versions: Sequence[float] = (1, 1.1)
    model = GithubParameters
    description = NodeDescription(
        "GitHub Document Loader",
        "Makes documents of the files of a repository.",
        "ai",
        inputs=0,
        provides=DOCUMENT,
        accepts=(TEXT_SPLITTER,),
        credentials=(NodeCredential(KIND),),
    )

    async def supply(self, node: AttachedNode, item: int) -> Repository:
        parameters: GithubParameters = await node.parameters(item)
        simple = (node.node.version or 1) >= _MODE_SINCE and parameters.text_splitting_mode == "simple"
        splitter = RecursiveSplitter(1000, 200) if simple else await splitter_of(node, item)
        client = ProviderClient(self._context, node, KIND, "GitHub")
        return Repository(client, parameters, splitter, self.settings.vector_documents)


def github(context: PluginContext, kind: str) -> GithubNode:
    return GithubNode(context)
