/** The type of what stands before a point: of data by a sample of them, of methods by the vocabulary. Pure. */
import type { SyntaxNode } from '@lezer/common';
import { isRecord } from '../../../../api/errors';
import { expressionParser } from '../../../../components/code/templates';
import type { Item } from '../../queries';
import type { SecretNames } from './secrets';
import type { Member, Vocabulary } from './vocabulary';

/** Names that `$('...')` may have, with what is known of each. */
export interface KnownNode {
  name: string;
  items: readonly Item[];
  parameters: Readonly<Record<string, unknown>>;
}

export interface Surroundings {
  vocabulary: Vocabulary;
  /** The item that is looked at. */
  current: Item | undefined;
  input: readonly Item[];
  nodes: readonly KnownNode[];
  variables: readonly string[];
  secrets: SecretNames;
  /** Of the node itself. */
  parameters: Readonly<Record<string, unknown>>;
}

export interface Value {
  /** A type of the vocabulary, or one that has fields of data alone. */
  type: string;
  /** A value that it may have. */
  sample?: unknown;
  /** Of `$('...')`. */
  node?: KnownNode | undefined;
  /** The type of a list's elements, where that is none of data. */
  of?: 'item';
}

type Infer = (node: SyntaxNode | null) => Value | undefined;

/** Of the object in code that ends with a point, or with `[`. */
export function valueBefore(code: string, around: Surroundings): Value | undefined {
  const text = `${code}${code.endsWith('[') ? '0]' : 'x'}`;
  const last = expressionParser.parse(text).resolveInner(text.length, -1);
  const member = last.name === 'MemberExpression' ? last : last.parent;
  if (member?.name !== 'MemberExpression') return undefined;
  return inferIn(text, around)(member.firstChild);
}

function inferIn(text: string, around: Surroundings): Infer {
  const read = (node: SyntaxNode) => text.slice(node.from, node.to);
  const named: Readonly<Record<string, (node: SyntaxNode) => Value | undefined>> = {
    String: (node) => ({ type: 'string', sample: read(node).slice(1, -1) }),
    TemplateString: () => ({ type: 'string', sample: '' }),
    Number: (node) => ({ type: 'number', sample: Number(read(node)) }),
    BooleanLiteral: () => ({ type: 'boolean', sample: true }),
    RegExp: () => ({ type: 'regExp' }),
    ObjectExpression: () => ({ type: 'object' }),
    ArrayExpression: (node) => listed(infer(node.firstChild?.nextSibling ?? null)),
    UnaryExpression: (node) => unary(read(node)),
    BinaryExpression: (node) => binary(node, infer, read),
    ConditionalExpression: (node) => infer(node.lastChild) ?? infer(node.getChildren('Expression')[1] ?? null),
    ParenthesizedExpression: (node) => infer(node.firstChild?.nextSibling ?? null),
    NewExpression: (node) => made(read(node)),
    VariableName: (node) => variable(read(node), node, around, infer, read),
    MemberExpression: (node) => memberOf(node, around, infer, read),
    CallExpression: (node) => called(node, around, infer, read),
  };
  const infer: Infer = (node) => (node ? named[node.name]?.(node) : undefined);
  return infer;
}

/** Of data. */
export function dataOf(sample: unknown): Value | undefined {
  if (sample === undefined || sample === null) return undefined;
  return { type: Array.isArray(sample) ? 'array' : typeof sample, sample };
}

function listed(first: Value | undefined): Value {
  return { type: 'array', ...(first?.sample === undefined ? {} : { sample: [first.sample] }) };
}

function made(text: string): Value | undefined {
  return /^new\s+Date\b/.test(text) ? { type: 'date' } : undefined;
}

function unary(text: string): Value | undefined {
  if (text.startsWith('typeof')) return { type: 'string' };
  if (text.startsWith('!')) return { type: 'boolean' };
  return /^[-+~]/.test(text) ? { type: 'number' } : undefined;
}

function binary(node: SyntaxNode, infer: Infer, read: (node: SyntaxNode) => string): Value | undefined {
  const [left, right] = [node.firstChild, node.lastChild];
  const sign = left?.nextSibling ? read(left.nextSibling) : '';
  if (/^(?:[<>]=?|[!=]==?|in|instanceof)$/.test(sign)) return { type: 'boolean' };
  if (/^(?:\|\||&&|\?\?)$/.test(sign)) return infer(left) ?? infer(right);
  if (sign !== '+') return { type: 'number' };
  const types = [infer(left)?.type, infer(right)?.type];
  if (types.includes('string')) return { type: 'string' };
  return types.every((type) => type === 'number') ? { type: 'number' } : undefined;
}

function variable(
  name: string,
  node: SyntaxNode,
  around: Surroundings,
  infer: Infer,
  read: (node: SyntaxNode) => string,
): Value | undefined {
  const parameter = parameterOf(name, node, infer, read);
  if (parameter) return parameter.value;
  const member = around.vocabulary.global?.find((one) => one.name === name);
  return member && (isCalled(member) ? undefined : given(member, undefined, around));
}

/** Parameters of a function that a list's method calls: the first is an element. */
function parameterOf(name: string, node: SyntaxNode, infer: Infer, read: (node: SyntaxNode) => string) {
  for (let at = node.parent; at; at = at.parent) {
    if (at.name !== 'ArrowFunction') continue;
    const names = (at.getChild('ParamList') ?? at).getChildren('VariableDefinition').map(read);
    if (!names.includes(name)) continue;
    const call = at.parent?.name === 'ArgList' ? at.parent.parent : null;
    const list = call?.firstChild?.name === 'MemberExpression' ? infer(call.firstChild.firstChild) : undefined;
    return { value: names[0] === name ? elementOf(list) : undefined };
  }
  return undefined;
}

function elementOf(list: Value | undefined): Value | undefined {
  if (list?.type !== 'array' || !Array.isArray(list.sample)) return undefined;
  const first = list.sample.find((one) => one !== null && one !== undefined);
  return list.of ? { type: list.of, sample: first } : dataOf(first);
}

function memberOf(
  node: SyntaxNode,
  around: Surroundings,
  infer: Infer,
  read: (node: SyntaxNode) => string,
): Value | undefined {
  const object = infer(node.firstChild);
  if (!object) return undefined;
  const property = node.getChild('PropertyName');
  if (property) return below(object, read(property), around);
  const key = node.getChildren('Expression')[1] ?? node.getChild('Number') ?? node.getChild('String');
  if (!key) return undefined;
  const text = read(key);
  if (object.type === 'array') return elementOf(object);
  return /^["']/.test(text) ? below(object, text.slice(1, -1), around) : undefined;
}

/** A property: a field of the data, or one that the type has. */
function below(object: Value, name: string, around: Surroundings): Value | undefined {
  if (isRecord(object.sample) && object.type !== 'item' && Object.hasOwn(object.sample, name)) {
    const sample = object.sample[name];
    return object.type === 'secrets' ? { type: 'secrets', sample } : dataOf(sample);
  }
  if (object.type === 'vars') return { type: 'string' };
  const member = around.vocabulary[object.type]?.find((one) => one.name === name);
  return member && !isCalled(member) ? given(member, object, around) : undefined;
}

function called(
  node: SyntaxNode,
  around: Surroundings,
  infer: Infer,
  read: (node: SyntaxNode) => string,
): Value | undefined {
  const callee = node.firstChild;
  if (callee?.name === 'VariableName') {
    const name = read(callee);
    if (name === '$') return nodeOf(node, around, read);
    const member = around.vocabulary.global?.find((one) => one.name === name);
    return member && given(member, undefined, around);
  }
  if (callee?.name !== 'MemberExpression') return undefined;
  const property = callee.getChild('PropertyName');
  const object = infer(callee.firstChild);
  if (!property || !object) return undefined;
  const member = around.vocabulary[object.type]?.find((one) => one.name === read(property));
  return member && given(member, object, around);
}

function nodeOf(call: SyntaxNode, around: Surroundings, read: (node: SyntaxNode) => string): Value {
  const argument = call.getChild('ArgList')?.getChild('String');
  const name = argument ? unquoted(read(argument)) : '';
  return { type: 'node', node: around.nodes.find((one) => one.name === name) };
}

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, '$1');
}

export const isCalled = (member: Member): boolean => member.arguments.startsWith('(');

/** What a member of this object gives. */
function given(member: Member, object: Value | undefined, around: Surroundings): Value | undefined {
  const items = object?.type === 'input' ? around.input : (object?.node?.items ?? []);
  switch (member.returns) {
    case 'any':
      return undefined;
    case 'same':
      return object;
    case 'element':
      return elementOf(object);
    case 'strings':
      return { type: 'array', sample: [''] };
    case 'items':
      return { type: 'array', sample: items, of: 'item' };
    case 'item':
      if (object?.type === 'input' && member.name === 'item') return { type: 'item', sample: around.current };
      return { type: 'item', sample: member.name === 'last' ? items.at(-1) : items[0] };
    case 'json': {
      const item = object?.type === 'item' ? (object.sample as Item | undefined) : around.current;
      return { type: 'object', sample: item?.json ?? {} };
    }
    case 'params':
      return { type: 'data', sample: object?.node?.parameters ?? {} };
    case 'secrets':
      return { type: 'secrets', sample: around.secrets };
    case 'parameters':
      return { type: 'data', sample: around.parameters };
    default:
      return { type: member.returns };
  }
}
