"""Statements that delete the rows beyond caps.

The cost of a trim depends on how many rows are too many. It depends neither on the rows that are kept, nor on those
that were deleted and not swept out yet.
"""

from __future__ import annotations

from jackfield.api.sql.pruning import FREE
from jackfield_store_postgres.contents.counting import BY_WORKFLOW

_KEPT = "kept calls"
"""Kind of the memos that say how many calls a webhook had when they were counted last; the key is the webhook."""
_COUNTED_FOR = 60
"""Seconds for which additions are counted alone."""
_LATE = 300
"""Milliseconds by which a call may be stored after one that came later."""
BY_INDEX = """SELECT set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_bitmapscan', 'off', true), set_config('jit', 'off', true),
    set_config('synchronous_commit', 'off', true)"""
"""The oldest rows are at the beginning of an index.

A table of which the server has no figures yet is read whole else, also to find the few steps of those that go. The
planner takes a way that is off to be dear, and compiles the statement. No disk is waited for: what a crash brings back
goes again.
"""
_MINE = "EXISTS (SELECT 1 FROM memos WHERE kind = %s AND key = %s AND data = %s)"
TRIM = f"""WITH wanted AS (
        SELECT CASE WHEN {_MINE} THEN least(greatest(coalesce(sum(number), 0) - %s::bigint, 0), %s::bigint)
            ELSE 0 END::bigint AS number FROM {BY_WORKFLOW}
    ), doomed AS (
        SELECT finished_at, ctid AS row FROM executions WHERE finished_at >= %s AND {FREE} ORDER BY finished_at, id
        LIMIT (SELECT number FROM wanted)
    ), gone AS (
        DELETE FROM executions WHERE ctid = ANY(ARRAY(SELECT row FROM doomed)) RETURNING id
    ), steps AS (
        DELETE FROM execution_steps WHERE execution_id = ANY(ARRAY(SELECT id FROM gone))
    ) SELECT max(finished_at), count(*) < (SELECT number FROM wanted) FROM doomed"""  # noqa: S608 - our own words
"""Values: turn, cap, rows at most, and Unix ms: what ended earlier is not looked at. When the last one that went had
ended, and whether there were fewer than wanted."""
TRIM_CALLS = f"""WITH given AS (
        SELECT %s::text AS webhook, %s::bigint AS cap, CASE WHEN {_MINE} THEN %s::bigint ELSE 0 END AS most
    ), noted AS (
        SELECT convert_from(data, 'UTF8')::jsonb AS it, ends_at FROM memos
        WHERE kind = '{_KEPT}' AND key = (SELECT webhook FROM given) AND ends_at > clock_timestamp()
    ), first AS (
        SELECT time, id FROM calls WHERE webhook_id = (SELECT webhook FROM given)
            AND time >= coalesce((SELECT (it ->> 2)::bigint FROM noted), -1) ORDER BY time, id LIMIT 1
    ), known AS (
        SELECT (it ->> 0)::bigint AS kept, (it ->> 1)::bigint AS until, ends_at FROM noted
        WHERE it ->> 3 = (SELECT id FROM first)
    ), bound AS (
        SELECT time - {_LATE} AS until FROM calls WHERE webhook_id = (SELECT webhook FROM given)
        ORDER BY time DESC, id DESC LIMIT 1
    ), counted AS (
        SELECT coalesce((SELECT kept FROM known), 0) + count(*) AS number,
            count(*) FILTER (WHERE time > (SELECT until FROM bound)) AS late
        FROM calls WHERE webhook_id = (SELECT webhook FROM given)
            AND time > coalesce((SELECT until FROM known), -1)
    ), doomed AS (
        SELECT ctid AS row FROM calls WHERE webhook_id = (SELECT webhook FROM given)
            AND time >= (SELECT time FROM first) ORDER BY time, id
        LIMIT (SELECT least(greatest(number - cap, 0), most) FROM counted, given) FOR UPDATE SKIP LOCKED
    ), gone AS (
        DELETE FROM calls WHERE ctid = ANY(ARRAY(SELECT row FROM doomed))
    ), next AS (
        SELECT time, id FROM calls WHERE webhook_id = (SELECT webhook FROM given) AND time >= (SELECT time FROM first)
        ORDER BY time, id OFFSET (SELECT count(*) FROM doomed) LIMIT 1
    )
    INSERT INTO memos AS m (kind, key, data, part, ends_at)
    SELECT '{_KEPT}', webhook, convert_to(jsonb_build_array(
            greatest(number - late - (SELECT count(*) FROM doomed), 0), until, next.time, next.id)::text, 'UTF8'), '',
        coalesce((SELECT ends_at FROM known), clock_timestamp() + interval '{_COUNTED_FOR} s')
    FROM given, counted, bound, next WHERE most > 0
    ON CONFLICT (kind, key) DO UPDATE SET data = excluded.data, ends_at = excluded.ends_at"""  # noqa: S608 - ours
"""Values: webhook, cap, turn, rows at most. Rows are chosen apart (`WITH`), and given as arrays: inside of a join they
might be chosen anew for each row of the other side. They stay where they are (`ctid`): an execution that has ended is
changed no more, and a call is locked until it is gone.

Of a webhook whose oldest call is the one that was left last, those are counted that have come since then. Else somebody
has deleted some, and all are counted."""
