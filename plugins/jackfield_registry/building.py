"""Making a registry that can be published out of a directory: checksums, commit, sequence, signature.

<output>/registry.json, registry.json.sig          what clients ask for first
<output>/<commit>/registry.json, agents/, ...      what they fetch then. Earlier commits stay for pinned clients
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.records import record
from jackfield.api.registry import TOKEN_FORM
from jackfield_registry.synced.checking import SMALL, Broken, Kinds, check, limit_of
from jackfield_registry.synced.content import digest
from jackfield_registry.synced.index import (
    NAME,
    PATH,
    PRICING,
    PRICING_FILE,
    SIGNATURE,
    SUFFIXES,
    VERSION,
    BadIndex,
    RegistryIndex,
    parse,
)
from jackfield_registry.synced.signing import Signer

COMMIT_LENGTH = 40
"""Hex digits of a commit's name: of the SHA-256 of what is in it."""


@record
class BuildOrder:
    """The commit to publish. sequence: None: one more than the last; key: None: not signed."""

    source: Path
    output: Path
    channel: str
    sequence: int | None = None
    signer: Signer | None = None


@record
class Built:
    """The commit that was published. new: whether the commit was not there yet."""

    commit: str
    sequence: int
    files: int
    new: bool


@record
class _File:
    kind: str
    id: str
    path: str
    checksum: str
    size: int
    version: str | None

    @property
    def entry(self) -> dict[str, jsontext.Json]:
        entry: dict[str, jsontext.Json] = {"path": self.path, "checksum": self.checksum, "size": self.size}
        return entry | ({"version": self.version} if self.version else {})


def build(order: BuildOrder, kinds: Kinds, large: int) -> Built:
    """large: bytes that prices and models may have. Blocks. Raises `InvalidInput` that names the file, OSError."""
    files = list(_files(order.source, kinds, large))
    if not files:
        raise InvalidInput(f"{order.source} has nothing to publish: no {', '.join(sorted({*kinds, *SUFFIXES}))}.")
    commit = _commit(order.channel, files)
    last = _last(order.output, kinds)
    same = last is not None and (last.commit, last.channel) == (commit, order.channel)
    sequence = order.sequence if order.sequence is not None else _next(last, same)
    content = _index(order.channel, commit, sequence, files)
    parse(content, kinds)
    new = _publish_files(order, commit, files)
    for folder in (order.output / commit, order.output):
        if order.signer is not None:
            _replace(folder / SIGNATURE, order.signer.sign(content))
        else:
            (folder / SIGNATURE).unlink(missing_ok=True)
        _replace(folder / NAME, content)
    return Built(commit, sequence, len(files), new)


def _next(last: RegistryIndex | None, same: bool) -> int:
    known = 0 if last is None or last.sequence is None else last.sequence
    return known if same and known else known + 1


def _last(output: Path, kinds: Kinds) -> RegistryIndex | None:
    """The content that was published before. Raises `InvalidInput`: without it the sequence would begin anew."""
    try:
        return parse((output / NAME).read_bytes(), kinds)
    except FileNotFoundError:
        return None
    except BadIndex as exc:
        raise InvalidInput(f"{output / NAME} is damaged: {exc}. Repair or delete it, and give --sequence.") from None


def _files(source: Path, kinds: Kinds, large: int) -> Iterator[_File]:
    for kind in sorted({*kinds, *SUFFIXES} - {PRICING}):
        suffixes = SUFFIXES.get(kind, (".toml",))
        known: set[str] = set()
        for path in sorted((source / kind).iterdir()) if (source / kind).is_dir() else ():
            if path.suffix in suffixes and not path.name.startswith("."):
                file = _file(path, f"{kind}/{path.name}", kind, kinds, large)
                if file.id in known:
                    raise InvalidInput(f"{path}: another file has the id {file.id} already.")
                known.add(file.id)
                yield file
    prices = _prices(source)
    if prices is not None:
        yield _file(prices, f"{PRICING}/{PRICING_FILE}", PRICING, kinds, large)


def _prices(source: Path) -> Path | None:
    """The one list of prices: `litellm-pricing.json`, or whatever `pricing/` has. Raises `InvalidInput` for two."""
    places = [source / PRICING_FILE, *sorted((source / PRICING).glob("*.json"))]
    found = [path for path in places if path.is_file()]
    if len(found) > 1:
        raise InvalidInput(f"{found[0]} and {found[1]} are both prices; a registry has one file of them.")
    return found[0] if found else None


def _file(path: Path, place: str, kind: str, kinds: Kinds, large: int) -> _File:
    limit, size = limit_of(kind, kinds, large), path.stat().st_size
    if size > limit:
        raise InvalidInput(
            f"{path} has more than {limit} bytes{'' if limit == SMALL else ' (registry.artifact_limit)'}."
        )
    try:
        manifest = check(path, kind, kinds)
    except Broken as exc:
        raise InvalidInput(f"{path}: {exc}.") from None
    name = manifest.id if manifest else path.stem
    if not PATH.fullmatch(place) or not re.fullmatch(TOKEN_FORM, name):
        raise InvalidInput(f"{path}: the name must be of letters, digits and . _ -, and begin with a letter or digit.")
    version = getattr(manifest, "version", None)
    return _File(kind, name, place, digest(path) or "", size, version if isinstance(version, str) else None)


def _commit(channel: str, files: list[_File]) -> str:
    rows = sorted((file.kind, file.id, file.path, file.checksum) for file in files)
    return hashlib.sha256(jsontext.dumps([channel, rows])).hexdigest()[:COMMIT_LENGTH]


def _index(channel: str, commit: str, sequence: int, files: list[_File]) -> bytes:
    head: dict[str, jsontext.Json] = {"version": VERSION, "channel": channel, "commit": commit, "sequence": sequence}
    tables: dict[str, dict[str, jsontext.Json]] = {"agents": {}, "providers": {}, "scripts": {}}
    for file in files:
        if file.kind == PRICING:
            head[PRICING] = file.entry
        else:
            tables.setdefault(file.kind, {})[file.id] = file.entry
    return jsontext.dumps(head | dict[str, jsontext.Json](tables)) + b"\n"


def _publish_files(order: BuildOrder, commit: str, files: list[_File]) -> bool:
    """The commit's directory appears whole. False: it is there already, with the same files by its name."""
    target = order.output / commit
    if target.is_dir() and all(digest(target / file.path) == file.checksum for file in files):
        return False
    order.output.mkdir(parents=True, exist_ok=True)
    staged = order.output / f".staging-{secrets.token_hex(6)}"
    try:
        for file in files:
            (staged / file.path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(_origin(order.source, file), staged / file.path)
            if digest(staged / file.path) != file.checksum:
                raise InvalidInput(f"{order.source / file.path} was changed meanwhile; build again.")
        with contextlib.suppress(FileNotFoundError):
            target.rename(staged.with_name(f"{staged.name}-old"))
        staged.rename(target)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
        shutil.rmtree(staged.with_name(f"{staged.name}-old"), ignore_errors=True)
    return True


def _origin(source: Path, file: _File) -> Path:
    prices = _prices(source) if file.kind == PRICING else None
    return prices or source / file.path


def _replace(path: Path, content: bytes) -> None:
    """Readable for a web server, as a published file should be; never half written."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
