/** How a node looks on the canvas: what comes in, what goes out, how large it is. */
import { isRecord } from '../../../api/errors';
import type { Kind } from '../queries';
import { type DocNode, isSticky, kindOf, parametersOf, type Wire } from './document';

export type Look = 'plain' | 'trigger' | 'part' | 'wide' | 'sticky';

export interface Shape {
  look: Look;
  inputs: number;
  /** Labels of the main outputs; '' where a label would say nothing. */
  outputs: string[];
  /** Kinds of parts that it takes, such as ai_tool. */
  accepts: string[];
  /** The kind by which it serves another; '' when it runs in turn. */
  provides: string;
  width: number;
  height: number;
}

export const SIDE = 96;
const WIDE = 256;
const PART = 80;
const PER_OUTPUT = 40;

export function shapeOf(node: DocNode, kind: Kind | undefined, wires: readonly Wire[]): Shape {
  if (isSticky(node)) {
    const { width, height } = parametersOf(node);
    return base('sticky', { width: sized(width, 240), height: sized(height, 160) });
  }
  const provides = providedBy(node, kind, wires);
  const accepts = kind?.accepts.length ? kind.accepts : acceptedBy(node, wires);
  if (provides) return base('part', { provides, accepts, width: PART, height: PART });
  const outputs = outputsOf(node, kind, wires);
  const trigger = kind ? kind.trigger : /trigger$/i.test(node.type);
  const inputs = trigger ? 0 : inputsOf(node, kind, wires);
  const height = Math.max(SIDE, Math.max(outputs.length, inputs) * PER_OUTPUT);
  const look = accepts.length ? 'wide' : trigger ? 'trigger' : 'plain';
  return { look, inputs, outputs, accepts, provides: '', width: accepts.length ? WIDE : SIDE, height };
}

function base(look: Look, more: Partial<Shape>): Shape {
  return { look, inputs: 0, outputs: [], accepts: [], provides: '', width: SIDE, height: SIDE, ...more };
}

function sized(value: unknown, otherwise: number): number {
  const number = Number(value);
  return number >= 16 ? Math.min(number, 10_000) : otherwise;
}

/** A type that is not installed serves what its wires say; vector stores do both. */
function providedBy(node: DocNode, kind: Kind | undefined, wires: readonly Wire[]): string {
  const out = wires.filter(({ source }) => source === node.name);
  const serving = out.find(({ type }) => type !== 'main')?.type;
  if (kind?.provides && kind.inputs > 0) {
    const mode = parametersOf(node).mode;
    if (mode === 'retrieve-as-tool') return 'ai_tool';
    return serving ?? (mode === 'retrieve' ? kind.provides : '');
  }
  return kind ? kind.provides || (serving ?? '') : (serving ?? '');
}

function acceptedBy(node: DocNode, wires: readonly Wire[]): string[] {
  return [
    ...new Set(
      wires.flatMap(({ target, targetType }) => (target === node.name && targetType !== 'main' ? [targetType] : [])),
    ),
  ];
}

function inputsOf(node: DocNode, kind: Kind | undefined, wires: readonly Wire[]): number {
  const wired = wires.filter(({ target, targetType }) => target === node.name && targetType === 'main');
  const used = Math.max(0, ...wired.map(({ input }) => input + 1));
  const asked = kindOf(node.type) === 'merge' ? Number(parametersOf(node).numberInputs) || 0 : 0;
  return Math.min(256, Math.max(kind?.inputs ?? 1, used, asked));
}

function outputsOf(node: DocNode, kind: Kind | undefined, wires: readonly Wire[]): string[] {
  const labels = labelsOf(node, kind);
  if (node.onError === 'continueErrorOutput') labels.push('error');
  const used = wires.filter(({ source, type }) => source === node.name && type === 'main');
  const most = Math.min(256, Math.max(labels.length, ...used.map(({ output }) => output + 1)));
  while (labels.length < most) labels.push(String(labels.length));
  return labels;
}

function labelsOf(node: DocNode, kind: Kind | undefined): string[] {
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
    default: {
      const outputs = kind?.outputs ?? ['main'];
      return outputs.length === 1 ? [''] : [...outputs];
    }
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

/** ai_languageModel as "Language model". */
export function partLabel(type: string): string {
  const words = type
    .replace(/^ai_/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const ONE_ONLY = new Set(['ai_languageModel', 'ai_memory', 'ai_outputParser', 'ai_textSplitter', 'ai_embedding']);

/** Whether a second part of this kind makes sense. */
export function takesSeveral(type: string): boolean {
  return !ONE_ONLY.has(type);
}
