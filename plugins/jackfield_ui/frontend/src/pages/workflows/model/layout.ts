/** Places for documents that have none: columns by the longest way from a start, rows in the order of the document. */
import { type Doc, isSticky, move, positionOf, wiresOf } from './document';

const COLUMN = 224;
const ROW = 176;

export function needsLayout(doc: Doc): boolean {
  const nodes = doc.nodes.filter((node) => !isSticky(node));
  if (nodes.some((node) => !positionOf(node))) return true;
  const places = new Set(nodes.map((node) => JSON.stringify(node.position)));
  return nodes.length > 2 && places.size === 1;
}

export function laidOut(doc: Doc): Doc {
  const nodes = doc.nodes.filter((node) => !isSticky(node));
  const wires = wiresOf(doc.connections);
  const parts = new Map(wires.filter(({ type }) => type !== 'main').map((wire) => [wire.source, wire.target]));
  const run = nodes.filter(({ name }) => !parts.has(name));
  const known = new Set(run.map(({ name }) => name));
  const columns = columnsOf(
    run.map(({ name }) => name),
    wires
      .filter(({ type, source, target }) => type === 'main' && known.has(source) && known.has(target))
      .map(({ source, target }) => [source, target]),
  );
  const places = new Map<string, { x: number; y: number }>();
  const used = new Map<number, number>();
  const served = new Set(parts.values());
  for (const { name } of run) {
    const column = columns.get(name) ?? 0;
    const row = used.get(column) ?? 0;
    used.set(column, row + (served.has(name) ? 2 : 1));
    places.set(name, { x: column * COLUMN, y: row * ROW });
  }
  const beside = new Map<string, number>();
  for (const [part, target] of parts) {
    const at = places.get(target) ?? { x: 0, y: 0 };
    const index = beside.get(target) ?? 0;
    beside.set(target, index + 1);
    places.set(part, { x: at.x - 64 + index * 128, y: at.y + ROW });
  }
  return move(doc, places);
}

/** The longest way from a start; wires that lead back do not count. */
export function columnsOf(names: readonly string[], wires: readonly (readonly [string, string])[]) {
  const next = new Map<string, string[]>();
  for (const [source, target] of wires) next.set(source, [...(next.get(source) ?? []), target]);
  const order: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const forward: [string, string][] = [];
  for (const root of startsFirst(names, wires)) {
    const stack: [string, number][] = state.has(root) ? [] : [[root, 0]];
    if (stack.length) state.set(root, 'open');
    while (stack.length) {
      const top = stack[stack.length - 1] as [string, number];
      const target = next.get(top[0])?.[top[1]];
      top[1] += 1;
      if (target === undefined) {
        state.set(top[0], 'done');
        order.unshift(top[0]);
        stack.pop();
        continue;
      }
      if (state.get(target) === 'open') continue;
      forward.push([top[0], target]);
      if (!state.has(target)) {
        state.set(target, 'open');
        stack.push([target, 0]);
      }
    }
  }
  const column = new Map<string, number>(names.map((name) => [name, 0]));
  const out = new Map<string, string[]>();
  for (const [source, target] of forward) out.set(source, [...(out.get(source) ?? []), target]);
  for (const name of order) {
    for (const target of out.get(name) ?? []) {
      column.set(target, Math.max(column.get(target) ?? 0, (column.get(name) ?? 0) + 1));
    }
  }
  return column;
}

function startsFirst(names: readonly string[], wires: readonly (readonly [string, string])[]): string[] {
  const reached = new Set(wires.map(([, target]) => target));
  return [...names.filter((name) => !reached.has(name)), ...names.filter((name) => reached.has(name))];
}
