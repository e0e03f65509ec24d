/** Recordings in the form of asciinema, version 2: a head, then `[seconds, kind, text]` line by line. */

import { isRecord } from '../../api/errors';
import { t } from '../../language/messages';

export interface CastEvent {
  /** Seconds from the beginning. */
  time: number;
  /** o: printed; r: a new size, `COLSxROWS`; m: a marker. */
  kind: 'o' | 'r' | 'm';
  text: string;
}

export interface Cast {
  cols: number;
  rows: number;
  /** Milliseconds of the clock. */
  started: number | undefined;
  events: readonly CastEvent[];
  /** Seconds. */
  length: number;
}

/** What cannot be read is left out: a recording that is being made may end within a line. Raises for another format. */
export function parseCast(text: string): Cast {
  const lines = text.split('\n');
  const head = json(lines[0] ?? '');
  if (!isRecord(head) || head.version !== 2) throw new Error(t('This is no recording of version 2.'));
  const events: CastEvent[] = [];
  let last = 0;
  for (const line of lines.slice(1)) {
    const event = json(line);
    if (!Array.isArray(event)) continue;
    const [time, kind, data] = event;
    if (typeof time !== 'number' || typeof data !== 'string') continue;
    last = Math.max(last, time);
    if (kind === 'o' || kind === 'r' || kind === 'm') events.push({ time: last, kind, text: data });
  }
  const started = typeof head.timestamp === 'number' ? head.timestamp * 1_000 : undefined;
  return { cols: side(head.width, 80), rows: side(head.height, 24), started, events, length: last };
}

/** The same with every pause of at most `most` seconds. */
export function withoutPauses(cast: Cast, most: number): Cast {
  let before = 0;
  let now = 0;
  const events = cast.events.map((event) => {
    now += Math.min(event.time - before, most);
    before = event.time;
    return { ...event, time: now };
  });
  return { ...cast, events, length: now };
}

/** How many events there are up to a time. */
export function upTo(events: readonly CastEvent[], time: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.time ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function sizeOf(text: string): { cols: number; rows: number } | undefined {
  const found = /^(\d{1,4})x(\d{1,4})$/.exec(text);
  return found ? { cols: side(Number(found[1]), 80), rows: side(Number(found[2]), 24) } : undefined;
}

function side(value: unknown, usual: number): number {
  return typeof value === 'number' && value >= 1 && value <= 1_000 ? Math.floor(value) : usual;
}

function json(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
