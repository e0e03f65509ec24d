"""How vector stores show their parameters."""

from __future__ import annotations

from jackfield.api.nodes.forms import LoadedList
from jackfield.api.nodes.ui import Ui, UiFields
from jackfield_ai.retrieval.form import NO_UPDATES, STORE, STORE_OPTIONS

COLLECTIONS = "collections"
"""The list of what a store has: collections, tables, indexes."""
_LIST = LoadedList(name=COLLECTIONS, searchable=True)
_CHROMA_LIST = LoadedList(name=COLLECTIONS, searchable=True, depends_on=["authentication"])

QDRANT: UiFields = {
    **NO_UPDATES,
    "qdrantCollection": Ui(load=_LIST, label="Collection", help="The collection of Qdrant; inserting makes it."),
}
QDRANT_OPTIONS: UiFields = {
    "collectionConfig": Ui(label="Collection config", help="How a new collection is made, as Qdrant's API has it."),
    "searchFilterJson": Ui(label="Search filter", help="A filter as Qdrant's API has it."),
    "contentPayloadKey": Ui(label="Payload key of the text", help="Empty: `content`."),
    "metadataPayloadKey": Ui(label="Payload key of the metadata", help="Empty: `metadata`."),
}

PINECONE: UiFields = {**STORE, "pineconeIndex": Ui(load=_LIST, label="Index", help="The index of Pinecone.")}
PINECONE_OPTIONS: UiFields = {
    **STORE_OPTIONS,
    "clearNamespace": Ui(label="Clear the namespace", help="Deletes its records before documents are inserted."),
    "pineconeNamespace": Ui(label="Namespace", help="The part of the index that holds the documents."),
}

SUPABASE: UiFields = {**STORE, "tableName": Ui(load=_LIST, label="Table", help="The table of Supabase.")}
SUPABASE_OPTIONS: UiFields = {
    **STORE_OPTIONS,
    "queryName": Ui(label="Function", help="The function of the database that finds documents."),
}

PGVECTOR: UiFields = {**NO_UPDATES, "tableName": Ui(label="Table", help="The table of PostgreSQL; inserting makes it.")}
PGVECTOR_OPTIONS: UiFields = {
    **STORE_OPTIONS,
    "distanceStrategy": Ui(
        label="Distance",
        choices={"cosine": "Cosine", "innerProduct": "Inner product", "euclidean": "Euclidean"},
        help="How the distance of two vectors is counted.",
    ),
    "collection": Ui(help="Several collections may share one table."),
    "columnNames": Ui(label="Columns", help="The names of the table's columns."),
}
PGVECTOR_COLLECTION: UiFields = {"values": Ui(label="Collection")}
PGVECTOR_COLLECTION_VALUES: UiFields = {
    "useCollection": Ui(label="Use a collection"),
    "collectionName": Ui(label="Name", when={"useCollection": True}),
    "collectionTableName": Ui(label="Table of collections", when={"useCollection": True}),
}
PGVECTOR_COLUMNS: UiFields = {"values": Ui(label="Columns")}

CHROMA: UiFields = {
    **NO_UPDATES,
    "authentication": Ui(
        choices={"chromaSelfHostedApi": "A server of your own", "chromaCloudApi": "Chroma Cloud"},
    ),
    "chromaCollection": Ui(load=_CHROMA_LIST, label="Collection", help="The collection of Chroma; inserting makes it."),
}
CHROMA_OPTIONS: UiFields = {
    **STORE_OPTIONS,
    "clearCollection": Ui(label="Clear the collection", help="Deletes it before documents are inserted."),
}

REDIS: UiFields = {**STORE, "redisIndex": Ui(load=_LIST, label="Index", help="The index of Redis; inserting makes it.")}
REDIS_OPTIONS: UiFields = {
    "metadataFilter": Ui(label="Words of the metadata", help="One of these words is in the metadata; comma separated."),
    "keyPrefix": Ui("text", help="Empty: `doc:`, the index and a colon."),
    "overwriteDocuments": Ui(label="Start anew", help="Deletes index and documents before documents are inserted."),
    "metadataKey": Ui("text", help="The field of the metadata. Empty: `metadata`."),
    "contentKey": Ui("text", help="The field of the text. Empty: `content`."),
    "vectorKey": Ui("text", help="The field of the embedding. Empty: `content_vector`."),
    "ttl": Ui(label="Time to live (s)", help="Seconds until a document is forgotten; empty keeps it."),
}

MONGO: UiFields = {
    **STORE,
    "mongoCollection": Ui(load=_LIST, label="Collection", help="The collection of MongoDB Atlas."),
    "embedding": Ui(help="The field that holds the embedding."),
    "metadata_field": Ui(label="Text field", help="The field that holds the text."),
    "vectorIndexName": Ui(label="Vector index", help="The index of Atlas that finds documents."),
}
MONGO_OPTIONS: UiFields = {
    "namespace": Ui(help="The value of the field `namespace` of inserted documents."),
    "clearNamespace": Ui(label="Clear the namespace", help="Deletes its documents before documents are inserted."),
    "preFilter": Ui(help="The filter of `$vectorSearch`."),
    "postFilterPipeline": Ui(label="Further steps", help="Steps of the aggregation behind the search."),
}

WEAVIATE: UiFields = {
    **NO_UPDATES,
    "weaviateCollection": Ui(load=_LIST, label="Collection", help="The collection of Weaviate; inserting makes it."),
}
WEAVIATE_OPTIONS: UiFields = {
    "tenant": Ui(help="The tenant, for a collection that has some."),
    "textKey": Ui(label="Text property"),
    "clearStore": Ui(label="Clear the collection", help="Deletes it, or the tenant, before documents are inserted."),
    "searchFilterJson": Ui(label="Search filter", help="Comparisons, alone, or several in an AND or an OR."),
    "metadataKeys": Ui(label="Metadata", help="Names of properties, comma separated; empty gives all."),
    "hybridQuery": Ui(label="Hybrid: text", help="Words that are looked for beside the vector."),
    "hybridExplainScore": Ui(label="Hybrid: explain the score"),
    "fusionType": Ui(label="Hybrid: fusion", choices={"RelativeScore": "Relative score", "Ranked": "Ranked"}),
    "autoCutLimit": Ui(label="Hybrid: autocut", help="Groups of results after which the rest is cut off."),
    "alpha": Ui(label="Hybrid: alpha", help="1 counts vectors alone, 0 words alone."),
    "queryProperties": Ui(label="Hybrid: properties", help="Where words are looked for, comma separated."),
    "maxVectorDistance": Ui(label="Hybrid: most distance", help="The largest distance of a vector that counts."),
}

MILVUS: UiFields = {
    **NO_UPDATES,
    "milvusCollection": Ui(load=_LIST, label="Collection", help="The collection of Milvus; inserting makes it."),
}
MILVUS_OPTIONS: UiFields = {
    "clearCollection": Ui(label="Clear the collection", help="Deletes it before documents are inserted."),
}
