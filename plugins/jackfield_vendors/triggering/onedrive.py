"""The changes in a drive of OneDrive, by Graph's log of changes.

A link says from where on in the log; each answer has the next one. As in n8n, an entry of the log counts as made when
its time is behind the last poll, else as changed. Clocks of the service and of the daemon may differ by some minutes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jackfield.api.http_client import HttpCall
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.triggers.failures import ServiceRefusal
from jackfield.api.triggers.newness import seconds
from jackfield.api.triggers.polling import Polled, PollRun
from jackfield.api.workflows import Item
from jackfield_vendors.requests.calls import answer_of
from jackfield_vendors.requests.sending import ServiceSteps
from jackfield_vendors.templates import TemplateScope, as_text, at
from jackfield_vendors.triggering.compiled import text_in

_OVERLAP_S = 600
"""By which a time may lie before the last poll."""
_MOST = 5_000
"""Changes of that time that are remembered."""
_TOO_LONG_AGO = 410
"""The log does not go back as far."""
_LOG = "/me/drive/root/delta"
_LATEST = "?token=latest"


async def polled(run: PollRun, steps: ServiceSteps, scope: TemplateScope) -> Polled:
    """Raises `NodeError`."""
    drive, wanted = _Drive(steps, text_in(steps.base, scope)), _Wanted(scope)
    if run.test:
        rows = [row for row in _rows(await drive.page("")) if wanted.fits(row)]
        newest = sorted(rows, key=lambda row: _times(row)[1], reverse=True)
        return Polled([wanted.item(row) for row in newest[:1]])
    if not isinstance(run.state.get("place"), str):
        return await _begun(run, drive)
    try:
        return await _changes(run, drive, wanted)
    except ServiceRefusal as exc:
        if exc.status != _TOO_LONG_AGO:
            raise
        await _begun(run, drive)
        return Polled(left_out=f"{exc.message} What happened since the last poll is not looked at.")


async def _begun(run: PollRun, drive: _Drive) -> Polled:
    """From now on."""
    place, _ = _following(await drive.page(_LATEST))
    now = run.now / 1000
    run.state.clear()
    run.state.update({"place": place or _LATEST, "begun": now, "since": now, "known": {}})
    return Polled()


async def _changes(run: PollRun, drive: _Drive, wanted: _Wanted) -> Polled:
    log = _Log(run)
    items: list[Item] = []
    more = False
    for _ in range(run.pages):
        page = await drive.page(log.place)
        for row in _rows(page):
            if not log.is_news(row, changed=wanted.changed) or not wanted.fits(row):
                continue
            if len(items) == run.limit:  # this page is read again, and what is known is left out
                log.keep(run, now=None)
                return Polled(items, more=True)
            log.note(row)
            items.append(wanted.item(row))
        following, more = _following(page)
        log.place = following or log.place
        if not more:
            break
    log.keep(run, now=None if more else run.now / 1000)
    return Polled(items, more=more)


class _Drive:
    """base: of Graph's addresses."""

    def __init__(self, steps: ServiceSteps, base: str) -> None:
        self._steps = steps
        self._address = base.rstrip("/") + _LOG

    async def page(self, place: str) -> Json:
        """Of the log. place: what stands behind its address. Raises `NodeError`."""
        call = HttpCall("GET", self._address + place, headers=[("accept", "application/json")])
        reply = await self._steps.exchange.send(call)
        return answer_of(reply, self._steps.node.errors, self._steps.node.title)


def _following(page: Json) -> tuple[str, bool]:
    """The part behind the log's address in the next link, and whether there is more now.

    Host and path are not taken from an answer: the credential goes there.
    """
    given = page if isinstance(page, dict) else {}
    following = given.get("@odata.nextLink")
    link = following or given.get("@odata.deltaLink")
    _, mark, rest = link.partition("/delta") if isinstance(link, str) else ("", "", "")
    return (rest if mark and rest[:1] in ("?", "(") else ""), bool(following)


class _Log:
    """The state of the log."""

    def __init__(self, run: PollRun) -> None:
        state = run.state
        self.place = str(state.get("place"))
        begun, self._since = _number(state.get("begun")), _number(state.get("since"))
        known = state.get("known")
        self._known = {
            str(ident): float(moment)
            for ident, moment in (known.items() if isinstance(known, dict) else ())
            if isinstance(moment, int | float)
        }
        self._from = max(self._since - _OVERLAP_S, begun)

    def is_news(self, row: Mapping[str, Json], *, changed: bool) -> bool:
        """Whether it was made, or was changed, since the last poll. News of the other kind is noted."""
        made, modified = _times(row)
        known = self._known.get(as_text(row.get("id")))
        is_new = known is None and made >= self._from
        is_changed = not is_new and modified >= self._from and (known is None or modified > known)
        if (is_new or is_changed) and is_changed is not changed:
            self.note(row)
        return is_changed if changed else is_new

    def note(self, row: Mapping[str, Json]) -> None:
        self._known[as_text(row.get("id"))] = _times(row)[1]

    def keep(self, run: PollRun, now: float | None) -> None:
        """now: Unix seconds; None: there is more to read."""
        if now is not None:
            self._since = now
        first = self._since - _OVERLAP_S
        kept = sorted(((moment, ident) for ident, moment in self._known.items() if moment >= first), reverse=True)
        run.state["place"], run.state["since"] = self.place, self._since
        run.state["known"] = {ident: moment for moment, ident in kept[:_MOST]}


class _Wanted:
    """The changes that the node's parameters ask for. Raises `NodeError`."""

    def __init__(self, scope: TemplateScope) -> None:
        given = scope.parameters
        event, watch = as_text(given.get("event")), as_text(given.get("watch"))
        self.changed = "Updated" in event
        self._kind = "folder" if "folder" in event else "file"
        self._simple = given.get("simple") is not False
        self._file = as_text(scope.special.get("$file") or "") if watch == "selectedFile" else ""
        self._folder = ""
        self._inside: str | None = None
        self._itself = as_text(scope.special.get("$folder") or "") if watch == "oneSelectedFolder" else ""
        if watch == "selectedFolder" or given.get("watchFolder") is True:
            self._folder = as_text(scope.special.get("$folder") or "")
            self._inside = _path_of(scope.special.get("$parent"))

    def fits(self, row: Mapping[str, Json]) -> bool:
        ident, parent = as_text(row.get("id")), row.get("parentReference")
        if not isinstance(row.get(self._kind), dict):
            return False
        if (self._file and ident != self._file) or (self._itself and ident != self._itself):
            return False
        if self._inside is not None:
            path = as_text(at(parent, ["path"]) or "")
            return path == self._inside or path.startswith(f"{self._inside}/")
        return not self._folder or as_text(at(parent, ["id"]) or "") == self._folder

    def item(self, row: Mapping[str, Json]) -> Item:
        if not self._simple:
            return {"json": dict(row)}
        info, file = row.get("fileSystemInfo"), row.get("file")
        made: dict[str, Json] = {
            "id": row.get("id"),
            "createdDateTime": at(info, ["createdDateTime"]),
            "lastModifiedDateTime": at(info, ["lastModifiedDateTime"]),
            "name": row.get("name"),
            "webUrl": row.get("webUrl"),
            "size": row.get("size"),
        }
        known = {name: value for name, value in made.items() if value is not None}
        path = at(row.get("parentReference"), ["path"])
        return {"json": {**known, "path": path or "", "mimeType": at(file, ["mimeType"]) or ""}}


def _path_of(parent: Json) -> str | None:
    """Of the content of a folder. Raises `NodeError`."""
    if parent is None:
        return None
    if not isinstance(parent, dict) or not isinstance(parent.get("folder"), dict):
        raise NodeError("The entry that the parameter folderId names is no folder; choose another one.")
    return f"{as_text(at(parent, ['parentReference', 'path']) or '')}/{as_text(parent.get('name') or '')}"


def _rows(page: Json) -> Iterator[Mapping[str, Json]]:
    """Those that have a time; what was deleted has none."""
    for row in _listed(at(page, ["value"])):
        if isinstance(row, dict) and isinstance(row.get("fileSystemInfo"), dict):
            yield row


def _times(row: Mapping[str, Json]) -> tuple[float, float]:
    """When it was made and changed, Unix seconds.

    The times are those in the drive, as far as the service says; a file keeps the times that it had elsewhere.
    """
    info = row.get("fileSystemInfo")
    made = seconds(row.get("createdDateTime")) or seconds(at(info, ["createdDateTime"])) or 0.0
    changed = seconds(row.get("lastModifiedDateTime")) or seconds(at(info, ["lastModifiedDateTime"])) or 0.0
    return made, changed


def _listed(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else []


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
