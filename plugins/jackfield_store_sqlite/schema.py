"""The tables, as migrations: entry n brings a database from `user_version` n to n + 1, in one transaction.

Every run writes little: `executions` and `calls` have the columns that lists and status changes need. Large values that
never change (input, steps, request) lie in `execution_data` and `call_data` under integer keys that only grow. So they
are always appended, finishing rewrites no blob, and listing reads none. An execution's first part is its input, whose
key is `executions.data`; the others are its step chunks, in order of their numbers. A call's body stands in one of
three places: in its execution's input at `call_data.body_places`, compressed in `packed`, or in `body`. A long answer
lies in `call_answers`; `calls.response_body` is empty then. These tables have no foreign keys: looking them up would
cost the hot path more than the rows.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import orjson

from jackfield.api.errors import ConfigurationError
from jackfield.api.store_moves import UNFINISHED, unfinished_told
from jackfield.api.workflow_words import words_of

APPLICATION_ID = 0x4A4B4644

_FIRST = (
    """CREATE TABLE users (
        id TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, role TEXT NOT NULL, password_hash TEXT NOT NULL,
        version INTEGER NOT NULL, created_at INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE api_keys (
        id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, name TEXT NOT NULL,
        prefix TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL, created_at INTEGER NOT NULL,
        expires_at INTEGER, last_used_at INTEGER
    ) STRICT""",
    "CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at, id)",
    "CREATE TABLE revoked_tokens (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE INDEX revoked_tokens_by_expiry ON revoked_tokens (expires_at)",
    """CREATE TABLE workflows (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, folded_name TEXT NOT NULL, active INTEGER NOT NULL,
        version INTEGER NOT NULL, node_count INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX workflows_by_change ON workflows (updated_at, id)",
    """CREATE TABLE workflow_versions (
        workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE, version INTEGER NOT NULL,
        name TEXT NOT NULL, created_at INTEGER NOT NULL, author TEXT, document BLOB NOT NULL,
        UNIQUE (workflow_id, version)
    ) STRICT""",
    """CREATE TABLE static_data (
        workflow_id TEXT PRIMARY KEY REFERENCES workflows (id) ON DELETE CASCADE, data BLOB NOT NULL
    ) STRICT""",
    """CREATE TABLE registrations (
        id TEXT PRIMARY KEY, workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
        node_id TEXT NOT NULL, node_name TEXT NOT NULL, kind TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL,
        pattern TEXT NOT NULL, authentication TEXT NOT NULL, active INTEGER NOT NULL, created_at INTEGER NOT NULL
    ) STRICT""",
    "CREATE UNIQUE INDEX live_routes ON registrations (method, pattern) WHERE active = 1 AND kind = 'webhook'",
    "CREATE INDEX registrations_by_workflow ON registrations (workflow_id)",
    "CREATE INDEX registrations_by_time ON registrations (kind, created_at, id)",
    "CREATE INDEX registrations_by_path ON registrations (path)",
    """CREATE TABLE webhook_stats (
        webhook_id TEXT PRIMARY KEY, total INTEGER NOT NULL, success INTEGER NOT NULL, failed INTEGER NOT NULL,
        last_call INTEGER
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE calls (
        webhook_id TEXT NOT NULL, id TEXT NOT NULL, data INTEGER NOT NULL, execution_id TEXT, time INTEGER NOT NULL,
        method TEXT NOT NULL, status TEXT NOT NULL, truncated INTEGER NOT NULL, response_status INTEGER,
        duration_ms INTEGER, response_truncated INTEGER NOT NULL, response_body TEXT NOT NULL,
        PRIMARY KEY (webhook_id, id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX calls_by_time ON calls (webhook_id, time, id)",
    "CREATE TABLE call_data (id INTEGER PRIMARY KEY, headers BLOB NOT NULL, body TEXT NOT NULL) STRICT",
    """CREATE TABLE deliveries (
        webhook_id TEXT NOT NULL, key TEXT NOT NULL, expires_at INTEGER NOT NULL, execution_id TEXT NOT NULL,
        status INTEGER, headers BLOB, body BLOB, PRIMARY KEY (webhook_id, key)
    ) STRICT""",
    "CREATE INDEX deliveries_by_expiry ON deliveries (expires_at)",
    """CREATE TABLE executions (
        id TEXT PRIMARY KEY, data INTEGER NOT NULL, workflow_id TEXT, workflow_version INTEGER NOT NULL,
        mode TEXT NOT NULL, status TEXT NOT NULL, created_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER,
        resume_at INTEGER, error BLOB, retry_of TEXT, call_id TEXT, webhook_id TEXT
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX executions_by_time ON executions (created_at, id)",
    "CREATE INDEX executions_by_workflow ON executions (workflow_id, created_at, id)",
    "CREATE INDEX executions_open ON executions (id) WHERE finished_at IS NULL",
    "CREATE INDEX executions_lost ON executions (status, created_at, id) WHERE status IN ('failed', 'cancelled')",
    "CREATE TABLE execution_data (id INTEGER PRIMARY KEY, execution INTEGER NOT NULL, data BLOB NOT NULL) STRICT",
    "CREATE INDEX execution_steps ON execution_data (execution) WHERE id <> execution",
    "CREATE TABLE execution_documents (data INTEGER PRIMARY KEY, document BLOB NOT NULL) STRICT",
    """CREATE TABLE variables (
        id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE, value TEXT NOT NULL, created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE credentials (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, sealed BLOB NOT NULL, created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX credentials_by_time ON credentials (created_at, id)",
    "CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL) STRICT",
    "INSERT INTO probe VALUES (1, 0)",
    f"PRAGMA application_id = {APPLICATION_ID}",
)
_FORMS = (
    "DROP INDEX live_routes",
    """CREATE UNIQUE INDEX live_routes ON registrations (kind, method, pattern)
        WHERE active = 1 AND kind IN ('webhook', 'form')""",
)
"""The addresses of forms are unique too."""
_QUERIES = ("ALTER TABLE call_data ADD COLUMN query TEXT NOT NULL DEFAULT ''",)
"""Query strings of calls."""
_IDENTITIES = (
    "ALTER TABLE users ADD COLUMN provider TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE users ADD COLUMN subject TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE users ADD COLUMN display_name TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE users ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0",
    "CREATE UNIQUE INDEX users_by_identity ON users (provider, subject) WHERE provider <> ''",
)
"""Users of other logins, and disabled ones."""
_EVENTS = ("ALTER TABLE call_data ADD COLUMN event TEXT NOT NULL DEFAULT ''",)
"""Names of the events that calls tell of."""
_FINGERPRINTS = ("ALTER TABLE deliveries ADD COLUMN fingerprint TEXT NOT NULL DEFAULT ''",)
"""Of the requests that idempotency keys stand for."""
_UNSEALED = (
    """CREATE TABLE unsealed_versions (
        workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE, version INTEGER NOT NULL,
        PRIMARY KEY (workflow_id, version)
    ) STRICT, WITHOUT ROWID""",
    "INSERT INTO unsealed_versions SELECT workflow_id, version FROM workflow_versions",
    "CREATE TABLE unsealed_runs (data INTEGER PRIMARY KEY) STRICT",
    "INSERT INTO unsealed_runs SELECT data FROM execution_documents",
)
"""Documents that were stored before their secrets were sealed: what is still to be done of them."""
_REACH = (
    "DROP TABLE probe",
    """CREATE TABLE reach (
        id INTEGER PRIMARY KEY CHECK (id = 1), store BLOB NOT NULL, sequence INTEGER NOT NULL
    ) STRICT""",
    "INSERT INTO reach VALUES (1, randomblob(16), 0)",
)
"""How many commits there were; each of them writes it, so that a look at the store needs no extra row."""
_DIGESTS = tuple(
    f"ALTER TABLE {table} ADD COLUMN digest INTEGER"
    for table in ("executions", "execution_data", "execution_documents", "workflow_versions", "credentials")
)
"""Of rows, see `damage.digests`; rows of before have none."""
_UNSEALED_AGAIN = (
    "INSERT OR IGNORE INTO unsealed_versions SELECT workflow_id, version FROM workflow_versions",
    "INSERT OR IGNORE INTO unsealed_runs SELECT data FROM execution_documents",
)
"""Headers of requests with literal credentials are secrets now, too."""
_OWN_TAGS = """workflows w JOIN workflow_versions v ON v.workflow_id = w.id AND v.version = w.version
    JOIN json_each(iif(json_valid(CAST(v.document AS TEXT)), CAST(v.document AS TEXT), '{}'), '$.tags') e"""
_OWN_TAG = """trim(CASE WHEN e.type = 'text' THEN e.value
    WHEN e.type = 'object' AND json_type(e.value, '$.name') = 'text' THEN json_extract(e.value, '$.name') END)"""
_UUID = """lower(printf('%s-%s-4%s-a%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2),
    substr(hex(randomblob(2)), 2), hex(randomblob(6))))"""
_TAGS = (
    """CREATE TABLE tags (
        id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE workflow_tags (
        workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
        tag_id TEXT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
        PRIMARY KEY (workflow_id, tag_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX workflows_by_tag ON workflow_tags (tag_id, workflow_id)",
    f"""INSERT INTO tags SELECT {_UUID}, name, made, made FROM (
        SELECT {_OWN_TAG} AS name, min(w.created_at) AS made FROM {_OWN_TAGS} GROUP BY 1
    ) WHERE name <> '' AND length(name) <= 255""",  # noqa: S608 - our own names
    f"""INSERT OR IGNORE INTO workflow_tags
        SELECT w.id, t.id FROM {_OWN_TAGS} JOIN tags t ON t.name = {_OWN_TAG}""",  # noqa: S608 - our own names
)
"""Tags of workflows, which stood in their documents alone."""
_SHARED = (
    "DROP INDEX live_routes",
    """CREATE UNIQUE INDEX live_routes ON registrations (kind, method, pattern)
        WHERE active = 1 AND kind IN ('webhook', 'form') AND pattern <> ''""",
)
"""A registration without a pattern keeps nobody from its path."""
_IMPORTED = (
    """CREATE TABLE imported_ids (
        source TEXT NOT NULL, kind TEXT NOT NULL, foreign_id TEXT NOT NULL, own_id TEXT NOT NULL, digest TEXT NOT NULL,
        updated_at INTEGER NOT NULL, PRIMARY KEY (source, kind, foreign_id)
    ) STRICT, WITHOUT ROWID""",
)
"""The things here that ids of other systems stand for."""
_MORE_DIGESTS = tuple(
    f"ALTER TABLE {table} ADD COLUMN row_digest INTEGER" for table in ("users", "api_keys", "variables", "static_data")
)
"""API keys have a column `digest` for something else."""
_UNSAVED = (
    "CREATE TABLE unsaved (id TEXT PRIMARY KEY, forget_at INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE INDEX unsaved_by_time ON unsaved (forget_at)",
)
"""Ended executions that their workflows do not want to be kept."""
_DATA_TABLES = (
    """CREATE TABLE data_tables (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE, folded_name TEXT NOT NULL,
        row_count INTEGER NOT NULL, size INTEGER NOT NULL, last_row INTEGER NOT NULL, last_field INTEGER NOT NULL,
        created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE data_table_columns (
        table_number INTEGER NOT NULL REFERENCES data_tables (number) ON DELETE CASCADE, id TEXT NOT NULL,
        name TEXT NOT NULL, type TEXT NOT NULL, place INTEGER NOT NULL, field TEXT NOT NULL,
        created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (table_number, id)
    ) STRICT, WITHOUT ROWID""",
)
"""Data tables; the rows of each are in a table `data_rows_N`, which is made with it."""
_FOLDERS = (
    """CREATE TABLE folders (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, folded_name TEXT NOT NULL, parent_id TEXT REFERENCES folders (id),
        created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE UNIQUE INDEX folders_by_name ON folders (coalesce(parent_id, ''), folded_name)",
    "ALTER TABLE workflows ADD COLUMN folder_id TEXT REFERENCES folders (id)",
    "ALTER TABLE workflows ADD COLUMN words TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE tags ADD COLUMN folded_name TEXT NOT NULL DEFAULT ''",
    "UPDATE tags SET folded_name = casefold(name)",
    "ALTER TABLE workflow_versions ADD COLUMN label TEXT NOT NULL DEFAULT ''",
    """UPDATE workflows SET words = coalesce((SELECT words_of(v.document) FROM workflow_versions v
        WHERE v.workflow_id = workflows.id AND v.version = workflows.version), '')""",
)
"""Folders, names of versions, and the words by which workflows are found; `migrate` brings the functions."""
_OWNERS = (
    "CREATE TABLE incarnations (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, daemon TEXT NOT NULL) STRICT",
    "INSERT INTO incarnations VALUES (0, 'earlier version', '')",
    "CREATE TABLE cancel_wishes (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
    "ALTER TABLE executions ADD COLUMN owner INTEGER",
    "ALTER TABLE executions ADD COLUMN epoch INTEGER NOT NULL DEFAULT 1",
    "UPDATE executions SET owner = 0 WHERE finished_at IS NULL",
    "ALTER TABLE execution_data ADD COLUMN number INTEGER",
    """UPDATE execution_data SET number = placed.number FROM (
        SELECT d.id AS id, row_number() OVER (PARTITION BY d.execution ORDER BY d.id) - 1 AS number
        FROM executions e JOIN execution_data d ON d.execution = e.data AND d.id <> d.execution
        WHERE e.finished_at IS NULL
    ) AS placed WHERE placed.id = execution_data.id""",
    "DROP INDEX execution_steps",
    "CREATE UNIQUE INDEX execution_steps ON execution_data (execution, number) WHERE id <> execution",
)
"""The owners of runs, and numbers of chunks.

An earlier version may have died with runs that it left open. A run that was over then has no numbers, and stays in the
order in which it came.
"""
_FACTS = ("CREATE TABLE facts (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID",)
"""The facts that hold for the store itself."""
_FILES = (
    """CREATE TABLE file_references (
        execution_id TEXT, file_id TEXT, made_at INTEGER NOT NULL, PRIMARY KEY (execution_id, file_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX file_references_by_file ON file_references (file_id)",
    "CREATE TABLE released_files (file_id TEXT PRIMARY KEY, released_at INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE INDEX released_files_by_time ON released_files (released_at)",
)
"""Files that are kept where several daemons reach them, and those that nobody refers to any more."""
_CLAIMS = ("ALTER TABLE released_files ADD COLUMN claimed_at INTEGER",)
"""When somebody began to delete the file; nobody refers to it from then on."""
_COUNTED = (
    """CREATE TABLE execution_counts (
        span INTEGER, workflow_id TEXT, mode TEXT, status TEXT, number INTEGER NOT NULL,
        PRIMARY KEY (span, workflow_id, mode, status)
    ) STRICT, WITHOUT ROWID""",
    """INSERT INTO execution_counts SELECT created_at >> 22, coalesce(workflow_id, ''), mode, status, count(*)
        FROM executions WHERE finished_at IS NOT NULL GROUP BY 1, 2, 3, 4""",
)
"""How many executions have ended, by spans of `jackfield.api.execution_counts`."""
_ONCE = (
    "ALTER TABLE execution_data ADD COLUMN size INTEGER",
    "ALTER TABLE call_data ADD COLUMN body_places TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE call_data ADD COLUMN packed BLOB",
    "ALTER TABLE call_data ADD COLUMN size INTEGER",
    "CREATE TABLE call_answers (data INTEGER PRIMARY KEY, body BLOB NOT NULL, size INTEGER) STRICT",
)
"""Bodies that stand in inputs, and what is compressed; `size` says how many bytes it stands for."""
_LEDGERS = (
    "CREATE TABLE ledgers (id TEXT PRIMARY KEY, name TEXT NOT NULL, as_of INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    """CREATE TABLE ledger_days (
        ledger_id TEXT, day INTEGER, version INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (ledger_id, day)
    ) STRICT""",
)
"""The ledgers of usage that hosts have told, by days."""
_INSIDE = ("ALTER TABLE ledgers ADD COLUMN inside INTEGER NOT NULL DEFAULT 1",)
"""Whether it is for nobody who comes by a public host."""
_ADD_UP = """CREATE TRIGGER add_up_{when} AFTER {event} ON execution_counts
    WHEN {row}.span < (SELECT until FROM counted_spans) BEGIN
        INSERT INTO workflow_counts VALUES ({row}.workflow_id, {row}.mode, {row}.status, {number})
            ON CONFLICT DO UPDATE SET number = number + excluded.number;
        INSERT INTO span_counts VALUES ({row}.span, {row}.mode, {row}.status, {number})
            ON CONFLICT DO UPDATE SET number = number + excluded.number;
    END"""
_SUMS = (
    "CREATE INDEX executions_by_end ON executions (finished_at, id) WHERE finished_at IS NOT NULL",
    "CREATE INDEX execution_counts_by_workflow ON execution_counts (workflow_id, span)",
    """CREATE TABLE workflow_counts (
        workflow_id TEXT, mode TEXT, status TEXT, number INTEGER NOT NULL, PRIMARY KEY (workflow_id, mode, status)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE span_counts (
        span INTEGER, mode TEXT, status TEXT, number INTEGER NOT NULL, PRIMARY KEY (span, mode, status)
    ) STRICT, WITHOUT ROWID""",
    "CREATE TABLE counted_spans (id INTEGER PRIMARY KEY CHECK (id = 1), until INTEGER NOT NULL) STRICT",
    "INSERT INTO counted_spans SELECT 1, coalesce(max(span), 0) FROM execution_counts",
    """INSERT INTO workflow_counts SELECT workflow_id, mode, status, sum(number) FROM execution_counts
        WHERE span < (SELECT until FROM counted_spans) GROUP BY 1, 2, 3""",
    """INSERT INTO span_counts SELECT span, mode, status, sum(number) FROM execution_counts
        WHERE span < (SELECT until FROM counted_spans) GROUP BY 1, 2, 3""",
    _ADD_UP.format(when="added", event="INSERT", row="NEW", number="NEW.number"),
    _ADD_UP.format(when="changed", event="UPDATE OF number", row="NEW", number="NEW.number - OLD.number"),
    _ADD_UP.format(when="deleted", event="DELETE", row="OLD", number="-OLD.number"),
)
"""Executions in the order of their ends, by which they go.

Sums of `execution_counts`, so that no list adds up every workflow in every span: of the spans that are over. The
current span is not in them, and costs nothing more.
"""
_ENTRIES = (
    """CREATE TABLE entries (
        kind TEXT, id TEXT, parent TEXT NOT NULL, place INTEGER NOT NULL, revision INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (kind, id)
    ) STRICT""",
    "CREATE INDEX entries_by_parent ON entries (kind, parent, place, id)",
)
"""The entries of plugins that have no tables."""
_DRAFTS = (
    """CREATE TABLE drafts (
        id TEXT PRIMARY KEY, workflow_id TEXT, execution_id TEXT, revision INTEGER NOT NULL,
        created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, about BLOB NOT NULL, sealed BLOB NOT NULL
    ) STRICT""",
    "CREATE INDEX drafts_by_change ON drafts (updated_at)",
)
"""Proposed workflows. They are few: a list of one workflow's looks at all of them."""
_PROJECTS = (
    """CREATE TABLE projects (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, is_open INTEGER NOT NULL, created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE project_members (
        project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
        user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, role TEXT NOT NULL,
        PRIMARY KEY (project_id, user_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX project_members_by_user ON project_members (user_id)",
    """CREATE TABLE placements (
        kind TEXT, id TEXT, project_id TEXT NOT NULL, PRIMARY KEY (kind, id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX placements_by_project ON placements (project_id, kind, id)",
    """CREATE TABLE shares (
        kind TEXT, id TEXT, project_id TEXT, PRIMARY KEY (kind, id, project_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX shares_by_project ON shares (project_id, kind, id)",
    "CREATE TABLE project_revisions (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL) STRICT",
    "ALTER TABLE api_keys ADD COLUMN projects TEXT NOT NULL DEFAULT ''",
)
"""Projects, and what belongs to which; what has no row belongs to the one that was always there."""
_REJECTED = (
    "ALTER TABLE webhook_stats ADD COLUMN rejected INTEGER NOT NULL DEFAULT 0",
    """UPDATE webhook_stats SET rejected = max(0, total - success - failed - (
        SELECT count(*) FROM calls WHERE calls.webhook_id = webhook_stats.webhook_id AND status = 'pending'))
        WHERE webhook_id IN (SELECT webhook_id FROM calls WHERE status = 'rejected')""",
)
"""Rejected calls have a counter. Of before they are what is left, where one is known."""
_AUDIT = (
    """CREATE TABLE audit_records (
        number INTEGER PRIMARY KEY, at INTEGER NOT NULL, act TEXT NOT NULL, actor TEXT NOT NULL, kind TEXT NOT NULL,
        subject TEXT NOT NULL, project TEXT NOT NULL, outcome TEXT NOT NULL, data BLOB NOT NULL, hash BLOB NOT NULL,
        mac BLOB NOT NULL
    ) STRICT""",
    "CREATE INDEX audit_by_act ON audit_records (act, number)",
    "CREATE INDEX audit_by_actor ON audit_records (actor, number)",
    "CREATE INDEX audit_by_subject ON audit_records (kind, subject, number)",
    "CREATE INDEX audit_by_project ON audit_records (project, number)",
    "CREATE INDEX audit_by_time ON audit_records (at)",
    """CREATE TABLE audit_checkpoints (
        number INTEGER PRIMARY KEY, hash BLOB NOT NULL, dropped INTEGER NOT NULL, at INTEGER NOT NULL, mac BLOB NOT NULL
    ) STRICT""",
)
"""The chain of the audit log, and what is left of records that retention has dropped."""
_INSIGHTS = (
    """CREATE TABLE insights (
        start INTEGER, workflow_id TEXT, mode TEXT, status TEXT, number INTEGER NOT NULL, took_ms INTEGER NOT NULL,
        PRIMARY KEY (start, workflow_id, mode, status)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TRIGGER keep_count AFTER DELETE ON executions WHEN OLD.finished_at IS NOT NULL BEGIN
        INSERT INTO insights VALUES (
            OLD.finished_at / 3600000 * 3600000, coalesce(OLD.workflow_id, ''), OLD.mode, OLD.status, 1,
            max(OLD.finished_at - coalesce(OLD.started_at, OLD.created_at), 0)
        ) ON CONFLICT DO UPDATE SET number = number + 1, took_ms = took_ms + excluded.took_ms;
    END""",
)
"""The sums that are left of executions that are deleted, by hours of their ends."""
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    _FIRST, _FORMS, _QUERIES, _IDENTITIES, _EVENTS, _FINGERPRINTS, _UNSEALED, _REACH, _DIGESTS,
    _UNSEALED_AGAIN, _TAGS, _SHARED, _IMPORTED, _MORE_DIGESTS, _UNSAVED, _DATA_TABLES,
    _FOLDERS, _OWNERS, _FACTS, _FILES, _CLAIMS, _COUNTED, _ONCE, _LEDGERS, _INSIDE, _SUMS, _ENTRIES,
    _DRAFTS, _PROJECTS, _REJECTED, _AUDIT, _INSIGHTS,
)  # fmt: skip


def _number(connection: sqlite3.Connection, sql: str) -> int:
    return int(connection.execute(sql).fetchone()[0])


def _words(document: bytes | None) -> str:
    """Of a stored document; a damaged one has none."""
    try:
        found = orjson.loads(document or b"{}")
    except orjson.JSONDecodeError:
        return ""
    return words_of(found) if isinstance(found, dict) else ""


def _check_origin(connection: sqlite3.Connection, file: Path, version: int) -> None:
    foreign = version == 0 and _number(connection, "SELECT count(*) FROM sqlite_master")
    if foreign or (version and _number(connection, "PRAGMA application_id") != APPLICATION_ID):
        raise ConfigurationError(f"The file {file} is a database of another program; set store.sqlite.file.")


def migrate(connection: sqlite3.Connection, file: Path) -> None:
    """Bring the database up to date. Raises `ConfigurationError` for a newer schema or a foreign file, or sqlite3's own
    errors."""
    if _number(connection, "PRAGMA user_version") == len(MIGRATIONS):
        _check_origin(connection, file, len(MIGRATIONS))
        return
    connection.create_function("words_of", 1, _words, deterministic=True)
    connection.create_function("casefold", 1, str.casefold, deterministic=True)
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _number(connection, "PRAGMA user_version")
        if version >= UNFINISHED:
            raise ConfigurationError(unfinished_told(f"The database {file}"))
        if version > len(MIGRATIONS):
            raise ConfigurationError(
                f"The database {file} was written by a newer version (schema {version}, this program knows "
                f"{len(MIGRATIONS)}); update the program or restore an older backup."
            )
        _check_origin(connection, file, version)
        for statement in (statement for step in MIGRATIONS[version:] for statement in step):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
