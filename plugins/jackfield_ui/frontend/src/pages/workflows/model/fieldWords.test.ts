import { expect, test } from 'vitest';
import { fieldWords } from './fieldWords';

const FIELDS = [
  { name: 'assignments', control: 'assignments' as const, label: 'Fields to set' },
  {
    name: 'rule',
    control: 'fixedCollection' as const,
    label: 'Trigger rules',
    groups: [
      { name: 'interval', label: 'Interval', fields: [{ name: 'hours', control: 'number' as const, label: 'Hours' }] },
    ],
  },
  {
    name: 'options',
    control: 'collection' as const,
    label: 'Options',
    fields: [{ name: 'dotNotation', control: 'switch' as const, label: 'Support dot notation' }],
  },
];

test.each([
  ['rule.interval[0].hours', 'Trigger rules \u203a Interval \u203a 1 \u203a Hours'],
  ['options.dotNotation', 'Options \u203a Support dot notation'],
  ['assignments.assignments[1].value', 'Fields to set \u203a 2 \u203a Value'],
  ['includeOtherFields', 'Include other fields'],
])('%s is called %s', (path, words) => {
  expect(fieldWords(path, FIELDS)).toBe(words);
});
