import { expect, test } from 'vitest';
import type { NodeField, Values } from '../form/model';
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

const described = (fields: readonly NodeField[], ...states: Values[]) => ({ fields, states, version: 2 });

test.each([
  ['parameters.rule.interval[0].hours', 'Trigger rules \u203a Interval \u203a 1 \u203a Hours'],
  ['parameters.options.dotNotation', 'Options \u203a Support dot notation'],
  ['parameters.assignments.assignments[1].value', 'Fields to set \u203a 2 \u203a Value'],
  ['parameters.includeOtherFields', 'Include other fields'],
  ['retryOnFail', 'Retry on fail'],
  ['options', 'Options'],
])('%s is called %s', (path, words) => {
  expect(fieldWords(path, described(FIELDS, {}))).toBe(words);
});

const channel = (label: string, operation: string, more: Partial<NodeField> = {}): NodeField => ({
  name: 'channelId',
  control: 'text',
  label,
  when: { show: { operation: [operation] } },
  ...more,
});

const SLACK: NodeField[] = [
  { name: 'operation', control: 'select', label: 'Operation', default: 'post' },
  channel('Name', 'create'),
  channel('Channel of old', 'post', { when: { show: { operation: ['post'], '@version': [1] } } }),
  channel('Channel', 'post'),
  {
    name: 'rows',
    control: 'fixedCollection',
    label: 'Rows',
    groups: [
      {
        name: 'row',
        label: 'Row',
        fields: [
          { name: 'kind', control: 'select', label: 'Kind' },
          { name: 'value', control: 'text', label: 'Text', when: { show: { kind: ['text'] } } },
          { name: 'value', control: 'number', label: 'Number', when: { show: { kind: ['number'] } } },
        ],
      },
    ],
  },
];
const ROWS = { rows: { row: [{ kind: 'text' }, { kind: 'number' }] } };

test.each<[string, string, Values[]]>([
  ['parameters.channelId', 'Channel', [{}]],
  ['parameters.channelId.value', 'Channel \u203a Value', [{ operation: 'post' }]],
  ['parameters.channelId', 'Name', [{ operation: 'create' }, { operation: 'post' }]],
  ['parameters.channelId', 'Channel', [{ operation: 'archive' }, { operation: 'post' }]],
  ['parameters.channelId', 'Name', [{ operation: 'archive' }]],
  ['parameters.rows.row[1].value', 'Rows \u203a Row \u203a 2 \u203a Number', [ROWS]],
])('of fields with one name, %s is the one that is shown: %s', (path, words, states) => {
  expect(fieldWords(path, described(SLACK, ...states))).toBe(words);
});
