/** How real workflows are drawn: VITE_DRAWING names a module of them, which `tests/corpus/test_drawing.py` writes. */
import { describe, expect, it } from 'vitest';
import { documentOf, isSticky, wiresOf } from '../model/document';
import { laidOut } from '../model/layout';
import type { NodeType } from '../queries';
import { edgesOf, type FlowNode, Ids, nodesOf } from './flow';

interface Given {
  types: NodeType[];
  workflows: { name: string; document: Record<string, unknown> }[];
}

const PLACE = import.meta.env.VITE_DRAWING as string | undefined;
/** Where nodes lie over each other in n8n as well: copies at one place, and what a hand has put there. */
const NAME = 32;
const OVER = ['w087.json', 'w094.json', 'w216.json', 'w228.json', 'w229.json'];

const given: Given = PLACE
  ? ((await import(/* @vite-ignore */ PLACE)) as { default: Given }).default
  : { types: [], workflows: [] };

describe.runIf(PLACE)('imported workflows', () => {
  const facts = { kinds: new Map(given.types.map((one) => [one.kind, one])), states: new Map(), problems: new Map() };
  const all = given.workflows.map(({ name, document }) => {
    const doc = documentOf(document);
    const ids = new Ids();
    return { name, doc, nodes: nodesOf(doc, facts, ids, []), edges: edgesOf(doc, new Map(), ids, new Set(), []) };
  });

  it.each(all)('$name has every wire, from an end to an end', ({ doc, nodes, edges }) => {
    const ends = new Set(
      nodes.flatMap((node) => (node.handles ?? []).map((end) => `${node.id} ${end.type} ${end.id}`)),
    );
    const names = new Set(doc.nodes.map(({ name }) => name));
    const written = wiresOf(doc.connections).filter(({ source, target }) => names.has(source) && names.has(target));
    const drawn = edges.filter(
      ({ source, sourceHandle, target, targetHandle }) =>
        ends.has(`${source} source ${sourceHandle}`) && ends.has(`${target} target ${targetHandle}`),
    );
    expect(drawn).toHaveLength(new Set(written.map((wire) => JSON.stringify(wire))).size);
  });

  it('keeps nodes apart', () => {
    const over = all.filter(({ nodes }) => {
      const boxes = nodes.filter(({ data }) => !isSticky(data.node));
      return boxes.some((one, index) => boxes.slice(index + 1).some((other) => meets(one, other)));
    });
    expect(over.map(({ name }) => name).sort()).toEqual(OVER);
  });

  it('tidies up with all nodes apart, and names that are read', { timeout: 120_000 }, () => {
    for (const { name, doc } of all) {
      const tidied = laidOut(doc, facts.kinds);
      const named = new Map(tidied.nodes.map((node) => [node.name, node]));
      const nodes = nodesOf({ ...tidied, nodes: [...named.values()] }, facts, new Ids(), []);
      const boxes = nodes
        .filter(({ data }) => !isSticky(data.node))
        .map((node) => ({ ...node, height: (node.height ?? 0) + NAME }));
      const over = boxes.flatMap((one, index) => boxes.slice(index + 1).filter((other) => meets(one, other)));
      expect({ name, over: over.map(({ data }) => data.node.name) }).toEqual({ name, over: [] });
    }
  });

  it('draws notes below all nodes', () => {
    for (const { nodes } of all) {
      const notes = nodes.map(({ type }) => type === 'sticky');
      expect(notes).toEqual([...notes].sort((one, other) => Number(other) - Number(one)));
    }
  });
});

function meets(one: FlowNode, other: FlowNode): boolean {
  const [left, right] = one.position.x <= other.position.x ? [one, other] : [other, one];
  const [top, bottom] = one.position.y <= other.position.y ? [one, other] : [other, one];
  return (
    right.position.x - left.position.x < (left.width ?? 0) && bottom.position.y - top.position.y < (top.height ?? 0)
  );
}
