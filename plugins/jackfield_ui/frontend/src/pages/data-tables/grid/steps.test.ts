import { describe, expect, it } from 'vitest';
import type { DataRow } from '../queries';
import { MOST_ROWS, MOST_STEPS, type Step, stepped, turned } from './steps';

const row = (id: number): DataRow => ({ id, createdAt: null, updatedAt: null });
const step = (part: Partial<Step> = {}): Step => ({ edits: [], added: [], deleted: [], ...part });

describe('steps', () => {
  it('are undone by their opposite', () => {
    const edits = [{ row: 1, before: { a: 1 }, after: { a: 2 } }];
    const back = turned(step({ edits, added: [row(2)], deleted: [row(3)] }));
    expect(back).toEqual({
      edits: [{ row: 1, before: { a: 2 }, after: { a: 1 } }],
      added: [row(3)],
      deleted: [row(2)],
    });
    expect(turned(back).edits).toEqual(edits);
  });

  it('are as many as there is room for, and the oldest go', () => {
    const steps = Array.from({ length: MOST_STEPS + 5 }, (_, id) => step({ added: [row(id)] })).reduce(stepped, []);
    expect(steps.length).toBe(MOST_STEPS);
    expect(steps.at(-1)?.added[0]?.id).toBe(MOST_STEPS + 4);
    const large = step({ deleted: Array.from({ length: MOST_ROWS / 2 }, (_, id) => row(id)) });
    expect(stepped([step(), large, large], step({ added: [row(1)] }))).toHaveLength(2);
    expect(stepped([step(), large], large)).toHaveLength(3);
  });
});
