import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Doc, documentOf } from './document';
import { EditorStore, STEPS } from './store';

const node = (name: string) => ({ id: name, name, type: 'jackfield.set', position: [0, 0] });
const doc = documentOf({ name: 'W', nodes: [node('A'), node('B')], connections: {} });
const named = (name: string) => (now: Doc) => ({ ...now, name });
const opened = () => new EditorStore({ id: '1', doc, active: false, attention: [], version: 1 });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('goes back a bounded number of steps', () => {
  const store = opened();
  for (let step = 1; step <= STEPS + 20; step += 1) store.commit(named(`${step}`));
  for (let step = 0; step < STEPS + 20; step += 1) store.undo();
  expect(store.doc.name).toBe('20');
  store.redo();
  expect(store.doc.name).toBe('21');
});

it('takes one word that is typed as one step, and what is typed later as another', () => {
  const store = opened();
  for (const text of ['k', 'ki', 'kiln']) store.commit(named(text), 'name');
  vi.advanceTimersByTime(1_001);
  store.commit(named('kilns'), 'name');
  store.undo();
  expect(store.doc.name).toBe('kiln');
  store.undo();
  expect(store.doc).toBe(doc);
  store.redo();
  store.commit(named('kil'), 'name');
  store.undo();
  expect(store.doc.name).toBe('kiln');
});

it('makes no step of what changes no document', () => {
  const store = opened();
  store.select(['A']);
  store.open('A');
  store.commit((now) => now);
  store.activated(true);
  store.undo();
  expect(store.get()).toMatchObject({ active: true, opened: 'A', selection: new Set(['A']) });
});

it('lets go of what a step back takes away', () => {
  const store = opened();
  store.commit((now) => ({ ...now, nodes: [...now.nodes, node('C')] }));
  store.select(['A', 'C']);
  store.open('C');
  store.undo();
  expect(store.get()).toMatchObject({ opened: undefined, selection: new Set(['A']) });
});

it('brings back what another document replaced', () => {
  const store = opened();
  store.commit(named('mine'));
  store.replace({ id: '1', doc: named('theirs')(doc), active: true, attention: [], version: 2 });
  expect(store.dirty).toBe(false);
  store.undo();
  expect(store.doc.name).toBe('mine');
  expect(store.dirty).toBe(true);
});

it('goes back over what was decided about a draft', () => {
  const store = opened();
  store.decide(named('accepted')(doc), { draft: 'd', base: doc });
  store.decide(store.doc, { draft: 'd', base: named('rejected')(doc) });
  store.undo();
  expect(store.get()).toMatchObject({ doc: { name: 'accepted' }, decided: { base: doc } });
  store.undo();
  expect(store.get()).toMatchObject({ doc, decided: undefined });
  store.redo();
  expect(store.get()).toMatchObject({ doc: { name: 'accepted' }, decided: { base: doc } });
});
