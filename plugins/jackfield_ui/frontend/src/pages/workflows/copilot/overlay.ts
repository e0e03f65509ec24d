/** A proposal as the canvas shows it: everything that is there, with what would come and what would go. Pure. */
import { addNode, connect } from '../model/document';
import { type Mark, type Overlay, wireKey } from '../model/marks';
import type { Proposal } from './changes';
import { renamedWire } from './merging';

export function overlayOf({ present, goal, units }: Proposal): Overlay {
  const nodes = new Map<string, Mark>();
  const wires = new Map<string, Mark>();
  /** Name in the goal -> on the canvas. */
  const names = new Map<string, string>();
  let doc = present;
  for (const unit of units) {
    if (unit.what !== 'node') continue;
    nodes.set(unit.name, unit.mark);
    if (unit.change?.was !== undefined) names.set(unit.change.name, unit.change.was);
    const added = unit.mark === 'added' && goal.nodes.find(({ name }) => name === unit.name);
    if (added) doc = addNode(doc, added);
  }
  for (const unit of units) {
    if (unit.what !== 'wire') continue;
    const wire = renamedWire(unit.wire, names);
    wires.set(wireKey(wire), unit.mark);
    if (unit.mark === 'added') doc = connect(doc, wire);
  }
  return { doc, nodes, wires };
}
