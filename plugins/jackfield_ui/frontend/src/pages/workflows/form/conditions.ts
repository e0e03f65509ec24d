/** Conditions as n8n's filters have them. */

import { uuid } from '../../../api/uuid';
import { t } from '../../../language/messages';

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
const PRESENT = { exists: 'exists', notExists: t('does not exist'), empty: t('is empty'), notEmpty: t('is not empty') };

/** Type -> operation -> words. */
export const OPERATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  string: {
    equals: t('is equal to'),
    notEquals: t('is not equal to'),
    contains: 'contains',
    notContains: t('does not contain'),
    startsWith: t('starts with'),
    notStartsWith: t('does not start with'),
    endsWith: t('ends with'),
    notEndsWith: t('does not end with'),
    regex: t('matches the pattern'),
    notRegex: t('does not match the pattern'),
    ...PRESENT,
  },
  number: {
    equals: t('is equal to'),
    notEquals: t('is not equal to'),
    gt: t('is greater than'),
    lt: t('is less than'),
    gte: t('is at least'),
    lte: t('is at most'),
    ...PRESENT,
  },
  boolean: {
    true: t('is true'),
    false: t('is false'),
    equals: t('is equal to'),
    notEquals: t('is not equal to'),
    ...PRESENT,
  },
  dateTime: {
    equals: t('is equal to'),
    notEquals: t('is not equal to'),
    after: t('is after'),
    before: t('is before'),
    afterOrEquals: t('is not before'),
    beforeOrEquals: t('is not after'),
    ...PRESENT,
  },
  array: {
    contains: 'contains',
    notContains: t('does not contain'),
    lengthEquals: t('has the length'),
    lengthNotEquals: t('does not have the length'),
    lengthGt: t('is longer than'),
    lengthLt: t('is shorter than'),
    lengthGte: t('is at least as long as'),
    lengthLte: t('is at most as long as'),
    ...PRESENT,
  },
  object: { ...PRESENT },
};

export const CONDITION_TYPES: readonly { value: string; label: string }[] = [
  { value: 'string', label: t('Text') },
  { value: 'number', label: t('Number') },
  { value: 'boolean', label: t('True or false') },
  { value: 'dateTime', label: t('Date and time') },
  { value: 'array', label: t('List') },
  { value: 'object', label: t('Object') },
];
