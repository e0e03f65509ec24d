"""The statements of `batch`: each takes one array per column, so that its text does not depend on the number of rows.

Arrays travel in binary form (`%b`): bytes would take twice their size as text.
"""

from __future__ import annotations

from jackfield_store_postgres.contents.places import MARK

CLAIM = """INSERT INTO deliveries AS d (webhook_id, key, expires_at, execution_id, fingerprint, claimed_at)
    SELECT * FROM unnest(%b::text[], %b::text[], %b::bigint[], %b::text[], %b::text[], %b::bigint[])
    ON CONFLICT (webhook_id, key) DO UPDATE SET expires_at = excluded.expires_at, execution_id = excluded.execution_id,
        fingerprint = excluded.fingerprint, claimed_at = excluded.claimed_at, status = NULL, headers = NULL, body = NULL
        WHERE d.expires_at <= excluded.claimed_at RETURNING execution_id"""
ADD_EXECUTIONS = """INSERT INTO executions (id, workflow_id, workflow_version, mode, status, created_at, started_at,
        finished_at, resume_at, error, retry_of, call_id, webhook_id, owner, input, document)
    SELECT * FROM unnest(%b::text[], %b::text[], %b::bigint[], %b::text[], %b::text[], %b::bigint[], %b::bigint[],
        %b::bigint[], %b::bigint[], %b::bytea[], %b::text[], %b::text[], %b::text[], %b::text[], %b::bytea[],
        %b::bytea[])
    ON CONFLICT (id) DO NOTHING RETURNING id"""
ADD_CALLS = f"""INSERT INTO calls (webhook_id, id, execution_id, time, method, headers, body, query, event, status,
        truncated, response_status, duration_ms, response_truncated, response_body)
    SELECT webhook_id, id, execution_id, time, method, headers, CASE places WHEN '' THEN body ELSE {MARK} || places END,
        query, event, status, truncated, response_status, duration_ms, response_truncated, response_body
    FROM unnest(%b::text[], %b::text[], %b::text[], %b::bigint[], %b::text[], %b::bytea[], %b::text[],
        %b::text[], %b::text[], %b::text[], %b::boolean[], %b::bigint[], %b::bigint[], %b::boolean[], %b::text[],
        %b::text[])
        AS t (webhook_id, id, execution_id, time, method, headers, body, query, event, status, truncated,
            response_status, duration_ms, response_truncated, response_body, places)
    ON CONFLICT (webhook_id, id) DO NOTHING RETURNING webhook_id, id"""  # noqa: S608 - our own words
ADD_STEPS = """INSERT INTO execution_steps (execution_id, number, data)
    SELECT * FROM unnest(%b::text[], %b::bigint[], %b::bytea[]) ON CONFLICT DO NOTHING"""
APPEND_STEPS = """INSERT INTO execution_steps (execution_id, number, data) SELECT e.id, t.number, t.data
    FROM unnest(%b::text[], %b::bigint[], %b::bytea[], %b::text[]) AS t (execution_id, number, data, owner)
    JOIN executions e ON e.id = t.execution_id AND e.finished_at IS NULL AND e.owner IS NOT DISTINCT FROM t.owner
    ON CONFLICT (execution_id, number) DO NOTHING RETURNING execution_id, number"""
CHANGE_EXECUTIONS = """UPDATE executions e SET status = t.status, started_at = coalesce(t.started_at, e.started_at),
        finished_at = t.finished_at, resume_at = t.resume_at, error = t.error, owner = t.keeper
    FROM unnest(%b::text[], %b::text[], %b::bigint[], %b::bigint[], %b::bigint[], %b::bytea[], %b::text[], %b::text[])
        AS t (id, status, started_at, finished_at, resume_at, error, keeper, owner)
    WHERE e.id = t.id AND e.finished_at IS NULL AND e.owner IS NOT DISTINCT FROM t.owner RETURNING e.id"""
FORGET = """INSERT INTO unsaved (id, forget_at) SELECT * FROM unnest(%b::text[], %b::bigint[])
    ON CONFLICT (id) DO UPDATE SET forget_at = excluded.forget_at"""
ANSWER = """UPDATE deliveries d SET status = t.status, headers = t.headers, body = t.body
    FROM unnest(%b::text[], %b::text[], %b::bigint[], %b::bytea[], %b::bytea[])
        AS t (webhook_id, key, status, headers, body)
    WHERE d.webhook_id = t.webhook_id AND d.key = t.key AND d.status IS NULL"""
_ADD_COUNTS = """ON CONFLICT (webhook_id, share) DO UPDATE SET total = s.total + excluded.total,
        success = s.success + excluded.success, failed = s.failed + excluded.failed,
        rejected = s.rejected + excluded.rejected,
        last_call = greatest(s.last_call, excluded.last_call)"""
CHANGE_CALLS = f"""WITH wanted AS (
        SELECT t.*, c.status AS before
        FROM unnest(%b::bigint[], %b::text[], %b::text[], %b::text[], %b::bigint[], %b::text[], %b::boolean[],
                %b::bigint[])
            AS t (share, webhook_id, id, status, response_status, response_body, response_truncated, duration_ms)
        JOIN calls c ON c.webhook_id = t.webhook_id AND c.id = t.id FOR UPDATE OF c
    ), changed AS (
        UPDATE calls c SET status = CASE c.status WHEN 'pending' THEN coalesce(t.status, c.status) ELSE c.status END,
            response_status = coalesce(t.response_status, c.response_status),
            response_body = coalesce(t.response_body, c.response_body),
            response_truncated = coalesce(t.response_truncated, c.response_truncated),
            duration_ms = coalesce(t.duration_ms, c.duration_ms)
        FROM wanted t WHERE c.webhook_id = t.webhook_id AND c.id = t.id
    )
    INSERT INTO webhook_stats AS s (webhook_id, share, total, success, failed, rejected, last_call)
    SELECT webhook_id, share, 0, count(*) FILTER (WHERE status = 'success'),
        count(*) FILTER (WHERE status IN ('failed', 'timeout')), 0, NULL
    FROM wanted WHERE before = 'pending' AND status IS NOT NULL GROUP BY webhook_id, share ORDER BY webhook_id
    {_ADD_COUNTS}"""  # noqa: S608 - our own words
COUNT = f"""INSERT INTO webhook_stats AS s (webhook_id, share, total, success, failed, rejected, last_call)
    SELECT * FROM unnest(%b::text[], %b::bigint[], %b::bigint[], %b::bigint[], %b::bigint[], %b::bigint[], %b::bigint[])
    {_ADD_COUNTS}"""  # noqa: S608 - our own words
