import { expect, test } from 'vitest';
import { changeOf, failing, firstDay, type Insights, isPeriod, minutes, stepNames, type WorkflowSums } from './model';

function row(workflowId: string, failed: number, total: number): WorkflowSums {
  const sums = { total, success: total - failed, failed, cancelled: 0, failureRate: failed / total };
  return { workflowId, name: workflowId, projectId: 'p', averageRunTimeMs: 1, timeSavedMinutes: 0, ...sums };
}

test('a change is a share of before', () => {
  expect(changeOf(150, 100)).toBe(0.5);
  expect(changeOf(5, 0)).toBeNull();
});

test('minutes become milliseconds', () => {
  expect(minutes(1.5)).toBe(90_000);
});

test('workflows that fail most come first, and those that never fail do not', () => {
  const found = failing([row('a', 0, 9), row('b', 2, 100), row('c', 2, 4), row('d', 3, 3)]);
  expect(found.map(({ workflowId }) => workflowId)).toEqual(['d', 'c', 'b']);
});

test('steps have names', () => {
  const steps = [{ at: '2026-03-02T00:00:00.000Z' }, { at: '2026-03-03T00:00:00.000Z' }];
  const names = stepNames({ unit: 'day', steps } as Insights);
  expect(names).toHaveLength(2);
  expect(new Set(names).size).toBe(2);
});

test('a period begins on a day', () => {
  expect(firstDay('week', new Date(2026, 2, 3))).toBe('2026-02-25');
  expect(firstDay('day', new Date(2026, 2, 3))).toBe('2026-03-03');
});

test('a period is one that is known', () => {
  expect(isPeriod('week')).toBe(true);
  expect(isPeriod('decade')).toBe(false);
});
