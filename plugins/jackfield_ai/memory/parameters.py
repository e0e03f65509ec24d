"""Parameters of memories that are kept in databases."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.nodes import Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.form import MONGO_MEMORY, OLD_REDIS_MEMORY, POSTGRES_MEMORY, REDIS_MEMORY
from jackfield_ai.parameters import Text

TABLE = "n8n_chat_histories"


class SessionParameters(Parameters):
    session_id_type: Literal["fromInput", "customKey"] = "fromInput"
    session_key: Text = Field("", description="With customKey: what tells sessions apart.")
    context_window_length: int = Field(5, ge=1, description="How many questions, with their answers, a model sees.")


class PostgresMemoryParameters(SessionParameters):
    ui_fields: ClassVar[UiFields] = POSTGRES_MEMORY

    table_name: str = TABLE


class OldRedisMemoryParameters(Parameters):
    """Of versions before 1.2."""

    ui_fields: ClassVar[UiFields] = OLD_REDIS_MEMORY

    session_key: Text = Field("", description="Empty: chat_history in version 1, the item's sessionId in 1.1.")
    session_ttl: int = Field(0, alias="sessionTTL", ge=0, description="Seconds until a session is forgotten; 0: never.")


class RedisMemoryParameters(SessionParameters):
    ui_fields: ClassVar[UiFields] = REDIS_MEMORY

    session_ttl: int = Field(0, alias="sessionTTL", ge=0, description="Seconds until a session is forgotten; 0: never.")


class MongoMemoryParameters(SessionParameters):
    ui_fields: ClassVar[UiFields] = MONGO_MEMORY

    collection_name: str = TABLE
    database_name: str = Field("", description="Empty: the credential's own.")
