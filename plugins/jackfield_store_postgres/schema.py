"""The tables, as migrations: entry n brings a schema from version n to n + 1, in one transaction.

`TEXT` stands for text in the order of its bytes, whatever the database's own collation is. Every run writes few rows.
An execution is one row with its input, in which its call's body stands, and one per chunk of its steps. Documents,
inputs and chunks are bytes: they may hold U+0000, which PostgreSQL's text cannot; other texts are escaped
(`texts.kept_text`). Counters of webhooks have shares, so that two daemons that count at once do not wait for each
other.
"""

from __future__ import annotations

_FIRST = (
    """CREATE TABLE users (
        id TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, role TEXT NOT NULL, password_hash TEXT NOT NULL,
        version bigint NOT NULL, created_at bigint NOT NULL, provider TEXT NOT NULL, subject TEXT NOT NULL,
        display_name TEXT NOT NULL, disabled boolean NOT NULL
    )""",
    "CREATE UNIQUE INDEX users_by_identity ON users (provider, subject) WHERE provider <> ''",
    """CREATE TABLE api_keys (
        id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, name TEXT NOT NULL,
        prefix TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL, created_at bigint NOT NULL,
        expires_at bigint, last_used_at bigint
    )""",
    "CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at, id)",
    "CREATE TABLE revoked_tokens (id TEXT PRIMARY KEY, expires_at bigint NOT NULL)",
    "CREATE INDEX revoked_tokens_by_expiry ON revoked_tokens (expires_at)",
    """CREATE TABLE folders (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, folded_name TEXT NOT NULL, parent_id TEXT REFERENCES folders (id),
        created_at bigint NOT NULL, updated_at bigint NOT NULL
    )""",
    "CREATE UNIQUE INDEX folders_by_name ON folders (coalesce(parent_id, ''), folded_name)",
    """CREATE TABLE workflows (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, folded_name TEXT NOT NULL, active boolean NOT NULL,
        version bigint NOT NULL, node_count bigint NOT NULL, created_at bigint NOT NULL, updated_at bigint NOT NULL,
        folder_id TEXT REFERENCES folders (id), words TEXT NOT NULL
    )""",
    "CREATE INDEX workflows_by_change ON workflows (updated_at, id)",
    "CREATE INDEX workflows_by_folder ON workflows (folder_id) WHERE folder_id IS NOT NULL",
    """CREATE TABLE workflow_versions (
        workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE, version bigint NOT NULL,
        name TEXT NOT NULL, created_at bigint NOT NULL, author TEXT, document bytea NOT NULL,
        label TEXT NOT NULL DEFAULT '', sealed boolean NOT NULL DEFAULT true, PRIMARY KEY (workflow_id, version)
    )""",
    "CREATE INDEX unsealed_versions ON workflow_versions (workflow_id, version) WHERE NOT sealed",
    """CREATE TABLE static_data (
        workflow_id TEXT PRIMARY KEY REFERENCES workflows (id) ON DELETE CASCADE, data bytea NOT NULL
    )""",
    """CREATE TABLE tags (
        id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, folded_name TEXT NOT NULL, created_at bigint NOT NULL,
        updated_at bigint NOT NULL
    )""",
    """CREATE TABLE workflow_tags (
        workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
        tag_id TEXT NOT NULL REFERENCES tags (id) ON DELETE CASCADE, PRIMARY KEY (workflow_id, tag_id)
    )""",
    "CREATE INDEX workflows_by_tag ON workflow_tags (tag_id, workflow_id)",
    """CREATE TABLE registrations (
        id TEXT PRIMARY KEY, place bigint GENERATED ALWAYS AS IDENTITY,
        workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
        node_id TEXT NOT NULL, node_name TEXT NOT NULL, kind TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL,
        pattern TEXT NOT NULL, authentication TEXT NOT NULL, active boolean NOT NULL, created_at bigint NOT NULL
    )""",
    """CREATE UNIQUE INDEX live_routes ON registrations (kind, method, pattern)
        WHERE active AND pattern <> ''""",
    "CREATE INDEX registrations_by_workflow ON registrations (workflow_id)",
    "CREATE INDEX registrations_by_time ON registrations (kind, created_at, id)",
    "CREATE INDEX registrations_by_path ON registrations (path)",
    """CREATE TABLE webhook_stats (
        webhook_id TEXT, share bigint, total bigint NOT NULL, success bigint NOT NULL, failed bigint NOT NULL,
        last_call bigint, PRIMARY KEY (webhook_id, share)
    )""",
    """CREATE TABLE calls (
        webhook_id TEXT, id TEXT, execution_id TEXT, time bigint NOT NULL, method TEXT NOT NULL, headers bytea NOT NULL,
        body TEXT NOT NULL, query TEXT NOT NULL, event TEXT NOT NULL, status TEXT NOT NULL, truncated boolean NOT NULL,
        response_status bigint, duration_ms bigint, response_truncated boolean NOT NULL, response_body TEXT NOT NULL,
        PRIMARY KEY (webhook_id, id)
    )""",
    "CREATE INDEX calls_by_time ON calls (webhook_id, time, id)",
    """CREATE TABLE deliveries (
        webhook_id TEXT, key TEXT, expires_at bigint NOT NULL, execution_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
        claimed_at bigint NOT NULL, status bigint, headers bytea, body bytea, PRIMARY KEY (webhook_id, key)
    )""",
    "CREATE INDEX deliveries_by_expiry ON deliveries (expires_at)",
    """CREATE TABLE executions (
        id TEXT PRIMARY KEY, workflow_id TEXT, workflow_version bigint NOT NULL, mode TEXT NOT NULL,
        status TEXT NOT NULL, created_at bigint NOT NULL, started_at bigint, finished_at bigint, resume_at bigint,
        error bytea, retry_of TEXT, call_id TEXT, webhook_id TEXT, owner TEXT, epoch bigint NOT NULL DEFAULT 1,
        input bytea NOT NULL, document bytea, sealed boolean NOT NULL DEFAULT true
    )""",
    "CREATE INDEX executions_by_time ON executions (created_at, id)",
    "CREATE INDEX executions_by_workflow ON executions (workflow_id, created_at, id)",
    "CREATE INDEX executions_owned ON executions (owner, id) WHERE finished_at IS NULL",
    "CREATE INDEX executions_lost ON executions (status, created_at, id) WHERE status IN ('failed', 'cancelled')",
    "CREATE INDEX unsealed_executions ON executions (id) WHERE NOT sealed",
    """CREATE TABLE execution_steps (
        execution_id TEXT, number bigint, data bytea NOT NULL, PRIMARY KEY (execution_id, number)
    )""",
    """CREATE TABLE incarnations (
        id TEXT PRIMARY KEY, daemon TEXT NOT NULL, lease_ms bigint NOT NULL, lease_until timestamptz NOT NULL,
        alive boolean NOT NULL
    )""",
    "CREATE INDEX incarnations_by_daemon ON incarnations (daemon)",
    "CREATE TABLE cancel_wishes (id TEXT PRIMARY KEY)",
    "CREATE TABLE unsaved (id TEXT PRIMARY KEY, forget_at bigint NOT NULL)",
    "CREATE INDEX unsaved_by_time ON unsaved (forget_at)",
    """CREATE TABLE variables (
        id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE, value TEXT NOT NULL, created_at bigint NOT NULL,
        updated_at bigint NOT NULL
    )""",
    """CREATE TABLE credentials (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, sealed bytea NOT NULL, created_at bigint NOT NULL,
        updated_at bigint NOT NULL
    )""",
    "CREATE INDEX credentials_by_time ON credentials (created_at, id)",
    """CREATE TABLE imported_ids (
        source TEXT, kind TEXT, foreign_id TEXT, own_id TEXT NOT NULL, digest TEXT NOT NULL, updated_at bigint NOT NULL,
        PRIMARY KEY (source, kind, foreign_id)
    )""",
    """CREATE TABLE data_tables (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE,
        folded_name TEXT NOT NULL, row_count bigint NOT NULL, size bigint NOT NULL, last_row bigint NOT NULL,
        last_field bigint NOT NULL, created_at bigint NOT NULL, updated_at bigint NOT NULL
    )""",
    """CREATE TABLE data_table_columns (
        table_number bigint REFERENCES data_tables (number) ON DELETE CASCADE, id TEXT, name TEXT NOT NULL,
        type TEXT NOT NULL, place bigint NOT NULL, field TEXT NOT NULL, created_at bigint NOT NULL,
        updated_at bigint NOT NULL, PRIMARY KEY (table_number, id)
    )""",
    """CREATE FUNCTION digits(double precision) RETURNS text LANGUAGE sql IMMUTABLE
        SET extra_float_digits = 0 AS 'SELECT $1::text'""",
    """CREATE TABLE writers (
        id TEXT PRIMARY KEY, batch bigint NOT NULL, seen_at timestamptz NOT NULL
    )""",
)
"""`digits`: a number as a reader writes it, with 15 digits at most. `writers`: the last batch that each writer has
committed, which tells a writer whose connection was cut what became of its batch."""
_FACTS = ("CREATE TABLE facts (name TEXT PRIMARY KEY, text TEXT NOT NULL)",)
"""The facts that hold for the store itself."""
_REVISIONS = (
    "CREATE TABLE revisions (name TEXT PRIMARY KEY, number bigint NOT NULL)",
    "CREATE TABLE workflow_revisions (workflow_id TEXT PRIMARY KEY, revision bigint NOT NULL)",
    "CREATE INDEX workflow_revisions_by_number ON workflow_revisions (revision)",
    "INSERT INTO workflow_revisions SELECT id, 0 FROM workflows",
)
"""How many changes workflows have had, and the last one of each; deleted ones stay for a while."""
_FILES = (
    """CREATE TABLE file_references (
        execution_id TEXT, file_id TEXT, made_at bigint NOT NULL, PRIMARY KEY (execution_id, file_id)
    )""",
    "CREATE INDEX file_references_by_file ON file_references (file_id)",
    "CREATE TABLE released_files (file_id TEXT PRIMARY KEY, released_at bigint NOT NULL)",
    "CREATE INDEX released_files_by_time ON released_files (released_at)",
)
"""Files that are kept where several daemons reach them, and those that nobody refers to any more."""
_HOSTS = (
    """CREATE TABLE hosts (
        name TEXT PRIMARY KEY, id TEXT NOT NULL, lease_ms bigint NOT NULL, about TEXT NOT NULL,
        renewed_at timestamptz NOT NULL, has_left boolean NOT NULL, draining boolean NOT NULL
    )""",
)
"""The daemons that share the store."""
_MEMOS = (
    """CREATE TABLE memos (
        kind TEXT, key TEXT, part TEXT NOT NULL, data bytea NOT NULL, ends_at timestamptz NOT NULL,
        PRIMARY KEY (kind, key)
    )""",
    "CREATE INDEX memos_by_part ON memos (kind, part, ends_at)",
    "CREATE INDEX memos_by_kind ON memos (kind, ends_at)",
    "CREATE INDEX memos_by_end ON memos (ends_at)",
)
"""The rows that end by themselves: sessions of browsers, logins under way, leases."""
_CLAIMS = ("ALTER TABLE released_files ADD COLUMN claimed_at bigint",)
"""When somebody began to delete the file; nobody refers to it from then on."""
_COUNTS = (
    """CREATE UNLOGGED TABLE shared_counts (
        kind TEXT, key TEXT, span bigint, total bigint NOT NULL, ends_at timestamptz NOT NULL,
        PRIMARY KEY (kind, key, span)
    )""",
    "CREATE INDEX shared_counts_by_end ON shared_counts (ends_at)",
)
"""How often something happened at all daemons together, for a window or two. Not worth a place in the server's log."""
_CHANGED = """BEGIN INSERT INTO execution_changes
        SELECT c.created_at >> 22, coalesce(c.workflow_id, ''), c.mode, c.status, {number} FROM {rows}
        GROUP BY 1, 2, 3, 4; RETURN NULL; END"""
_COUNTED = (
    """CREATE TABLE execution_counts (
        span bigint, workflow_id TEXT, mode TEXT, status TEXT, number bigint NOT NULL,
        PRIMARY KEY (span, workflow_id, mode, status)
    )""",
    """CREATE TABLE execution_changes (
        span bigint NOT NULL, workflow_id TEXT NOT NULL, mode TEXT NOT NULL, status TEXT NOT NULL,
        number bigint NOT NULL
    )""",
    f"""CREATE OR REPLACE FUNCTION count_added_executions() RETURNS trigger LANGUAGE plpgsql AS $count$
        {_CHANGED.format(number="count(*)", rows="added c WHERE c.finished_at IS NOT NULL")} $count$""",
    f"""CREATE OR REPLACE FUNCTION count_ended_executions() RETURNS trigger LANGUAGE plpgsql AS $count$
        {
        _CHANGED.format(
            number="count(*)",
            rows="later c JOIN earlier e ON e.id = c.id AND e.finished_at IS NULL WHERE c.finished_at IS NOT NULL",
        )
    } $count$""",
    f"""CREATE OR REPLACE FUNCTION count_deleted_executions() RETURNS trigger LANGUAGE plpgsql AS $count$
        {_CHANGED.format(number="-count(*)", rows="deleted c WHERE c.finished_at IS NOT NULL")} $count$""",
    """CREATE TRIGGER count_added AFTER INSERT ON executions REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION count_added_executions()""",
    """CREATE TRIGGER count_ended AFTER UPDATE ON executions REFERENCING OLD TABLE AS earlier NEW TABLE AS later
        FOR EACH STATEMENT EXECUTE FUNCTION count_ended_executions()""",
    """CREATE TRIGGER count_deleted AFTER DELETE ON executions REFERENCING OLD TABLE AS deleted
        FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_executions()""",
    """INSERT INTO execution_counts SELECT created_at >> 22, coalesce(workflow_id, ''), mode, status, count(*)
        FROM executions WHERE finished_at IS NOT NULL GROUP BY 1, 2, 3, 4""",
)
"""How many executions have ended, by spans of `jackfield.api.execution_counts`, and what has come since they were
summed up. The triggers lock the table until these are counted."""
_PLACED = (
    r"""CREATE OR REPLACE FUNCTION keep_bodies_of_calls() RETURNS trigger LANGUAGE plpgsql AS $keep$ BEGIN
        UPDATE calls c SET body = (
            SELECT string_agg(replace(convert_from(substring(d.input FROM p.place[1] + 1 FOR p.place[2]), 'UTF8'),
                chr(1), chr(1) || chr(3)), '***' ORDER BY p.number)
            FROM (SELECT number, string_to_array(part[1], ' ')::integer[] AS place
                FROM regexp_matches(substr(c.body, 3), '\d+ \d+', 'g') WITH ORDINALITY AS m (part, number)) AS p)
        FROM deleted d WHERE d.call_id IS NOT NULL AND c.webhook_id = d.webhook_id AND c.id = d.call_id
            AND c.execution_id = d.id AND starts_with(c.body, chr(1) || chr(4));
        RETURN NULL; END $keep$""",
    """CREATE TRIGGER keep_bodies AFTER DELETE ON executions REFERENCING OLD TABLE AS deleted
        FOR EACH STATEMENT EXECUTE FUNCTION keep_bodies_of_calls()""",
)
"""Bodies of calls that stand in the inputs of their executions: `calls.body` has their places behind a mark, see
`places`. A new column for them would lock out everybody who reads calls. A daemon that deletes an execution, also one
of the version before, leaves its call the body; as texts are kept, see `texts`.
"""
_LEDGERS = (
    "CREATE TABLE ledgers (id TEXT PRIMARY KEY, name TEXT NOT NULL, as_of bigint NOT NULL)",
    """CREATE TABLE ledger_days (
        ledger_id TEXT, day bigint, version bigint NOT NULL, data bytea NOT NULL, PRIMARY KEY (ledger_id, day)
    )""",
)
"""The ledgers of usage that hosts have told, by days."""
_INSIDE = ("ALTER TABLE ledgers ADD COLUMN inside boolean NOT NULL DEFAULT true",)
"""Whether it is for nobody who comes by a public host."""
_ADDED_UP = """BEGIN
        INSERT INTO workflow_counts AS c
            SELECT workflow_id, mode, status, sum(number)::bigint FROM {rows} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            ON CONFLICT (workflow_id, mode, status) DO UPDATE SET number = c.number + excluded.number;
        INSERT INTO span_counts AS c
            SELECT span, mode, status, sum(number)::bigint FROM {rows} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            ON CONFLICT (span, mode, status) DO UPDATE SET number = c.number + excluded.number;
        RETURN NULL; END"""
_CHANGED_COUNTS = """(SELECT span, workflow_id, mode, status, number FROM later
    UNION ALL SELECT span, workflow_id, mode, status, -number FROM earlier) AS changed"""


def _adding_up(name: str, rows: str) -> str:
    head = f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql"
    return f"{head} AS $sum$ {_ADDED_UP.format(rows=rows)} $sum$"


_SUMMED = (
    "CREATE INDEX executions_by_end ON executions (finished_at, id) WHERE finished_at IS NOT NULL",
    "CREATE INDEX execution_counts_by_workflow ON execution_counts (workflow_id, span)",
    """CREATE TABLE workflow_counts (
        workflow_id TEXT, mode TEXT, status TEXT, number bigint NOT NULL, PRIMARY KEY (workflow_id, mode, status)
    )""",
    """CREATE TABLE span_counts (
        span bigint, mode TEXT, status TEXT, number bigint NOT NULL, PRIMARY KEY (span, mode, status)
    )""",
    _adding_up("add_up_new_counts", "added"),
    _adding_up("add_up_counts", _CHANGED_COUNTS),
    _adding_up("take_counts_away", "(SELECT span, workflow_id, mode, status, -number AS number FROM deleted) AS gone"),
    """CREATE TRIGGER add_up_new AFTER INSERT ON execution_counts REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION add_up_new_counts()""",
    """CREATE TRIGGER add_up AFTER UPDATE ON execution_counts REFERENCING OLD TABLE AS earlier NEW TABLE AS later
        FOR EACH STATEMENT EXECUTE FUNCTION add_up_counts()""",
    """CREATE TRIGGER take_away AFTER DELETE ON execution_counts REFERENCING OLD TABLE AS deleted
        FOR EACH STATEMENT EXECUTE FUNCTION take_counts_away()""",
    """INSERT INTO workflow_counts SELECT workflow_id, mode, status, sum(number)::bigint FROM execution_counts
        GROUP BY 1, 2, 3""",
    "INSERT INTO span_counts SELECT span, mode, status, sum(number)::bigint FROM execution_counts GROUP BY 1, 2, 3",
)
"""Executions in the order of their ends, by which they go.

Sums of `execution_counts` over spans and over workflows, so that no list adds up every workflow in every span. They
change when changes are summed up, also by daemons of the version before. The triggers lock `execution_counts` until it
is summed up.
"""
_SWEPT = (
    *(
        f"""ALTER TABLE {table} SET (toast_tuple_target = 4080,
        autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0.5,
        toast.autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_threshold = 500,
        toast.autovacuum_vacuum_cost_delay = 0.5)"""
        for table in ("executions", "execution_steps", "calls")
    ),
    """ALTER TABLE execution_changes SET (parallel_workers = 0,
        autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)""",
)
"""Autovacuum comes when a twentieth of a history is dead, not a fifth, and has done its work in a quarter of the time.

A history becomes larger than its content by that part, and by the rows that come between two rounds. A row of up to
half a page, as the input of a call is when it is compressed, stays in one piece. Apart from its row it would take a
second table and index to write, and to delete.
"""
_ENTRIES = (
    """CREATE TABLE entries (
        kind TEXT, id TEXT, parent TEXT NOT NULL, place bigint NOT NULL, revision bigint NOT NULL, data bytea NOT NULL,
        PRIMARY KEY (kind, id)
    )""",
    "CREATE INDEX entries_by_parent ON entries (kind, parent, place, id)",
)
"""The entries of plugins that have no tables."""
_DRAFTS = (
    """CREATE TABLE drafts (
        id TEXT PRIMARY KEY, workflow_id TEXT, execution_id TEXT, revision bigint NOT NULL,
        created_at bigint NOT NULL, updated_at bigint NOT NULL, about bytea NOT NULL, sealed bytea NOT NULL
    )""",
    "CREATE INDEX drafts_by_change ON drafts (updated_at)",
)
"""Proposed workflows. They are few: a list of one workflow's looks at all of them."""
_PROJECTS = (
    """CREATE TABLE projects (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, is_open boolean NOT NULL, created_at bigint NOT NULL,
        updated_at bigint NOT NULL
    )""",
    """CREATE TABLE project_members (
        project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
        user_id TEXT REFERENCES users (id) ON DELETE CASCADE, role TEXT NOT NULL, PRIMARY KEY (project_id, user_id)
    )""",
    "CREATE INDEX project_members_by_user ON project_members (user_id)",
    "CREATE TABLE placements (kind TEXT, id TEXT, project_id TEXT NOT NULL, PRIMARY KEY (kind, id))",
    "CREATE INDEX placements_by_project ON placements (project_id, kind, id)",
    "CREATE TABLE shares (kind TEXT, id TEXT, project_id TEXT, PRIMARY KEY (kind, id, project_id))",
    "CREATE INDEX shares_by_project ON shares (project_id, kind, id)",
    "CREATE TABLE project_revisions (id bigint PRIMARY KEY CHECK (id = 1), number bigint NOT NULL)",
    "ALTER TABLE api_keys ADD COLUMN projects TEXT NOT NULL DEFAULT ''",
)
"""Projects, and what belongs to which; what has no row belongs to the one that was always there. Daemons of the version
before go on: they add keys without projects."""
_REJECTED = (
    "ALTER TABLE webhook_stats ADD COLUMN rejected bigint NOT NULL DEFAULT 0",
    """INSERT INTO webhook_stats (webhook_id, share, total, success, failed, rejected, last_call)
        SELECT webhook_id, -1, 0, 0, 0, greatest(0, sum(total - success - failed) - (
            SELECT count(*) FROM calls c WHERE c.webhook_id = s.webhook_id AND c.status = 'pending')), max(last_call)
        FROM webhook_stats s WHERE webhook_id IN (SELECT webhook_id FROM calls WHERE status = 'rejected')
        GROUP BY webhook_id""",
)
"""Rejected calls have a counter. Of before they are what is left, where one is known. Daemons of the version before go
on, and count theirs in the total alone."""
_AUDIT = (
    """CREATE TABLE audit_records (
        number bigint PRIMARY KEY, at bigint NOT NULL, act TEXT NOT NULL, actor TEXT NOT NULL, kind TEXT NOT NULL,
        subject TEXT NOT NULL, project TEXT NOT NULL, outcome TEXT NOT NULL, data bytea NOT NULL, hash bytea NOT NULL,
        mac bytea NOT NULL
    )""",
    "CREATE INDEX audit_by_act ON audit_records (act, number)",
    "CREATE INDEX audit_by_actor ON audit_records (actor, number)",
    "CREATE INDEX audit_by_subject ON audit_records (kind, subject, number)",
    "CREATE INDEX audit_by_project ON audit_records (project, number)",
    "CREATE INDEX audit_by_time ON audit_records (at)",
    """CREATE TABLE audit_checkpoints (
        number bigint PRIMARY KEY, hash bytea NOT NULL, dropped bigint NOT NULL, at bigint NOT NULL, mac bytea NOT NULL
    )""",
)
"""The chain of the audit log, and what is left of records that retention has dropped."""
_INSIGHTS = (
    """CREATE TABLE insights (
        start bigint, workflow_id TEXT, mode TEXT, status TEXT, number bigint NOT NULL, took_ms bigint NOT NULL,
        PRIMARY KEY (start, workflow_id, mode, status)
    )""",
    """CREATE OR REPLACE FUNCTION keep_counts() RETURNS trigger LANGUAGE plpgsql AS $keep$ BEGIN
        INSERT INTO insights AS i
            SELECT finished_at / 3600000 * 3600000, coalesce(workflow_id, ''), mode, status, count(*),
                sum(greatest(finished_at - coalesce(started_at, created_at), 0))::bigint
            FROM deleted WHERE finished_at IS NOT NULL GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
            ON CONFLICT (start, workflow_id, mode, status) DO UPDATE SET
                number = i.number + excluded.number, took_ms = i.took_ms + excluded.took_ms;
        RETURN NULL; END $keep$""",
    """CREATE TRIGGER keep_counts AFTER DELETE ON executions REFERENCING OLD TABLE AS deleted
        FOR EACH STATEMENT EXECUTE FUNCTION keep_counts()""",
)
"""The sums that are left of executions that are deleted, also by daemons of the version before, by hours of their
ends.
"""
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    _FIRST,
    _FACTS,
    _REVISIONS,
    _FILES,
    _HOSTS,
    _MEMOS,
    _CLAIMS,
    _COUNTS,
    _COUNTED,
    _PLACED,
    _LEDGERS,
    _INSIDE,
    _SUMMED,
    _SWEPT,
    _ENTRIES,
    _DRAFTS,
    _PROJECTS,
    _REJECTED,
    _AUDIT,
    _INSIGHTS,
)
COMPRESSED = (
    ("executions", "input"), ("executions", "document"), ("execution_steps", "data"), ("workflow_versions", "document"),
    ("calls", "body"), ("calls", "response_body"), ("deliveries", "body"),
)  # fmt: skip
"""Tables and their columns of what may be large."""
