import { expect, it } from 'vitest';
import { type Doc, documentOf, needsLayout, positionOf } from './document';
import { laidOut } from './layout';

const NO_KINDS = new Map();
const node = (name: string, more = {}) => ({ id: name, name, type: 'jackfield.set', ...more });
const to = (name: string, type = 'main') => ({ [type]: [[{ node: name, type, index: 0 }]] });
const placesOf = (doc: Doc) =>
  Object.fromEntries(doc.nodes.map((one) => [one.name, positionOf(one) ?? { x: Number.NaN, y: Number.NaN }]));

it('is for documents without places', () => {
  const bare = documentOf({ nodes: [node('A'), node('B')], connections: { A: to('B') } });
  expect(needsLayout(bare)).toBe(true);
  const placed = laidOut(bare, NO_KINDS);
  expect(needsLayout(placed)).toBe(false);
  const { A, B } = placesOf(placed);
  expect([A?.y, (B?.x ?? 0) - (A?.x ?? 0)]).toEqual([B?.y, 224]);
  expect(needsLayout({ ...placed, nodes: [...placed.nodes, node('C')] })).toBe(true);
  expect(laidOut(documentOf({ nodes: [], connections: {} }), NO_KINDS).nodes).toEqual([]);
});

it('goes from left to right by the longest way, and is not held up by loops', () => {
  const names = ['S', 'A', 'B', 'C'];
  const connections = {
    S: { main: [[...(to('A').main?.[0] ?? []), ...(to('C').main?.[0] ?? [])]] },
    A: to('B'),
    B: to('C'),
    C: to('A'),
  };
  const places = placesOf(laidOut(documentOf({ nodes: names.map((name) => node(name)), connections }), NO_KINDS));
  const across = names.map((name) => places[name]?.x ?? Number.NaN);
  expect(across).toEqual([...across].sort((one, other) => one - other));
});

it('puts parts below what they serve, also parts of parts, and parts that serve each other', () => {
  const nodes = ['Agent', 'Store', 'Embeddings', 'One', 'Two'].map((name) => node(name));
  const connections = {
    Store: to('Agent', 'ai_tool'),
    Embeddings: to('Store', 'ai_embedding'),
    One: to('Two', 'ai_tool'),
    Two: to('One', 'ai_tool'),
  };
  const { Agent, Store, Embeddings } = placesOf(laidOut(documentOf({ nodes, connections }), NO_KINDS));
  expect([Agent, Store, Embeddings].map((place) => (place?.y ?? 0) - (Agent?.y ?? 0) > 0)).toEqual([false, true, true]);
  expect(Embeddings?.y).toBeGreaterThan(Store?.y ?? 0);
});
