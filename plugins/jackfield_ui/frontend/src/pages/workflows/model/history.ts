/** What undo and redo go through: documents share what did not change, so that a hundred of them cost little. */
export const STEPS = 100;
/** Changes of one thing within so many milliseconds are one step. */
const TOGETHER = 1_000;

export interface History<Value> {
  past: readonly Value[];
  present: Value;
  future: readonly Value[];
  /** What the last step changed, and when. */
  tag: string | undefined;
  at: number;
}

export function began<Value>(present: Value): History<Value> {
  return { past: [], present, future: [], tag: undefined, at: 0 };
}

export function changed<Value>(history: History<Value>, next: Value, tag: string | undefined, now: number) {
  if (next === history.present) return history;
  const same = tag !== undefined && tag === history.tag && now - history.at < TOGETHER;
  const past = same ? history.past : [...history.past, history.present].slice(-STEPS);
  return { past, present: next, future: [], tag, at: now };
}

export function undone<Value>(history: History<Value>): History<Value> {
  const last = history.past.at(-1);
  if (last === undefined) return history;
  const future = [history.present, ...history.future];
  return { past: history.past.slice(0, -1), present: last, future, tag: undefined, at: 0 };
}

export function redone<Value>(history: History<Value>): History<Value> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.present], present: next, future, tag: undefined, at: 0 };
}
