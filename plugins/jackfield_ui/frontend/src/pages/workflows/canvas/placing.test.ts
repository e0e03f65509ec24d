import { describe, expect, it } from 'vitest';
import { type Doc, documentOf, positionOf, wiresOf } from '../model/document';
import { shapeOf } from '../model/shape';
import type { NodeType } from '../queries';
import { added, type Wanted } from './edits';
import { behindSelected, placeFor } from './placing';

const MIDDLE = { x: 0, y: 0 };

function kind(name: string, more: Partial<NodeType> = {}): NodeType {
  return {
    kind: name,
    type: `jackfield.${name}`,
    displayName: name,
    description: '',
    group: 'flow',
    icon: '',
    help: '',
    versions: [1],
    trigger: false,
    inputs: 1,
    outputs: ['main'],
    provides: '',
    accepts: [],
    needs: [],
    shapes: [],
    available: true,
    missing: '',
    credentials: [],
    ...more,
  };
}

const PLAIN = kind('plain');
const AGENT = kind('agent', { accepts: ['ai_languageModel', 'ai_memory', 'ai_tool'] });
const MODEL = kind('model', { inputs: 0, provides: 'ai_languageModel' });
const TOOL = kind('tool', { inputs: 0, provides: 'ai_tool' });
const START = kind('start', { trigger: true, inputs: 0 });
const KINDS = new Map([PLAIN, AGENT, MODEL, TOOL, START].map((one) => [one.kind, one]));

function put(doc: Doc, one: NodeType, asked: Wanted): Doc {
  const { doc: roomy, at } = placeFor(doc, KINDS, one, asked, MIDDLE);
  return added(roomy, one, at, asked).doc;
}

function overlaps(doc: Doc): string[] {
  const wires = wiresOf(doc.connections);
  const boxes = doc.nodes.map((node) => {
    const [x, y] = node.position as [number, number];
    const { width, height } = shapeOf(node, KINDS.get(node.type.replace('jackfield.', '')), wires);
    return { name: node.name, x, y, width, height };
  });
  return boxes.flatMap((one, index) =>
    boxes
      .slice(index + 1)
      .filter(
        (other) =>
          one.x < other.x + other.width &&
          other.x < one.x + one.width &&
          one.y < other.y + other.height &&
          other.y < one.y + one.height,
      )
      .map((other) => `${one.name} over ${other.name}`),
  );
}

const EMPTY = documentOf({ name: 'W', nodes: [], connections: {} });
const behind = (name: string): Wanted => ({ from: { name, type: 'main', index: 0, end: 'source' } });
const partOf = (name: string, type: string): Wanted => ({ from: { name, type, index: 0, end: 'target' } });

describe('a new node', () => {
  it('follows the node that it is wired to, behind a wide one as well', () => {
    const doc = put(put(put(EMPTY, START, {}), AGENT, behind('start')), PLAIN, behind('agent'));
    expect(doc.nodes.map(({ position }) => position)).toEqual([
      [0, 0],
      [224, 0],
      [576, 0],
    ]);
  });

  it('goes below what is there already', () => {
    const doc = put(put(put(EMPTY, START, {}), PLAIN, behind('start')), PLAIN, behind('start'));
    expect(overlaps(doc)).toEqual([]);
    expect(doc.nodes[2]?.position).toEqual([224, 160]);
  });

  it('makes itself room on a wire, and takes the parts of what it moves along', () => {
    const two = put(put(EMPTY, START, {}), AGENT, behind('start'));
    const doc = put(put(two, MODEL, partOf('agent', 'ai_languageModel')), PLAIN, behind('agent'));
    const wire = { source: 'start', type: 'main', output: 0, target: 'agent', targetType: 'main', input: 0 };
    const next = put(doc, PLAIN, { wire });
    const x = (name: string, of: Doc) =>
      positionOf(of.nodes.find((node) => node.name === name) ?? { name, type: '' })?.x ?? 0;
    expect(overlaps(next)).toEqual([]);
    for (const name of ['agent', 'model', 'plain']) expect(x(name, next) - x(name, doc)).toBe(224);
    expect(x('plain1', next)).toBe(224);
  });

  it('stands below the port that takes it, beside other parts', () => {
    let doc = put(EMPTY, AGENT, {});
    for (const one of [MODEL, TOOL, TOOL, TOOL]) doc = put(doc, one, partOf('agent', one.provides));
    expect(overlaps(doc)).toEqual([]);
    const [, model, first] = doc.nodes.map(({ position }) => position as [number, number]);
    expect(model?.[1]).toBe(first?.[1]);
    expect(model?.[0]).toBeLessThan(first?.[0] ?? 0);
  });

  it('is wired to the one that is selected, at the first output that is free', () => {
    const doc = put(put(EMPTY, START, {}), PLAIN, behind('start'));
    expect(behindSelected(doc, KINDS, PLAIN, {}, 'plain')).toEqual(behind('plain'));
    expect(behindSelected(doc, KINDS, START, {}, 'plain')).toEqual({});
    expect(behindSelected(doc, KINDS, PLAIN, {}, undefined)).toEqual({});
    expect(behindSelected(doc, KINDS, PLAIN, { at: MIDDLE }, 'plain')).toEqual({ at: MIDDLE });
  });

  it('never lies over another, wherever it is added', () => {
    let doc = put(EMPTY, START, {});
    for (let step = 0; step < 40; step += 1) {
      const names = doc.nodes.filter(({ type }) => !/model|tool/.test(type)).map(({ name }) => name);
      doc = put(doc, step % 3 ? PLAIN : AGENT, behind(names[(step * 7) % names.length] ?? 'start'));
    }
    expect(overlaps(doc)).toEqual([]);
  });
});
