"""Credentials of n8n: opened, fitted to the kinds here, matched with those that are here, and sealed anew."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.credentials import ALLOWED_HOSTS, TOKENS, CredentialValues, CredentialWriter
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.jsontext import Json
from jackfield.api.records import record, replace
from jackfield.api.storage import Credential
from jackfield.api.workflows import Problem
from jackfield_migration.bundle import LONGEST_ID, BundleDocument
from jackfield_migration.identities import IdMap, content_digest, foreign_id
from jackfield_migration.reading.cipher import N8nCipher, WrongKey
from jackfield_migration.report import Result, Status, Told

_BLANK = "__n8n_BLANK_VALUE_"
_NO_KEY = (
    "The credential is encrypted, and no encryption key was given. Give the key of the n8n that wrote it, or export "
    "with --decrypted."
)
_DOMAINS, _WHICH_DOMAINS = "allowedDomains", "allowedHttpRequestDomains"
_MATCHED = "matched"
"""In place of a digest: the credential was here before, and stays as it is."""
MAX_NAME = 255
_PAGE = 100


@record
class _Opened:
    """A credential that can be kept. `result`: the report on it, but for its status."""

    credential: CredentialValues
    result: Result


class CredentialImport:
    """Those of one import. After `run`, `find` says which credential a node of n8n means."""

    def __init__(
        self, context: PluginContext, ids: IdMap, cipher: N8nCipher | None, told: Told, *, dry_run: bool
    ) -> None:
        self._context = context
        self._told = told
        self._ids = ids
        self._cipher = cipher
        self._dry_run = dry_run
        self._here: dict[str, Credential] = {}
        self._by_name: dict[tuple[str, str], str] = {}
        self._free: dict[tuple[str, str], str] = {}
        """Kind and name of credentials that were here before and stand for none of n8n's yet."""
        self._coming: set[str] = set()
        self._digest_keys: Sequence[bytes] = (b"",)
        """Those of before come last: what they were used for is still the same."""

    async def run(self, sources: Sequence[BundleDocument]) -> list[Result]:
        if self._ids.owners() or not self._dry_run:  # else there is nothing to compare with
            self._digest_keys = await asyncio.to_thread(self._keys)
        await self._read_present()
        taken = self._ids.owners()
        self._free = {place: own for place, own in self._by_name.items() if own not in taken}
        found = await asyncio.to_thread(lambda: [self._read(source) for source in sources])
        if not self._dry_run:
            await self._ids.save()  # before what has these ids: an import that breaks off finds it again
        return [each if isinstance(each, Result) else await self._one(each) for each in found]

    def _keys(self) -> Sequence[bytes]:
        return self._context.secrets.key("imports"), *self._context.secrets.earlier_keys("imports")

    def present(self, own_id: str) -> bool:
        """Whether it is here, or is now."""
        return own_id in self._here or own_id in self._coming

    def find(self, kind: str, ident: Json, name: str) -> str | None:
        """The own id of what a node names. A `FindCredential`."""
        given = str(ident) if isinstance(ident, str | int) and not isinstance(ident, bool) else ""
        if len(given) > LONGEST_ID or "\0" in given:  # no credential has it
            given = ""
        own = self._ids.find(given) if given else None
        if own is not None and self.present(own):
            return own
        if same := self._by_name.get((kind, name)):
            return same
        return self._ids.own(given) if given else None

    async def _read_present(self) -> None:
        offset = 0
        while True:
            page = await self._context.store.credentials(offset, _PAGE)
            for row in page.rows:
                self._here[row.id] = row
                self._by_name.setdefault((row.kind, row.name), row.id)
            offset += len(page.rows)
            if not page.rows or offset >= page.total:
                return

    def _read(self, source: BundleDocument) -> _Opened | Result:
        """The credential with its own id, or why there is none."""
        document = source.document
        ident, name, kind = foreign_id(document), _text(document, "name"), _text(document, "type")
        blank = Result("credential", name, ident, source.origin, "refused")
        try:
            if not name or not kind:
                raise InvalidInput("A credential needs a name and a type.")
            data = self._opened(document.get("data"))
        except InvalidInput as exc:
            return replace(blank, problems=[Problem("data", exc.message)])
        if self._ids.find(ident) is None and (kind, name) in self._free:
            self._ids.point(ident, self._free.pop((kind, name)))
            self._ids.imported(ident, _MATCHED)
        own = self._ids.own(ident)
        return _Opened(read_values(own, name[:MAX_NAME], kind, data), replace(blank, id=own))

    async def _one(self, opened: _Opened) -> Result:
        credential, result = opened.credential, opened.result
        own, ident = credential.id, result.foreign_id
        if self._ids.digest(ident) == _MATCHED and own in self._here:
            return replace(result, status="matched")
        try:
            status, problems = await self._kept(credential, ident)
        except JackfieldError as exc:
            return replace(result, status="failed", id=None, problems=[Problem("data", exc.message)])
        self._coming.add(own)
        self._by_name.setdefault((credential.kind, result.name), own)
        settled = replace(result, status=status, problems=problems)
        if status in ("created", "updated"):
            self._told(settled)
        return settled

    def _opened(self, data: Json) -> Mapping[str, Json]:
        """Raises `InvalidInput`."""
        if isinstance(data, dict):
            return data
        if not isinstance(data, str):
            raise InvalidInput("The credential has no data.")
        if self._cipher is None:
            raise WrongKey(_NO_KEY)
        return self._cipher.values(data)

    async def _kept(self, credential: CredentialValues, ident: str) -> tuple[Status, list[Problem]]:
        """Raises `JackfieldError`."""
        writer = self._context.port(CredentialWriter)
        fitted, wrong = await writer.fitted(credential)
        problems = [Problem(path, message, "warning") for path, message in wrong.items()]
        content: Json = [fitted.name, fitted.kind, dict(fitted.values), dict(fitted.tokens)]
        digests = [content_digest(content, key=key) for key in self._digest_keys]
        is_here = fitted.id in self._here
        if is_here and self._ids.digest(ident) in digests:
            return "unchanged", problems
        if not self._dry_run:
            await writer.put(fitted)
            self._ids.imported(ident, digests[0])
            await self._ids.save()  # behind the credential, as for workflows
        return ("updated" if is_here else "created"), problems


def read_values(own: str, name: str, kind: str, data: Mapping[str, Json]) -> CredentialValues:
    """n8n's values, which have any type, as texts; tokens apart."""
    tokens = data.get(TOKENS)
    values = {key: _value(value) for key, value in data.items() if key not in (TOKENS, _DOMAINS, _WHICH_DOMAINS)}
    if data.get(_WHICH_DOMAINS) == "domains":
        values[ALLOWED_HOSTS] = _value(data.get(_DOMAINS))
    elif data.get(_WHICH_DOMAINS) == "none":
        values[ALLOWED_HOSTS] = "none.invalid"  # no HTTP request may have it
    return CredentialValues(own, name, kind, values, tokens if isinstance(tokens, dict) else {})


def _value(value: Json) -> str:
    if isinstance(value, str):
        return "" if value.startswith(_BLANK) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return str(value) if isinstance(value, int | float) else json.dumps(value, ensure_ascii=False)


def _text(document: Mapping[str, Json], key: str) -> str:
    found = document.get(key)
    return found.strip() if isinstance(found, str) else ""
