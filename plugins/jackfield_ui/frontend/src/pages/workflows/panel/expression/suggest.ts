/** Completion in the code of a template: what may stand here. Pure. */
import type { Completion, CompletionResult } from '@codemirror/autocomplete';
import { isRecord } from '../../../../api/errors';
import { typeOf } from '../../../../components/items/values';
import { calling, field, keyed } from './applying';
import { told } from './telling';
import { isCalled, type Surroundings, type Value, valueBefore } from './types';
import type { Member } from './vocabulary';

const WORD = /^[\p{L}\p{N}_$]*$/u;
const MOST_FIELDS = 200;

/** code: from behind the opening braces up to the cursor. position: of the cursor in the template. */
export function suggested(
  code: string,
  position: number,
  around: Surroundings,
  explicit: boolean,
): CompletionResult | null {
  const node = /\$\(\s*(["'])([^"']*)$/.exec(code);
  if (node) {
    const [, quote = '"', part = ''] = node;
    return found(
      position - part.length,
      around.nodes.map(({ name }) => nodeName(name, quote)),
      /^[^"']*$/,
    );
  }
  const key = /^(.*\[)\s*(?:(["'])([^"'\]]*))?$/s.exec(code);
  const named = key && keys(key[1] ?? '', position - (key[3] ?? '').length, around);
  if (named || key?.[2]) return named;
  const member = /^(.*\??\.)([\p{L}\p{N}_$]*)$/su.exec(code);
  if (member) {
    const [, before = '', part = ''] = member;
    if (/(?:^|[^\p{L}\p{N}_$])\d+\.$/u.test(before)) return null; // a number goes on
    if (before.endsWith('...')) return begun(part, position, around);
    const value = valueBefore(before, around);
    return value ? found(position - part.length, behind(value, around), WORD) : null;
  }
  const word = /[\p{L}\p{N}_$]*$/u.exec(code)?.[0] ?? '';
  return word || explicit ? begun(word, position, around) : null;
}

function found(from: number, options: readonly Completion[], validFor: RegExp): CompletionResult | null {
  return options.length ? { from, options, validFor } : null;
}

function nodeName(name: string, quote: string): Completion {
  return {
    label: name,
    apply: `${name.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)}${quote})`,
    type: 'class',
  };
}

/** Names of fields in brackets. */
function keys(before: string, from: number, around: Surroundings): CompletionResult | null {
  const value = valueBefore(before, around);
  if (!value || !isRecord(value.sample) || value.type === 'item') return null;
  const options = Object.entries(value.sample).map(([name, one]) => keyed(name, typeOf(one)));
  return found(from, options, /^[^"'\]]*$/);
}

/** What an expression, or a part of one, begins with. */
function begun(word: string, position: number, around: Surroundings): CompletionResult | null {
  const roots = (around.vocabulary.global ?? []).filter(({ name }) => name !== '$').map(memberCompletion);
  const root = around.vocabulary.global?.find(({ name }) => name === '$');
  const nodes = around.nodes.map(
    ({ name }): Completion => ({
      label: `$(${JSON.stringify(name)})`,
      type: 'class',
      boost: 5,
      ...(root ? { info: () => told(root, '$') } : {}),
    }),
  );
  return found(position - word.length, [...roots, ...nodes], WORD);
}

/** What may follow a point: fields first, then what the type offers. */
function behind(value: Value, around: Surroundings): Completion[] {
  const fields =
    isRecord(value.sample) && value.type !== 'item'
      ? Object.entries(value.sample)
          .slice(0, MOST_FIELDS)
          .map(([name, one]) => (value.type === 'secrets' ? secret(name, one) : field(name, typeOf(one), one)))
      : [];
  const variables = value.type === 'vars' ? around.variables.map((name) => field(name, 'text', undefined)) : [];
  const taken = new Set(fields.map(({ label }) => label));
  const members = (around.vocabulary[value.type] ?? []).filter(({ name }) => !taken.has(name));
  return [...fields, ...variables, ...members.map(memberCompletion)];
}

/** By its name alone: nothing here knows its value. */
const secret = (name: string, below: unknown) =>
  field(name, isRecord(below) && Object.keys(below).length > 0 ? 'object' : 'text', undefined);

/** In the order of the vocabulary, below fields. */
function memberCompletion(member: Member, index: number): Completion {
  const method = isCalled(member);
  return {
    label: member.name,
    ...(method
      ? { displayLabel: `${member.name}${member.arguments === '()' ? '()' : '(…)'}`, apply: calling(member) }
      : {}),
    detail: WORDS[member.returns] ?? '',
    type: method ? 'method' : 'property',
    boost: 4 - index / 16,
    info: () => told(member),
  };
}

/** Types in the words of the input pane. */
const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  array: 'list',
  same: 'list',
  strings: 'list',
  items: 'list',
  object: 'object',
  dateTime: 'date',
  date: 'date',
  duration: 'span',
  interval: 'interval',
};
