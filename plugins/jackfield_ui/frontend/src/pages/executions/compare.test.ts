import { expect, it } from 'vitest';
import type { Item } from '../../api/types';
import { compared, itemsText } from './compare';
import type { Run } from './model';
import { statesOf } from './states';

const run = (node: string, index: number, json: Record<string, unknown>[], more: Partial<Run> = {}): Run => ({
  node,
  run: 0,
  index,
  startedAt: index,
  duration: 5,
  status: 'success',
  error: undefined,
  counts: [json.length],
  outputs: [json.map((one) => ({ json: one }))],
  ...more,
});

it('says node by node what differs, and not how long it took', () => {
  const left = [run('A', 0, [{ n: 1, m: 2 }]), run('B', 1, [{ n: 1 }]), run('C', 2, [{}]), run('C', 3, [{}])];
  const right = [
    run('A', 0, [{ m: 2, n: 1 }], { duration: 900 }),
    run('B', 1, [{ n: 2 }]),
    run('C', 2, [{}, {}], { status: 'failed', error: { message: 'no' } }),
    run('D', 3, []),
  ];
  expect(compared(left, right).map(({ node, differs }) => [node, differs])).toEqual([
    ['A', []],
    ['B', ['data']],
    ['C', ['state', 'runs', 'data']],
    ['D', ['state']],
  ]);
});

it('leaves out the content of files', () => {
  const item = { json: { b: 1, a: 2 }, binary: { f: { data: 'AAAA', id: 'x', fileName: 'a.png' } } } as Item;
  expect(itemsText([item])).not.toContain('AAAA');
  expect(itemsText([item]).indexOf('"a"')).toBeLessThan(itemsText([item]).indexOf('"b"'));
  expect(itemsText([item])).toContain('a.png');
});

it('draws a failure without a run, what runs now, and what was taken over', () => {
  const runs = [run('A', 0, [{}]), run('B', 1, [{}, {}], { reused: true }), run('B', 2, [{}], { reused: true })];
  const states = statesOf(runs, 'C', { message: 'too many', node: 'D' });
  expect([...states].map(([node, state]) => [node, state.status, state.outputs[0], state.reused])).toEqual([
    ['A', 'success', 1, undefined],
    ['B', 'success', 3, true],
    ['C', 'running', undefined, undefined],
    ['D', 'failed', undefined, undefined],
  ]);
});
