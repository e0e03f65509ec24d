"""The objects that Google keeps for an account, by the paths and names that the Gemini API has for them.

Source: the Gemini API's reference, of November 2026.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from jackfield.api.dialects.model import DialectError
from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield_proxy.child.incoming.references import StoredPath

UPLOAD = "/upload/"
"""Before the version in the paths of uploads."""
UPLOAD_ID = "upload_id"
"""In the query of an upload that has begun."""
_BELOW = re.compile(r"(?:/upload)?/v1\w*/(.*)").fullmatch
_JOBS: Mapping[str, str] = {
    "asyncBatchEmbedContent": "batches", "batchGenerateContent": "batches", "predictLongRunning": "operations",
}  # fmt: skip
"""The requests to a model that make something that is kept."""
_ASKED = frozenset({"batchEmbedContents", "embedContent", "predict"})
"""The requests to a model that leave nothing behind."""
_FREE = re.compile(r"(?:/upload)?/v1\w*/(?:files\b.*|.*:cancel)").fullmatch


@record
class BegunUpload:
    """`name`: by which the client goes on with it. `url`: the provider's, for the rest. `credential`: of the caller
    that has begun it. `key`: its id. `profile`, `provider`, `account`: where the file is kept at the end.
    """

    name: str
    url: str
    credential: str
    key: str
    profile: str
    provider: str
    account: str


def stored_path(path: str) -> StoredPath:
    """path: encoded, with its version. An id is the name that Google gives an object: `files/x`."""
    found = _BELOW(path)
    below = found[1].rstrip("/") if found is not None else ""
    parts = [unquote(part) for part in below.split("/")]
    name, _, verb = parts[-1].partition(":")
    if parts[0] in ("models", "tunedModels") and verb in _JOBS:
        return StoredPath(_JOBS[verb])
    if parts[0] == "tunedModels" and verb in _ASKED:
        return StoredPath("")
    parts[-1] = name
    if parts[0] == "models":
        return StoredPath("operations", "/".join(parts)) if "operations" in parts else StoredPath("")
    if len(parts) == 1:
        return StoredPath(parts[0])
    return StoredPath(parts[0], "/".join(parts[:2]), len(parts) > 2 or bool(verb))


def is_free(path: str) -> bool:
    """Whether a POST costs nothing."""
    return _FREE(path) is not None


def require_seen(path: str, value: Mapping[str, Json]) -> None:
    """Google gives nobody the contents of an uploaded file, so that the requests of a batch that lie in one cannot be
    looked at. Raises `DialectError` 403."""
    if path.rpartition(":")[2] not in _JOBS:
        return
    configs = [config for batch in _members(value, "batch") for config in _members(batch, "inputconfig")]
    if any(True for config in configs for _ in _members(config, "filename")):
        message = "A virtual key's batch has its requests in the request itself: those in a file cannot be looked at."
        raise DialectError(403, message, "permission_error", param="batch.inputConfig.fileName")


def _members(value: object, name: str) -> Iterator[object]:
    """By all spellings: Google reads two."""
    if isinstance(value, Mapping):
        yield from (part for written, part in value.items() if written.replace("_", "").casefold() == name)
