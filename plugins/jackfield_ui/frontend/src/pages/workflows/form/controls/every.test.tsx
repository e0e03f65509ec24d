// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import type { Control, NodeField } from '../model';
import { choose, prepare, type Shown, shown } from '../testing';
import { CONTROLS } from '.';

vi.mock('../../../../components/CodeEditor', () => import('../PlainEditor'));
prepare();

interface Tried {
  more?: Partial<NodeField>;
  value: unknown;
  /** What stands on the page. */
  seen: () => unknown;
  /** What the user does; nothing for what holds no value. */
  change?: (user: Shown['user']) => Promise<void> | void;
  /** What the document holds then. */
  after: unknown;
}

const CHOICES = [
  { value: 1, label: 'First' },
  { value: 2, label: 'Second' },
];
const ROW = { name: 'name', control: 'text', label: 'Name', default: '' } satisfies NodeField;
const input = () => screen.getByLabelText<HTMLInputElement>('Thing');
const type = (text: string) => (user: Shown['user']) => user.type(input(), text);
const named = (name: string, text: string) => (user: Shown['user']) => user.type(screen.getByLabelText(name), text);
const text = { value: 'clay', seen: () => input().value === 'clay', change: type('!'), after: 'clay!' } as const;
const condition = {
  id: 'c',
  leftValue: '={{ $json.heat }}',
  rightValue: '900',
  operator: { type: 'string', operation: 'equals' },
};
const column = { id: 'id', displayName: 'Column', type: 'string', display: true };

/** Each control once: what it shows, and what it writes. A control without an entry here does not pass the types. */
const EVERY: Readonly<Record<Control, Tried>> = {
  text,
  textarea: { ...text, seen: () => input().tagName === 'TEXTAREA' && input().value === 'clay' },
  code: text,
  secret: { ...text, seen: () => input().type === 'password' },
  json: {
    value: { a: 1 },
    seen: () => input().value.includes('"a": 1'),
    change: () => void fireEvent.change(input(), { target: { value: '[2]' } }),
    after: [2],
  },
  number: { value: 4, seen: () => input().value === '4', change: type('2'), after: 42 },
  switch: {
    value: true,
    seen: () => screen.getByRole<HTMLInputElement>('switch', { name: 'Thing' }).checked,
    change: (user) => user.click(screen.getByRole('switch', { name: 'Thing' })),
    after: false,
  },
  select: {
    more: { choices: CHOICES },
    value: 1,
    seen: () => screen.getByDisplayValue('First'),
    change: (user) => choose(user, 'Thing', 'Second'),
    after: 2,
  },
  multiselect: {
    more: { choices: CHOICES },
    value: [1],
    seen: () => screen.getAllByText('First').length > 1,
    change: (user) => choose(user, 'Thing', 'Second'),
    after: [1, 2],
  },
  date: {
    more: { options: { time: false } },
    value: '2026-01-02',
    seen: () => input().type === 'date',
    change: () => void fireEvent.change(input(), { target: { value: '2026-03-04' } }),
    after: '2026-03-04',
  },
  color: {
    value: '#aabbcc',
    seen: () => input().value === '#aabbcc',
    change: () => void fireEvent.change(input(), { target: { value: '#112233' } }),
    after: '#112233',
  },
  notice: { value: undefined, seen: () => screen.getByRole('alert').textContent?.includes('Thing'), after: undefined },
  hidden: { value: 'kept', seen: () => screen.queryByText('Thing') === null, after: 'kept' },
  collection: {
    more: { fields: [ROW] },
    value: { name: 'a' },
    seen: () => screen.getByRole('group', { name: 'Thing' }),
    change: (user) => user.type(screen.getByRole('textbox', { name: 'Name' }), 'b'),
    after: { name: 'ab' },
  },
  fixedCollection: {
    more: { multiple: true, groups: [{ name: 'rows', label: 'Row', fields: [ROW] }] },
    value: { rows: [{ name: 'a' }] },
    seen: () => screen.getByRole('group', { name: 'Row 1' }),
    change: (user) => user.type(screen.getByRole('textbox', { name: 'Name' }), 'b'),
    after: { rows: [{ name: 'ab' }] },
  },
  locator: {
    more: { options: { modes: ['id', 'url'] } },
    value: { __rl: true, mode: 'id', value: 'C1' },
    seen: () => screen.getByDisplayValue('C1'),
    change: (user) => user.type(screen.getByRole('textbox', { name: 'Thing' }), '2'),
    after: { __rl: true, mode: 'id', value: 'C12' },
  },
  assignments: {
    value: { assignments: [{ id: 'a', name: 'heat', type: 'string', value: '9' }] },
    seen: () => screen.getByDisplayValue('heat'),
    change: named('Value of heat', '00'),
    after: { assignments: [{ id: 'a', name: 'heat', type: 'string', value: '900' }] },
  },
  filter: {
    value: { options: {}, conditions: [condition], combinator: 'and' },
    seen: () => screen.getByDisplayValue('900'),
    change: named('Compared with 1', '5'),
    after: { options: {}, conditions: [{ ...condition, rightValue: '9005' }], combinator: 'and' },
  },
  mapper: {
    value: { mappingMode: 'defineBelow', value: { id: 'a' }, matchingColumns: [], schema: [column] },
    seen: () => screen.getByDisplayValue('a'),
    change: (user) => user.type(screen.getByRole('textbox', { name: 'Column' }), 'b'),
    after: { mappingMode: 'defineBelow', value: { id: 'ab' }, matchingColumns: [], schema: [column] },
  },
  credential: {
    more: { options: { kind: 'slackApi' } },
    value: '1',
    seen: () => screen.findByDisplayValue('Pottery'),
    change: async (user) => {
      await screen.findByDisplayValue('Pottery');
      await choose(user, 'Thing', 'Glaze');
    },
    after: '2',
  },
  workflow: {
    value: { __rl: true, mode: 'list', value: '1', cachedResultName: 'Pottery' },
    seen: () => screen.getByDisplayValue('Pottery'),
    change: (user) => choose(user, 'Thing', 'Glaze'),
    after: { __rl: true, mode: 'list', value: '2', cachedResultName: 'Glaze' },
  },
};

function opened(control: Control, { more, value }: Tried, editable = true): Shown {
  const stored = ['Pottery', 'Glaze'].map((name, index) => ({ id: String(index + 1), name, kind: 'slackApi' }));
  vi.stubGlobal('fetch', async () => Response.json({ data: stored, total: stored.length }));
  const field: NodeField = { name: 'it', control, label: 'Thing', ...more };
  return shown([field], value === undefined ? {} : { it: value }, { editable });
}

describe.each(Object.keys(CONTROLS) as Control[])('%s', (control) => {
  const tried = EVERY[control];

  it('shows what the document holds, and changes nothing by that', async () => {
    const form = opened(control, tried);
    await waitFor(async () => expect(await tried.seen()).toBeTruthy());
    expect(form.changes()).toBe(0);
  });

  it('writes what the user gives, in the same shape', async () => {
    const form = opened(control, tried);
    await tried.change?.(form.user);
    expect(form.value().it).toEqual(tried.after);
  });

  it('shows who may not write no way to do it', () => {
    opened(control, tried, false);
    const inputs = [...document.querySelectorAll<HTMLInputElement>('input:not([type=hidden]), textarea')];
    expect(inputs.filter((one) => !one.readOnly && !one.disabled)).toEqual([]);
    expect(screen.queryAllByRole('button', { name: /^(Add|Remove|Move|Fixed|Expression)/ })).toEqual([]);
  });
});
