/** Completion inside of {{ }}: roots, fields of the item, names of nodes and variables. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { isRecord } from '../../../api/errors';
import { accessor, typeOf } from '../../../components/items/values';
import type { PanelState } from './context';

const ROOTS: readonly [string, string][] = [
  ['$json', 'the present item’s data'],
  ['$binary', 'the present item’s files'],
  ['$input', 'the node’s items'],
  ['$now', 'this moment'],
  ['$today', 'today at midnight'],
  ['$vars', 'variables'],
  ['$env', 'allowed environment variables'],
  ['$execution', 'the execution'],
  ['$workflow', 'the workflow'],
  ['$itemIndex', 'number of the item'],
  ['$runIndex', 'number of the node’s run'],
  ['$prevNode', 'the node before'],
  ['$parameter', 'parameters of this node'],
  ['$if', '(condition, then, else)'],
  ['$ifEmpty', '(value, otherwise)'],
  ['$min', 'the least'],
  ['$max', 'the most'],
  ['$jmespath', '(object, query)'],
  ['DateTime', 'dates of luxon'],
  ['Duration', 'spans of luxon'],
];
const MEMBERS: Record<string, readonly string[]> = {
  $input: ['item', 'first()', 'last()', 'all()', 'params', 'context'],
  $execution: ['id', 'mode', 'resumeUrl', 'resumeFormUrl', 'customData'],
  $workflow: ['id', 'name', 'active'],
  $prevNode: ['name', 'outputIndex', 'runIndex'],
  $now: [
    'toISO()',
    "toFormat('yyyy-MM-dd')",
    'plus({ days: 1 })',
    'minus({ days: 1 })',
    "startOf('day')",
    'year',
    'month',
    'day',
  ],
  $today: ['toISO()', "toFormat('yyyy-MM-dd')", 'plus({ days: 1 })', 'minus({ days: 1 })', 'year', 'month', 'day'],
};
const OF_NODE = ['item.json', 'first().json', 'last().json', 'all()', 'itemMatching(0)', 'params', 'isExecuted'];

export function expressionCompletion(state: () => PanelState): Extension {
  return autocompletion({ override: [(context) => complete(context, state())], activateOnTyping: true });
}

function complete(context: CompletionContext, state: PanelState): CompletionResult | null {
  const before = context.state.doc.sliceString(Math.max(0, context.pos - 300), context.pos);
  const open = before.lastIndexOf('{{');
  if (open < 0 || before.lastIndexOf('}}') > open) return null;
  return suggested(before.slice(open + 2), context.pos, state, context.explicit);
}

/** For what is written between {{ and the cursor. */
export function suggested(
  text: string,
  pos: number,
  state: Pick<PanelState, 'current' | 'nodes' | 'variables'>,
  explicit = true,
): CompletionResult | null {
  const named = /\$\(\s*(["'])([^"']*)$/.exec(text);
  if (named) {
    const [, quote = '"', part = ''] = named;
    return result(
      pos - part.length,
      state.nodes.map((name) => ({ label: name, apply: `${name}${quote})`, type: 'class' })),
    );
  }
  const field = /\$json((?:\.[\p{L}\p{N}_$]+|\[\d+\]|\["[^"]*"\])*)(\.|\[)([\p{L}\p{N}_$]*)$/u.exec(text);
  if (field) {
    const [, path = '', mark = '.', part = ''] = field;
    return result(pos - part.length - mark.length, fieldsAt(state.current?.json, path));
  }
  const member = /(\$[\p{L}]+|\))\.([\p{L}\p{N}_$]*)$/u.exec(text);
  if (member) {
    const [, root = '', part = ''] = member;
    const names =
      root === '$vars'
        ? state.variables
        : root === ')'
          ? /\$\([^)]*\)\.[\w$]*$/.test(text)
            ? OF_NODE
            : []
          : MEMBERS[root];
    return names?.length
      ? result(
          pos - part.length,
          names.map((label) => ({ label, type: 'property' })),
        )
      : null;
  }
  const word = /[$\p{L}][\p{L}\p{N}_$]*$/u.exec(text)?.[0] ?? '';
  if (!word && !explicit) return null;
  const roots = ROOTS.map(([label, detail]): Completion => ({ label, detail, type: 'variable' }));
  const nodes = state.nodes.map((name): Completion => ({ label: `$(${JSON.stringify(name)})`, type: 'class' }));
  return result(pos - word.length, [...roots, ...nodes]);
}

function result(from: number, options: readonly Completion[]): CompletionResult | null {
  return options.length ? { from, options: [...options], validFor: /^[.[]?[\p{L}\p{N}_$ ]*$/u } : null;
}

function fieldsAt(json: unknown, path: string): Completion[] {
  let value = json;
  for (const [, name, index, quoted] of path.matchAll(/\.([\p{L}\p{N}_$]+)|\[(\d+)\]|\["([^"]*)"\]/gu)) {
    const key = name ?? quoted ?? Number(index);
    value = typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[key] : undefined;
  }
  if (Array.isArray(value)) return ['.length', '.map(', '.filter(', '.join(", ")', '[0]'].map((label) => ({ label }));
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([key, one]) => ({ label: accessor([key]), detail: typeOf(one), type: 'property' }));
}
