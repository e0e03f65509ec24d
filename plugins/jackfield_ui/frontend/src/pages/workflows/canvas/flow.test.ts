import { expect, test } from 'vitest';
import { kept, type NodeState, type Progress } from '../live/progress';
import { type Doc, documentOf } from '../model/document';
import { edgesOf, Ids, nodesOf, placed } from './flow';

const node = (name: string, x: number) => ({ id: name, name, type: 'n8n-nodes-base.noOp', position: [x, 0] });
const doc: Doc = documentOf({
  name: 'Small',
  nodes: [node('a', 0), node('b', 200), node('c', 400)],
  connections: {
    a: { main: [[{ node: 'b', type: 'main', index: 0 }]] },
    b: { main: [[{ node: 'c', type: 'main', index: 0 }]] },
  },
});
const done = (items: number): NodeState => ({ status: 'success', outputs: [items], runs: 1 });
const none: Progress = new Map();
const facts = (states: Progress) => ({ kinds: new Map(), states, problems: new Map() });

test('wires and nodes that did not change stay the same objects', () => {
  const ids = new Ids();
  const nodes = nodesOf(doc, facts(none), ids, []);
  const edges = edgesOf(doc, none, ids, new Set(), []);
  const states: Progress = new Map([['b', done(3)]]);
  const moved: Doc = { ...doc, nodes: doc.nodes.map((one) => (one.name === 'a' ? node('a', 16) : one)) };

  const after = nodesOf(moved, facts(states), ids, nodes);
  expect(after.map((one, at) => one === nodes[at])).toEqual([false, false, true]);
  expect(after[0]?.style).toMatchObject({ left: 16, top: 0, transform: 'none' });
  const wires = edgesOf(moved, states, ids, new Set(), edges);
  expect(wires.map((one, at) => one === edges[at])).toEqual([true, false]);
  expect(wires[1]?.data?.items).toBe(3);
  const chosen = edgesOf(moved, states, ids, new Set([wires[0]?.id ?? '']), wires);
  expect(chosen.map((one, at) => one === wires[at])).toEqual([false, true]);
});

test('a node is placed where its position says', () => {
  const [first] = nodesOf(doc, facts(none), new Ids(), []);
  if (!first) throw new Error('there is a node');
  expect(placed(first)).toBe(first);
  expect(placed({ ...first, position: { x: 5, y: 6 } }).style).toMatchObject({ left: 5, top: 6 });
});

test('what a run is read to be keeps what its events have told', () => {
  const told: Progress = new Map([
    ['a', done(1)],
    ['b', { ...done(2), status: 'running' }],
  ]);
  const read = kept(
    told,
    new Map([
      ['a', done(1)],
      ['b', done(2)],
      ['c', done(0)],
    ]),
  );
  expect(read.get('a')).toBe(told.get('a'));
  expect(read.get('b')).toEqual(done(2));
  expect([...read.keys()]).toEqual(['a', 'b', 'c']);
});
