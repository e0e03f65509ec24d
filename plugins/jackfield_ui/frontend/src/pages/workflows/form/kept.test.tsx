// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import type { Control, NodeField } from './model';
import { prepare, shown } from './testing';

vi.mock('../../../components/CodeEditor', () => import('./PlainEditor'));
prepare();

const CONTROLS: readonly Control[] = [
  'text',
  'textarea',
  'code',
  'json',
  'secret',
  'number',
  'switch',
  'select',
  'multiselect',
  'date',
  'color',
  'notice',
  'hidden',
  'collection',
  'fixedCollection',
  'locator',
  'assignments',
  'filter',
  'mapper',
  'credential',
  'workflow',
];

const inner: NodeField[] = [
  { name: 'name', control: 'text', label: 'Name', default: '' },
  { name: 'count', control: 'number', label: 'Count', default: 3 },
  { name: 'odd', control: 'filter', label: 'Odd' },
];

/** What documents of n8n hold, right and wrong, in any field. */
const VALUES: readonly unknown[] = [
  '',
  'text',
  '12',
  12,
  0,
  -1.5,
  true,
  false,
  null,
  [],
  {},
  '={{ $json.a }}',
  '=',
  'line\nline',
  '2026-01-02T03:04:05.000Z',
  '#ff0000',
  ['a', 'b'],
  ['a', { b: 1 }],
  [1, '2', null],
  { deep: { list: [{ a: [null] }] } },
  { __rl: true, mode: 'list', value: 'gid=0', cachedResultName: 'Ideas', cachedResultUrl: 'x' },
  { __rl: true, mode: 'id', value: '={{ $json.id }}' },
  { __rl: true, mode: 'url', value: 'x', __regex: 'y' },
  { __rl: true, mode: 'name', value: null },
  { __rl: true, value: '' },
  {
    mappingMode: 'defineBelow',
    value: { a: '={{ 1 }}' },
    schema: [{ id: 'a' }, { id: 'b', removed: true }],
    matchingColumns: [],
  },
  { mappingMode: 'autoMapInputData', matchingColumns: ['a'] },
  { mappingMode: 'other', value: null },
  {
    assignments: [
      { id: '1', name: 'a', value: '5', type: 'number' },
      { name: 'b', value: { c: 1 }, type: 'object' },
    ],
  },
  {
    assignments: [
      { id: '1', name: 'a', value: 'yes', type: 'boolean' },
      { name: 'a', value: null, type: 'odd' },
    ],
  },
  {
    conditions: [{ leftValue: '={{ 1 }}', rightValue: '18', operator: { type: 'number', operation: 'larger' } }],
    combinator: 'xor',
  },
  { conditions: [{ leftValue: 1, rightValue: [1] }], options: { typeValidation: 'loose', leftValue: '' } },
  { conditions: [{ value1: 'x' }, null] },
  {
    values: [
      { name: 'a', more: 1 },
      { name: 5, count: 'many' },
    ],
  },
  { values: { name: 'a', odd: 'x' }, other: [{}] },
  { name: 'a', count: '={{ 1 }}', odd: { conditions: 'none' }, kept: [1] },
  [{ name: 'a' }, { name: ['b'] }],
];

function field(control: Control, more: Partial<NodeField> = {}): NodeField {
  return {
    name: 'it',
    control,
    label: 'Thing',
    default: null,
    choices: [{ value: 'a', label: 'A' }],
    fields: inner,
    groups: [{ name: 'values', label: 'Value', fields: inner }],
    options: {
      modes: [
        { name: 'list', label: 'From list' },
        { name: 'id', label: 'By ID' },
      ],
    },
    ...more,
  };
}

/** Somebody looks at everything and leaves it again. */
function lookedAt(): void {
  for (const element of document.body.querySelectorAll<HTMLElement>('input, textarea, button')) {
    fireEvent.focus(element);
    fireEvent.blur(element);
  }
}

describe.each(CONTROLS)('%s', (control) => {
  it('changes nothing of any value that is only looked at', () => {
    vi.stubGlobal('fetch', async () => Response.json({ data: [], total: 0 }));
    for (const multiple of [false, true]) {
      for (const expression of [false, true]) {
        const forms = VALUES.map((value) =>
          shown([field(control, { multiple, expression })], { it: value, unknown: value }),
        );
        lookedAt();
        expect(forms.map((form) => form.changes())).toEqual(VALUES.map(() => 0));
        document.body.replaceChildren();
      }
    }
  }, 60_000);
});

it('what a control cannot show is there as JSON, and may be changed', () => {
  const form = shown([field('number')], { it: { a: [1] } });
  const editor = screen.getByLabelText<HTMLTextAreaElement>('Thing');
  expect(JSON.parse(editor.value)).toEqual({ a: [1] });
  fireEvent.change(editor, { target: { value: '{"a": [2]}' } });
  expect(form.value()).toEqual({ it: { a: [2] } });
});
