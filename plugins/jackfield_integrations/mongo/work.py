"""The work of the MongoDB node. Needs the driver."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from bson import CodecOptions
from bson.codec_options import DatetimeConversion
from pymongo import UpdateOne
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.errors import BulkWriteError
from pymongo.operations import SearchIndexModel

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.nodes.items import accepted, error_item, goes_on, new_item, new_items
from jackfield.api.nodes.running import FAILURES
from jackfield.api.records import record
from jackfield.api.workflows import BinaryData, Item, Items
from jackfield_integrations.files import kept
from jackfield_integrations.mongo.documents import (
    MongoDocument,
    document_of,
    file_in,
    filter_of,
    object_id,
    shown,
    stored,
)
from jackfield_integrations.mongo.parameters import MongoParameters
from jackfield_integrations.mongo.session import MongoSession
from jackfield_integrations.query_values import query_of

_CODEC = CodecOptions(datetime_conversion=DatetimeConversion.DATETIME_AUTO)  # type: ignore[var-annotated]
Collection = AsyncCollection[MongoDocument]


@record
class MongoWork:
    """One run of the node. most: documents that one item may bring."""

    run: NodeRun
    session: MongoSession
    version: float
    most: int

    async def one(self, index: int, wanted: MongoParameters) -> Items:
        """The items that one item becomes. Raises `NodeError`."""
        return await self.session.guarded(_OPERATIONS[wanted.work](self, index, wanted))

    def collection(self, wanted: MongoParameters) -> Collection:
        return self.session.collection(wanted.place(), _CODEC)

    async def made(self, row: Mapping[str, object], index: int) -> Item:
        """An item of a document. From version 1.4 on, its fields that are files become the item's."""
        if self.version < 1.4:
            return new_item({name: shown(value) for name, value in row.items()}, index)
        json: dict[str, Json] = {}
        files: dict[str, BinaryData] = {}
        for name, value in row.items():
            content = file_in(value)
            if content is None:
                json[name] = shown(value)
            else:
                files[name] = await kept(self.run, content, name)
        return new_item(json, index, files or None)

    async def rows(self, found: AsyncIterator[Mapping[str, object]], index: int) -> Items:
        """Raises `NodeError` for too many."""
        made: Items = []
        async for row in found:
            if len(made) >= self.most:
                raise NodeError(f"More than {self.most} documents came (integrations.max_rows); narrow the query.")
            made.append(await self.made(row, index))
        return made

    def document(self, index: int, wanted: MongoParameters, *, update: bool) -> MongoDocument:
        """The document that an item writes. Raises `NodeError`."""
        json = self.run.items[index]["json"]
        made = document_of(json, wanted, nested=not update, keyed=True)
        if made is None:
            raise NodeError(f"The item has no field '{wanted.key}', which the parameter updateKey names.")
        return made


def _query(wanted: MongoParameters) -> Any:  # a filter or a pipeline, which the driver checks
    return stored(query_of(wanted.query, wanted.query_parameters, "query"))


def _filter(wanted: MongoParameters) -> MongoDocument:
    """Raises `NodeError`."""
    found = _query(wanted)
    if not isinstance(found, dict):
        raise NodeError("The parameter query must be an object.")
    return found


async def aggregate(work: MongoWork, index: int, wanted: MongoParameters) -> Items:
    pipeline = _query(wanted)
    if not isinstance(pipeline, list):
        raise NodeError("The parameter query must be a list of stages.")
    return await work.rows(await work.collection(wanted).aggregate(pipeline), index)


async def delete(work: MongoWork, index: int, wanted: MongoParameters) -> Items:
    done = await work.collection(wanted).delete_many(_filter(wanted))
    return new_items([{"deletedCount": done.deleted_count}], index)


async def find(work: MongoWork, index: int, wanted: MongoParameters) -> Items:
    query, options = _filter(wanted), wanted.options
    if isinstance(query.get("_id"), str) and query["_id"]:
        query["_id"] = object_id(query["_id"])
    sort = query_of(options.sort or "{}", options.sort_parameters, "sort")
    projection = query_of(options.projection or "{}", options.projection_parameters, "projection")
    found = work.collection(wanted).find(
        query, projection if isinstance(projection, dict) and projection else None, options.skip, options.limit
    )
    if isinstance(sort, dict) and sort:
        found = found.sort([(name, _order(order)) for name, order in sort.items()])
    return await work.rows(found, index)


def _order(value: Json) -> int | dict[str, Any]:
    """1, -1, or a way such as `{"$meta": "textScore"}`. Raises `NodeError`."""
    made = stored(value)
    if isinstance(made, bool) or not isinstance(made, int | dict):
        raise NodeError("The option sort must have 1 or -1 for each field.")
    return made


async def replace_one(work: MongoWork, index: int, wanted: MongoParameters) -> Items:
    document = work.document(index, wanted, update=False)
    await work.collection(wanted).find_one_and_replace(filter_of(document, wanted.key), document, upsert=wanted.upsert)
    return [await work.made(document, index)]


async def update_one(work: MongoWork, index: int, wanted: MongoParameters) -> Items:
    document = work.document(index, wanted, update=True)
    await work.collection(wanted).update_one(filter_of(document, wanted.key), {"$set": document}, upsert=wanted.upsert)
    return [await work.made(document, index)]


async def create_index(work: MongoWork, index: int, wanted: MongoParameters) -> Items:
    model = SearchIndexModel(_definition(wanted), wanted.index(), wanted.index_type)
    await work.collection(wanted).create_search_index(model)
    return new_items([{"indexName": wanted.index()}], index)


async def drop_index(work: MongoWork, index: int, wanted: MongoParameters) -> Items:
    await work.collection(wanted).drop_search_index(wanted.index())
    return new_items([{wanted.index(): True}], index)


async def list_indexes(work: MongoWork, index: int, wanted: MongoParameters) -> Items:
    return await work.rows(await work.collection(wanted).list_search_indexes(wanted.index_name or None), index)


async def update_index(work: MongoWork, index: int, wanted: MongoParameters) -> Items:
    await work.collection(wanted).update_search_index(wanted.index(), _definition(wanted))
    return new_items([{wanted.index(): True}], index)


def _definition(wanted: MongoParameters) -> MongoDocument:
    found = query_of(wanted.index_definition, wanted.index_definition_parameters, "indexDefinition")
    if not isinstance(found, dict):
        raise NodeError("The parameter indexDefinition must be an object.")
    return {name: stored(value) for name, value in found.items()}


_OPERATIONS: Mapping[str, Callable[[MongoWork, int, MongoParameters], Awaitable[Items]]] = {
    "aggregate": aggregate,
    "delete": delete,
    "find": find,
    "findOneAndReplace": replace_one,
    "findOneAndUpdate": update_one,
    "update": update_one,
    "createSearchIndex": create_index,
    "dropSearchIndex": drop_index,
    "listSearchIndexes": list_indexes,
    "updateSearchIndex": update_index,
}


@record
class _Written:
    """The change that an item makes."""

    index: int
    document: MongoDocument
    query: MongoDocument
    upsert: bool


async def inserted(work: MongoWork, resolved: Sequence[MongoParameters]) -> Items:
    """All items, those of one collection at once."""

    def prepared(index: int, wanted: MongoParameters) -> _Written:
        document = document_of(work.run.items[index]["json"], wanted, nested=True, keyed=False)
        return _Written(index, document or {}, {}, upsert=False)

    async def write(collection: Collection, group: Sequence[_Written]) -> Items:
        done = await collection.insert_many([one.document for one in group])
        pairs = zip(group, done.inserted_ids, strict=True)
        return [await work.made({**one.document, "id": found}, one.index) for one, found in pairs]

    return await _grouped(work, resolved, prepared, write)


async def updated(work: MongoWork, resolved: Sequence[MongoParameters]) -> Items:
    """All items, those of one collection at once (version 1.5)."""

    def prepared(index: int, wanted: MongoParameters) -> _Written:
        document = work.document(index, wanted, update=True)
        return _Written(index, document, filter_of(document, wanted.key), wanted.upsert)

    async def write(collection: Collection, group: Sequence[_Written]) -> Items:
        changes = [UpdateOne(one.query, {"$set": one.document}, upsert=one.upsert) for one in group]
        try:
            await collection.bulk_write(changes, ordered=not goes_on(work.run))
        except BulkWriteError as exc:
            return await _partly(work, group, exc)
        return [await work.made(one.document, one.index) for one in group]

    return await _grouped(work, resolved, prepared, write)


async def _partly(work: MongoWork, group: Sequence[_Written], failed: BulkWriteError) -> Items:
    """Each item of a group of which some failed. Raises `NodeError` unless the node goes on after errors."""
    told = {one["index"]: str(one.get("errmsg") or failed) for one in (failed.details or {}).get("writeErrors", ())}
    if not told:
        raise failed
    made: Items = []
    for place, one in enumerate(group):
        if place in told:
            error = NodeError(f"MongoDB: {work.session.told(told[place])}.")
            made.append(error_item(accepted(work.run, error, one.index), one.index))
        else:
            made.append(await work.made(one.document, one.index))
    return made


async def _grouped(
    work: MongoWork,
    resolved: Sequence[MongoParameters],
    prepared: Callable[[int, MongoParameters], _Written],
    write: Callable[[Collection, Sequence[_Written]], Awaitable[Items]],
) -> Items:
    """The result that `write` makes of the items of each collection, in the items' order. Raises `NodeError`."""
    made: dict[int, Item] = {}
    groups: dict[str, list[_Written]] = {}
    for index, wanted in enumerate(resolved):
        try:
            groups.setdefault(wanted.place(), []).append(prepared(index, wanted))
        except FAILURES as exc:
            made[index] = error_item(accepted(work.run, exc, index), index)
    for name, group in groups.items():
        try:
            items = await work.session.guarded(write(work.session.collection(name, _CODEC), group))
        except FAILURES as exc:
            named = exc.item if isinstance(exc, NodeError) else None
            error = accepted(work.run, exc, group[0].index if named is None else named)
            items = [error_item(error, one.index) for one in group]
        made |= {one.index: item for one, item in zip(group, items, strict=True)}
    return [made[index] for index in sorted(made)]


async def written_by_the_first(work: MongoWork, wanted: MongoParameters) -> Items:
    """All items by the first one's parameters, as versions before 1.3 do it; none says which item it is of. Raises
    `NodeError`."""
    keyed, update = wanted.work != "insert", wanted.work != "findOneAndReplace" and work.version >= 1.2
    documents = [
        document
        for item in work.run.items
        if (document := document_of(item["json"], wanted, nested=not (keyed and update), keyed=keyed)) is not None
    ]
    collection = work.collection(wanted)
    if not keyed:
        done = await work.session.guarded(collection.insert_many(documents))
        rows = zip(documents, done.inserted_ids, strict=True)
        return [await work.made({**document, "id": found}, 0) for document, found in rows]
    made: Items = []
    for document in documents:
        try:
            query = filter_of(document, wanted.key)
            if wanted.work == "findOneAndReplace":
                await work.session.guarded(collection.find_one_and_replace(query, document, upsert=wanted.upsert))
            else:
                await work.session.guarded(collection.update_one(query, {"$set": document}, upsert=wanted.upsert))
        except FAILURES as exc:
            made.append(error_item(accepted(work.run, exc, 0), 0))
        else:
            made.append(await work.made(document, 0))
    return made
