/** The ends that wires can have, for those who draw none: what may be connected with what. Pure. */
import { t } from '../../../language/messages';
import { connect, type Doc, isSticky, kindOf, type Wire, wiresOf } from '../model/document';
import { partLabel, type Shape, shapeOf } from '../model/shape';
import type { NodeType } from '../queries';

type Kinds = ReadonlyMap<string, NodeType>;

export interface End {
  /** What tells it from the others. */
  id: string;
  label: string;
  wire: Pick<Wire, 'type' | 'output'>;
}

/** Ends of a node from which a wire may leave. */
export function outputsOf(doc: Doc, kinds: Kinds, name: string): End[] {
  const shape = shapesOf(doc, kinds).get(name);
  if (!shape) return [];
  const main = shape.outputs.map((label, output) => ({
    id: `main ${output}`,
    label: label || t('Output'),
    wire: { type: 'main', output },
  }));
  const parts = shape.serves.map((type) => ({
    id: `${type} 0`,
    label: t('As {part}', { part: partLabel(type) }),
    wire: { type, output: 0 },
  }));
  return [...main, ...parts];
}

export interface Target {
  id: string;
  label: string;
  wire: Wire;
}

/** What this end is not connected with yet, and may be. */
export function targetsOf(doc: Doc, kinds: Kinds, source: string, { wire: { type, output } }: End): Target[] {
  return [...shapesOf(doc, kinds)].flatMap(([target, shape]) => {
    if (target === source) return [];
    const count = type === 'main' ? shape.inputs : shape.accepts.includes(type) ? 1 : 0;
    return Array.from({ length: count }, (_, input) => ({
      id: `${input} ${target}`,
      label: count > 1 ? t('{target}: input {input}', { target, input: input + 1 }) : target,
      wire: { source, type, output, target, targetType: type, input },
    })).filter(({ wire }) => connect(doc, wire) !== doc);
  });
}

function shapesOf(doc: Doc, kinds: Kinds): ReadonlyMap<string, Shape> {
  const wires = wiresOf(doc.connections);
  const nodes = doc.nodes.filter((node) => !isSticky(node));
  return new Map(nodes.map((node) => [node.name, shapeOf(node, kinds.get(kindOf(node.type)), wires)]));
}
