import { describe, expect, it } from 'vitest';
import {
  connect,
  type Doc,
  type DocNode,
  documentOf,
  namesOf,
  removeNodes,
  renameNode,
  wiresOf,
} from '../model/document';
import { wireKey } from '../model/marks';
import { ownUnits, proposalOf, taken, type Unit } from './changes';
import { overlayOf } from './overlay';

const node = (name: string, x: number, parameters = {}): DocNode => ({
  id: `id-${name}`,
  name,
  type: 'n8n-nodes-base.set',
  position: [x, 0],
  parameters,
});
const between = (source: string, target: string) => ({
  source,
  type: 'main',
  output: 0,
  target,
  targetType: 'main',
  input: 0,
});
const base: Doc = documentOf({
  name: 'Orders',
  nodes: [node('Start', 0), node('Fetch', 200, { url: '/a', options: { retries: 1, wait: 2 } }), node('Send', 400)],
  connections: {},
  settings: { timezone: 'UTC' },
});
const wired = [between('Start', 'Fetch'), between('Fetch', 'Send')].reduce(connect, base);
const parameter = (doc: Doc, name: string, parameters: object): Doc => ({
  ...doc,
  nodes: doc.nodes.map((one) =>
    one.name === name ? { ...one, parameters: { ...one.parameters, ...parameters } } : one,
  ),
});
/** Fetch is changed, Check comes between Fetch and Send, the settings and the place of Send are others. */
const drafted: Doc = (() => {
  const changed = parameter(wired, 'Fetch', { url: '/b' });
  const nodes = [...changed.nodes.slice(0, 2), node('Check', 400), { ...node('Send', 600) }];
  const more = [between('Fetch', 'Check'), between('Check', 'Send')].reduce(connect, { ...changed, nodes });
  const kept = { Start: more.connections.Start, Check: more.connections.Check };
  const connections = { ...kept, Fetch: { main: [[{ node: 'Check', type: 'main', index: 0 }]] } };
  return { ...more, connections, settings: { timezone: 'UTC', executionTimeout: 60 } };
})();
const said = (unit: Unit) =>
  `${unit.mark} ${unit.what === 'node' ? unit.name : unit.what === 'part' ? unit.place.join('.') : unit.what}`;
const find = (units: readonly Unit[], what: string) => units.filter((unit) => said(unit) === what).map(({ id }) => id);
const ids = (units: readonly Unit[], ...what: string[]) => new Set(what.flatMap((one) => find(units, one)));
const wires = (doc: Doc) =>
  wiresOf(doc.connections)
    .map(({ source, target }) => `${source}>${target}`)
    .sort();

describe('a proposal', () => {
  const proposal = proposalOf(wired, drafted, wired);

  it('tells each change, and wires with the nodes that they come with', () => {
    expect(ownUnits(proposal).map(said)).toEqual([
      'changed Fetch',
      'added Check',
      'removed wire',
      'changed settings.executionTimeout',
      'changed places',
    ]);
    const fetched = proposal.units.find((unit) => unit.what === 'node' && unit.name === 'Fetch');
    expect(fetched).toMatchObject({
      change: { fields: [{ path: 'parameters.url', before: '/a', after: '/b' }] },
    });
  });

  it('is nothing when the draft is as it began, or when all of it is on the canvas', () => {
    expect(proposalOf(wired, wired, wired).units).toEqual([]);
    const all = taken(proposal, new Set(proposal.units.map(({ id }) => id)));
    expect(proposalOf(wired, drafted, all).units).toEqual([]);
    expect(wires(all)).toEqual(['Check>Send', 'Fetch>Check', 'Start>Fetch']);
  });

  it('is taken unit by unit, and each other one remains', () => {
    const { units } = proposal;
    const one = taken(proposal, ids(units, 'added Check'));
    expect(wires(one)).toEqual(['Check>Send', 'Fetch>Check', 'Fetch>Send', 'Start>Fetch']);
    expect(one.nodes.find(({ name }) => name === 'Fetch')).toBe(wired.nodes[1]);
    const rest = proposalOf(wired, drafted, one);
    expect(ownUnits(rest).map(said)).toEqual([
      'changed Fetch',
      'removed wire',
      'changed settings.executionTimeout',
      'changed places',
    ]);
    const two = taken(rest, ids(rest.units, 'changed settings.executionTimeout', 'changed places'));
    expect(two.settings).toEqual({ timezone: 'UTC', executionTimeout: 60 });
    expect(two.nodes.find(({ name }) => name === 'Send')?.position).toEqual([600, 0]);
  });

  it('changes nothing of the document that it is made from', () => {
    const before = JSON.stringify([wired, drafted]);
    taken(proposal, new Set(proposal.units.map(({ id }) => id)));
    expect(JSON.stringify([wired, drafted])).toBe(before);
  });
});

describe('what was changed on the canvas meanwhile', () => {
  it('stays, and is told where the draft has changed the same', () => {
    const mine = parameter(wired, 'Fetch', { method: 'POST', options: { retries: 5, wait: 2 } });
    const theirs = parameter(wired, 'Fetch', { url: '/b', options: { retries: 1, wait: 9 } });
    const proposal = proposalOf(wired, theirs, mine);
    expect(proposal.units).toMatchObject([{ mark: 'changed', name: 'Fetch', isClash: false }]);
    expect(taken(proposal, ids(proposal.units, 'changed Fetch')).nodes[1]?.parameters).toEqual({
      url: '/b',
      method: 'POST',
      options: { retries: 5, wait: 9 },
    });
    const other = proposalOf(wired, theirs, parameter(wired, 'Fetch', { url: '/c' }));
    expect(other.units).toMatchObject([{ name: 'Fetch', isClash: true }]);
  });

  it('is a node that has the name of a new one: the new one gets another, with its wires', () => {
    const mine = { ...wired, nodes: [...wired.nodes, { ...node('Check', 0), id: 'mine' }] };
    const proposal = proposalOf(wired, drafted, mine);
    const all = taken(proposal, new Set(proposal.units.map(({ id }) => id)));
    expect([...namesOf(all)]).toEqual(['Start', 'Fetch', 'Send', 'Check', 'Check1']);
    expect(wires(all)).toEqual(['Check1>Send', 'Fetch>Check1', 'Start>Fetch']);
  });

  it('is another name of a node, under which the draft changes it', () => {
    const mine = renameNode(wired, 'Fetch', 'Get');
    const proposal = proposalOf(wired, drafted, mine);
    const all = taken(proposal, new Set(proposal.units.map(({ id }) => id)));
    expect(wires(all)).toEqual(['Check>Send', 'Get>Check', 'Start>Get']);
    expect(all.nodes[1]).toMatchObject({ name: 'Get', parameters: { url: '/b' } });
  });

  it('is a node that is gone: the draft brings it back no more', () => {
    const mine = removeNodes(wired, new Set(['Fetch']));
    expect(ownUnits(proposalOf(wired, drafted, mine)).map(said)).toEqual([
      'added Check',
      'changed settings.executionTimeout',
      'changed places',
    ]);
  });
});

describe('what was decided', () => {
  const all = proposalOf(wired, drafted, wired);

  it.each(['changed Fetch', 'added Check', 'removed wire', 'changed settings.executionTimeout', 'changed places'])(
    'is proposed no more when it was rejected: %s',
    (what) => {
      const decided = taken(all, ids(all.units, what), true);
      expect(ownUnits(proposalOf(decided, drafted, wired)).map(said)).toEqual(
        ownUnits(all)
          .map(said)
          .filter((one) => one !== what),
      );
    },
  );

  it('is proposed again when the draft goes on with it', () => {
    const decided = taken(all, ids(all.units, 'changed Fetch'), true);
    const further = parameter(drafted, 'Fetch', { url: '/c' });
    expect(find(proposalOf(decided, further, wired).units, 'changed Fetch')).toHaveLength(1);
  });

  it('stays decided when what was accepted is changed on the canvas', () => {
    const accepted = ids(all.units, 'added Check');
    const [now, decided] = [taken(all, accepted), taken(all, accepted)];
    const edited = parameter(now, 'Check', { mine: true });
    expect(find(proposalOf(decided, drafted, edited).units, 'changed Check')).toEqual([]);
  });

  it('of two new nodes takes the wire between them with the second', () => {
    const pair = [between('A', 'B')].reduce(connect, { ...wired, nodes: [...wired.nodes, node('A', 0), node('B', 0)] });
    const both = proposalOf(wired, pair, wired);
    const first = taken(both, ids(both.units, 'added A'));
    expect(wires(first)).not.toContain('A>B');
    const next = proposalOf(first, pair, first);
    expect(ownUnits(next).map(said)).toEqual(['added B']);
    expect(wires(taken(next, ids(next.units, 'added B')))).toContain('A>B');
  });
});

describe('a node that the draft removes, or gives another name', () => {
  it('goes with its wires, or stays with them', () => {
    const draft = removeNodes(wired, new Set(['Send']));
    const proposal = proposalOf(wired, draft, wired);
    expect(ownUnits(proposal).map(said)).toEqual(['removed Send']);
    expect(wires(taken(proposal, ids(proposal.units, 'removed Send')))).toEqual(['Start>Fetch']);
    const kept = taken(proposal, ids(proposal.units, 'removed Send'), true);
    expect(proposalOf(kept, draft, wired).units).toEqual([]);
  });

  it('gets its name with its wires, and may get its parameters without a loss of wires', () => {
    const draft = parameter(renameNode(drafted, 'Fetch', 'Load'), 'Load', { url: '/z' });
    const proposal = proposalOf(wired, draft, wired);
    expect(wires(taken(proposal, ids(proposal.units, 'changed Fetch')))).toEqual(['Load>Send', 'Start>Load']);
    expect(wires(taken(proposal, ids(proposal.units, 'added Check')))).toContain('Fetch>Check');
    const all = taken(proposal, new Set(proposal.units.map(({ id }) => id)));
    expect(wires(all)).toEqual(['Check>Send', 'Load>Check', 'Start>Load']);
  });

  it('may have another type, of which nothing is mixed with the earlier one', () => {
    const nodes = wired.nodes.map((one) =>
      one.name === 'Fetch' ? { ...one, type: 'n8n-nodes-base.code', parameters: { jsCode: 'return []' } } : one,
    );
    const proposal = proposalOf(wired, { ...wired, nodes }, parameter(wired, 'Fetch', { method: 'PUT' }));
    const now = taken(proposal, ids(proposal.units, 'changed Fetch'));
    expect(now.nodes[1]).toMatchObject({ type: 'n8n-nodes-base.code', parameters: { jsCode: 'return []' } });
    expect(now.nodes[1]?.parameters).not.toHaveProperty('method');
  });
});

it('names its changes as the daemon does', () => {
  const named = proposalOf(wired, { ...drafted, name: 'Other' }, wired);
  expect(named.units.map(({ id }) => id).sort()).toEqual([
    'node:id-Check',
    'node:id-Fetch',
    'places',
    'setting:executionTimeout',
    'setting:name',
    'wire:main:id-Check:0>id-Send:0',
    'wire:main:id-Fetch:0>id-Check:0',
    'wire:main:id-Fetch:0>id-Send:0',
  ]);
});

it('shows on the canvas what would come beside what would go', () => {
  const { doc, nodes, wires: marks } = overlayOf(proposalOf(wired, drafted, wired));
  expect([...nodes]).toEqual([
    ['Fetch', 'changed'],
    ['Check', 'added'],
  ]);
  expect([...namesOf(doc)]).toEqual(['Start', 'Fetch', 'Send', 'Check']);
  expect(wires(doc)).toEqual(['Check>Send', 'Fetch>Check', 'Fetch>Send', 'Start>Fetch']);
  expect(marks.get(wireKey(between('Fetch', 'Send')))).toBe('removed');
  expect(marks.get(wireKey(between('Check', 'Send')))).toBe('added');
  expect(marks.get(wireKey(between('Start', 'Fetch')))).toBeUndefined();
});
