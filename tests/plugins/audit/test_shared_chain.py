"""Daemons over one PostgreSQL: the database keeps their records in one order."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from jackfield.api.audit import AuditActor, AuditedAct
from jackfield.testing.context import FakeContext
from jackfield.testing.postgres import PostgresServer
from jackfield_audit.chain import AuditChain
from jackfield_audit.verifying import verify
from jackfield_store_postgres.settings import PostgresSettings
from jackfield_store_postgres.store import PostgresStore


async def test_the_database_orders_what_daemons_record(jackfield_postgres: PostgresServer, tmp_path: Path) -> None:
    schema, log = jackfield_postgres.new_name(), logging.getLogger("jackfield.test")
    settings = PostgresSettings(dsn=jackfield_postgres.dsn(), schema_name=schema, readers=2)
    stores = [PostgresStore(settings, log) for _ in range(3)]
    for store in stores:
        await store.open()
    try:
        contexts = [FakeContext(tmp_path, ports={"Store": store}) for store in stores]
        actor = AuditActor("u1", "ada", "jwt")

        async def work(context: FakeContext, who: int) -> None:
            for number in range(20):
                await context.port(AuditChain).record(AuditedAct(f"daemon{who}.act{number}", actor))

        await asyncio.gather(*(work(context, who) for who, context in enumerate(contexts)))
        verdicts = [await verify(context) for context in contexts]
        assert [(verdict.good, verdict.records) for verdict in verdicts] == [(True, 60)] * 3
        assert sum(context.port(AuditChain).overtaken for context in contexts) > 0
    finally:
        for store in stores:
            await store.close()
