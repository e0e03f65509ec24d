"""How vector stores show their parameters."""

from __future__ import annotations

from jackfield.api.nodes.ui import Ui, UiFields
from jackfield_ai.retrieval.form import NO_UPDATES, STORE, STORE_OPTIONS

QDRANT: UiFields = {
    **NO_UPDATES,
    "qdrantCollection": Ui(label="Collection", help="The collection of Qdrant; inserting makes it."),
}
QDRANT_OPTIONS: UiFields = {
    "collectionConfig": Ui(label="Collection config", help="How a new collection is made, as Qdrant's API has it."),
    "searchFilterJson": Ui(label="Search filter", help="A filter as Qdrant's API has it."),
    "contentPayloadKey": Ui(label="Payload key of the text", help="Empty: `content`."),
    "metadataPayloadKey": Ui(label="Payload key of the metadata", help="Empty: `metadata`."),
}

PINECONE: UiFields = {**STORE, "pineconeIndex": Ui(label="Index", help="The index of Pinecone.")}
PINECONE_OPTIONS: UiFields = {
    **STORE_OPTIONS,
    "clearNamespace": Ui(label="Clear the namespace", help="Deletes its records before documents are inserted."),
    "pineconeNamespace": Ui(label="Namespace", help="The part of the index that holds the documents."),
}

SUPABASE: UiFields = {**STORE, "tableName": Ui(label="Table", help="The table of Supabase.")}
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
    "chromaCollection": Ui(label="Collection", help="The collection of Chroma; inserting makes it."),
}
CHROMA_OPTIONS: UiFields = {
    **STORE_OPTIONS,
    "clearCollection": Ui(label="Clear the collection", help="Deletes it before documents are inserted."),
}
