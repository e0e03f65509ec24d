import { describe, expect, it } from 'vitest';
import type { Item } from '../../api/types';
import { inputsOf, liveRun, type Run, runsOf, scale, wiresOf } from './model';

const item = (n: number): Item => ({ json: { n } });
const run = (node: string, index: number, outputs: Item[][], more: Partial<Run> = {}): Run => ({
  node,
  run: 0,
  index,
  startedAt: index * 10,
  duration: 10,
  status: 'success',
  error: undefined,
  counts: outputs.map((items) => items.length),
  outputs,
  ...more,
});

describe('runsOf', () => {
  it('orders the runs and adds what only events told of', () => {
    const stored = {
      B: [
        {
          index: 1,
          startedAt: '2026-01-01T00:00:01Z',
          duration: 5,
          status: 'failed',
          error: { message: 'no', itemIndex: 3 },
        },
      ],
      A: [{ index: 0, startedAt: '2026-01-01T00:00:00Z', duration: 5, status: 'success', outputs: [[item(1)]] }],
    };
    const live = [liveRun({ node: 'B', index: 1, outputs: [9] }), liveRun({ node: 'C', index: 2, outputs: [2] })];
    const found = runsOf(
      stored,
      live.filter((one) => one !== undefined),
    );
    expect(found.map(({ node, counts }) => [node, counts])).toEqual([
      ['A', [1]],
      ['B', []],
      ['C', [2]],
    ]);
    expect(found[1]?.error).toEqual({ message: 'no', itemIndex: 3 });
  });
});

describe('scale', () => {
  it('gives every bar a place within the whole', () => {
    const runs = [run('A', 0, []), run('B', 1, [], { duration: 0 }), run('C', 9, [])];
    const place = scale(runs);
    expect(runs.map(place)).toEqual([
      { left: 0, width: 10 },
      { left: 10, width: 0.5 },
      { left: 90, width: 10 },
    ]);
  });

  it('leaves out what ran in an earlier execution', () => {
    const runs = [run('A', 0, [], { startedAt: -9_000_000, reused: true }), run('B', 1, []), run('C', 10, [])];
    expect(runs.map(scale(runs))).toEqual([
      { left: 0, width: 0 },
      { left: 0, width: 10 },
      { left: 90, width: 10 },
    ]);
  });
});

describe('inputsOf', () => {
  const wires = wiresOf({
    A: { main: [[{ node: 'C', type: 'main', index: 0 }], null] },
    B: { main: [[{ node: 'C', index: 0 }]] },
    odd: 3,
  });
  it('gives each of two wires into one input to a run of its own', () => {
    const runs = [run('A', 0, [[item(1)]]), run('C', 1, []), run('B', 2, [[item(2)]]), run('C', 3, [], { run: 1 })];
    expect(inputsOf(runs, runs[1] as Run, wires).map(({ items }) => items[0]?.json.n)).toEqual([1]);
    expect(inputsOf(runs, runs[3] as Run, wires).map(({ from }) => from.node)).toEqual(['B']);
  });
  it('takes one output for each input of a merge', () => {
    const two = wiresOf({ A: { main: [[{ node: 'M', index: 0 }]] }, B: { main: [[{ node: 'M', index: 1 }]] } });
    const runs = [run('A', 0, [[item(1)]]), run('B', 1, [[item(2)]]), run('M', 2, [])];
    expect(inputsOf(runs, runs[2] as Run, two).map(({ input, from }) => [input, from.node])).toEqual([
      [0, 'A'],
      [1, 'B'],
    ]);
  });
  it('follows a loop', () => {
    const loop = wiresOf({ L: { main: [[], [{ node: 'X', index: 0 }]] }, X: { main: [[{ node: 'L', index: 0 }]] } });
    const runs = [
      run('L', 0, [[], [item(1)]]),
      run('X', 1, [[item(1)]]),
      run('L', 2, [[], [item(2)]]),
      run('X', 3, [[item(2)]], { run: 1 }),
    ];
    expect(inputsOf(runs, runs[3] as Run, loop).map(({ items }) => items[0]?.json.n)).toEqual([2]);
  });
});
