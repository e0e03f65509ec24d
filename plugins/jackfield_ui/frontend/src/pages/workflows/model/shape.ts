/** How a node looks on the canvas: what comes in, what goes out, how large it is. */

import { isRecord } from '../../../api/errors';
import { readable } from '../../../components/readable';
import { t } from '../../../language/messages';
import type { NodeType, Ports } from '../queries';
import { type DocNode, isSticky, kindOf, parametersOf, type Wire } from './document';

/** part: it serves others and runs never in turn; wide: it has parts of its own. */
export type Look = 'plain' | 'trigger' | 'part' | 'wide' | 'widePart' | 'sticky';

export interface Shape {
  look: Look;
  inputs: number;
  /** Labels of the main outputs; '' where a label would say nothing. */
  outputs: string[];
  /** Kinds of parts that it takes, such as ai_tool. */
  accepts: string[];
  /** Kinds by which it serves others; empty when it runs in turn. */
  serves: string[];
  width: number;
  height: number;
}

export const SIDE = 96;
const PART = 80;
const GRID = 16;
/** So many parts have room below the least wide node that has any. */
const LEAST_PARTS = 4;

/** As large as in n8n, so that nothing lies over another that is apart there. Every wire of the document has its ends. */
export function shapeOf(node: DocNode, kind: NodeType | undefined, wires: readonly Wire[]): Shape {
  if (isSticky(node)) {
    const { width, height } = parametersOf(node);
    return base('sticky', { width: sized(width, 240), height: sized(height, 160) });
  }
  const ports = portsOf(node, kind);
  const serves = servedBy(node, ports, wires);
  const accepts = acceptedBy(node, ports, wires);
  const part = serves.length > 0;
  const outputs = outputsOf(node, part ? undefined : kind, ports, wires);
  const inputs = inputsOf(node, ports, wires);
  const trigger = kind ? kind.trigger : !part && inputs === 0 && /trigger$/i.test(node.type);
  const look = accepts.length ? (part ? 'widePart' : 'wide') : part ? 'part' : trigger ? 'trigger' : 'plain';
  return { look, inputs, outputs, accepts, serves, ...sizeOf(look, accepts.length, Math.max(outputs.length, inputs)) };
}

function sizeOf(look: Look, parts: number, ends: number): { width: number; height: number } {
  const small = look === 'part' || look === 'widePart';
  const height = small ? PART : SIDE + Math.max(0, ends - 2) * GRID * 2;
  if (look !== 'wide' && look !== 'widePart') return { width: small ? PART : SIDE, height };
  const room = (Math.max(LEAST_PARTS, parts) - 1) * 3 + (small ? 1 : 0);
  return { width: PART + room * GRID, height };
}

function base(look: Look, more: Partial<Shape>): Shape {
  return { look, inputs: 0, outputs: [], accepts: [], serves: [], width: SIDE, height: SIDE, ...more };
}

function sized(value: unknown, otherwise: number): number {
  const number = Number(value);
  return number >= 16 ? Math.min(number, 10_000) : otherwise;
}

/** What the node takes and gives with its parameters; of a type that is not installed, what any node does. */
function portsOf(node: DocNode, kind: NodeType | undefined): Omit<Ports, 'when'> {
  if (!kind) return { inputs: /trigger$/i.test(node.type) ? 0 : 1, outputs: ['main'], provides: '', accepts: [] };
  const { shapes, inputs, outputs, provides, accepts } = kind;
  const found = shapes.find(({ when }) =>
    Object.entries(when).every(([path, values]) => values.includes(valueAt(node, path))),
  );
  // What serves others runs never in turn, unless it says otherwise.
  return found ?? { inputs: kind.trigger ? 0 : inputs, outputs: provides && !inputs ? [] : outputs, provides, accepts };
}

/** null for what is not set. */
function valueAt(node: DocNode, path: string): unknown {
  const found = path
    .split('.')
    .reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), parametersOf(node));
  return found ?? null;
}

function servedBy(node: DocNode, { provides }: Omit<Ports, 'when'>, wires: readonly Wire[]): string[] {
  const wired = wires.flatMap(({ source, type }) => (source === node.name && type !== 'main' ? [type] : []));
  const inTurn = wires.some(({ source, target, type, targetType }) =>
    source === node.name ? type === 'main' : target === node.name && targetType === 'main',
  );
  return [...new Set([...(provides && !inTurn && !wired.length ? [provides] : []), ...wired])];
}

function acceptedBy(node: DocNode, { accepts }: Omit<Ports, 'when'>, wires: readonly Wire[]): string[] {
  const wired = wires.flatMap(({ target, targetType }) =>
    target === node.name && targetType !== 'main' ? [targetType] : [],
  );
  return [...new Set([...accepts, ...wired])];
}

function inputsOf(node: DocNode, { inputs }: Omit<Ports, 'when'>, wires: readonly Wire[]): number {
  const wired = wires.filter(({ target, targetType }) => target === node.name && targetType === 'main');
  const used = Math.max(0, ...wired.map(({ input }) => input + 1));
  const asked = kindOf(node.type) === 'merge' ? Number(parametersOf(node).numberInputs) || 0 : 0;
  return Math.min(256, Math.max(inputs, used, asked));
}

/** kind: undefined for a part, which has only those outputs that a wire leaves. */
function outputsOf(
  node: DocNode,
  kind: NodeType | undefined,
  { outputs }: Omit<Ports, 'when'>,
  wires: readonly Wire[],
): string[] {
  const labels = kind || outputs.length ? labelsOf(node, outputs) : [];
  if (node.onError === 'continueErrorOutput') labels.push('error');
  const used = wires.filter(({ source, type }) => source === node.name && type === 'main');
  const most = Math.min(256, Math.max(labels.length, ...used.map(({ output }) => output + 1)));
  while (labels.length < most) labels.push(labels.length || most > 1 ? String(labels.length) : '');
  return labels;
}

function labelsOf(node: DocNode, outputs: readonly string[]): string[] {
  const parameters = parametersOf(node);
  switch (kindOf(node.type)) {
    case 'switch':
      return switchLabels(node);
    case 'langchain.textClassifier':
      return textClassifierLabels(parameters);
    case 'webhook': {
      const methods = parameters.httpMethod;
      return parameters.multipleMethods === true && Array.isArray(methods) ? methods.map(String) : [''];
    }
    default:
      return outputs.length === 1 ? [''] : [...outputs];
  }
}

function switchLabels(node: DocNode): string[] {
  const parameters = parametersOf(node);
  if (parameters.mode === 'expression') {
    const count = Number(parameters.numberOutputs ?? parameters.outputsAmount) || 4;
    return Array.from({ length: Math.min(256, count) }, (_, index) => String(index));
  }
  const { rules, options } = parameters;
  const listed = isRecord(rules) ? (rules.values ?? rules.rules) : undefined;
  const given: unknown[] = Array.isArray(listed) ? listed : [];
  if ((node.typeVersion ?? 3) < 3) return ['0', '1', '2', '3'];
  const labels = given.map((rule, index) =>
    isRecord(rule) && typeof rule.outputKey === 'string' && rule.outputKey ? rule.outputKey : String(index),
  );
  if (isRecord(options) && options.fallbackOutput === 'extra') {
    labels.push(String(options.renameFallbackOutput || 'fallback'));
  }
  return labels.length ? labels : ['0'];
}

function textClassifierLabels(parameters: Record<string, unknown>): string[] {
  const { categories, options } = parameters;
  const listed = isRecord(categories) && Array.isArray(categories.categories) ? categories.categories : [];
  const labels = listed.map((one: unknown, index: number) =>
    isRecord(one) && typeof one.category === 'string' ? one.category : String(index),
  );
  if (isRecord(options) && options.fallback === 'other') labels.push('other');
  return labels.length ? labels : [''];
}

/** The method of a webhook that names none: documents without versions follow our own specification, others n8n's. */
export function defaultMethodOf(hook: DocNode): string {
  return hook.typeVersion === undefined ? 'POST' : 'GET';
}

/** What stands below the name: the operation, or what else tells two nodes of a kind apart. */
export function subtitleOf(node: DocNode): string {
  const parameters = parametersOf(node);
  const { resource, operation, method, httpMethod, path, url, mode } = parameters;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  switch (kindOf(node.type)) {
    case 'webhook':
      return `${(Array.isArray(httpMethod) ? httpMethod : [httpMethod ?? defaultMethodOf(node)]).join(', ')} /${text(path)}`;
    case 'httpRequest':
      return `${text(method) || 'GET'}: ${text(url)}`;
    case 'set':
    case 'merge':
    case 'code':
      return text(mode);
    default:
      return [text(operation), text(resource)].filter(Boolean).join(': ');
  }
}

/** Short ones: the ports of one node stand close together. */
const PART_LABELS: Record<string, string> = {
  ai_languageModel: t('Model'),
  ai_outputParser: t('Parser'),
  ai_textSplitter: t('Splitter'),
  ai_vectorStore: t('Store'),
};

/** ai_embedding as "Embedding". */
export function partLabel(type: string): string {
  const short = Object.hasOwn(PART_LABELS, type) ? PART_LABELS[type] : undefined;
  if (short) return short;
  return readable(type.replace(/^ai_/, ''));
}

const ONE_ONLY = new Set(['ai_languageModel', 'ai_memory', 'ai_outputParser', 'ai_textSplitter', 'ai_embedding']);

/** Whether a second part of this kind makes sense. */
export function takesSeveral(type: string): boolean {
  return !ONE_ONLY.has(type);
}
