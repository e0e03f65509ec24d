import { describe, expect, it } from 'vitest';
import type { Execution } from '../queries';
import { copied, n8nType, parsed, pasted } from './clipboard';
import { givenBy } from './data';
import { difference, isSame } from './diff';
import { connect, type Doc, disconnect, documentOf, removeNodes, renameNode, wiresOf } from './document';

const wire = { source: 'A', type: 'main', output: 0, target: 'B', targetType: 'main', input: 0 };
const doc: Doc = documentOf({
  id: '1',
  active: true,
  version: 3,
  name: 'W',
  own: { kept: 1 },
  nodes: [
    { id: 'a', name: 'A', type: 'n8n-nodes-base.set', position: [0, 0], odd: [null] },
    {
      id: 'b',
      name: 'B',
      type: 'n8n-nodes-base.set',
      position: [200, 0],
      parameters: { v: "={{ $('A').item.json.x }}" },
    },
  ],
  connections: { A: { main: [[{ node: 'B', type: 'main', index: 0 }]] } },
  pinData: { A: [{ json: {} }] },
});

describe('a document', () => {
  it('keeps what it does not know and leaves out what is the daemon’s', () => {
    expect(doc.own).toEqual({ kept: 1 });
    expect(doc).not.toHaveProperty('active');
    expect(doc).not.toHaveProperty('version');
    expect(documentOf({ version: 'mine' }).version).toBe('mine');
  });

  it('is connected once and disconnected', () => {
    expect(connect(doc, wire)).toBe(doc);
    const second = connect(doc, { ...wire, output: 2 });
    expect(wiresOf(second.connections)).toHaveLength(2);
    expect(wiresOf(disconnect(second, [wire]).connections)).toEqual([{ ...wire, output: 2 }]);
  });

  it('gives each model of a Model Selector an input, since rules name models by these', () => {
    const models = ['A', 'B', 'C'].map((name) => ({ id: name, name, type: 'langchain.lmChatOpenAi' }));
    const selector = { id: 's', name: 'S', type: '@n8n/n8n-nodes-langchain.modelSelector' };
    const model = { type: 'ai_languageModel', output: 0, target: 'S', targetType: 'ai_languageModel', input: 0 };
    const [a, b, c] = [
      { ...model, source: 'A' },
      { ...model, source: 'B' },
      { ...model, source: 'C' },
    ];
    const two = [a, b].reduce(connect, documentOf({ name: 'W', nodes: [...models, selector] }));
    expect(wiresOf(two.connections)).toEqual([a, { ...b, input: 1 }]);
    expect(connect(two, b)).toBe(two);
    expect(wiresOf(connect(disconnect(two, [a]), c).connections)).toContainEqual(c);
    expect(wiresOf(connect(two, c).connections)).toContainEqual({ ...c, input: 2 });
  });

  it('renames wires, pinned data and expressions with a node', () => {
    const next = renameNode(doc, 'A', "It's");
    expect(Object.keys(next.connections)).toEqual(["It's"]);
    expect(next.pinData).toHaveProperty(["It's"]);
    expect(next.nodes[1]?.parameters?.v).toBe("={{ $('It\\'s').item.json.x }}");
    expect(renameNode(doc, 'A', 'B').nodes[0]?.name).toBe('B1');
  });

  it('loses the wires of a node that goes', () => {
    const left = removeNodes(doc, new Set(['B']));
    expect(wiresOf(left.connections)).toEqual([]);
    expect(left.pinData).toHaveProperty('A');
  });
});

describe('the clipboard', () => {
  it('takes fragments, whole workflows and lists of nodes, and nothing else', () => {
    expect(parsed('hello')).toBeUndefined();
    expect(parsed('{"a": 1}')).toBeUndefined();
    expect(parsed(JSON.stringify(doc.nodes))?.nodes).toHaveLength(2);
    expect(parsed(JSON.stringify([doc]))?.nodes).toHaveLength(2);
  });

  it('names types as n8n does', () => {
    expect(n8nType('jackfield.set')).toBe('n8n-nodes-base.set');
    expect(n8nType('jackfield.langchain.agent')).toBe('@n8n/n8n-nodes-langchain.agent');
    for (const same of ['jackfield.agent', 'n8n-nodes-base.set', 'n8n-nodes-somebody.thing']) {
      expect(n8nType(same)).toBe(same);
    }
    const own = { ...doc, nodes: [{ id: 'c', name: 'C', type: 'jackfield.code' }] };
    expect(copied(own, new Set(['C']))).toContain('"n8n-nodes-base.code"');
  });

  it('gives new names, and expressions that follow them', () => {
    const fragment = parsed(copied(doc, new Set(['A', 'B'])));
    const { doc: next, names } = pasted(doc, fragment as Doc, { x: 0, y: 160 });
    expect(names).toEqual(['A1', 'B1']);
    expect(next.nodes[3]?.parameters?.v).toBe("={{ $('A1').item.json.x }}");
    expect(wiresOf(next.connections)).toContainEqual({ ...wire, source: 'A1', target: 'B1' });
    expect(next.nodes[2]?.odd).toEqual([null]);
    expect(new Set(next.nodes.map(({ id }) => id)).size).toBe(4);
  });

  it('leaves the wires of a document alone where a fragment names nodes that it does not have', () => {
    const stray = {
      A: { main: [[{ node: 'C', type: 'main', index: 0 }]] },
      C: { main: [[{ node: 'B', type: 'main', index: 0 }]] },
    };
    const { doc: next } = pasted(
      doc,
      { ...doc, nodes: [{ name: 'C', type: 'n8n-nodes-base.set' }], connections: stray },
      { x: 0, y: 0 },
    );
    expect(wiresOf(next.connections)).toEqual([wire]);
  });
});

it('finds no run of a node that did not run, whatever its name is', () => {
  const execution = { nodes: {} } as Execution;
  for (const name of ['constructor', '__proto__', 'toString']) {
    expect(givenBy(doc, execution, name, 0)).toEqual({ items: [], total: 0, place: undefined });
  }
});

it('tells what is different', () => {
  expect(isSame(difference(doc, { ...doc }))).toBe(true);
  const next = { ...renameNode(doc, 'A', 'First'), name: 'Other' };
  const found = difference(doc, next);
  expect(found.changed[0]).toMatchObject({ name: 'First', was: 'A', fields: [] });
  expect(found.changed[1]?.fields[0]?.path).toBe('parameters.v');
  expect(found.wiresAdded).toEqual([]);
  expect(found.rest.map(({ path }) => path)).toContain('name');
});
