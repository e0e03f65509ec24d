"""Rows of a table in SeaTable that are new or changed, with the items of n8n's trigger.

n8n reads the first thousand rows of a view and takes what is younger than its last poll. Here all pages of a view are
read, and without one the rows that were made or changed last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.http_client import HttpBody, HttpCall, Pairs
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeError
from jackfield.api.records import record, replace
from jackfield.api.triggers.newness import Newness, of_source, seconds
from jackfield.api.triggers.polling import Polled, PollRun
from jackfield_vendors.requests.calls import answer_of
from jackfield_vendors.requests.exchange import ServiceExchange
from jackfield_vendors.requests.sending import ServiceSteps
from jackfield_vendors.templates import TemplateScope, as_text, at
from jackfield_vendors.triggering.compiled import text_in

_CLOUD = "https://cloud.seatable.io"
_PAGE = 1000
_TESTED = 3
_OVERLAP_S = 300
"""By which a row may turn up late."""
_MORE = "There are more than {} rows to look at; what stands behind them is left out."


@record
class _Read:
    """rows: the newest first, where they are in an order; columns: of the table; left_out: what could not be read."""

    rows: Sequence[Mapping[str, Json]]
    columns: Sequence[Mapping[str, Json]]
    left_out: str = ""


async def polled(run: PollRun, steps: ServiceSteps, scope: TemplateScope) -> Polled:
    """Raises `NodeError`."""
    given = scope.parameters
    base = await _Base.opened(steps, scope)
    first_version = (run.node.version or 2) < 2
    field = "_ctime" if given.get("event") in ("newRow", "rowCreated") else "_mtime"
    source: list[Json] = [given.get(name) for name in ("tableName", "event", "viewName", "assetColumn")]
    if not run.test:
        of_source(run.state, source)
    newness = Newness("time", lambda row: [at(row, ["_id"]), at(row, [field])], lambda row: at(row, [field]))
    table = _Table(run, base, given, field, replace(newness, overlap=_OVERLAP_S))
    read = await (table.of_first_version() if first_version else table.read())
    rows, more = table.new(read)
    if not rows:
        return Polled(left_out=read.left_out)
    if first_version:
        items = [_first_item(row, read.columns, simple=given.get("simple") is not False) for row in rows]
    else:
        users = _objects(at(await base.asked("GET", "related-users/"), ["user_list"]))
        simple = at(given.get("options"), ["simple"]) is not False
        items = [_item(row, read.columns, users, simple=simple) for row in rows]
    return Polled([{"json": item} for item in items], more, read.left_out)


@record
class _Table:
    """Of one poll. given: the node's parameters; field: what says when a row was made or changed."""

    run: PollRun
    base: _Base
    given: Mapping[str, Json]
    field: str
    newness: Newness

    def new(self, read: _Read) -> tuple[Sequence[Mapping[str, Json]], bool]:
        """Rows that are new, and whether there are more."""
        run, rows = self.run, [dict(row) for row in read.rows]
        if run.test:
            return sorted(rows, key=lambda row: as_text(row.get(self.field) or ""), reverse=True)[:_TESTED], False
        if self.newness.is_first(run.state):
            self.newness.begin(run.state, run.now / 1000)
            self.newness.new([*rows], run.state, len(rows), run.now / 1000)
            return [], False
        found, more = self.newness.new([*rows], run.state, run.limit, run.now / 1000)
        return [row for row in found if isinstance(row, dict)], more

    async def of_first_version(self) -> _Read:
        return await self._of_query("*", f"/dtable-db/api/v1/query/{self.base.uuid}/", {})

    async def read(self) -> _Read:
        convert = at(self.given.get("options"), ["convert"]) is not False
        if self.given.get("event") == "newAsset":
            return await self._of_query(_name(self.given, "assetColumn"), "sql", {"convert_keys": convert})
        if view := as_text(self.given.get("viewName") or ""):
            table = as_text(self.given.get("tableName") or "")
            return await _of_view(self.run, self.base, table, view, convert=convert)
        return await self._of_query("*", "sql", {"convert_keys": convert})

    async def _of_query(self, column: str, path: str, more: Mapping[str, Json]) -> _Read:
        """column: that must not be empty, or `*` for all rows.

        The rows that are newer than those seen before, and a page.
        """
        wanted = "*" if column == "*" else f"_id, _ctime, _mtime, {column}"
        where = "" if column == "*" else f" WHERE {column} IS NOT NULL"
        select = f"SELECT {wanted} FROM {_name(self.given, 'tableName')}{where}"  # noqa: S608 - names are quoted
        rows: list[Mapping[str, Json]] = []
        columns: list[Mapping[str, Json]] = []
        for page in range(self.run.pages):
            offset = f" OFFSET {page * _PAGE}" if page else ""
            sql = f"{select} ORDER BY {self.field} DESC LIMIT {_PAGE}{offset}"
            answer = await self.base.asked("POST", path, body={"sql": sql, **more})
            found, columns = _objects(at(answer, ["results"])), _objects(at(answer, ["metadata"]))
            rows += found
            if len(found) < _PAGE or not self._goes_on(found[-1]):
                return _Read(rows, columns)
        return _Read(rows, columns, _MORE.format(len(rows)))

    def _goes_on(self, last: Mapping[str, Json]) -> bool:
        """Whether rows that are older than this one may be new."""
        since = None if self.run.test else self.newness.since(self.run.state)
        moment = seconds(last.get(self.field))
        return since is not None and moment is not None and moment >= since


async def _of_view(run: PollRun, base: _Base, table: str, view: str, *, convert: bool) -> _Read:
    tables = _objects(at(await base.asked("GET", "metadata/"), ["metadata", "tables"]))
    columns = next((_objects(one.get("columns")) for one in tables if one.get("name") == table), [])
    query = [("table_name", table), ("view_name", view), ("limit", str(_PAGE)), ("convert_keys", as_text(convert))]
    rows: list[Mapping[str, Json]] = []
    for page in range(run.pages):
        start = [("start", str(page * _PAGE))] if page else []
        found = _objects(at(await base.asked("GET", "rows/", query=[*query, *start]), ["rows"]))
        rows += found
        if len(found) < _PAGE:
            return _Read(rows, columns)
    return _Read(rows, columns, _MORE.format(len(rows)))


@record
class _Base:
    """A base with the token that stands for it for some days."""

    steps: ServiceSteps
    exchange: ServiceExchange
    address: str
    token: str
    uuid: str

    @classmethod
    async def opened(cls, steps: ServiceSteps, scope: TemplateScope) -> _Base:
        """Raises `NodeError`."""
        values = steps.exchange.values
        address = _CLOUD if values.get("environment") == "cloudHosted" and values.get("domain") else ""
        address = (address or text_in(steps.base, scope)).rstrip("/")
        exchange = replace(steps.exchange, authorization=None)
        own = cls(steps, exchange, address, values.get("token", ""), "")
        found = await own.asked("GET", "/api/v2.1/dtable/app-access-token/")
        token, uuid = at(found, ["access_token"]), at(found, ["dtable_uuid"])
        if not isinstance(token, str) or not isinstance(uuid, str) or not uuid.replace("-", "").isalnum():
            raise NodeError("SeaTable gave no access to the base; check the API token of the credential.")
        return replace(own, exchange=replace(exchange, secrets=[*exchange.secrets, token]), token=token, uuid=uuid)

    async def asked(self, method: str, path: str, *, query: Pairs | None = None, body: Json = None) -> Json:
        """path: below the base's address, or with a slash below the server's. Raises `NodeError`."""
        below = path if path.startswith("/") else f"/api-gateway/api/v2/dtables/{self.uuid}/{path}"
        sent = HttpBody(dumps(body), "application/json") if body is not None else None
        headers = [("accept", "application/json"), ("authorization", f"Token {self.token}")]
        call = HttpCall(method, self.address + below, query=list(query or ()), headers=headers, body=sent)
        reply = await self.exchange.send(replace(call, secret_headers=frozenset({"authorization"})))
        return answer_of(reply, self.steps.node.errors, self.steps.node.title)


def _name(given: Mapping[str, Json], parameter: str) -> str:
    """For a query in SQL."""
    return "`" + as_text(given.get(parameter) or "").replace("`", "``") + "`"


def _first_item(row: Mapping[str, Json], columns: Sequence[Mapping[str, Json]], *, simple: bool) -> dict[str, Json]:
    """As version 1 of n8n's node has it: columns by their names, and of a simplified row by what they hold."""
    names = {as_text(column.get("key")): as_text(column.get("name")) for column in columns}
    named = {(key if key.startswith("_") else names.get(key, key)): value for key, value in row.items()}
    source = named if simple else row
    return {as_text(column.get("name")): _plain(source.get(as_text(column.get("name")))) for column in columns}


def _plain(value: Json) -> Json:
    if isinstance(value, list):
        if all(isinstance(one, str) for one in value):
            return value
        if all(isinstance(one, dict | list) or one is None for one in value):
            return [at(one, ["display_value"]) for one in value]
        return None
    return value if isinstance(value, bool | int | float | str) else None


def _item(
    row: Mapping[str, Json],
    columns: Sequence[Mapping[str, Json]],
    users: Sequence[Mapping[str, Json]],
    *,
    simple: bool,
) -> dict[str, Json]:
    """As version 2 has it: with what is known of people and files."""
    kept = {key: value for key, value in row.items() if not simple or not key.startswith("_")}
    made: dict[str, Json] = {}
    for key, value in kept.items():
        column = next((one for one in columns if key in (one.get("name"), one.get("key"))), {})
        kind = column.get("type")
        if kind == "button":
            continue
        if kind in ("last-modifier", "creator") or column.get("key") in ("_creator", "_last_modifier"):
            value = _person(value, users)
        made[key] = _enriched(value, kind, users)
    return made


def _enriched(value: Json, kind: Json, users: Sequence[Mapping[str, Json]]) -> Json:
    if kind == "collaborator" and isinstance(value, list) and value:
        return [_person(one, users) for one in value]
    if kind == "image" and isinstance(value, list) and value:
        return [_picture(as_text(one)) for one in value]
    if kind == "file" and isinstance(value, list):
        return [_file(one) for one in value]
    if kind == "digital-sign" and isinstance(value, dict) and value.get("username"):
        person = _person(value.get("username"), users)
        return {**value, "contact_email": person["contact_email"], "name": person["name"]}
    return value


def _person(email: Json, users: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    user = next((one for one in users if one.get("email") == email), {"contact_email": "unknown", "name": "unknown"})
    return {"email": email, "contact_email": user.get("contact_email"), "name": user.get("name")}


def _picture(url: str) -> dict[str, Json]:
    name = url.rpartition("/")[2]
    return {"name": name, "size": 0, "type": "image", "url": url, "path": _asset(url, "images")}


def _file(file: Json) -> Json:
    return {**file, "path": _asset(as_text(file.get("url") or ""), "files")} if isinstance(file, dict) else file


def _asset(url: str, kind: str) -> str:
    """Path of a file below the base."""
    parts = url.split(f"/{kind}/")
    return f"/{kind}/{parts[1]}" if len(parts) > 1 and parts[1] else url


def _objects(value: Json) -> list[Mapping[str, Json]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
