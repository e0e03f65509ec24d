/** Conditions as n8n's filters have them. */
import { uuid } from '../../../api/uuid';

/** A new one is strict, as in n8n: a text is no number. */
export const FILTER_OPTIONS = { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 } as const;

export function emptyCondition(): Record<string, unknown> {
  return {
    id: uuid(),
    leftValue: '',
    rightValue: '',
    operator: { type: 'string', operation: 'equals' },
  };
}

export function emptyFilter(): Record<string, unknown> {
  return { options: { ...FILTER_OPTIONS }, conditions: [emptyCondition()], combinator: 'and' };
}

/** Operations that look at one value. */
export const ALONE: ReadonlySet<string> = new Set(['exists', 'notExists', 'empty', 'notEmpty', 'true', 'false']);
const PRESENT = { exists: 'exists', notExists: 'does not exist', empty: 'is empty', notEmpty: 'is not empty' };

/** Type -> operation -> words. */
export const OPERATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  string: {
    equals: 'is equal to',
    notEquals: 'is not equal to',
    contains: 'contains',
    notContains: 'does not contain',
    startsWith: 'starts with',
    notStartsWith: 'does not start with',
    endsWith: 'ends with',
    notEndsWith: 'does not end with',
    regex: 'matches the pattern',
    notRegex: 'does not match the pattern',
    ...PRESENT,
  },
  number: {
    equals: 'is equal to',
    notEquals: 'is not equal to',
    gt: 'is greater than',
    lt: 'is less than',
    gte: 'is at least',
    lte: 'is at most',
    ...PRESENT,
  },
  boolean: { true: 'is true', false: 'is false', equals: 'is equal to', notEquals: 'is not equal to', ...PRESENT },
  dateTime: {
    equals: 'is equal to',
    notEquals: 'is not equal to',
    after: 'is after',
    before: 'is before',
    afterOrEquals: 'is not before',
    beforeOrEquals: 'is not after',
    ...PRESENT,
  },
  array: {
    contains: 'contains',
    notContains: 'does not contain',
    lengthEquals: 'has the length',
    lengthNotEquals: 'has not the length',
    lengthGt: 'is longer than',
    lengthLt: 'is shorter than',
    lengthGte: 'is at least as long as',
    lengthLte: 'is at most as long as',
    ...PRESENT,
  },
  object: { ...PRESENT },
};

export const CONDITION_TYPES: readonly { value: string; label: string }[] = [
  { value: 'string', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'True or false' },
  { value: 'dateTime', label: 'Date and time' },
  { value: 'array', label: 'List' },
  { value: 'object', label: 'Object' },
];
