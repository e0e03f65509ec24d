/** A line of the daemon's log. */
export interface Line {
  time: string | null;
  level: string;
  logger: string;
  message: string;
  request_id: string | null;
  exception: string | null;
  fields: Record<string, unknown>;
  /** Its place in the log: no two lines have the same. */
  cursor: string;
}

/** Lines that were told of live, the newest first, and how many were let go of. */
export interface Tail {
  lines: readonly Line[];
  dropped: number;
}

export const LEVEL_WORDS = ['debug', 'info', 'warning', 'error'] as const;
export const MOST = 2_000;
export const EMPTY: Tail = { lines: [], dropped: 0 };

/** With lines that came, the oldest first; what is more than `most` is let go of at the old end. */
export function added(tail: Tail, came: readonly Line[], most = MOST): Tail {
  if (came.length === 0) return tail;
  const known = new Set(tail.lines.map(({ cursor }) => cursor));
  const fresh = came.filter(({ cursor }) => !known.has(cursor)).reverse();
  const all = [...fresh, ...tail.lines];
  return { lines: all.slice(0, most), dropped: tail.dropped + Math.max(0, all.length - most) };
}

/** What came live above what was read, each line once. */
export function merged(tail: readonly Line[], read: readonly Line[]): Line[] {
  const known = new Set(read.map(({ cursor }) => cursor));
  return [...tail.filter(({ cursor }) => !known.has(cursor)), ...read];
}

/** How many lines came since these were the newest. */
export function newer(lines: readonly Line[], before: readonly Line[]): number {
  const place = lines.findIndex(({ cursor }) => cursor === before[0]?.cursor);
  return place < 0 ? lines.length : place;
}

/** A line as text, to be copied. */
export function written({ time, level, logger, message, request_id, exception, fields }: Line): string {
  const more = { ...(request_id ? { request: request_id } : {}), ...fields };
  const head = [time, level.toUpperCase(), logger, message].filter(Boolean).join(' ');
  const tail = Object.keys(more).length ? ` ${JSON.stringify(more)}` : '';
  return `${head}${tail}${exception ? `\n${exception}` : ''}`;
}
